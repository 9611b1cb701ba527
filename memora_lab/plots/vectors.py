"""Vectors made visible: strips of colours, a map, arrows in the plane, a table of cosines."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Circle
from numpy.typing import ArrayLike

from memora_lab.plots.colors import MARKERS, PALETTE


def plot_strip(ax: Axes, vectors: ArrayLike, labels: Sequence[str] = ()) -> Axes:
    """One row of colours for each vector, one column for each number, 0 in the middle.

    vectors: (d,) or (n, d). labels: none, or n texts for the rows. Dark is low and bright is
    high, so that it reads in grey; `ax.images[0]` is what `Figure.colorbar` wants.
    """
    rows = np.atleast_2d(np.asarray(vectors, dtype=float))
    # A few numbers stand out; without them the rest is not one colour. 1 for zeros alone.
    limit = np.quantile(np.abs(rows), 0.98) or 1.0
    ax.imshow(rows, aspect="auto", cmap="cividis", vmin=-limit, vmax=limit, interpolation="nearest")
    ax.set_yticks(range(len(labels)), labels)
    ax.tick_params(left=False)
    for line in range(1, len(rows)):
        ax.axhline(line - 0.5, color="white", linewidth=3)
    ax.spines[:].set_visible(False)
    return ax


def plot_map(
    ax: Axes, points: ArrayLike, groups: Sequence[str], *, hollow: Sequence[bool] = ()
) -> Axes:
    """Points in the plane, a colour and a shape for each group, in the order they first appear.

    points: (n, 2). groups: the name of each point's group, at most 8 names, for the legend.
    hollow: none, or for each point whether it is drawn as an outline (a second kind).
    Raises ValueError for more groups than there are colours and if the lengths differ.
    """
    places = np.asarray(points, dtype=float)
    outlined = np.asarray(hollow if len(hollow) else [False] * len(groups), dtype=bool)
    names = list(dict.fromkeys(groups))
    if not len(places) == len(groups) == len(outlined):
        raise ValueError(f"{len(places)} points, {len(groups)} groups, {len(outlined)} hollow")
    if len(names) > len(PALETTE):
        raise ValueError(f"{len(names)} groups, and colours for {len(PALETTE)}: draw fewer")
    for name, color, marker in zip(names, PALETTE, MARKERS, strict=False):
        of_it = np.array([group == name for group in groups])
        style = {"marker": marker, "s": 64, "linewidths": 1.4, "edgecolors": color}
        label = name  # on what is drawn of the group first
        for kind, fill in ((~outlined, color), (outlined, "none")):
            if (of_it & kind).any():
                ax.scatter(*places[of_it & kind].T, facecolors=fill, label=label, **style)
                label = None
    ax.set_aspect("equal", adjustable="datalim")
    ax.set_xticks([])
    ax.set_yticks([])
    return ax


def plot_arrows(
    ax: Axes, vectors: ArrayLike, labels: Sequence[str], *, circle: bool = False
) -> Axes:
    """Arrows from the origin, each with its label beyond its tip, both axes on one scale.

    vectors: (n, 2), n at most 8. circle: draw the circle of radius 1, where unit vectors end.
    """
    tips = np.asarray(vectors, dtype=float)
    for tip, label, color in zip(tips, labels, PALETTE[: len(tips)], strict=True):
        arrow = {"arrowstyle": "-|>", "color": color, "linewidth": 2.5, "mutation_scale": 18}
        ax.annotate("", tip, xytext=(0, 0), arrowprops={**arrow, "shrinkA": 0, "shrinkB": 0})
        x, y = tip / (np.linalg.norm(tip) or 1.0)
        side = "center" if abs(x) < 0.4 else "left" if x > 0 else "right"
        height = "center" if abs(y) < 0.4 else "bottom" if y > 0 else "top"
        beyond = {"xytext": (10 * x, 10 * y), "textcoords": "offset points"}
        ax.annotate(label, tip, **beyond, ha=side, va=height)
    if circle:
        ax.add_patch(Circle((0, 0), 1, fill=False, color="black", linestyle=":"))
    corners = np.vstack([tips, [[0, 0]]])
    low, high = corners.min(axis=0), corners.max(axis=0)
    room = 0.12 * (high - low).max() or 1.0
    ax.set_xlim(low[0] - room, high[0] + room)
    ax.set_ylim(low[1] - room, high[1] + room)
    ax.set_aspect("equal")
    ax.axhline(0, color="black", linewidth=0.8)
    ax.axvline(0, color="black", linewidth=0.8)
    ax.grid(alpha=0.4)
    ax.spines[:].set_visible(False)  # a long label may reach beyond them
    return ax


def plot_heatmap(ax: Axes, table: ArrayLike, labels: Sequence[str]) -> Axes:
    """Entry [i][j] as a square with its number in it: the darker, the higher.

    table: (n, n) cosines. labels: n texts beside the rows, numbered from 1; the columns carry
    the numbers. The colours run from 0 to 1, so that two pictures compare.
    """
    entries = np.asarray(table, dtype=float)
    ax.imshow(entries, cmap="Blues", vmin=0, vmax=1)
    for (row, column), entry in np.ndenumerate(entries):
        text = f"{round(entry, 2) + 0:.2f}"  # + 0 for -0.00
        ax.text(
            column, row, text, ha="center", va="center", color="white" if entry > 0.6 else "black"
        )
    ax.set_yticks(range(len(labels)), [f"{n}. {label}" for n, label in enumerate(labels, start=1)])
    ax.set_xticks(range(len(labels)), [str(n) for n in range(1, len(labels) + 1)])
    ax.tick_params(left=False, bottom=False)
    ax.spines[:].set_visible(False)
    return ax
