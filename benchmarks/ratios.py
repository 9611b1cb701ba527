"""What the benchmarks share: actions timed in turns, a table of ratios, a clean environment.

Only ratios within one run are told: a machine that is slow, or slows down, slows both sides.
"""

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from typing import NamedTuple

_CHANGING = ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")


class Ratio(NamedTuple):
    """What was measured. `at_least`: the limit is the least it may be, not the most."""

    name: str
    value: float
    limit: float
    at_least: bool = False

    @property
    def good(self) -> bool:
        """Whether it keeps its limit."""
        return self.value >= self.limit if self.at_least else self.value <= self.limit


def in_turns(repeats: int, *actions: Callable[[], object]) -> list[float]:
    """The median seconds of each action, all of them run once in each of the rounds."""
    times: list[list[float]] = [[] for _ in actions]
    for action in actions:
        action()
    for _ in range(repeats):
        for action, taken in zip(actions, times, strict=True):
            start = time.perf_counter()
            action()
            taken.append(time.perf_counter() - start)
    return [statistics.median(taken) for taken in times]


def report(measured: Iterable[Ratio]) -> int:
    """A line for each ratio, as soon as it is known; the exit status: 1 if one is over."""
    print(f"{'':58}{'ratio':>9}{'limit':>10}")
    status = 0
    for ratio in measured:
        bound = f"{'≥' if ratio.at_least else '≤'} {ratio.limit:g}"
        print(f"{ratio.name:58}{ratio.value:9.2f}{bound:>10}{'' if ratio.good else '  over'}")
        status = status if ratio.good else 1
    return status


def start_anew_without_openblas_settings() -> None:
    """They change how fast NumPy's bare product is, and are read when NumPy is loaded."""
    if any(name in os.environ for name in _CHANGING):
        environment = {k: v for k, v in os.environ.items() if k not in _CHANGING}
        sys.exit(subprocess.run([sys.executable, *sys.argv], env=environment).returncode)
