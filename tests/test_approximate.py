"""approximate.py: recall against the exact answer, worked out by hand; the kept run."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memora_lab.approximate import load_kept, many_vectors, measured, nearest

SQUARE = np.array([[1, 0], [0, 1], [-1, 0], [0, -1]], np.float32)


def test_many_vectors_are_unit_rows_near_the_given_ones():
    rows = many_vectors(np.eye(3, 50, dtype=np.float32), 400, noise=0.1)
    assert rows.shape == (400, 50) and rows.dtype == np.float32
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)
    assert (rows[:, :3] ** 2).sum(axis=1).min() > 0.9  # what is not of the three is noise
    assert np.array_equal(rows, many_vectors(np.eye(3, 50), 400, noise=0.1))
    assert not np.array_equal(rows, many_vectors(np.eye(3, 50), 400, noise=0.1, seed=1))


@given(st.integers(1, 6), st.integers(0, 2**32 - 1))
@settings(deadline=None)
def test_the_nearest_are_those_of_a_plain_sort(k, seed):
    chance = np.random.default_rng(seed)
    rows, queries = (chance.standard_normal((n, 4)).astype(np.float32) for n in (6, 3))
    plain = [sorted(range(6), key=lambda i: -(rows @ query)[i])[:k] for query in queries]
    assert nearest(rows, queries, k).tolist() == plain


def test_recall_is_the_share_of_the_true_places_in_any_order():
    exact = np.array([[0, 1], [2, 3]])
    answers = iter([[1, 0], [2, 9]])
    assert measured(lambda query: next(answers), SQUARE[:2], exact).recall == 0.75
    assert measured(lambda query: [], SQUARE[:2], exact).recall == 0
    assert measured(lambda query: [0, 0], SQUARE[:1], exact[:1]).recall == 0.5


def test_a_search_takes_time_however_quick_it_is():
    assert measured(lambda query: [0], SQUARE[:1], np.array([[0]])).seconds > 0


def test_the_kept_run_falls_in_speed_and_rises_in_recall():
    rows = load_kept()
    assert [row["ef_search"] for row in rows] == [16, 32, 64, 128, 256, 512]
    assert [row["recall"] for row in rows] == sorted(row["recall"] for row in rows)
    assert [row["speed_up"] for row in rows] == sorted((r["speed_up"] for r in rows), reverse=True)
    assert all(0 < row["recall"] <= 1 and row["build"] > 1 for row in rows)


def test_an_index_of_the_library_finds_what_its_recall_says():
    faiss = pytest.importorskip("faiss", reason="faiss is installed by lesson 6")
    rows = many_vectors(np.eye(8, 32), 500)
    exact = nearest(rows, rows[:50], 5)
    flat = faiss.IndexFlatIP(32)
    flat.add(rows)
    found = measured(lambda query: flat.search(query[None], 5)[1][0], rows[:50], exact)
    assert found.recall > 0.99
