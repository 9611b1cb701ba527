"""Timing: with clocks that tick as told, so that no test waits or depends on the machine."""

import itertools
import math

import pytest

from memora_lab.timing import FLOOR, LogLogLine, best_seconds, fit_loglog, memory_bandwidth


def ticking(*times):
    return iter(times).__next__


def test_the_best_of_several_calls_counts():
    calls = []
    clock = ticking(0.0, 5.0, 10.0, 12.0, 20.0, 23.0)
    assert best_seconds(lambda: calls.append(1), 3, clock=clock) == 2.0
    assert len(calls) == 3


@pytest.mark.parametrize(("repeats", "spend", "calls"), [(2, 0.0, 2), (2, 4.5, 5), (6, 4.5, 6)])
def test_quick_actions_are_called_on_until_the_time_is_spent(repeats, spend, calls):
    made = []
    seconds = itertools.count().__next__  # each call takes 1 s
    assert best_seconds(lambda: made.append(1), repeats, spend=spend, clock=seconds) == 1
    assert len(made) == calls


def test_a_clock_that_stands_still_does_not_call_for_ever():
    made = []
    assert best_seconds(lambda: made.append(1), spend=1.0, clock=lambda: 0.0) == FLOOR
    assert len(made) == 100_000


@pytest.mark.parametrize("times", [(7.0, 7.0), (7.0, 6.0)])
def test_a_clock_that_stands_still_or_goes_back_leaves_the_floor(times):
    assert best_seconds(lambda: None, 1, clock=ticking(*times)) == FLOOR > 0


def test_the_own_clock_gives_a_time_above_0():
    assert FLOOR <= best_seconds(lambda: None) < math.inf


@pytest.mark.parametrize("repeats", [0, -1])
def test_no_calls_no_time(repeats):
    with pytest.raises(ValueError, match=f"at least 1, got {repeats}"):
        best_seconds(lambda: None, repeats)


def test_what_the_action_raises_comes_through():
    with pytest.raises(ZeroDivisionError):
        best_seconds(lambda: 1 / 0)


def test_bandwidth_is_the_bytes_over_the_best_time():
    clock = ticking(0.0, 0.5, 1.0, 1.25, 2.0, 3.0)
    assert memory_bandwidth(2**20, 3, clock=clock) == 2**20 / 0.25


@pytest.mark.parametrize("size", [8, 16, 4096])
def test_each_byte_is_read_once(size):
    seconds = itertools.count().__next__
    assert memory_bandwidth(size, clock=seconds) == size


def test_a_clock_that_stands_still_gives_no_infinite_bandwidth():
    assert memory_bandwidth(4096, clock=lambda: 0.0) == pytest.approx(4096 / FLOOR)


@pytest.mark.parametrize("size", [0, 7])
def test_a_block_without_a_number_is_refused(size):
    with pytest.raises(ValueError, match=f"block of {size} bytes"):
        memory_bandwidth(size)


@pytest.mark.parametrize("slope", [0.0, 0.5, 1.0, 2.0])
def test_a_power_law_gives_back_its_slope_and_factor(slope):
    x = [1, 10, 1000]
    line = fit_loglog(x, [3 * n**slope for n in x])
    assert line == pytest.approx((slope, 3))
    assert line.at(1_000_000) == pytest.approx(3 * 1_000_000**slope)


def test_a_line_worked_by_hand():
    # In powers of ten: (0, 0), (1, 1), (2, 1). About their mean: (-1, -2/3), (0, 1/3), (1, 1/3).
    # The slope is (2/3 + 0 + 1/3) / (1 + 0 + 1).
    assert fit_loglog([1, 10, 100], [1, 10, 10]).slope == pytest.approx(0.5)
    assert LogLogLine(0.5, 2.0).at(9) == 6.0


@pytest.mark.parametrize(
    ("x", "y", "message"),
    [
        ([1, 10], [0.0, 1.0], "above 0 only, got 0.0"),
        ([0, 10], [1.0, 1.0], "above 0 only, got 0.0"),
        ([1, 10], [1.0, -2.0], "above 0 only, got -2.0"),
        ([1, 10], [1.0, math.nan], "above 0 only, got nan"),
        ([1, 10], [1.0, math.inf], "above 0 only, got inf"),
        ([1, 10], [1.0], "2 numbers in x, but 1 in y"),
        ([10, 10], [1.0, 2.0], "two different x"),
        ([], [], "two different x"),
    ],
)
def test_what_has_no_line_is_refused(x, y, message):
    with pytest.raises(ValueError, match=message):
        fit_loglog(x, y)
