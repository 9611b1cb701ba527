"""Lesson 02: to length one, a cosine that refuses, the pair most alike."""

import math
from collections.abc import Callable, Sequence

from memora_lab.exercises.exercise import Exercise


def _unit_mistake(answer: Callable) -> str:
    given = [3.0, -4.0]  # length 5, sum -1, largest 4
    got = _numbers(answer(given))
    if given != [3.0, -4.0]:
        return "changed"
    likely = {
        "": [0.6, -0.8],
        "squared": [3 / 25, -4 / 25],
        "sum": [-3.0, 4.0],
        "absolute": [3 / 7, -4 / 7],
        "largest": [0.75, -1.0],
        "multiplied": [15.0, -20.0],
        "positive": [0.6, 0.8],
    }
    found = next((key for key, unit in likely.items() if _close(got, unit)), "other")
    if found == "":
        zeros = _tried(answer, [0.0, 0.0])
        return "" if zeros is not None and _close(_numbers(zeros), [0.0, 0.0]) else "zero"
    return found


def _safe_mistake(answer: Callable) -> str:
    got = float(answer([3.0, 4.0], [8.0, 6.0]))
    likely = {
        "no_lengths": 48.0,  # 24 + 24
        "no_root": 48 / 2500,
        "one_length": (48 / 5, 48 / 10),
        "sum_of_lengths": 48 / 15,
        "": 0.96,
    }
    found = next((key for key, value in likely.items() if _is(got, value)), "other")
    if found:
        return found
    if not _is(float(answer([1.0, 0.0], [-1.0, 0.0])), -1.0):
        return "sign"
    try:
        answer([1.0, 1.0], [1.0, 1.0, 1.0])
    except Exception as error:
        if not isinstance(error.__cause__, ValueError):
            return "other_error"
    else:
        return "unequal"
    zero = _tried(answer, [0.0, 0.0], [1.0, 1.0])
    return "" if zero is not None and _is(float(zero), 0.0) else "zero_vector"


def _alike_mistake(answer: Callable) -> str:
    # 2 and 5 point the same way; 1 and 3 are long, 2 and 4 short, 3 and 4 opposite.
    vectors = [[1.0, 9.0], [2.0, 1.0], [8.0, 8.0], [-0.2, -0.2], [5.0, 2.6]]
    got = answer(vectors)
    if not isinstance(got, list | tuple) or len(got) != 2:
        return "shape"
    pair = tuple(int(number) for number in got)
    if pair[0] == pair[1]:
        return "itself"
    if pair[0] > pair[1]:
        return "backwards"
    mistakes = {
        (2, 5): "",
        (1, 4): "from_zero",
        (1, 3): "no_lengths",
        (0, 2): "no_lengths",
        (2, 4): "distance",
        (3, 4): "least",
        (2, 3): "least",
    }
    return mistakes.get(pair, "other")


def _tried(answer: Callable, *arguments: object) -> object:
    """What it returns; None where it stops, as dividing by zero does."""
    try:
        return answer(*arguments)
    except Exception:
        return None


def _numbers(got: object) -> list[float]:
    return [float(number) for number in got]


def _is(got: float, expected: float | tuple[float, ...]) -> bool:
    values = expected if isinstance(expected, tuple) else (expected,)
    return any(math.isclose(got, value, abs_tol=1e-9) for value in values)


def _close(got: Sequence[float], expected: Sequence[float]) -> bool:
    return len(got) == len(expected) and all(map(_is, got, expected))


EXERCISES = {
    "unit": Exercise(
        _unit_mistake,
        {
            "changed": {
                "en": "The vector that was passed in has changed: return a new list.",
                "zh-TW": "傳進來的向量被改掉了：請回傳一個新的串列。",
            },
            "squared": {
                "en": "Divided by the square of the length: the root is missing.",
                "zh-TW": "除以長度的平方了：少了開根號。",
            },
            "sum": {
                "en": "Divided by the sum of the numbers; the length is the root of the sum of "
                "squares.",
                "zh-TW": "除以數字的總和了；長度是平方和再開根號。",
            },
            "absolute": {
                "en": "Divided by the sum without signs; the length is the root of the sum of "
                "squares.",
                "zh-TW": "除以絕對值的總和了；長度是平方和再開根號。",
            },
            "largest": {
                "en": "Divided by the largest number; then the longest side is 1, not the arrow.",
                "zh-TW": "除以最大的數字了：這樣長度為 1 的是最長的邊，不是整支箭。",
            },
            "multiplied": {
                "en": "Multiplied by the length: the arrow grew instead of shrinking to 1.",
                "zh-TW": "乘上長度了：箭變得更長，沒有縮成 1。",
            },
            "positive": {
                "en": "A minus sign got lost, and with it the direction.",
                "zh-TW": "負號不見了，方向也就變了。",
            },
            "zero": {
                "en": "A vector of zeros has length 0: return zeros instead of dividing.",
                "zh-TW": "全是零的向量長度是 0：不要除，直接回傳零。",
            },
            "other": {
                "en": "[3, -4] has length 5, so its unit vector is [0.6, -0.8].",
                "zh-TW": "[3, -4] 的長度是 5，所以單位向量是 [0.6, -0.8]。",
            },
        },
        (
            {
                "en": "Hint: first the length, then each number divided by it.",
                "zh-TW": "提示：先算長度，再把每個數字除以它。",
            },
            {
                "en": "Hint: size = sum(x * x for x in vector) ** 0.5, and 0 apart.",
                "zh-TW": "提示：size = sum(x * x for x in vector) ** 0.5，等於 0 的時候另外處理。",
            },
        ),
    ),
    "safe_cosine": Exercise(
        _safe_mistake,
        {
            "no_lengths": {
                "en": "This is the dot product: it still has to be divided by the two lengths.",
                "zh-TW": "這是內積：還要除以兩個向量的長度。",
            },
            "no_root": {
                "en": "Divided by the squares of the lengths: the root is missing.",
                "zh-TW": "除以長度的平方了：少了開根號。",
            },
            "one_length": {
                "en": "Divided by one length only; both are divided out.",
                "zh-TW": "只除了一個長度；兩個都要除。",
            },
            "sum_of_lengths": {
                "en": "Divided by the sum of the lengths; it is their product.",
                "zh-TW": "除以兩個長度的和了；應該是乘積。",
            },
            "sign": {
                "en": "Opposite directions must give -1: keep the sign.",
                "zh-TW": "相反的方向應該是 -1：正負號要留著。",
            },
            "unequal": {
                "en": "Lengths 2 and 3 gave a score: zip stops at the shorter one without a word.",
                "zh-TW": "2 個數字和 3 個數字也算出了分數：zip 到短的那邊就默默停下。",
            },
            "other_error": {
                "en": "Unequal lengths are refused, but with another error than ValueError.",
                "zh-TW": "長度不同有擋下來，但丟出的不是 ValueError。",
            },
            "zero_vector": {
                "en": "A vector of zeros has no direction: return 0.0, and do not divide by 0.",
                "zh-TW": "全是零的向量沒有方向：回傳 0.0，不要除以 0。",
            },
            "other": {
                "en": "The cosine of [3, 4] and [8, 6] is 48 / (5 * 10) = 0.96.",
                "zh-TW": "[3, 4] 和 [8, 6] 的餘弦是 48 / (5 * 10) = 0.96。",
            },
        },
        (
            {
                "en": "Hint: three steps: check the lengths, then the zeros, then the formula.",
                "zh-TW": "提示：分三步：先檢查個數，再檢查零，最後才套公式。",
            },
            {
                "en": "Hint: zip(a, b, strict=True) raises ValueError by itself; if a length is 0, "
                "return 0.0.",
                "zh-TW": "提示：zip(a, b, strict=True) 自己會丟出 ValueError；"
                "長度是 0 就回傳 0.0。",
            },
        ),
    ),
    "most_alike": Exercise(
        _alike_mistake,
        {
            "shape": {
                "en": "Expected a pair of two numbers, such as (1, 2).",
                "zh-TW": "要回傳一組兩個編號，例如 (1, 2)。",
            },
            "itself": {
                "en": "A vector was paired with itself: the diagonal does not count.",
                "zh-TW": "把向量和它自己配成一對了：對角線不算。",
            },
            "backwards": {
                "en": "The smaller number comes first in the pair.",
                "zh-TW": "編號小的要在前面。",
            },
            "from_zero": {
                "en": "The vectors are counted from 0; here they are counted from 1.",
                "zh-TW": "向量從 0 開始編號了；這裡從 1 開始。",
            },
            "no_lengths": {
                "en": "These two are long, not alike: dot products favour long vectors.",
                "zh-TW": "這兩個只是長，不是像：內積會偏袒長的向量。",
            },
            "distance": {
                "en": "These two are near, but their directions differ: compare cosines.",
                "zh-TW": "這兩個離得近，方向卻不同：要比的是餘弦。",
            },
            "least": {
                "en": "These are the least alike: take the highest cosine, not the lowest.",
                "zh-TW": "這是最不像的一對：要取最高的餘弦，不是最低。",
            },
            "other": {
                "en": "Another pair has a higher cosine: compare every vector with every other.",
                "zh-TW": "還有餘弦更高的一對：每兩個都要比。",
            },
        },
        (
            {
                "en": "Hint: two loops, the second from i + 1 on, and the best pair so far.",
                "zh-TW": "提示：兩層迴圈，內層從 i + 1 開始，記住目前最好的一對。",
            },
            {
                "en": "Hint: max(pairs, key=lambda pair: cosine(vectors[pair[0]], "
                "vectors[pair[1]])), then add 1.",
                "zh-TW": "提示：max(pairs, key=lambda pair: cosine(vectors[pair[0]], "
                "vectors[pair[1]]))，再各加 1。",
            },
        ),
    ),
}
