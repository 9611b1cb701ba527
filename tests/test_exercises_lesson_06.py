"""Lesson 06: each likely mistake, made on purpose, is called by its name."""

import os
import shutil

import numpy as np
import pytest

from memora_lab import check
from memora_lab.exercises import checks
from memora_lab.exercises.lesson_06 import EXERCISES


def written(path, lines, mode="w"):
    with open(path, mode, encoding="utf-8") as file:
        for line in lines:
            file.write(line + "\n")
    return path


def save_lines(path, lines):
    beside = path.with_name(path.name + ".new")
    written(beside, lines)
    os.replace(beside, path)
    return path


def save_joined(path, lines):
    beside = path.with_suffix(".tmp")
    beside.write_text("\n".join(lines), encoding="utf-8")
    beside.rename(path)
    return True


def copied(path, lines):
    beside = written(path.with_name("beside"), lines)
    shutil.copy(beside, path)
    return beside


def run_together(path, lines):
    beside = path.with_name("beside")
    beside.write_text("".join(lines), encoding="utf-8")
    return beside.replace(path)


def swallowing(path, lines):
    try:
        return save_lines(path, lines)
    except Exception:
        return path


def removed_first(path, lines):
    path.unlink(missing_ok=True)
    return written(path, lines)


SAVE_MISTAKES = {
    "nothing_written": [lambda path, lines: written(path.with_name("other"), lines)],
    "run_together": [run_together],
    "left_behind": [copied],
    "appended": [lambda path, lines: written(path, lines, "a")],
    "torn": [written, removed_first],
    "in_place": [lambda path, lines: path.write_text("\n".join(lines), encoding="utf-8")],
    "swallowed": [swallowing],
    "wrong": [lambda path, lines: save_lines(path, ["x"])],
}


def rescore(question, rows, candidates, k):
    scores = rows[candidates] @ question
    return candidates[np.argsort(-scores)[:k]]


def rescore_by_cosine(question, rows, candidates, k):
    def cosine(place):
        return rows[place] @ question / np.linalg.norm(rows[place]) / np.linalg.norm(question)

    return sorted(candidates, key=cosine, reverse=True)[:k]


def scaled(question, rows, candidates, k):
    rows /= 2
    return rescore(question, rows, candidates, k)


RESCORE_MISTAKES = {
    "as_given": [lambda q, rows, c, k: c[:k]],
    "all_rows": [lambda q, rows, c, k: np.argsort(-(rows @ q))[:k]],
    "within": [lambda q, rows, c, k: np.argsort(-(rows[c] @ q))[:k]],
    "smallest": [lambda q, rows, c, k: c[np.argsort(rows[c] @ q)[:k]]],
    "upwards": [lambda q, rows, c, k: c[np.argsort(rows[c] @ q)[-k:]]],
    "scores": [lambda q, rows, c, k: np.sort(rows[c] @ q)[::-1][:k]],
    "all_of_them": [lambda q, rows, c, k: rescore(q, rows, c, len(c))],
    "from_one": [lambda q, rows, c, k: rescore(q, rows, c, k) + 1],
    "fewer_than_k": [lambda q, rows, c, k: rescore(q, rows, c, k) if k <= len(c) else []],
    "changed": [scaled],
    "wrong": [lambda q, rows, c, k: 5],
}


def recall_of(found, exact):
    shares = [len(set(a) & set(b)) / len(b) for a, b in zip(found, exact, strict=True)]
    return sum(shares) / len(shares)


def shared(found, exact):
    return [len(set(a) & set(b)) for a, b in zip(found, exact, strict=True)]


RECALL_MISTAKES = {
    "by_place": [lambda f, e: sum(x == y for a, b in zip(f, e, strict=True)
                                  for x, y in zip(a, b, strict=False)) / sum(map(len, e))],
    "hits": [lambda f, e: np.mean([n > 0 for n in shared(f, e)])],
    "counted": [lambda f, e: sum(shared(f, e))],
    "per_query": [lambda f, e: np.mean(shared(f, e))],
    "summed": [lambda f, e: len(e) * recall_of(f, e)],
    "pooled": [lambda f, e: sum(shared(f, e)) / sum(map(len, e)),
               lambda f, e: len({x for a in f for x in a} & {x for b in e for x in b})
               / sum(map(len, e))],
    "percent": [lambda f, e: 100 * recall_of(f, e)],
    "missed": [lambda f, e: 1 - recall_of(f, e)],
    "first_query": [lambda f, e: recall_of(f[:1], e[:1])],
    "last_query": [lambda f, e: recall_of(f[-1:], e[-1:])],
    "all_or_nothing": [lambda f, e: np.mean([n == len(b)
                                             for n, b in zip(shared(f, e), e, strict=True)])],
    "precision": [lambda f, e: np.mean([n / len(a)
                                        for n, a in zip(shared(f, e), f, strict=True)])],
    "wrong": [lambda f, e: 0.0],
}  # fmt: skip

RIGHT = {
    "save_lines": [save_lines, save_joined],
    "rescore": [rescore, rescore_by_cosine],
    "recall_of": [recall_of],
}
MISTAKES = {
    "save_lines": SAVE_MISTAKES,
    "rescore": RESCORE_MISTAKES,
    "recall_of": RECALL_MISTAKES,
}


def test_each_mistake_has_a_case():
    assert {name: set(task.mistakes) for name, task in EXERCISES.items()} == {
        name: set(cases) for name, cases in MISTAKES.items()
    }


@pytest.mark.parametrize("language", ["en", "zh-TW"])
@pytest.mark.parametrize(
    ("exercise", "key", "answer"),
    [
        pytest.param(exercise, key, answer, id=f"{exercise}-{key}-{i}")
        for exercise, cases in MISTAKES.items()
        for key, answers in cases.items()
        for i, answer in enumerate(answers)
    ],
)
def test_a_mistake_is_named(exercise, key, answer, language, assert_named):
    assert_named(exercise, key, answer, language)


@pytest.mark.parametrize(
    ("exercise", "answer"), [(name, answer) for name, all_ in RIGHT.items() for answer in all_]
)
def test_a_right_answer_passes(exercise, answer):
    assert check(exercise, answer).passed


@pytest.mark.parametrize("exercise", EXERCISES)
def test_the_second_hint_is_another_than_the_first(exercise):
    key, (answer, *_) = next(iter(MISTAKES[exercise].items()))
    task = checks._all_exercises()[exercise]
    told = [check(exercise, answer).message.splitlines()[1] for _ in range(2)]
    assert told == [hint["en"] for hint in task.hints], key


def test_an_error_of_the_learners_own_is_shown():
    def broken(path, lines):
        return open(path / "no" / "such")

    assert "stopped with" in check("save_lines", broken).message
