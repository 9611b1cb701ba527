"""Cosine similarity: of two vectors, and of every row of a matrix with one vector.

    cos(a, b) = a · b / (|a| |b|)

Both functions share one formula, so a search scores a memory exactly as `cosine_similarity`
does. Source of the measure: Manning, Raghavan, Schütze, *Introduction to Information
Retrieval* (2008), section 6.3.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike, NDArray

_CHUNK_NUMBERS = 1 << 21  # 16 MiB of float64 at a time, however long the matrix is


def cosine_similarity(a: ArrayLike, b: ArrayLike) -> float:
    """The cosine of the angle between two vectors.

    a, b: d numbers each (list, tuple or 1-D array), finite, computed in float64.
    Returns a float in [-1, 1]: 1 same direction, 0 unrelated, -1 opposite. A vector of
    zeros has no direction; its similarity to anything is 0.0. The same vector twice gives
    exactly 1.0, and neither doubling nor halving a vector changes a bit of the result.

    Raises ValueError if a vector is empty, holds something that is not a finite number, or
    if the two lengths differ.
    """
    row, other = as_vector(a, "the first vector"), as_vector(b, "the second vector")
    if len(row) != len(other):
        raise ValueError(
            f"the first vector has {len(row)} dimensions, the second has {len(other)}: "
            "only vectors of one model, and so of one length, can be compared"
        )
    return float(cosine_scores(row[np.newaxis], other)[0])


def cosine_scores(matrix: NDArray, vector: NDArray) -> NDArray[np.float64]:
    """Entry [i] is the cosine of row i with the vector, in [-1, 1].

    (n, d) and (d,), any float dtype → (n,) float64. A row's score depends on that row alone,
    bit for bit: not on its place, nor on what else is in the matrix.
    """
    query, query_square = with_squares(np.asarray(vector, dtype=np.float64)[np.newaxis])
    scores = np.zeros(len(matrix))
    for part in _chunks(len(matrix), matrix.shape[1]):
        rows, squares = with_squares(np.ascontiguousarray(matrix[part], dtype=np.float64))
        # `sum(axis=1)` adds up each row in the same order wherever it stands; BLAS does not,
        # and then two equal memories get two scores and tie no longer.
        dots = (rows * query).sum(axis=1)
        # One root of the product, not a product of roots: of a vector with itself it is exact.
        lengths = np.sqrt(squares * query_square)
        np.divide(dots, lengths, out=scores[part], where=lengths > 0)
    return scores.clip(-1.0, 1.0)


def with_squares(
    rows: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """(n, d) → the rows, and (n,) the squares of their lengths, in range of a float64.

    Squares of 1e200 and 1e-200 are not; such a row comes back times a power of two. A
    cosine does not depend on length, and a power of two changes no digit.
    """
    with np.errstate(over="ignore"):
        squares = (rows * rows).sum(axis=1)
    # Half of a float64's range of exponents, so that the product of two squares is in it too.
    if squares.min() > 2.0**-500 and squares.max() < 2.0**500:
        return rows, squares
    # These rows alone: what is scaled may keep digits of a product that is too small otherwise,
    # and no row's score may depend on the others.
    far = np.flatnonzero((squares <= 2.0**-500) | (squares >= 2.0**500))
    _, exponents = np.frexp(np.abs(rows[far]).max(axis=1, keepdims=True))
    rows = rows.copy()
    rows[far] = np.ldexp(rows[far], -exponents)
    squares[far] = (rows[far] * rows[far]).sum(axis=1)
    return rows, squares


def as_vector(numbers: ArrayLike, name: str) -> NDArray[np.float64]:
    """d numbers as a (d,) float64 array; ValueError with `name` in it for anything else."""
    try:
        array = np.asarray(numbers)
        if array.dtype.kind not in "biufO":
            raise TypeError
        vector = array.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"{name} must be a flat list of finite numbers") from None
    if vector.ndim != 1 or not len(vector):
        raise ValueError(
            f"{name} must be a flat list of at least one number, got shape {vector.shape}"
        )
    wrong = np.flatnonzero(~np.isfinite(vector))
    if len(wrong):
        raise ValueError(
            f"{name} must hold finite numbers only, got {vector[wrong[0]]} "
            f"in dimension {wrong[0] + 1} of {len(vector)}"
        )
    return vector


def _chunks(n: int, d: int) -> Iterator[slice]:
    step = max(1, _CHUNK_NUMBERS // d)
    return (slice(start, start + step) for start in range(0, n, step))
