"""similarity.py: against the tutorial's formula, by hand, and by properties."""

import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from oracle import plain_cosine

from memora_lab import cosine_similarity
from memora_lab.similarity import cosine_scores

numbers = st.floats(-1e6, 1e6).map(lambda x: 0.0 if abs(x) < 1e-6 else x)
pairs = st.integers(1, 20).flatmap(
    lambda d: st.tuples(*[st.lists(numbers, min_size=d, max_size=d)] * 2)
)
any_pairs = st.integers(1, 8).flatmap(
    lambda d: st.tuples(
        *[st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=d, max_size=d)] * 2
    )
)


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ([1, 0], [1, 0], 1.0),
        ([1, 0], [0, 1], 0.0),
        ([1, 0], [-1, 0], -1.0),
        ([1, 0], [1, 1], math.sqrt(0.5)),
        ([3, 4], [4, 3], 0.96),
        ([3, 4], [30, 40], 1.0),
    ],
)
def test_cases_worked_by_hand(a, b, expected):
    assert cosine_similarity(a, b) == pytest.approx(expected, abs=1e-15)


@given(pairs)
def test_it_equals_the_tutorials_formula(pair):
    a, b = pair
    assert cosine_similarity(a, b) == pytest.approx(plain_cosine(a, b), abs=1e-12)


@given(any_pairs)
def test_it_lies_between_minus_one_and_one_exactly(pair):
    assert -1.0 <= cosine_similarity(*pair) <= 1.0


@given(any_pairs)
def test_it_is_symmetric(pair):
    a, b = pair
    assert cosine_similarity(a, b) == cosine_similarity(b, a)


@given(any_pairs)
def test_a_vector_with_itself_is_one(pair):
    a, _ = pair
    assert cosine_similarity(a, a) == (1.0 if any(a) else 0.0)


@given(pairs, st.integers(-30, 30))
def test_doubling_and_halving_change_no_bit(pair, power):
    a, b = pair
    scaled = [number * 2.0**power for number in a]
    assert cosine_similarity(scaled, b) == cosine_similarity(a, b)


@given(pairs, st.integers(-250, 250), st.integers(-250, 250))
@example(([3.0, 4.0], [4.0, 3.0]), 110, 110)
@example(([3.0, 4.0], [4.0, 3.0]), -110, -110)
def test_length_does_not_count(pair, first, second):
    a, b = pair
    longer = [number * 10.0**first for number in a]
    other = [number * 10.0**second for number in b]
    assert cosine_similarity(longer, other) == pytest.approx(plain_cosine(a, b), abs=1e-12)


@pytest.mark.parametrize("scale", [1e200, 1e-200, 1e-320, 1.7e307])
def test_huge_and_tiny_values_score_correctly(scale):
    assert cosine_similarity([3 * scale, 4 * scale], [4, 3]) == pytest.approx(0.96, abs=1e-3)
    assert cosine_similarity([1 * scale, 0], [-1 * scale, 0]) == -1.0


def test_whole_numbers_and_numpy_integers_score_correctly():
    small = np.array([100, 100], np.int8)  # whose squares do not fit an int8
    assert cosine_similarity(small, [1, 1]) == pytest.approx(1.0, abs=1e-15)
    assert cosine_similarity([2**70, 0], [1, 1]) == pytest.approx(math.sqrt(0.5), abs=1e-15)


def test_a_vector_of_zeros_scores_zero():
    assert cosine_similarity([0, 0], [1, 1]) == 0.0
    assert cosine_similarity([0, 0], [0, 0]) == 0.0


def test_it_is_a_plain_float():
    assert type(cosine_similarity(np.ones(2), np.ones(2))) is float


def test_lengths_that_differ_are_both_named():
    with pytest.raises(ValueError, match=r"first vector has 2 .* second has 3"):
        cosine_similarity([1, 2], [1, 2, 3])


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf, None])
def test_a_number_that_is_not_finite_is_refused_with_its_place(bad):
    with pytest.raises(ValueError, match=r"second vector .* dimension 2 of 2"):
        cosine_similarity([1, 2], [1, bad])


@pytest.mark.parametrize(
    "bad", [[], "ab", ["1"], None, 3, [[1, 2]], [1j], {1: 2}, {1}, [10**400], [[1], [2, 3]]]
)
def test_what_is_no_flat_list_of_numbers_is_refused(bad):
    with pytest.raises(ValueError, match="the first vector must"):
        cosine_similarity(bad, [1.0])


def test_a_row_scores_the_same_wherever_it_stands():
    rng = np.random.default_rng(0)
    matrix, vector = rng.standard_normal((50, 37)), rng.standard_normal(37)
    scores = cosine_scores(matrix, vector)
    for i in range(50):
        assert scores[i] == cosine_scores(matrix[i:], vector)[0]
        assert scores[i] == cosine_similarity(matrix[i], vector)


@pytest.mark.parametrize("another", [[0.0, 0.0], [1e200, 0.0], [5e-324, 0.0]])
def test_a_row_scores_the_same_whatever_else_is_in_the_matrix(another):
    # Far from 1, where the product of two numbers has fewer digits than they have.
    query, row = np.array([1.0, 1.0372443914058418e-257]), [0.0, 4.458176889207072e-52]
    alone = cosine_scores(np.array([row]), query)[0]
    assert cosine_scores(np.array([row, another]), query)[0] == alone
    assert cosine_similarity(row, query) == alone


def test_a_matrix_of_many_chunks_scores_as_one_row_at_a_time():
    rng = np.random.default_rng(0)
    matrix, vector = rng.standard_normal((5, 1 << 20)), rng.standard_normal(1 << 20)
    expected = [cosine_similarity(row, vector) for row in matrix]
    assert cosine_scores(matrix, vector).tolist() == expected
