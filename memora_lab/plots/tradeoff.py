"""Speed against recall: what a search gives up for being quick."""

from collections.abc import Mapping, Sequence
from itertools import cycle

from matplotlib.axes import Axes
from matplotlib.ticker import (
    FixedLocator,
    MaxNLocator,
    NullLocator,
    PercentFormatter,
    StrMethodFormatter,
)

from memora_lab.plots.colors import MARKERS, PALETTE

_TIMES = [1.2, *(m * 10**e for e in (-2, -1, 0, 1, 2, 3) for m in (1, 1.5, 2, 3, 5, 7))]
# Two lines that come near each other have their labels on different sides.
_SIDES = (
    {"xytext": (-6, -4), "ha": "right", "va": "top"},
    {"xytext": (6, 4), "ha": "left", "va": "bottom"},
)

Point = tuple[float, float, str]  # recall in [0, 1], how many times as fast, its label


def plot_tradeoff(ax: Axes, curves: Mapping[str, Sequence[Point]]) -> Axes:
    """A line with markers for each name: recall to the right, speed upwards, logarithmic.

    The best place is the upper right corner. Each point is labelled; an empty label is none.
    Raises ValueError for a recall outside [0, 1], a speed that is not above 0 and for more
    curves than there are colours.
    """
    if len(curves) > len(PALETTE):
        raise ValueError(f"{len(curves)} curves, but only {len(PALETTE)} can be told apart")
    ax.set_yscale("log")
    styles = zip(curves.items(), PALETTE, MARKERS, cycle(_SIDES), strict=False)
    for (name, points), color, marker, side in styles:
        for recall, speed, _ in points:
            if not (0 <= recall <= 1 and 0 < speed < float("inf")):
                raise ValueError(f"{name}: recall {recall} at {speed} times has no place here")
        ax.plot(
            [point[0] for point in points],
            [point[1] for point in points],
            color=color, marker=marker, markersize=8, label=name,
        )  # fmt: skip
        for recall, speed, label in points:
            ax.annotate(
                label, (recall, speed), textcoords="offset points", color=color,
                fontsize="small", **side,
            )  # fmt: skip
    ax.xaxis.set_major_locator(MaxNLocator(steps=[1, 2, 5, 10]))
    ax.xaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    ax.yaxis.set_major_locator(FixedLocator(_TIMES))
    ax.yaxis.set_minor_locator(NullLocator())
    ax.yaxis.set_major_formatter(StrMethodFormatter("{x:g}\u00d7"))
    ax.grid(alpha=0.3)
    ax.spines[["top", "right"]].set_visible(False)
    return ax
