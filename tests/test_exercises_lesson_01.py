"""The checks of lesson 01: each likely mistake, made on purpose, is called by its name."""

import math

import pytest

from memora_lab import check
from memora_lab.exercises import checks
from memora_lab.exercises.lesson_01 import EXERCISES


def cost(tokens, price):
    return tokens * price / 1_000_000


COST_MISTAKES = {
    "text": lambda t, p: f"{cost(t, p)} dollars",
    "no_million": lambda t, p: t * p,
    "thousand": lambda t, p: t / 1000 * p,
    "divided": lambda t, p: t / p / 1_000_000,
    "cents": lambda t, p: cost(t, p) * 100,
    "rounded": lambda t, p: round(cost(t, p), 2),
    "other": lambda t, p: t + p,
}


def unique(texts, embed):
    different = list(dict.fromkeys(texts))
    vector_of = dict(zip(different, embed(different)[0], strict=True))
    return [vector_of[text] for text in texts]


def one_by_one(texts, embed):
    return [embed([text])[0][0] for text in texts]


def in_reply_order(texts, embed):
    different = sorted(set(texts))
    vectors, _ = embed(different)
    return [vectors[i % len(vectors)] for i in range(len(texts))]


def in_place(texts, embed):
    answer = unique(texts, embed)
    texts.sort()
    return answer


def not_taken_apart(texts, embed):
    different = list(dict.fromkeys(texts))
    vector_of = dict(zip(different, embed(different), strict=False))
    return [vector_of[text] for text in texts]


UNIQUE_MISTAKES = {
    "no_vector": not_taken_apart,
    "calls": one_by_one,
    "repeated": lambda texts, embed: embed(texts)[0],
    "tokens": lambda texts, embed: embed(list(dict.fromkeys(texts))),
    "too_few": lambda texts, embed: embed(list(dict.fromkeys(texts)))[0],
    "order": in_reply_order,
    "changed": in_place,
    "shape": lambda texts, embed: unique(texts, embed)[:2],
}


def nearest(i, points, gap=math.dist):
    others = [j for j in range(len(points)) if j != i]
    return min(others, key=lambda j: gap(points[i], points[j]))


def shared(points, topics, gap=math.dist):
    hits = [topics[i] == topics[nearest(i, points, gap)] for i in range(len(points))]
    return sum(hits) / len(points)


def shifted(points, topics):
    hits = 0
    for i, point in enumerate(points):
        others = points[:i] + points[i + 1 :]
        index = min(range(len(others)), key=lambda j: math.dist(point, others[j]))
        hits += topics[i] == topics[index]
    return hits / len(points)


SHARED_MISTAKES = {
    "shifted": shifted,
    "manhattan": lambda p, t: shared(p, t, lambda a, b: abs(a[0] - b[0]) + abs(a[1] - b[1])),
    "itself": lambda p, t: 1.0,
    "count": lambda p, t: shared(p, t) * len(p),
    "percent": lambda p, t: shared(p, t) * 100,
    "farthest": lambda p, t: shared(p, t, lambda a, b: -math.dist(a, b)),
    "one_axis": lambda p, t: shared(p, t, lambda a, b: abs(a[0] - b[0])),
    "other": lambda p, t: 0.25,
}

RIGHT = {"embedding_cost": cost, "embed_unique": unique, "shared_topic": shared}
ALL_MISTAKES = {
    "embedding_cost": COST_MISTAKES,
    "embed_unique": UNIQUE_MISTAKES,
    "shared_topic": SHARED_MISTAKES,
}
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


def test_the_order_in_which_the_different_texts_are_sent_is_free():
    def sends_sorted(texts, embed):
        different = sorted(set(texts))
        vector_of = dict(zip(different, embed(different)[0], strict=True))
        return [vector_of[text] for text in texts]

    assert check("embed_unique", sends_sorted).passed


@pytest.mark.parametrize("places", [2, 4, 8, 10, 12, 15])
def test_rounding_is_named_however_many_places_are_kept(places):
    told = check("embedding_cost", lambda t, p: round(cost(t, p), places)).message
    assert EXERCISES["embedding_cost"].mistakes["rounded"]["en"] in told


def test_another_order_of_the_same_steps_is_not_rounding():
    assert check("embedding_cost", lambda t, p: t / 1e6 * p).passed
    assert check("embedding_cost", lambda t, p: p * 1e-6 * t).passed


def test_vectors_paired_with_the_texts_as_given_lack_one():
    def paired_with_all(texts, embed):
        vectors, _ = embed(list(dict.fromkeys(texts)))
        vector_of = dict(zip(texts, vectors, strict=False))
        return [vector_of[text] for text in texts]

    told = check("embed_unique", paired_with_all).message
    assert EXERCISES["embed_unique"].mistakes["no_vector"]["en"] in told


def test_another_key_that_is_missing_is_told_as_it_is():
    assert "KeyError: 'nowhere'" in check("embed_unique", lambda t, e: {}["nowhere"]).message


def test_y_alone_is_one_axis_too():
    told = check("shared_topic", lambda p, t: shared(p, t, lambda a, b: abs(a[1] - b[1]))).message
    assert EXERCISES["shared_topic"].mistakes["one_axis"]["en"] in told


@pytest.mark.parametrize("exercise", EXERCISES)
def test_an_unwritten_answer_is_invited(exercise):
    assert "return None" in check(exercise, lambda *arguments: None).message
    assert not checks._misses
