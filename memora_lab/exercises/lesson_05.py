"""Lesson 05: foresee a time, take the k largest, let old memories fade."""

import math
from collections.abc import Callable, Sequence
from datetime import date, timedelta

import numpy as np

from memora_lab.exercises.exercise import Exercise
from memora_lab.models import MemorySearchResult


def _seconds_at_mistake(answer: Callable) -> str:
    # From 10 to 1,000 the time grows tenfold: the slope is 1/2, and each 100-fold n costs 10-fold.
    # At 90,000, 90 times 1,000, it is 20 s times the root of 90.
    got = float(answer(90_000, 10, 2.0, 1000, 20.0))
    right = 20 * math.sqrt(90)
    mistakes = {
        "ordinary_axes": [2 + 18 / 990 * 89_990],
        "slope_one": [20 * 90, 2 * 9000],
        "still_log": [math.log(right), math.log10(right), math.log2(right)],
        "upside_down": [20 * 90**2, 2 * 9000**2],
        "mixed_points": [2 * math.sqrt(90), 20 * math.sqrt(9000)],
    }
    for mistake, times in mistakes.items():
        if _close([got] * len(times), times, some=True):
            return mistake
    downwards = float(answer(50, 100, 1.0, 200, 2.0))
    return "" if _close([got, downwards], [right, 0.5]) else "wrong"


def _take_largest_mistake(answer: Callable) -> str:
    scores = np.array([0.25, 0.9, -0.5, 0.75, 0.4, 0.8])
    places = _numbers(answer(scores.copy(), 3))
    if sorted(places) == [0.75, 0.8, 0.9]:
        return "values"
    if sorted(places) == [2, 4, 6]:
        return "from_one"
    if sorted(places) == [0, 2, 4]:
        return "smallest"
    if places == [3, 5, 1]:
        return "upwards"
    if sorted(places) != [1, 3, 5]:
        return "wrong"
    # 0 to 4,999 jumbled (7 and 5,000 share no divisor). So many, for a partition of a few
    # hundred comes out in order on some processors.
    jumbled = np.arange(5000) * 7 % 5000
    best = _numbers(answer(jumbled / 5000, 2000))
    if places != [1, 5, 3] or [jumbled[int(place)] for place in best] != [*range(4999, 2999, -1)]:
        return "unsorted"
    try:
        all_of_them = [_numbers(answer(scores.copy(), k)) for k in (6, 20)]
    except Exception:  # whatever it is, it comes from the larger k alone
        return "k_too_large"
    return "" if all_of_them == [[1, 5, 3, 4, 0, 2]] * 2 else "k_too_large"


def _rank_by_age_mistake(answer: Callable) -> str:
    today, half_life = date(2026, 7, 1), 30
    dates = [today - timedelta(days=age) for age in (120, 15, 30, 90, 0)]
    results = [
        MemorySearchResult(memory_number=number, content="", score=score)
        for number, score in ((3, 0.8), (4, 0.6), (1, 0.5), (2, 0.4))
    ]
    # Faded: memory 3 keeps 0.8 / 2, memory 4 0.6 / 8, memory 1 0.5 / 16, memory 2 0.4 * 0.71.
    mistakes = {
        (3, 2, 4, 1): "",
        (3, 4, 1, 2): "unchanged",
        (2, 3, 4, 1): "date_alone",
        (1, 4, 3, 2): "older_wins",
        (4, 1, 2, 3): "off_by_one",
        (4, 1, 3, 2): "by_place",
        (1, 4, 2, 3): "upwards",
        (2, 1, 3, 0): "from_zero",
    }
    got = tuple(answer(list(results), list(dates), today, half_life))
    return mistakes.get(got, "wrong")


def _numbers(got: object) -> list[float]:
    """A flat list or array as plain floats; none for anything else."""
    try:
        return [float(number) for number in got]
    except (TypeError, ValueError):
        return []


def _close(got: Sequence[float], expected: Sequence[float], *, some: bool = False) -> bool:
    near = [math.isclose(a, b, rel_tol=1e-6) for a, b in zip(got, expected, strict=True)]
    return any(near) if some else all(near)


EXERCISES = {
    "seconds_at": Exercise(
        _seconds_at_mistake,
        {
            "ordinary_axes": {
                "en": "This line is straight on ordinary axes; take the logarithms first.",
                "zh-TW": "這條線在一般座標上才是直的；要先取對數。",
            },
            "slope_one": {
                "en": "The slope is taken to be 1; work it out from the two points.",
                "zh-TW": "你直接把斜率當成 1 了；斜率要從兩個點算出來。",
            },
            "still_log": {
                "en": "This is the logarithm of the time, not yet the time.",
                "zh-TW": "這是時間的對數，還不是時間。",
            },
            "upside_down": {
                "en": "The slope is upside down: it is the step in time over the step in n.",
                "zh-TW": "斜率上下顛倒了：是時間的變化除以 n 的變化。",
            },
            "mixed_points": {
                "en": "n is compared with one point and the time is taken from the other.",
                "zh-TW": "n 和其中一個點相比，時間卻取自另一個點。",
            },
            "wrong": {
                "en": "The time is not on the line through the two points on log-log axes.",
                "zh-TW": "這個時間不在雙對數座標上通過兩點的直線上。",
            },
        },
        (
            {
                "en": "Hint: first the slope, log(t2 / t1) / log(n2 / n1).",
                "zh-TW": "提示：先算斜率，log(t2 / t1) / log(n2 / n1)。",
            },
            {
                "en": "Hint: from the second point onwards, the time is t2 * (n / n2) ** slope.",
                "zh-TW": "提示：從第二個點出發，時間是 t2 * (n / n2) ** slope。",
            },
        ),
    ),
    "take_largest": Exercise(
        _take_largest_mistake,
        {
            "values": {
                "en": "These are the scores; asked for are their places.",
                "zh-TW": "這些是分數；題目要的是它們的位置。",
            },
            "from_one": {
                "en": "The places are counted from 1; a place in an array counts from 0.",
                "zh-TW": "位置從 1 開始數了；陣列的位置從 0 開始。",
            },
            "smallest": {
                "en": "These are the k lowest scores: argpartition puts the small ones first.",
                "zh-TW": "這些是最低的 k 個：argpartition 會把小的放前面。",
            },
            "upwards": {
                "en": "The k best are found, but the lowest of them leads.",
                "zh-TW": "k 個最高的都找到了，但其中最低的排在最前面。",
            },
            "unsorted": {
                "en": "The k best are found, but still to be sorted: argpartition only parts.",
                "zh-TW": "k 個最高的都找到了，但還沒排序：argpartition 只分兩堆。",
            },
            "k_too_large": {
                "en": "With k as large as the number of scores, or larger, all places are due.",
                "zh-TW": "k 等於或大於分數的個數時，要回傳全部的位置。",
            },
            "wrong": {
                "en": "Expected the places of the k highest scores, counted from 0.",
                "zh-TW": "要回傳 k 個最高分的位置，從 0 開始數。",
            },
        },
        (
            {
                "en": "Hint: partition -scores and keep the first k; then sort those k alone.",
                "zh-TW": "提示：拿 -scores 去分堆，留下前 k 個，再替這 k 個排序。",
            },
            {
                "en": "Hint: k = min(k, len(scores)); part = np.argpartition(-scores, k - 1)[:k]; "
                "then part[np.argsort(-scores[part])]",
                "zh-TW": "提示：k = min(k, len(scores))；"
                "part = np.argpartition(-scores, k - 1)[:k]；"
                "最後 part[np.argsort(-scores[part])]",
            },
        ),
    ),
    "rank_by_age": Exercise(
        _rank_by_age_mistake,
        {
            "unchanged": {
                "en": "The order is still that of the scores: sort again after fading them.",
                "zh-TW": "順序還是原來分數的順序：分數打折之後要再排一次。",
            },
            "date_alone": {
                "en": "Sorted by date alone; the score has to count too.",
                "zh-TW": "只照日期排了；分數也要算進去。",
            },
            "older_wins": {
                "en": "Old memories gain: the power of 0.5 must grow with the age.",
                "zh-TW": "越舊的反而越高分：0.5 的次方要隨著天數變大。",
            },
            "off_by_one": {
                "en": "Each memory got its neighbour's date: memory 1 has dates[0].",
                "zh-TW": "日期對到下一筆去了：第 1 筆記憶的日期是 dates[0]。",
            },
            "by_place": {
                "en": "Dates go by memory_number, not by the place among the results.",
                "zh-TW": "日期要用 memory_number 去找，不是用結果的名次。",
            },
            "upwards": {
                "en": "Sorted upwards: the highest faded score comes first.",
                "zh-TW": "由小排到大了：打折後分數最高的要在最前面。",
            },
            "from_zero": {
                "en": "The memories are counted from 0; give their memory_number.",
                "zh-TW": "記憶從 0 開始編號了；要回傳 memory_number。",
            },
            "wrong": {
                "en": "Expected the memory numbers, sorted by score * 0.5 ** (days / half_life).",
                "zh-TW": "要回傳記憶編號，依 score * 0.5 ** (天數 / half_life) 排序。",
            },
        },
        (
            {
                "en": "Hint: (today - dates[result.memory_number - 1]).days is the age.",
                "zh-TW": "提示：(today - dates[result.memory_number - 1]).days 就是天數。",
            },
            {
                "en": "Hint: a function that gives a result's faded score, then "
                "sorted(results, key=that_function, reverse=True).",
                "zh-TW": "提示：先寫一個算出打折後分數的函式，再用 "
                "sorted(results, key=那個函式, reverse=True)。",
            },
        ),
    ),
}
