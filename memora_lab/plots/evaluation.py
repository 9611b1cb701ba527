"""How good a search is: scores as overlaid histograms, measures as curves over k or a cutoff."""

from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from memora_lab.plots.colors import BLACK, BLUE, MARKERS, ORANGE, VERMILION

# The first group is read first: the others stay lighter, and a hatch tells them apart in grey.
_HISTOGRAMS = (
    {"facecolor": "#DDE3E7", "edgecolor": "#7A8690", "linewidth": 1.2},
    {"facecolor": "none", "edgecolor": VERMILION, "linewidth": 1.6, "hatch": "///"},
    {"facecolor": BLUE + "99", "edgecolor": BLUE, "linewidth": 2.0},
)
_LINES = ((BLUE, "-"), (VERMILION, "--"), (ORANGE, "-."), (BLACK, ":"))


def plot_score_histograms(ax: Axes, groups: Mapping[str, ArrayLike], bins: ArrayLike) -> Axes:
    """Up to three groups of scores over each other, the last on top.

    groups: by label, any number of scores each. bins: t + 1 edges, the same for all. Each
    group's heights add up to 1, so that a group of ten thousand hides none of fifty. Raises
    ValueError for an empty group or a fourth.
    """
    if len(groups) > len(_HISTOGRAMS):
        raise ValueError(f"{len(groups)} groups, but only {len(_HISTOGRAMS)} can be told apart")
    for (label, scores), style in zip(groups.items(), _HISTOGRAMS, strict=False):
        scores = np.asarray(scores, dtype=np.float64).ravel()
        if not len(scores):
            raise ValueError(f"the group {label!r} is empty")
        share = np.full(len(scores), 1 / len(scores))
        ax.hist(scores, bins, weights=share, label=label, histtype="stepfilled", **style)
    ax.set_xlim(np.min(bins), np.max(bins))
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def plot_curves(ax: Axes, x: ArrayLike, curves: Mapping[str, ArrayLike]) -> Axes:
    """Up to four measures in [0, 1] over k or over a cutoff: a line each, named by its label.

    x: t numbers. curves: by label, t numbers each. Raises ValueError for a fifth.
    """
    if len(curves) > len(_LINES):
        raise ValueError(f"{len(curves)} curves, but only {len(_LINES)} can be told apart")
    x = np.asarray(x)
    every = max(1, len(x) // 10)  # a marker on each of many points would hide the line
    for (label, y), (color, line), marker in zip(curves.items(), _LINES, MARKERS, strict=False):
        ax.plot(x, y, line, color=color, marker=marker, markevery=every, label=label, linewidth=2)
    ax.set_xlim(x.min(), x.max())
    ax.set_ylim(0, 1.03)
    ax.grid(axis="y", color="0.9")
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def mark_cutoff(ax: Axes, cutoff: float, label: str) -> Axes:
    """A vertical line at a cutoff, with its label in the legend."""
    ax.axvline(cutoff, color=BLACK, linestyle=(0, (6, 2)), linewidth=2, label=label)
    return ax
