"""Lesson 02: to length one, a cosine that refuses, the pair most alike."""

import math
import re
from collections.abc import Callable, Sequence

from memora_lab.exercises.exercise import Exercise


def _unit_mistake(answer: Callable) -> str:
    given = [3.0, -4.0]  # length 5, sum -1, largest 4
    try:
        first = answer(given)
    except Exception as error:  # math.sqrt refuses the sum, -1
        if isinstance(error.__cause__, ValueError) and re.search(
            "domain|nonneg", str(error.__cause__)
        ):
            return "no_squares"
        raise
    if given != [3.0, -4.0]:
        return "changed"
    if any(isinstance(number, complex) or math.isnan(number) for number in first):
        return "no_squares"
    got = _numbers(first)
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
    return found or _zero_mistake(answer)


def _zero_mistake(answer: Callable) -> str:
    given = [0.0, 0.0, 0.0]
    got = _tried(answer, given)
    if got is None:
        return "zero"
    if got is given:
        return "same_list"
    if not hasattr(got, "__len__") or isinstance(got, str) or len(got) != len(given):
        return "zero_form"
    return "" if _close(_numbers(got), [0.0, 0.0, 0.0]) else "zero"


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
    if not _is(float(answer([1.0, 2.0], [-1.0, -2.0])), -1.0):
        return "sign"
    if not _is(float(answer([2.0, 0.0], [1.0, 0.0])), 1.0):
        return "any_zero"
    if not _is(float(answer([1.0, -1.0], [1.0, -1.0])), 1.0):
        return "sum_zero"
    try:
        scored = answer([1.0, 1.0], [1.0, 1.0, 1.0])
    except Exception as error:
        if not isinstance(error.__cause__, ValueError):
            return "other_error"
    else:  # zip, stopping at the shorter one, gives 1 or 0.82
        number = isinstance(scored, int | float) and not math.isnan(scored)
        return "unequal" if number and scored else "returned"
    sides = ([0.0, 0.0], [1.0, 1.0]), ([1.0, 1.0], [0.0, 0.0])
    zeros = [_tried(answer, *side) for side in sides]
    wrong = [zero is None or not _is(float(zero), 0.0) for zero in zeros]
    return "zero_vector" if all(wrong) else "one_side" if any(wrong) else ""


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
    found = mistakes.get(pair, "other")
    # 120 degrees apart, more or less: cosines -0.45, -0.32 (the best) and -0.71.
    negative = [[1.0, 0.0], [-1.0, 2.0], [-1.0, -3.0]]
    if found == "" and list(_tried(answer, negative) or ()) != [1, 3]:
        return "from_score_zero"
    return found


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
            "no_squares": {
                "en": "Under the root stands the sum of the numbers, here -1; the length is the "
                "root of the sum of their squares.",
                "zh-TW": "根號裡放的是數字的和，這裡是 -1；長度是平方和再開根號。",
            },
            "positive": {
                "en": "A minus sign got lost, and with it the direction.",
                "zh-TW": "負號不見了，方向也就變了。",
            },
            "zero": {
                "en": "A vector of zeros has length 0: return zeros instead of dividing.",
                "zh-TW": "全是零的向量長度是 0：不要除，直接回傳零。",
            },
            "zero_form": {
                "en": "For a vector of zeros, a list of zeros comes back, as many as went in.",
                "zh-TW": "全是零的向量，要回傳一個全是零的串列，個數和原來一樣。",
            },
            "same_list": {
                "en": "For a vector of zeros the very list that was passed in came back: "
                "return a new one.",
                "zh-TW": "全是零的時候，回傳的就是傳進來的那個串列：請回傳一個新的。",
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
        dict.fromkeys(
            ("zero", "zero_form", "same_list"),
            (
                {
                    "en": "Hint: ask whether the length is 0 before you divide by it.",
                    "zh-TW": "提示：除以長度之前，先看它是不是 0。",
                },
                {
                    "en": "Hint: if size == 0: return [0.0 for x in vector]",
                    "zh-TW": "提示：if size == 0: return [0.0 for x in vector]",
                },
            ),
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
                "en": "2 numbers and 3 numbers gave a score: zip stops at the shorter one without "
                "a word.",
                "zh-TW": "2 個數字和 3 個數字也算出了分數：zip 到短的那邊就默默停下。",
            },
            "returned": {
                "en": "For unequally many numbers, raise ValueError: it is raised, not returned, "
                "and no score comes back.",
                "zh-TW": "數字個數不同時要 raise ValueError，不是回傳值。",
            },
            "other_error": {
                "en": "Unequally many numbers are refused, but with another error than ValueError.",
                "zh-TW": "數字個數不同有擋下來，但丟出的不是 ValueError。",
            },
            "any_zero": {
                "en": "[2, 0] was taken for a vector of zeros: it is one only if all its numbers "
                "are zero.",
                "zh-TW": "[2, 0] 被當成全是零了：每個數字都是零才算。",
            },
            "sum_zero": {
                "en": "[1, -1] was taken for a vector of zeros: a sum of 0 does not mean that all "
                "its numbers are zero.",
                "zh-TW": "[1, -1] 被當成全是零了：總和是 0，不代表每個數字都是零。",
            },
            "one_side": {
                "en": "Zeros are looked for in one of the two vectors only: look in both.",
                "zh-TW": "只檢查了其中一個向量是不是全是零：兩個都要看。",
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
                "en": "Hint: three steps: how many numbers, then the zeros, then the formula.",
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
            "from_score_zero": {
                "en": "Where all cosines are negative, the best pair was missed: does your search "
                "start from a best score of 0?",
                "zh-TW": "全部餘弦都是負的時候，沒有找到最高的一對：最高分是不是從 0 開始比？",
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
        {
            "from_score_zero": (
                {
                    "en": "Hint: a cosine can be as low as -1; the first pair must win at first.",
                    "zh-TW": "提示：餘弦最低是 -1；一開始，第一對就要能當最高分。",
                },
                {
                    "en": "Hint: start from best = -2, or take max(pairs, key=…).",
                    "zh-TW": "提示：從 best = -2 開始，或用 max(pairs, key=…)。",
                },
            )
        },
    ),
}
