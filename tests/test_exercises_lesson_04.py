"""The checks of lesson 04: each likely mistake, made on purpose, is called by its name."""

import math
from fractions import Fraction

import numpy as np
import pytest

from memora_lab import check
from memora_lab.exercises.lesson_04 import EXERCISES


def found(ranked, answers, k):
    return len(set(ranked[:k]) & set(answers))


def recall(ranked, answers, k):
    return found(ranked, answers, k) / len(answers)


def reciprocal_rank(ranked, answers):
    return next((1 / rank for rank, name in enumerate(ranked, 1) if name in answers), 0)


def ranks(ranked, answers):
    return [ranked.index(name) + 1 for name in answers if name in ranked]


def counted_from_zero(ranked, answers):
    return next((1 / place for place, name in enumerate(ranked) if name in answers), 0)


def gives_up(ranked, answers):
    for rank, name in enumerate(ranked, start=1):
        if name in answers:
            return 1 / rank
        else:
            return 0


def needs_all(ranked, answers):
    return reciprocal_rank(ranked, answers) if set(answers) <= set(ranked) else 0


def choose_cutoff(scores, is_answer, least_share):
    best_first = sorted((s for s, yes in zip(scores, is_answer, strict=True) if yes), reverse=True)
    return best_first[math.ceil(least_share * len(best_first)) - 1]


def best_first(scores, is_answer):
    return sorted((s for s, yes in zip(scores, is_answer, strict=True) if yes), reverse=True)


def precise(scores, is_answer, least_share):
    def precision(cutoff):
        shown = [yes for s, yes in zip(scores, is_answer, strict=True) if s >= cutoff]
        return sum(shown) / len(shown)

    return max(cutoff for cutoff in scores if precision(cutoff) >= least_share)


def strictly_above(scores, is_answer, least_share):
    answers = best_first(scores, is_answer)
    kept = {s: sum(a > s for a in answers) for s in scores}
    return max((s for s in scores if kept[s] >= least_share * len(answers)), default=None)


def more_than_the_share(scores, is_answer, least_share, otherwise=None):
    answers = best_first(scores, is_answer)
    enough = (s for kept, s in enumerate(answers, 1) if kept / len(answers) > least_share)
    return next(enough, otherwise)


def by_steps(step):
    def choose(scores, is_answer, least_share):
        answers = best_first(scores, is_answer)
        steps = np.arange(0, 1, step)
        kept = [sum(a >= cutoff for a in answers) for cutoff in steps]
        return steps[np.array(kept) >= least_share * len(answers)].max()

    return choose


MISTAKES = [
    ("recall", "divided_by_k", lambda r, a, k: found(r, a, k) / k),
    ("recall", "divided_by_less", lambda r, a, k: found(r, a, k) / min(k, len(a))),
    ("recall", "only_ranked", lambda r, a, k: found(r, a, k) / found(r, a, len(r))),
    ("recall", "only_ranked", lambda r, a, k: found(r, a, k) / (found(r, a, len(r)) or 1)),
    ("recall", "hit", lambda r, a, k: found(r, a, k) > 0),
    ("recall", "count", found),
    ("recall", "no_k", lambda r, a, k: recall(r, a, len(r))),
    ("recall", "one_less", lambda r, a, k: recall(r, a, k - 1)),
    ("recall", "one_more", lambda r, a, k: recall(r, a, k + 1)),
    ("recall", "wrong", lambda r, a, k: 100 * recall(r, a, k)),
    ("reciprocal_rank", "from_zero", counted_from_zero),
    ("reciprocal_rank", "not_inverted", lambda r, a: min(ranks(r, a), default=0)),
    ("reciprocal_rank", "not_the_first", lambda r, a: 1 / max(ranks(r, a) or [math.inf])),
    ("reciprocal_rank", "not_the_first", lambda r, a: 1 / (ranks(r, a) or [math.inf])[0]),
    ("reciprocal_rank", "not_the_first", lambda r, a: sum(1 / rank for rank in ranks(r, a))),
    (
        "reciprocal_rank",
        "not_the_first",
        lambda r, a: sum(1 / rank for rank in ranks(r, a)) / len(a),
    ),
    ("reciprocal_rank", "first_answer", lambda r, a: reciprocal_rank(r, a[:1])),
    ("reciprocal_rank", "first_answer", needs_all),
    ("reciprocal_rank", "gave_up", gives_up),
    ("reciprocal_rank", "gave_up", lambda r, a: float(r[0] in a)),
    ("reciprocal_rank", "none_found", lambda r, a: reciprocal_rank(r, a) or None),
    ("reciprocal_rank", "none_found", lambda r, a: reciprocal_rank(r, a) or 1 / len(r)),
    ("reciprocal_rank", "wrong", lambda r, a: -reciprocal_rank(r, a)),
    ("choose_cutoff", "lowest", lambda s, yes, share: best_first(s, yes)[-1]),
    (
        "choose_cutoff",
        "all_pairs",
        lambda s, yes, share: sorted(s, reverse=True)[math.ceil(share * len(s)) - 1],
    ),
    ("choose_cutoff", "precision", precise),
    (
        "choose_cutoff",
        "one_too_few",
        lambda s, yes, share: best_first(s, yes)[int(share * sum(yes)) - 1],
    ),
    (
        "choose_cutoff",
        "one_too_few",
        lambda s, yes, share: best_first(s, yes)[math.ceil(share * sum(yes)) - 2],
    ),
    (
        "choose_cutoff",
        "one_too_many",
        lambda s, yes, share: best_first(s, yes)[min(int(share * sum(yes)), 3)],
    ),
    (
        "choose_cutoff",
        "between",
        lambda s, yes, share: np.quantile(best_first(s, yes), 1 - share),
    ),
    ("choose_cutoff", "between", by_steps(0.01)),
    ("choose_cutoff", "between", by_steps(0.001)),
    ("choose_cutoff", "between", lambda *arguments: round(choose_cutoff(*arguments), 2)),
    ("choose_cutoff", "strict", strictly_above),
    ("choose_cutoff", "strict", more_than_the_share),
    ("choose_cutoff", "one_too_many", lambda *a: more_than_the_share(*a, otherwise=min(a[0]))),
    ("choose_cutoff", "wrong", lambda s, yes, share: sorted(s)[-2]),
]


@pytest.mark.parametrize("language", ["en", "zh-TW"])
@pytest.mark.parametrize(("exercise", "key", "answer"), MISTAKES)
def test_a_mistake_is_named(assert_named, exercise, key, answer, language):
    assert_named(exercise, key, answer, language)


def test_every_mistake_has_a_test_and_both_languages():
    tested = {(exercise, key) for exercise, key, _ in MISTAKES}
    assert tested == {(name, key) for name, task in EXERCISES.items() for key in task.mistakes}
    for task in EXERCISES.values():
        hints = [hint for pair in (task.hints, *task.hints_for.values()) for hint in pair]
        for text in (*task.mistakes.values(), *hints):
            assert set(text) == {"en", "zh-TW"}


@pytest.mark.parametrize(
    ("exercise", "answer"),
    [
        ("recall", recall),
        ("recall", lambda r, a, k: Fraction(found(r, a, k), len(a))),
        ("recall", lambda r, a, k: round(recall(r, a, k), 2)),
        ("recall", lambda r, a, k: np.isin(list(a), r[:k]).mean()),
        ("reciprocal_rank", reciprocal_rank),
        ("reciprocal_rank", lambda r, a: round(reciprocal_rank(r, a), 2)),
        ("reciprocal_rank", lambda r, a: max((1 / rank for rank in ranks(r, a)), default=0.0)),
        ("choose_cutoff", choose_cutoff),
        ("choose_cutoff", lambda s, yes, share: np.float32(choose_cutoff(s, yes, share))),
    ],
)
def test_a_right_answer_passes(exercise, answer):
    assert check(exercise, answer).passed
    assert repr(check(exercise, answer, "zh-TW")) == "正確。"


@pytest.mark.parametrize("exercise", EXERCISES)
def test_an_unwritten_answer_is_invited(exercise):
    assert "return None" in check(exercise, lambda *arguments: None).message


def test_a_loop_of_the_first_place_that_finds_nothing_is_no_crash_of_the_check():
    assert "ValueError" in check("reciprocal_rank", lambda r, a: 1 / (r.index(a[0]) + 1)).message
