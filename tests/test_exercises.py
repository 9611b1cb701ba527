"""The exercise checks: each likely mistake, made on purpose, is called by its name."""

import pytest

from memora_lab import check, cosine_similarity
from memora_lab.exercises import checks, lesson_03


def ranking(query, memories):
    pairs = [(n, cosine_similarity(query, m)) for n, m in enumerate(memories, start=1)]
    return sorted(pairs, key=lambda pair: (-pair[1], pair[0]))


def dots(query, memories):
    pairs = [
        (n, sum(x * y for x, y in zip(query, m, strict=True)))
        for n, m in enumerate(memories, start=1)
    ]
    return sorted(pairs, key=lambda pair: -pair[1])


RANK_MISTAKES = {
    "upwards": lambda q, m: ranking(q, m)[::-1],
    "from_zero": lambda q, m: [(n - 1, s) for n, s in ranking(q, m)],
    "no_norms": dots,
    "ties": lambda q, m: sorted(ranking(q, m), key=lambda pair: (-pair[1], -pair[0])),
    "unsorted": lambda q, m: sorted(ranking(q, m)),
    "distance": lambda q, m: [(n, 1 - s) for n, s in ranking(q, m)],
    "scores": lambda q, m: [(n, s + 1) for n, s in ranking(q, m)],
    "shape": lambda q, m: [n for n, _ in ranking(q, m)],
    "swapped": lambda q, m: [(s, n) for n, s in ranking(q, m)],
    "cut": lambda q, m: ranking(q, m)[:3],
}


def nearest(vector, memories):
    return ranking(vector, [memory.embedding for memory in memories])[0][0]


def search_all(queries, memories, embed):
    return [nearest(vector, memories) for vector in embed(queries)[0]]


def one_by_one(queries, memories, embed):
    return [nearest(embed([query])[0][0], memories) for query in queries]


def embeds_memories(queries, memories, embed):
    embed([memory.content for memory in memories])
    return search_all(queries, memories, embed)


def farthest(queries, memories, embed):
    rows = [memory.embedding for memory in memories]
    return [ranking(vector, rows)[-1][0] for vector in embed(queries)[0]]


SEARCH_MISTAKES = {
    "one_request": one_by_one,
    "memories_again": embeds_memories,
    "farthest": farthest,
    "from_zero": lambda q, m, e: [n - 1 for n in search_all(q, m, e)],
    "wrong": lambda q, m, e: search_all(q, m, e)[::-1],
}


def best_of(queries, memories, top_k, combine=max):
    pairs = [
        (n, combine([cosine_similarity(query, vector) for query in queries]))
        for n, vector in enumerate(memories, start=1)
    ]
    return sorted(pairs, key=lambda pair: (-pair[1], pair[0]))[:top_k]


def best_of_dots(queries, memories, top_k):
    pairs = [(n, max(dots(q, [m])[0][1] for q in queries)) for n, m in enumerate(memories, 1)]
    return sorted(pairs, key=lambda pair: (-pair[1], pair[0]))[:top_k]


def both_lists(queries, memories, top_k):
    pairs = [pair for query in queries for pair in ranking(query, memories)]
    return sorted(pairs, key=lambda pair: -pair[1])[:top_k]


BEST_OF_MISTAKES = {
    "twice": both_lists,
    "all": lambda q, m, k: best_of(q, m, len(m)),
    "from_zero": lambda q, m, k: [(n - 1, s) for n, s in best_of(q, m, k)],
    "shape": lambda q, m, k: best_of(q, m, 1),
    "sum": lambda q, m, k: best_of(q, m, k, sum),
    "lowest": lambda q, m, k: best_of(q, m, k, min),
    "scores": lambda q, m, k: [(n, s - 1) for n, s in best_of(q, m, k)],
    "unsorted": lambda q, m, k: best_of(q, m, k)[::-1],
    "no_norms": lambda q, m, k: best_of_dots(q, m, k),
    "negative": lambda q, m, k: best_of(q, m, k, lambda cosines: max([0, *cosines])),
}

MISTAKES = [("rank", key, answer) for key, answer in RANK_MISTAKES.items()] + [
    ("search_all", key, answer) for key, answer in SEARCH_MISTAKES.items()
]
MISTAKES += [("best_of", key, answer) for key, answer in BEST_OF_MISTAKES.items()]


@pytest.mark.parametrize("language", ["en", "zh-TW"])
@pytest.mark.parametrize(("exercise", "key", "answer"), MISTAKES)
def test_a_mistake_is_named(assert_named, exercise, key, answer, language):
    assert_named(exercise, key, answer, language)


def test_every_mistake_has_a_test_and_both_languages():
    tested = {(exercise, key) for exercise, key, _ in MISTAKES}
    told = {(e, key) for e, task in lesson_03.EXERCISES.items() for key in task.mistakes}
    assert tested == told
    for task in checks._all_exercises().values():
        hints = [hint for pair in (task.hints, *task.hints_for.values()) for hint in pair]
        for text in (*task.mistakes.values(), *hints):
            assert set(text) == {"en", "zh-TW"}


@pytest.mark.parametrize(
    ("exercise", "answer"), [("rank", ranking), ("search_all", search_all), ("best_of", best_of)]
)
def test_a_right_answer_passes(exercise, answer):
    assert check(exercise, answer).passed
    assert repr(check(exercise, answer, "zh-TW")) == "正確。"


@pytest.mark.parametrize("exercise", ["rank", "search_all", "best_of"])
def test_an_unwritten_answer_is_invited_and_is_no_failure(exercise):
    for _ in range(4):
        assert "return None" in check(exercise, lambda query, memories, k=3: None).message
    assert not checks._misses


def test_the_second_hint_is_stronger_and_the_third_miss_points_to_the_solution():
    hints = checks._all_exercises()["rank"].hints_for["upwards"]
    told = [check("rank", RANK_MISTAKES["upwards"]).message.splitlines() for _ in range(3)]
    assert [lines[1] for lines in told] == [hints[0]["en"], hints[1]["en"], hints[1]["en"]]
    assert [len(lines) for lines in told] == [2, 2, 3]
    assert check("rank", ranking).passed
    assert len(check("rank", RANK_MISTAKES["upwards"]).message.splitlines()) == 2


def test_another_mistake_begins_with_its_first_hint():
    check("rank", RANK_MISTAKES["upwards"])
    task = checks._all_exercises()["rank"]
    lines = check("rank", RANK_MISTAKES["no_norms"]).message.splitlines()
    assert lines == [task.mistakes["no_norms"]["en"], task.hints_for["no_norms"][0]["en"]]


def test_an_answer_of_a_form_nobody_thought_of_is_shown():
    strict = checks.Exercise(lambda answer: answer()["key"], {}, ({}, {}))
    assert checks._try(strict, lambda: 7, "en")[1].endswith("than asked for: 7")


def test_a_function_that_forgets_its_return_is_told_so():
    def rank(query, memories):
        ranking(query, memories)

    assert "is a `return` missing" in check("rank", rank).message
    assert "return" in check("rank", rank, "zh-TW").message


def test_a_result_in_place_of_the_function_is_told_so():
    assert 'check("rank", rank, LANGUAGE)' in check("rank", [(1, 0.5)]).message


def test_a_top_k_written_into_the_answer_is_found():
    mistake = check("best_of", lambda q, m, k: best_of(q, m, 3))
    assert mistake.message.startswith("All memories came back")


def test_rounded_scores_are_right():
    assert check("rank", lambda q, m: [(n, round(s, 2)) for n, s in ranking(q, m)]).passed


@pytest.mark.parametrize("answer", [None, ...])
def test_no_function_at_all_is_unwritten(answer):
    assert "return None" in check("rank", answer).message


def test_not_implemented_is_unwritten():
    def rank(query, memories):
        raise NotImplementedError

    assert "return None" in check("rank", rank).message


def test_an_answer_that_raises_is_told_what_stopped_it():
    told = check("rank", lambda q, m: 1 / 0).message
    assert "ZeroDivisionError: division by zero" in told
    assert "1 / 0" in told.partition("zero (")[2]  # the line that raised it
    assert len(told.splitlines()) == 2  # and a hint


@pytest.mark.parametrize(
    ("arguments", "named"), [(("rang", ranking), "rank"), (("rank", ranking, "fr"), "zh-TW")]
)
def test_an_unknown_exercise_or_language_is_refused_with_the_choice(arguments, named):
    with pytest.raises(ValueError, match=named):
        check(*arguments)
