"""The checks of lesson 02: each likely mistake, made on purpose, is called by its name."""

import itertools
import math

import numpy as np
import pytest

from memora_lab import check
from memora_lab.exercises import checks
from memora_lab.exercises.lesson_02 import EXERCISES


def length(vector):
    return math.sqrt(sum(x * x for x in vector))


def unit(vector):
    size = length(vector)
    return [x / size for x in vector] if size else list(vector)


def in_place(vector):
    size = length(vector) or 1
    for i in range(len(vector)):
        vector[i] /= size
    return vector


UNIT_MISTAKES = {
    "no_squares": lambda v: [x / sum(v) ** 0.5 for x in v],
    "zero_form": lambda v: unit(v) if any(v) else 0,
    "same_list": lambda v: unit(v) if any(v) else v,
    "changed": in_place,
    "squared": lambda v: [x / length(v) ** 2 for x in v],
    "sum": lambda v: [x / sum(v) for x in v],
    "absolute": lambda v: [x / sum(map(abs, v)) for x in v],
    "largest": lambda v: [x / max(map(abs, v)) for x in v],
    "multiplied": lambda v: [x * length(v) for x in v],
    "positive": lambda v: [abs(x) / length(v) for x in v],
    "zero": lambda v: [x / length(v) for x in v],
    "other": lambda v: [0.0 for x in v],
}


def dot(a, b):
    return sum(x * y for x, y in zip(a, b, strict=True))


def cosine(a, b):
    return dot(a, b) / (length(a) * length(b))


def safe(a, b):
    if len(a) != len(b):
        raise ValueError("unequal")
    return cosine(a, b) if length(a) and length(b) else 0.0


def truncating(a, b):
    return safe(a[: len(b)], b[: len(a)])


def other_error(a, b):
    if len(a) != len(b):
        raise TypeError("unequal")
    return safe(a, b)


def value_error_returned(a, b):
    return safe(a, b) if len(a) == len(b) else ValueError


def guarded_by(is_zero):
    def answer(a, b):
        safe(a, b)  # refuses unequally many numbers
        return 0.0 if is_zero(a, b) else cosine(a, b)

    return answer


SAFE_MISTAKES = {
    "returned": value_error_returned,
    "any_zero": guarded_by(lambda a, b: 0 in a or 0 in b),
    "sum_zero": guarded_by(lambda a, b: sum(a) == 0 or sum(b) == 0),
    "one_side": guarded_by(lambda a, b: not any(a)),
    "no_lengths": dot,
    "no_root": lambda a, b: dot(a, b) / (dot(a, a) * dot(b, b)),
    "one_length": lambda a, b: dot(a, b) / length(a),
    "sum_of_lengths": lambda a, b: dot(a, b) / (length(a) + length(b)),
    "sign": lambda a, b: abs(safe(a, b)),
    "unequal": truncating,
    "other_error": other_error,
    "zero_vector": cosine,
    "other": lambda a, b: 0.5,
}


def best(vectors, score=cosine, choose=max):
    pairs = itertools.combinations(range(len(vectors)), 2)
    i, j = choose(pairs, key=lambda pair: score(vectors[pair[0]], vectors[pair[1]]))
    return i + 1, j + 1


def best_from_zero(vectors):
    top, pair = 0, None
    for i, j in itertools.combinations(range(len(vectors)), 2):
        if cosine(vectors[i], vectors[j]) > top:
            top, pair = cosine(vectors[i], vectors[j]), (i + 1, j + 1)
    return pair


ALIKE_MISTAKES = {
    "from_score_zero": best_from_zero,
    "shape": lambda vectors: cosine(vectors[1], vectors[4]),
    "itself": lambda vectors: (1, 1),
    "backwards": lambda vectors: best(vectors)[::-1],
    "from_zero": lambda vectors: tuple(n - 1 for n in best(vectors)),
    "no_lengths": lambda vectors: best(vectors, dot),
    "distance": lambda vectors: best(vectors, math.dist, min),
    "least": lambda vectors: best(vectors, cosine, min),
    "other": lambda vectors: (1, 2),
}

RIGHT = {"unit": unit, "safe_cosine": safe, "most_alike": best}
ALL_MISTAKES = {"unit": UNIT_MISTAKES, "safe_cosine": SAFE_MISTAKES, "most_alike": ALIKE_MISTAKES}
MISTAKES = [(e, key, answer) for e, made in ALL_MISTAKES.items() for key, answer in made.items()]


@pytest.mark.parametrize("language", ["en", "zh-TW"])
@pytest.mark.parametrize(("exercise", "key", "answer"), MISTAKES)
def test_a_mistake_is_named(assert_named, exercise, key, answer, language):
    assert_named(exercise, key, answer, language)


def test_every_mistake_is_tried():
    told = {exercise: set(task.mistakes) for exercise, task in EXERCISES.items()}
    assert told == {exercise: set(made) for exercise, made in ALL_MISTAKES.items()}


@pytest.mark.parametrize(("exercise", "answer"), RIGHT.items())
def test_a_right_answer_passes(exercise, answer):
    assert check(exercise, answer).passed


def told(exercise, answer):
    """The mistake that an answer is charged with."""
    line = check(exercise, answer).message.splitlines()[0]
    return next(key for key, text in EXERCISES[exercise].mistakes.items() if text["en"] == line)


@pytest.mark.parametrize("returned", [0.0, 0, None, False, "unequal", math.nan, ValueError("no")])
def test_a_value_for_unequally_many_numbers_is_named(returned):
    answer = lambda a, b: safe(a, b) if len(a) == len(b) else returned  # noqa: E731
    assert told("safe_cosine", answer) == "returned"


def test_guards_against_zeros_that_are_not_right_are_named():
    assert told("safe_cosine", guarded_by(lambda a, b: not any(b))) == "one_side"
    assert told("safe_cosine", guarded_by(lambda a, b: not all(a) or not all(b))) == "any_zero"
    assert told("safe_cosine", guarded_by(lambda a, b: 0 in a)) == "any_zero"
    assert told("safe_cosine", guarded_by(lambda a, b: sum(a) * sum(b) == 0)) == "sum_zero"


def test_a_guard_by_the_dot_product_is_right():
    assert check("safe_cosine", guarded_by(lambda a, b: dot(a, b) == 0)).passed


def test_a_negative_score_held_at_zero_is_a_lost_sign():
    assert told("safe_cosine", lambda a, b: max(0.0, safe(a, b))) == "sign"


def test_the_root_of_the_bare_sum_is_named_in_math_and_in_numpy():
    assert told("unit", lambda v: [x / math.sqrt(sum(v)) for x in v]) == "no_squares"

    def in_numpy(v):
        with np.errstate(invalid="ignore"):
            return np.array(v) / np.sqrt(np.sum(v))

    assert told("unit", in_numpy) == "no_squares"


@pytest.mark.parametrize("zeros", [0, 0.0, [0.0], "0", []])
def test_zeros_of_another_form_are_named(zeros):
    assert told("unit", lambda v: unit(v) if any(v) else zeros) == "zero_form"


def test_a_search_from_zero_that_stops_or_keeps_its_first_pair_is_named():
    def stops(vectors):
        i, j = best_from_zero(vectors)
        return i, j

    assert told("most_alike", stops) == "from_score_zero"
    keeps = lambda vectors: best_from_zero(vectors) or (0, 0)  # noqa: E731
    assert told("most_alike", keeps) == "from_score_zero"


def test_answers_in_numpy_pass():
    def numpy_unit(vector):
        array = np.array(vector)
        return array / (np.linalg.norm(array) or 1)

    assert check("unit", numpy_unit).passed
    assert check("most_alike", lambda vectors: list(np.array(best(vectors)))).passed


def test_a_zero_vector_that_gives_nan_is_named():
    def nan(a, b):
        return safe(a, b) if any(a) and any(b) else math.nan

    assert told("safe_cosine", nan) == "zero_vector"


@pytest.mark.parametrize("exercise", EXERCISES)
def test_an_unwritten_answer_is_invited(exercise):
    assert "return None" in check(exercise, lambda *arguments: None).message
    assert not checks._misses


def test_dividing_by_zero_anywhere_else_is_told_as_it_is():
    assert "ZeroDivisionError" in check("safe_cosine", lambda a, b: 1 / 0).message
