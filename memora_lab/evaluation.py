"""How good a search is, measured on queries whose answers are known.

Every function takes the same two tables, and needs no model:

    scores    (m, n) finite numbers: entry [i][j] is the score of memory j for query i
    relevant  (m, n) bool: entry [i][j] says whether memory j answers query i

A query that nothing answers has a row of False. Over k it is left out, as there is nothing to
find; over a cutoff it counts, as whatever is shown for it is wrong. A memory's rank counts from
1; of equal scores the lower memory number comes first, as in a search.

Sources: Manning, Raghavan, Schütze, *Introduction to Information Retrieval* (2008), chapter 8;
for the reciprocal rank Voorhees, *The TREC-8 Question Answering Track Report* (1999).
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from memora_lab.search import checked_top_k


def hit_rate_at_k(scores: ArrayLike, relevant: ArrayLike, k: int) -> float:
    """The share of queries with at least one answer among their best k, in [0, 1].

    Of the queries that something answers. Never falls as k grows, and is 1 at k = n. Raises
    ValueError for a k below 1, for tables that do not fit, and if no query has an answer.
    """
    scores, relevant = _answered(*_checked(scores, relevant))
    return float((_first_ranks(scores, relevant) <= checked_top_k(k, "k")).mean())


def recall_at_k(scores: ArrayLike, relevant: ArrayLike, k: int) -> float:
    """The share of a query's answers found among its best k, averaged over queries, in [0, 1].

    Never above the hit rate, and equal to it if each query has one answer. Leaves out and
    raises as `hit_rate_at_k`.
    """
    scores, relevant = _answered(*_checked(scores, relevant))
    found = (relevant & (_ranks(scores) <= checked_top_k(k, "k"))).sum(axis=1)
    return float((found / relevant.sum(axis=1)).mean())


def mean_reciprocal_rank(scores: ArrayLike, relevant: ArrayLike, k: int | None = None) -> float:
    """1 / the rank of a query's first answer, averaged over queries, in [0, 1].

    1 if an answer always comes first, 0.5 if always second. With a k, an answer below rank k
    counts 0. Leaves out and raises as `hit_rate_at_k`.
    """
    scores, relevant = _answered(*_checked(scores, relevant))
    first = _first_ranks(scores, relevant)
    within = first <= (scores.shape[1] if k is None else checked_top_k(k, "k"))
    return float((within / first).mean())


def precision_recall(
    scores: ArrayLike, relevant: ArrayLike, cutoffs: ArrayLike, k: int | None = None
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Precision and recall of what a search shows, for each cutoff.

    Shown are, of each query's best k (of all n without a k), those with a score of at least
    the cutoff. Precision: the share of what is shown that answers its query, 1 where nothing
    is shown. Recall: the share of all answers that is shown; it never rises with the cutoff.
    Both count over all queries together, also those that nothing answers.

    cutoffs: t numbers, in any order. Returns two (t,) float64 in [0, 1]. Raises ValueError
    as `hit_rate_at_k`.
    """
    scores, relevant = _checked(scores, relevant)
    reached = _ranks(scores) <= (scores.shape[1] if k is None else checked_top_k(k, "k"))
    limits = np.atleast_1d(np.asarray(cutoffs, dtype=np.float64))
    shown = _count_from(scores[reached], limits)
    found = _count_from(scores[reached & relevant], limits)
    precision = np.divide(found, shown, out=np.ones(len(limits)), where=shown > 0)
    return precision, found / relevant.sum()


def _count_from(values: NDArray, limits: NDArray) -> NDArray[np.intp]:
    """For each limit, how many values are at least as high."""
    return len(values) - np.searchsorted(np.sort(values), limits, side="left")


def _ranks(scores: NDArray) -> NDArray[np.intp]:
    """(m, n) → (m, n): the place of each memory in its query's ranking, from 1."""
    order = np.argsort(-scores, axis=1, kind="stable")  # of equals, the lower number leads
    ranks = np.empty_like(order)
    np.put_along_axis(ranks, order, np.arange(1, scores.shape[1] + 1)[np.newaxis], axis=1)
    return ranks


def _first_ranks(scores: NDArray, relevant: NDArray) -> NDArray[np.intp]:
    """(m,): the rank of each query's first answer; every query has one."""
    return np.where(relevant, _ranks(scores), scores.shape[1]).min(axis=1)


def _answered(scores: NDArray, relevant: NDArray) -> tuple[NDArray, NDArray]:
    rows = relevant.any(axis=1)
    return scores[rows], relevant[rows]


def _checked(scores: ArrayLike, relevant: ArrayLike) -> tuple[NDArray[np.float64], NDArray]:
    scores, relevant = np.asarray(scores, dtype=np.float64), np.asarray(relevant)
    if scores.ndim != 2 or scores.shape != relevant.shape:
        raise ValueError(
            f"scores have the shape {scores.shape}, relevant {relevant.shape}: both must be "
            "(queries, memories)"
        )
    if relevant.dtype != bool:
        raise ValueError(f"relevant must hold True and False, got {relevant.dtype}")
    if not np.isfinite(scores).all():
        row, column = np.argwhere(~np.isfinite(scores))[0]
        raise ValueError(f"the score of memory {column + 1} for query {row + 1} is not finite")
    if not relevant.any():
        raise ValueError("no query has an answer: there is nothing to measure")
    return scores, relevant
