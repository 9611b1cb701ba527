"""The rows of a store's matrix: any numbers as float32, and their lengths."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

_CHUNK_ROWS = 4096  # float64 copies are made of so many rows at a time
_FAR = 40  # powers of two: float32 squares and sums stay in range on this side of it


def float32_rows(matrix: ArrayLike) -> NDArray[np.float32]:
    """(n, d) finite numbers as float32, far rows scaled (see MemoryStore); ValueError if not."""
    try:
        rows = np.asarray(matrix)
        if rows.dtype.kind not in "biufO":  # of complex numbers, NumPy would drop a half
            raise TypeError
        rows = rows.astype(np.float64) if rows.dtype.kind == "O" else rows
    except (TypeError, ValueError, OverflowError):
        raise ValueError("the vectors must be numbers, as many for each memory") from None
    if rows.size == 0 and len(rows) == 0:
        return np.empty((0, 0), np.float32)
    if rows.ndim != 2 or not rows.shape[1]:
        raise ValueError(
            f"the vectors must have the shape (memories, dimensions), got {rows.shape}"
        )
    # Not `abs`: it would copy the whole matrix.
    with np.errstate(over="ignore"):
        peaks = np.maximum(rows.max(axis=1).astype(float), -rows.min(axis=1).astype(float))
    wrong = np.flatnonzero(~np.isfinite(peaks))
    if len(wrong):
        raise ValueError(f"memory {wrong[0] + 1} holds a number that is not finite: embed it again")
    _, exponents = np.frexp(peaks)
    with np.errstate(over="ignore"):  # what leaves float32's range is written anew below
        result = rows.astype(np.float32)
    for i in np.flatnonzero((np.abs(exponents) > _FAR) & (peaks > 0)):
        result[i] = np.ldexp(rows[i].astype(np.float64), -exponents[i])
    return result


def inverse_norms(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    """(n, d) → (n,) float32: 1 / length of each row, 0 for a row of zeros."""
    norms = np.zeros(len(rows))
    for start in range(0, len(rows), _CHUNK_ROWS):
        part = rows[start : start + _CHUNK_ROWS].astype(np.float64)
        norms[start : start + _CHUNK_ROWS] = np.sqrt(np.einsum("ij,ij->i", part, part))
    return np.divide(1, norms, out=np.zeros_like(norms), where=norms > 0).astype(np.float32)
