"""Timing: how long an action takes, how fast memory is read, how a cost grows.

A time here is the best of several: whatever else the computer does can only add to it. It is no
average, and says nothing about how long the next call will take.
"""

import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

FLOOR = 1e-9  # seconds; a clock that did not move must leave neither a ratio nor a logarithm of 0
_BLOCK = 256 * 2**20  # bytes; larger than most caches, so that memory itself is read
_MOST_CALLS = 100_000  # should the clock stand still


def best_seconds(
    action: Callable[[], object],
    repeats: int = 5,
    *,
    spend: float = 0.0,
    clock: Callable[[], float] = time.perf_counter,
) -> float:
    """The seconds of the quickest of `repeats` calls, at least `FLOOR`.

    repeats: 1 or more. spend: seconds; quick actions are called on until so much is spent, for
    on a busy computer most calls of a millisecond are disturbed. clock: seconds from any zero.
    Raises ValueError if repeats is less than 1. Source: the Python documentation of
    `timeit.Timer.repeat`, on why the least counts.
    """
    if repeats < 1:
        raise ValueError(f"repeats must be at least 1, got {repeats}")
    best, spent, calls = float("inf"), 0.0, 0
    while calls < repeats or (spent < spend and calls < _MOST_CALLS):
        start = clock()
        action()
        taken = max(clock() - start, FLOOR)
        best, spent, calls = min(best, taken), spent + taken, calls + 1
    return best


def memory_bandwidth(
    size: int = _BLOCK, repeats: int = 5, *, clock: Callable[[], float] = time.perf_counter
) -> float:
    """Bytes a second that one core reads from memory, each byte once.

    size: bytes of the block that is read, at least 8, and held meanwhile. Where a cache is
    larger than the block, it is the cache that is measured. Raises ValueError for a smaller
    block. Source: McCalpin, *Memory Bandwidth and Machine Balance in Current High Performance
    Computers* (1995), which counts writing too; a search only reads.
    """
    if size < 8:
        raise ValueError(f"a block of {size} bytes holds no number: at least 8")
    block = np.ones(size // 8, np.uint64)  # written once, so that it is really there
    # Of all that visits each number, `or` has the least to do.
    seconds = best_seconds(lambda: np.bitwise_or.reduce(block), repeats, clock=clock)
    return block.nbytes / seconds


class LogLogLine(NamedTuple):
    """y = factor * x**slope: a straight line where both axes are logarithmic.

    slope: 1 if doubling x doubles y, 0 if y does not care. factor: y at x = 1, in y's unit.
    """

    slope: float
    factor: float

    def at(self, x: float) -> float:
        """y at an x above 0, measured or not."""
        return self.factor * x**self.slope


def fit_loglog(x: Sequence[float], y: Sequence[float]) -> LogLogLine:
    """The line nearest to the points on log-log axes, by least squares of the logarithms.

    x, y: n numbers above 0 each, at least two different x. Raises ValueError for anything
    else: a logarithm of 0 or of less does not exist, and one x tells nothing of growth.
    """
    if len(x) != len(y):
        raise ValueError(f"{len(x)} numbers in x, but {len(y)} in y: one each")
    if len(set(x)) < 2:
        raise ValueError("a line needs at least two different x")
    for number in (*x, *y):
        if not 0 < number < float("inf"):
            raise ValueError(f"log-log axes show numbers above 0 only, got {float(number)}")
    slope, height = np.polyfit(np.log(np.asarray(x, float)), np.log(np.asarray(y, float)), 1)
    return LogLogLine(float(slope), float(np.exp(height)))
