"""The measures: a case worked by hand, plain Python as the oracle, and what always holds."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from memora_lab.evaluation import (
    hit_rate_at_k,
    mean_reciprocal_rank,
    precision_recall,
    recall_at_k,
)

# Query 1 finds its answer first; query 2 finds one of two second, the other last; nothing
# answers query 3.
SCORES = np.array([[0.9, 0.2, 0.1], [0.3, 0.8, 0.7], [0.5, 0.4, 0.3]])
RELEVANT = np.array([[True, False, False], [True, False, True], [False, False, False]])


def test_the_case_worked_by_hand():
    assert [hit_rate_at_k(SCORES, RELEVANT, k) for k in (1, 2, 3)] == [0.5, 1.0, 1.0]
    assert [recall_at_k(SCORES, RELEVANT, k) for k in (1, 2, 3)] == [0.5, 0.75, 1.0]
    assert mean_reciprocal_rank(SCORES, RELEVANT) == (1 + 1 / 2) / 2
    assert mean_reciprocal_rank(SCORES, RELEVANT, k=1) == 0.5


def test_over_the_cutoff_the_case_worked_by_hand():
    precision, recall = precision_recall(SCORES, RELEVANT, [0.95, 0.9, 0.7, 0.5, 0.0])
    assert precision.tolist() == [1.0, 1.0, 2 / 3, 2 / 4, 3 / 9]
    assert recall.tolist() == [0.0, 1 / 3, 2 / 3, 2 / 3, 1.0]


def test_of_the_best_k_alone_a_cutoff_shows_fewer():
    precision, recall = precision_recall(SCORES, RELEVANT, 0.0, k=1)
    assert (precision.tolist(), recall.tolist()) == ([1 / 3], [1 / 3])


def test_of_equal_scores_the_lower_number_comes_first():
    relevant = np.array([[False, True, False]])
    assert mean_reciprocal_rank(np.ones((1, 3)), relevant) == 0.5
    assert hit_rate_at_k(np.ones((1, 3)), relevant, 1) == 0.0


# --- the oracle: a ranking, a set of answers, one query at a time ---


def plain_ranking(row):
    return sorted(range(len(row)), key=lambda j: (-row[j], j))


def plain_measures(scores, relevant, k):
    hits, recalls, reciprocals = [], [], []
    for row, answers in zip(scores.tolist(), relevant.tolist(), strict=True):
        wanted = {j for j, is_answer in enumerate(answers) if is_answer}
        if not wanted:
            continue
        ranking = plain_ranking(row)
        found = wanted & set(ranking[:k])
        hits.append(bool(found))
        recalls.append(len(found) / len(wanted))
        reciprocals.append(next(1 / r for r, j in enumerate(ranking, start=1) if j in wanted))
    return [sum(values) / len(values) for values in (hits, recalls, reciprocals)]


def plain_precision_recall(scores, relevant, cutoff, k):
    shown = [
        bool(relevant[i, j])
        for i, row in enumerate(scores.tolist())
        for j in plain_ranking(row)[:k]
        if row[j] >= cutoff
    ]
    return (sum(shown) / len(shown) if shown else 1.0), sum(shown) / int(relevant.sum())


@st.composite
def tables(draw):
    """Few distinct scores, so that ties are frequent; at least one answer."""
    shape = draw(st.tuples(st.integers(1, 5), st.integers(1, 6)))
    tenths = st.integers(-10, 10).map(lambda tenth: tenth / 10)
    relevant = draw(arrays(bool, shape))
    relevant[draw(st.integers(0, shape[0] - 1)), draw(st.integers(0, shape[1] - 1))] = True
    return draw(arrays(np.float64, shape, elements=tenths)), relevant


@given(tables(), st.integers(1, 8))
def test_over_k_as_in_plain_python(table, k):
    measured = [hit_rate_at_k(*table, k), recall_at_k(*table, k), mean_reciprocal_rank(*table)]
    assert measured == pytest.approx(plain_measures(*table, k))


@given(tables(), st.integers(-10, 11).map(lambda tenth: tenth / 10), st.integers(1, 8))
def test_over_the_cutoff_as_in_plain_python(table, cutoff, k):
    (precision,), (recall,) = precision_recall(*table, cutoff, k=k)
    assert (precision, recall) == pytest.approx(plain_precision_recall(*table, cutoff, k))


@given(tables())
def test_what_always_holds_over_k(table):
    n = table[0].shape[1]
    hits = [hit_rate_at_k(*table, k) for k in range(1, n + 1)]
    recalls = [recall_at_k(*table, k) for k in range(1, n + 1)]
    assert hits == sorted(hits) and recalls == sorted(recalls)
    assert hits[-1] == recalls[-1] == 1.0
    assert all(recall <= hit for recall, hit in zip(recalls, hits, strict=True))
    assert hits[0] <= mean_reciprocal_rank(*table) <= 1.0
    assert mean_reciprocal_rank(*table, k=1) == hits[0]


@given(tables())
def test_what_always_holds_over_the_cutoff(table):
    cutoffs = np.linspace(-1.1, 1.1, 23)
    precision, recall = precision_recall(*table, cutoffs)
    assert precision.shape == recall.shape == (23,)
    assert (np.diff(recall) <= 0).all()
    assert (recall[0], recall[-1], precision[-1]) == (1.0, 0.0, 1.0)
    assert precision[0] == pytest.approx(table[1].mean())


@given(tables())
def test_the_scale_of_the_scores_does_not_matter_over_k(table):
    scores, relevant = table
    assert mean_reciprocal_rank(0.75 + scores / 8, relevant) == mean_reciprocal_rank(*table)


@pytest.mark.parametrize("k", [0, -1, 1.0, "3", True])
def test_a_k_that_is_no_count_is_refused(k):
    for measure in (hit_rate_at_k, recall_at_k):
        with pytest.raises(ValueError, match="k must be a whole number of at least 1"):
            measure(SCORES, RELEVANT, k)
    with pytest.raises(ValueError, match="k must be a whole number of at least 1"):
        precision_recall(SCORES, RELEVANT, 0.5, k=k)


@pytest.mark.parametrize(
    ("scores", "relevant", "message"),
    [
        (SCORES, RELEVANT.T[:2], r"\(3, 3\), relevant \(2, 3\)"),
        (SCORES[0], RELEVANT[0], r"must be \(queries, memories\)"),
        (SCORES, RELEVANT.astype(int), "True and False, got int"),
        (np.where(SCORES == 0.8, np.nan, SCORES), RELEVANT, "memory 2 for query 2"),
        (SCORES, np.zeros((3, 3), bool), "no query has an answer"),
    ],
)
def test_tables_that_cannot_be_measured_are_refused(scores, relevant, message):
    for measure in (hit_rate_at_k, recall_at_k, mean_reciprocal_rank, precision_recall):
        extra = () if measure is mean_reciprocal_rank else (1,)
        with pytest.raises(ValueError, match=message):
            measure(scores, relevant, *extra)
