"""Lesson 05: foresee a time, take the k largest, let old memories fade."""

import math
from collections.abc import Callable, Sequence
from datetime import date, timedelta

import numpy as np

from memora_lab.exercises.exercise import Exercise
from memora_lab.models import MemorySearchResult


def _ten_to(exponent: float) -> float:
    return 10.0**exponent


_POWERS = {math.exp: math.log, _ten_to: math.log10, math.exp2: math.log2}  # with their logarithms


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
        "times_slope": [20 * 90 / 2, 2 * 9000 / 2],
        "mixed_bases": [
            power(log(right))
            for power, fitting in _POWERS.items()
            for log in _POWERS.values()
            if log is not fitting
        ],
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
    if sorted(places) == [0, 1, 2]:
        return "within"
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
    if all(sorted(places) == [*range(6)] for places in all_of_them):
        return "" if all_of_them == [[1, 5, 3, 4, 0, 2]] * 2 else "all_unsorted"
    return "k_too_large"


def _rank_by_age_mistake(answer: Callable) -> str:
    today, half_life = date(2026, 7, 1), 30
    dates = [today - timedelta(days=age) for age in (120, 15, 30, 90, 0)]
    results = [
        MemorySearchResult(memory_number=number, content="", score=score)
        for number, score in ((3, 0.8), (4, 0.6), (1, 0.5), (2, 0.4))
    ]
    # Faded: memory 3 has 0.8 / 2, memory 4 0.6 / 8, memory 1 0.5 / 16, memory 2 0.4 * 0.71.
    mistakes = {
        (3, 2, 4, 1): "",
        (3, 4, 1, 2): "unchanged",
        (2, 3, 4, 1): "date_alone",
        (1, 4, 3, 2): "older_wins",
        (4, 1, 2, 3): "off_by_one",
        (4, 1, 3, 2): "by_place",
        (1, 4, 2, 3): "upwards",
        (2, 1, 3, 0): "from_zero",
        ("no_days",): "no_days",
    }
    mistake = mistakes.get(_age_order(answer, results, dates, today, half_life), "wrong")
    if mistake:
        return mistake

    # Faded: 0.35, 0.4 * 0.71, 0.9 / 2, 0.85 / 4 and 0.1 * 0.35.
    dates = [today - timedelta(days=age) for age in (0, 5, 10, 20, 15)]
    results = [
        MemorySearchResult(memory_number=number, content="", score=score)
        for number, score in ((3, 0.9), (4, 0.85), (2, 0.4), (1, 0.35), (5, 0.1))
    ]
    mistakes = {
        (3, 1, 2, 4, 5): "",
        (3, 2, 1, 4, 5): "whole_half_lives",  # 0.35, 0.4, 0.9 / 2, 0.85 / 4, 0.1 / 2
        (1, 3, 2, 4, 5): "other_base",  # 0.35, 0.4 * 0.61, 0.9 * 0.37, 0.85 * 0.14, 0.1 * 0.22
        (3, 1, 4, 2, 5): "divided",  # 0.35, 0.4 / 1.5, 0.9 / 2, 0.85 / 3, 0.1 / 2.5
        (3, 1, 2, 5, 4): "straight_line",  # 0.35, 0.4 * 0.75, 0.9 / 2, 0, 0.1 * 0.25
    }
    given = [result.model_copy() for result in results], list(dates)
    mistake = mistakes.get(_age_order(answer, results, dates, today, 10), "wrong")
    return mistake or ("" if given == (results, dates) else "changed")


def _age_order(answer: Callable, *arguments: object) -> tuple:
    try:
        return tuple(answer(*arguments))
    except Exception as stopped:
        if "datetime.timedelta" in str(stopped.__cause__):
            return ("no_days",)
        raise


def _numbers(got: object) -> list[float]:
    """A flat list or array as plain floats; none for anything else."""
    try:
        return [float(number) for number in got]
    except (TypeError, ValueError):
        return []


def _close(got: Sequence[float], expected: Sequence[float], *, some: bool = False) -> bool:
    near = [math.isclose(a, b, rel_tol=1e-6) for a, b in zip(got, expected, strict=True)]
    return any(near) if some else all(near)


_FADING = (
    {
        "en": "Hint: 0.8 with a half-life of 30 days is 0.57 after 15 days, 0.4 after 30, 0.2 "
        "after 60.",
        "zh-TW": "提示：半衰期 30 天，0.8 過了 15 天是 0.57，30 天是 0.4，60 天是 0.2。",
    },
    {
        "en": "Hint: result.score * 0.5 ** (days / half_life)",
        "zh-TW": "提示：result.score * 0.5 ** (days / half_life)",
    },
)

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
            "times_slope": {
                "en": "Multiplied by the slope: it is an exponent, `** slope`.",
                "zh-TW": "你乘上了斜率；斜率要放在次方：`** slope`。",
            },
            "mixed_bases": {
                "en": "The logarithm and the power have different bases: log goes with exp, log10 "
                "with 10 **, log2 with 2 **.",
                "zh-TW": "取對數和還原用的底不同：log 配 exp，log10 配 10 **，log2 配 2 **。",
            },
            "wrong": {
                "en": "The time is not on the line through the two points on log-log axes.",
                "zh-TW": "在兩軸都是對數的圖上，這個時間不在通過兩點的直線上。",
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
            "within": {
                "en": "These are places among the k; turn them back into places in scores.",
                "zh-TW": "這是在 k 個裡面的位置，要換回原陣列的位置。",
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
            "all_unsorted": {
                "en": "With k as large as the number of scores, all places come back, but they are "
                "to be sorted, too.",
                "zh-TW": "k 等於或大於分數的個數時，位置都回來了，但一樣要排序。",
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
            "no_days": {
                "en": "The difference of two dates is not a number yet: take its .days.",
                "zh-TW": "兩個日期相減，得到的還不是數字：要再取 .days。",
            },
            "whole_half_lives": {
                "en": "Only whole half-lives count here: half of one fades a score, too, so `/` "
                "and not `//`.",
                "zh-TW": "只算了整數個半衰期；半個也會讓分數變小，所以用 `/`，不是 `//`。",
            },
            "other_base": {
                "en": "After one half-life more than half is gone: the base is 0.5, not 1 / e.",
                "zh-TW": "過了一個半衰期，少掉的不只一半：底是 0.5，不是 1 / e。",
            },
            "divided": {
                "en": "After two half-lives a quarter should be left: halve again each time, do "
                "not divide by 1 + days / half_life.",
                "zh-TW": "過了兩個半衰期應該剩四分之一：每次再減半，別除以 1 + days / half_life。",
            },
            "straight_line": {
                "en": "The scores fall on a straight line and come to nothing; each half-life "
                "halves what is left.",
                "zh-TW": "分數沿著直線下降，最後歸零；應該是每過一個半衰期，剩下的再減半。",
            },
            "changed": {
                "en": "The order is right, but what you were given is changed: sort into a new "
                "list, and leave the scores alone.",
                "zh-TW": "順序對了，但傳進來的資料被改動了：請排出新的串列，不要改原本的分數。",
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
        dict.fromkeys(("whole_half_lives", "other_base", "divided", "straight_line"), _FADING)
        | {
            "changed": (
                {
                    "en": "Hint: sorted(…) makes a new list; .sort() changes the one it is given.",
                    "zh-TW": "提示：sorted(…) 會產生新的串列；.sort() 會改動原本的那一個。",
                },
                {
                    "en": "Hint: let a function return the faded score; do not write it into the "
                    "result.",
                    "zh-TW": "提示：寫一個函式回傳打折後的分數，不要寫回 result 裡。",
                },
            ),
        },
    ),
}
