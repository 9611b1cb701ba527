"""The checks of lesson 02: each likely mistake, made on purpose, is called by its name."""

import itertools
import math

import numpy as np
import pytest

from memora_lab import check
from memora_lab.exercises import checks
from memora_lab.exercises.lesson_02 import EXERCISES


@pytest.fixture(autouse=True)
def no_failures_before():
    checks._failures.clear()


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


SAFE_MISTAKES = {
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


ALIKE_MISTAKES = {
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
def test_a_mistake_is_named(exercise, key, answer, language):
    feedback = check(exercise, answer, language)
    assert not feedback.passed
    task = EXERCISES[exercise]
    assert feedback.message.splitlines() == [task.mistakes[key][language], task.hints[0][language]]


def test_every_mistake_is_tried():
    told = {exercise: set(task.mistakes) for exercise, task in EXERCISES.items()}
    assert told == {exercise: set(made) for exercise, made in ALL_MISTAKES.items()}


@pytest.mark.parametrize(("exercise", "answer"), RIGHT.items())
def test_a_right_answer_passes(exercise, answer):
    assert check(exercise, answer).passed


def test_answers_in_numpy_pass():
    def numpy_unit(vector):
        array = np.array(vector)
        return array / (np.linalg.norm(array) or 1)

    assert check("unit", numpy_unit).passed
    assert check("most_alike", lambda vectors: list(np.array(best(vectors)))).passed


def test_a_zero_vector_that_gives_nan_is_named():
    def nan(a, b):
        return safe(a, b) if any(a) and any(b) else math.nan

    told = check("safe_cosine", nan).message
    assert EXERCISES["safe_cosine"].mistakes["zero_vector"]["en"] in told


@pytest.mark.parametrize("exercise", EXERCISES)
def test_an_unwritten_answer_is_invited(exercise):
    assert "return None" in check(exercise, lambda *arguments: None).message
    assert not checks._failures


def test_dividing_by_zero_anywhere_else_is_told_as_it_is():
    assert "ZeroDivisionError" in check("safe_cosine", lambda a, b: 1 / 0).message
