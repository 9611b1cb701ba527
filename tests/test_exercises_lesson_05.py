"""Lesson 05: each likely mistake, made on purpose, is called by its name."""

import math

import numpy as np
import pytest

from memora_lab import check
from memora_lab.exercises import checks
from memora_lab.exercises.lesson_05 import EXERCISES


def slope(n1, t1, n2, t2):
    return math.log(t2 / t1) / math.log(n2 / n1)


def seconds_at(n, n1, t1, n2, t2):
    return t2 * (n / n2) ** slope(n1, t1, n2, t2)


def seconds_by_polyfit(n, n1, t1, n2, t2):
    return np.exp(np.polyval(np.polyfit(np.log([n1, n2]), np.log([t1, t2]), 1), np.log(n)))


SECONDS_MISTAKES = {
    "ordinary_axes": [lambda n, n1, t1, n2, t2: t1 + (t2 - t1) / (n2 - n1) * (n - n1)],
    "slope_one": [
        lambda n, n1, t1, n2, t2: t2 * n / n2,
        lambda n, n1, t1, n2, t2: t1 * n / n1,
    ],
    "still_log": [
        lambda *a: math.log(seconds_at(*a)),
        lambda *a: math.log10(seconds_at(*a)),
        lambda *a: math.log2(seconds_at(*a)),
    ],
    "upside_down": [lambda n, n1, t1, n2, t2: t2 * (n / n2) ** (1 / slope(n1, t1, n2, t2))],
    "mixed_points": [
        lambda n, n1, t1, n2, t2: t1 * (n / n2) ** slope(n1, t1, n2, t2),
        lambda n, n1, t1, n2, t2: t2 * (n / n1) ** slope(n1, t1, n2, t2),
    ],
    "times_slope": [
        lambda n, n1, t1, n2, t2: t2 * (n / n2) * slope(n1, t1, n2, t2),
        lambda n, n1, t1, n2, t2: t1 * (n / n1) * slope(n1, t1, n2, t2),
    ],
    "mixed_bases": [
        lambda *a: 10 ** math.log(seconds_at(*a)),
        lambda *a: math.exp(math.log10(seconds_at(*a))),
        lambda *a: 2 ** math.log(seconds_at(*a)),
        lambda *a: 10 ** math.log2(seconds_at(*a)),
    ],
    "wrong": [lambda *a: 0.0, lambda n, n1, t1, n2, t2: t2 * (n / n2) ** 0.5],
}


def take_largest(scores, k):
    k = min(k, len(scores))
    part = np.argpartition(-scores, k - 1)[:k]
    return part[np.argsort(-scores[part])]


def parted_only(scores, k):
    k = min(k, len(scores))
    return np.argpartition(-scores, k - 1)[:k]


def without_min(scores, k):
    part = np.argpartition(-scores, k - 1)[:k]
    return part[np.argsort(-scores[part])]


def from_the_end(scores, k):
    part = np.argpartition(scores, len(scores) - k)[-k:]
    return part[np.argsort(-scores[part])]


def all_in_their_own_order(scores, k):
    return np.arange(len(scores)) if k >= len(scores) else take_largest(scores, k)


def places_among_the_best(scores, k):
    return np.argsort(-scores[parted_only(scores, k)])


LARGEST_MISTAKES = {
    "all_unsorted": [all_in_their_own_order],
    "within": [places_among_the_best],
    "values": [lambda s, k: np.sort(s)[::-1][:k]],
    "from_one": [lambda s, k: take_largest(s, k) + 1],
    "smallest": [lambda s, k: np.argpartition(s, k - 1)[:k], lambda s, k: np.argsort(s)[:k]],
    "upwards": [lambda s, k: take_largest(s, k)[::-1]],
    "unsorted": [parted_only, lambda s, k: sorted(take_largest(s, k))],
    "k_too_large": [without_min, from_the_end, lambda s, k: take_largest(s, min(k, len(s) - 1))],
    "wrong": [lambda s, k: take_largest(s, k + 1), lambda s, k: 7],
}


def faded(results, dates, today, half_life, date_of=None, base=0.5, left=None):
    date_of = date_of or (lambda place, number: dates[number - 1])
    left = left or (lambda half_lives: base**half_lives)
    scores = {
        r.memory_number: r.score * left((today - date_of(i, r.memory_number)).days / half_life)
        for i, r in enumerate(results)
    }
    return sorted(scores, key=scores.get, reverse=True)


def fades_by(left):
    return lambda results, dates, today, half_life: faded(
        results, dates, today, half_life, left=left
    )


def without_days(results, dates, today, half_life):
    return [r.score * 0.5 ** ((today - dates[r.memory_number - 1]) / half_life) for r in results]


def compares_without_days(results, dates, today, half_life):
    ages = [r for r in results if (today - dates[r.memory_number - 1]) > half_life]
    return [r.memory_number for r in ages]


def sorts_in_place(results, dates, today, half_life):
    order = faded(results, dates, today, half_life)
    results.sort(key=lambda result: order.index(result.memory_number))
    return order


def writes_the_scores(results, dates, today, half_life):
    for r in results:
        r.score *= 0.5 ** ((today - dates[r.memory_number - 1]).days / half_life)
    return [r.memory_number for r in sorted(results, key=lambda r: r.score, reverse=True)]


def takes_the_dates_away(results, dates, today, half_life):
    order = faded(results, dates, today, half_life)
    dates.clear()
    return order


AGE_MISTAKES = {
    "unchanged": [lambda r, d, t, h: [x.memory_number for x in r]],
    "date_alone": [
        lambda r, d, t, h: sorted((x.memory_number for x in r), key=lambda n: t - d[n - 1])
    ],
    "older_wins": [lambda r, d, t, h: faded(r, d, t, h, base=2)],
    "off_by_one": [lambda r, d, t, h: faded(r, d, t, h, lambda _, number: d[number])],
    "by_place": [lambda r, d, t, h: faded(r, d, t, h, lambda place, _: d[place])],
    "upwards": [lambda r, d, t, h: faded(r, d, t, h)[::-1]],
    "from_zero": [lambda r, d, t, h: [n - 1 for n in faded(r, d, t, h)]],
    "no_days": [without_days, compares_without_days],
    "whole_half_lives": [fades_by(lambda x: 0.5 ** (x // 1)), fades_by(lambda x: 0.5 ** round(x))],
    "other_base": [fades_by(lambda x: math.exp(-x))],
    "divided": [fades_by(lambda x: 1 / (1 + x))],
    "straight_line": [
        fades_by(lambda x: 1 - x / 2),
        fades_by(lambda x: max(0, 1 - x / 2)),
    ],
    "changed": [sorts_in_place, writes_the_scores, takes_the_dates_away],
    "wrong": [lambda r, d, t, h: faded(r, d, t, h)[:2]],
}

ALL_MISTAKES = {
    "seconds_at": SECONDS_MISTAKES,
    "take_largest": LARGEST_MISTAKES,
    "rank_by_age": AGE_MISTAKES,
}
MISTAKES = [
    (exercise, key, answer)
    for exercise, mistakes in ALL_MISTAKES.items()
    for key, answers in mistakes.items()
    for answer in answers
]
RIGHT = [
    ("seconds_at", seconds_at),
    ("seconds_at", seconds_by_polyfit),
    ("take_largest", take_largest),
    ("take_largest", lambda s, k: take_largest(s, k).tolist()),
    ("take_largest", lambda s, k: np.argsort(-s)[:k]),
    ("rank_by_age", faded),
    ("rank_by_age", fades_by(lambda x: math.exp(-math.log(2) * x))),
    ("rank_by_age", lambda r, d, t, h: tuple(faded(r, d, t, h))),
]


@pytest.mark.parametrize("language", ["en", "zh-TW"])
@pytest.mark.parametrize(("exercise", "key", "answer"), MISTAKES)
def test_a_mistake_is_named(assert_named, exercise, key, answer, language):
    assert_named(exercise, key, answer, language)


def test_every_mistake_has_a_test_and_both_languages():
    assert {name: set(task.mistakes) for name, task in EXERCISES.items()} == {
        name: set(mistakes) for name, mistakes in ALL_MISTAKES.items()
    }
    for task in EXERCISES.values():
        assert set(task.hints_for) <= set(task.mistakes)
        hints = [hint for pair in (task.hints, *task.hints_for.values()) for hint in pair]
        for text in (*task.mistakes.values(), *hints):
            assert set(text) == {"en", "zh-TW"}


@pytest.mark.parametrize(("exercise", "answer"), RIGHT)
def test_a_right_answer_passes(exercise, answer):
    assert check(exercise, answer).passed


def test_a_function_that_stops_for_another_reason_is_told_that_reason():
    assert "ZeroDivisionError" in check("rank_by_age", lambda r, d, t, h: 1 / 0).message


@pytest.mark.parametrize("exercise", EXERCISES)
def test_an_unwritten_answer_is_invited_and_is_no_failure(exercise):
    assert "return None" in check(exercise, lambda *arguments: None).message
    assert not checks._misses


@pytest.mark.parametrize("exercise", EXERCISES)
def test_the_second_hint_is_another(exercise):
    first, second = EXERCISES[exercise].hints
    assert first["en"] != second["en"] and first["zh-TW"] != second["zh-TW"]
