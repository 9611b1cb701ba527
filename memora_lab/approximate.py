"""Searches that may miss something: how much they find, and how long they take.

No search is here. One is given as a function of a query's vector, (d,) float32, that returns
the places of the best rows, counted from 0.
"""

import csv
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from memora_lab.timing import FLOOR

Search = Callable[[NDArray[np.float32]], Iterable[int]]
KEPT = Path(__file__).resolve().parent / "data" / "hnsw_100000.tsv"


class Measured(NamedTuple):
    """recall: the share of the exact best k that was found, in [0, 1]. seconds: of one search."""

    recall: float
    seconds: float


def many_vectors(
    vectors: ArrayLike, n: int, *, noise: float = 0.5, seed: int = 0
) -> NDArray[np.float32]:
    """(n, d) float32 rows of length 1, as alike as real memories are.

    Each is a mix of two of the given vectors, (m, d), and a little noise of its own. Vectors
    of pure chance would all be about equally far from each other, which is harder for an index
    than any text. noise: its length beside vectors of length 1.
    """
    given = np.asarray(vectors, np.float32)
    chance = np.random.default_rng(seed)
    one, other = given[chance.integers(len(given), size=(2, n))]
    share = chance.random((n, 1), dtype=np.float32)
    rows = chance.standard_normal((n, given.shape[1]), dtype=np.float32)
    rows *= np.float32(noise / np.sqrt(given.shape[1]))
    rows += share * one + (1 - share) * other
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return rows


def nearest(rows: NDArray[np.float32], queries: NDArray[np.float32], k: int) -> NDArray[np.intp]:
    """(n, d) and (m, d) → (m, k): the places of the best k rows for each query, the best first.

    By dot product, over all rows: the truth that the others are held against.
    """
    scores = queries @ rows.T
    best = np.argpartition(-scores, k - 1, axis=1)[:, :k]
    order = np.argsort(-np.take_along_axis(scores, best, axis=1), axis=1, kind="stable")
    return np.take_along_axis(best, order, axis=1)


def measured(search: Search, queries: NDArray[np.float32], exact: NDArray[np.intp]) -> Measured:
    """Ask each query once: how much of `exact`, (m, k), comes back, and the median time."""
    found, seconds = [], []
    for query, truth in zip(queries, exact, strict=True):
        start = time.perf_counter()
        places = search(query)
        seconds.append(max(time.perf_counter() - start, FLOOR))
        found.append(len({int(place) for place in places} & set(truth.tolist())) / len(truth))
    return Measured(float(np.mean(found)), float(np.median(seconds)))


def load_kept() -> list[dict[str, float]]:
    """What `benchmarks/index.py` measured at 100,000 vectors, a dict a line.

    ef_search; recall; speed_up: how many times as fast as the exact scan of the same library;
    build: how many exact scans the building took; bytes: of the index beside its vectors.
    """
    with open(KEPT, encoding="utf-8", newline="") as file:
        lines = [line for line in file if not line.startswith("#")]
    return [
        {name: float(cell) for name, cell in row.items()}
        for row in csv.DictReader(lines, delimiter="\t")
    ]
