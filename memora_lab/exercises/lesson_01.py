"""Lesson 01: what embedding costs, each text paid once, neighbours on a map."""

import math
from collections.abc import Callable, Sequence

from memora_lab.exercises.exercise import Exercise


def _cost_mistake(answer: Callable) -> str:
    tokens, price = 500_000, 0.02  # half a million: one cent
    got = answer(tokens, price)
    if isinstance(got, str) or not isinstance(float(got), float):
        return "text"
    likely = {
        "": tokens * price / 1_000_000,
        "no_million": tokens * price,
        "thousand": tokens * price / 1_000,
        "divided": tokens / price / 1_000_000,
        "cents": tokens * price / 10_000,
    }
    found = next((key for key, cost in likely.items() if math.isclose(got, cost)), "other")
    # The digits of a seventh never end: however many places are kept, some are missing.
    if found == "" and not math.isclose(answer(12, 1 / 7), 12 / 7 / 1_000_000, rel_tol=1e-12):
        return "rounded"
    return found


def _unique_mistake(answer: Callable) -> str:
    compass = {"north": [0.0, 1.0], "east": [1.0, 0.0], "south": [0.0, -1.0], "west": [-1.0, 0.0]}
    texts = ["west", "north", "west", "east", "south", "north"]
    given = list(texts)
    calls: list[list[str]] = []

    def embed(asked: Sequence[str]) -> tuple[list[list[float]], int]:
        calls.append(list(asked))
        return [compass[text] for text in asked], len(asked)

    try:
        got = answer(given, embed)
    except Exception as error:
        missing = error.__cause__.args if isinstance(error.__cause__, KeyError) else ()
        if calls and missing and missing[0] in compass:
            return "no_vector"
        raise
    asked = [text for call in calls for text in call]
    if got is None:
        return "shape"
    if len(calls) != 1:
        return "calls"
    if len(asked) != len(compass):
        return "repeated"
    if isinstance(got, tuple) and len(got) == 2 and not isinstance(got[1], list):
        return "tokens"
    vectors = [[float(number) for number in vector] for vector in got]
    if len(vectors) == len(compass):
        return "too_few"
    if len(vectors) != len(texts):
        return "shape"
    if given != texts:
        return "changed"
    return "" if vectors == [compass[text] for text in texts] else "order"


def _shared_mistake(answer: Callable) -> str:
    # The nearest other point, from 0 on: 3, 0, 3, 0, 5, 4. The second and the third hit.
    points = [(11.0, 6.0), (9.0, 12.0), (12.0, 1.0), (8.0, 4.0), (2.0, 7.0), (1.0, 1.0)]
    topics = ["work", "work", "food", "food", "food", "work"]
    got = float(answer(points, topics))
    likely = {"one_axis": 0, "manhattan": 1, "": 2, "shifted": 3, "farthest": 5, "itself": 6}
    if math.isclose(got, 2):
        return "count"
    if math.isclose(got, 100 * 2 / 6, abs_tol=0.5):
        return "percent"
    return next((key for key, hits in likely.items() if math.isclose(got, hits / 6)), "other")


EXERCISES = {
    "embedding_cost": Exercise(
        _cost_mistake,
        {
            "text": {
                "en": "Expected a number of dollars, not a text.",
                "zh-TW": "要回傳一個數字（美元），不是文字。",
            },
            "no_million": {
                "en": "The price is for a million tokens: one token costs a millionth of it.",
                "zh-TW": "價格是每一百萬個 token 的：一個 token 只要它的百萬分之一。",
            },
            "thousand": {
                "en": "Divided by a thousand: the price is for a million tokens.",
                "zh-TW": "除以一千了：價格是每一百萬個 token 的。",
            },
            "divided": {
                "en": "Divided by the price: a higher price must make it dearer, not cheaper.",
                "zh-TW": "除以價格了：價格越高應該越貴，不是越便宜。",
            },
            "cents": {
                "en": "These are cents; the answer is wanted in dollars.",
                "zh-TW": "這是美分，題目要的是美元。",
            },
            "rounded": {
                "en": "Rounded: 12 tokens cost so little that the digits cut off are missed.",
                "zh-TW": "四捨五入了：12 個 token 很便宜，被捨去的位數就差很多。",
            },
            "other": {
                "en": "At 0.02 dollars a million, 500,000 tokens should cost one cent: 0.01.",
                "zh-TW": "每一百萬個 0.02 美元，500,000 個 token 應該是一美分：0.01。",
            },
        },
        (
            {
                "en": "Hint: what does one token cost? Then take it times the tokens.",
                "zh-TW": "提示：一個 token 要多少？再乘上 token 數。",
            },
            {
                "en": "Hint: tokens times price, divided by 1_000_000, and no round().",
                "zh-TW": "提示：token 數乘上價格，除以 1_000_000，不要用 round()。",
            },
        ),
    ),
    "embed_unique": Exercise(
        _unique_mistake,
        {
            "calls": {
                "en": "embed must be called exactly once, with all the different texts in a list.",
                "zh-TW": "embed 只能呼叫一次，一次交出全部不同的句子。",
            },
            "no_vector": {
                "en": "KeyError: a text is missing in your dictionary. embed returns (vectors, "
                "tokens): take them apart, then pair the vectors with the texts you sent.",
                "zh-TW": "KeyError：字典裡少了一句。embed 回傳的是 (向量, token 數)："
                "先拆開，再把向量和你送出的句子配成對。",
            },
            "repeated": {
                "en": "A text was sent more than once, and so paid more than once.",
                "zh-TW": "有句子送了不只一次，也就付了不只一次錢。",
            },
            "tokens": {
                "en": "embed returns (vectors, tokens); only the vectors are wanted.",
                "zh-TW": "embed 回傳的是 (向量, token 數)，這裡只要向量。",
            },
            "too_few": {
                "en": "One vector for each different text; wanted is one for each text, "
                "repeated or not.",
                "zh-TW": "現在是每個「不同」的句子一個向量；要的是每一句都有，重複的也要。",
            },
            "order": {
                "en": "Some texts got the vector of another text: keep track of which is whose.",
                "zh-TW": "有些句子拿到別句的向量：要記住哪個向量是哪一句的。",
            },
            "changed": {
                "en": "The list that was passed in has changed: work on a new one.",
                "zh-TW": "傳進來的串列被改掉了：請另外建一個新的。",
            },
            "shape": {
                "en": "Expected a list with one vector for each text.",
                "zh-TW": "要回傳一個串列，每句話一個向量。",
            },
        },
        (
            {
                "en": "Hint: a dictionary from each text to its vector answers every repetition.",
                "zh-TW": "提示：用字典記住每句話的向量，重複的句子查一下就好。",
            },
            {
                "en": "Hint: unique = list(dict.fromkeys(texts)), then vectors, _ = embed(unique), "
                "then look up each text.",
                "zh-TW": "提示：unique = list(dict.fromkeys(texts))，"
                "再 vectors, _ = embed(unique)，最後替每句查字典。",
            },
        ),
    ),
    "shared_topic": Exercise(
        _shared_mistake,
        {
            "itself": {
                "en": "Every point found itself, at distance 0: leave it out of its own search.",
                "zh-TW": "每個點都找到自己（距離 0）：找鄰居時要跳過自己。",
            },
            "count": {
                "en": "This is how many; wanted is the share: divide by the number of points.",
                "zh-TW": "這是個數；要的是比例，還要除以點的個數。",
            },
            "percent": {
                "en": "This is a percentage; wanted is a share from 0 to 1.",
                "zh-TW": "這是百分比；要的是 0 到 1 之間的比例。",
            },
            "farthest": {
                "en": "These are the farthest points: the nearest has the smallest distance.",
                "zh-TW": "找到的是最遠的點：最近的點，距離最小。",
            },
            "shifted": {
                "en": "The topic of another point was compared: after taking yourself out, the "
                "numbers behind are one too small.",
                "zh-TW": "比到別的點的主題了：拿掉自己之後，後面的編號都少了 1，主題就對錯了。",
            },
            "manhattan": {
                "en": "The ways along x and along y were added; the straight line is wanted: "
                "square, add, take the root.",
                "zh-TW": "把 x 和 y 的差直接相加了；要的是直線距離：平方、相加、開根號。",
            },
            "one_axis": {
                "en": "Only x or only y was compared; a distance in the plane needs both.",
                "zh-TW": "只比了 x 或只比了 y；平面上的距離兩個都要看。",
            },
            "other": {
                "en": "Not the share of points whose nearest other point has the same topic.",
                "zh-TW": "這不是「最近的另一點和自己同主題」的比例。",
            },
        },
        (
            {
                "en": "Hint: for each point, look at all the others and keep the nearest.",
                "zh-TW": "提示：對每個點，看過其他所有點，留下最近的那個。",
            },
            {
                "en": "Hint: others = [j for j in range(len(points)) if j != i], then min(others, "
                "key=…).",
                "zh-TW": "提示：others = [j for j in range(len(points)) if j != i]，"
                "再 min(others, key=…)。",
            },
        ),
    ),
}
