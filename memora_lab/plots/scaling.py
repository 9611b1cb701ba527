"""How a time grows with a size: lines on log-log axes."""

from collections.abc import Mapping

from matplotlib.axes import Axes
from matplotlib.ticker import EngFormatter, NullFormatter, StrMethodFormatter

from memora_lab.plots.colors import BLACK, MARKERS, PALETTE

Line = Mapping[float, float]  # seconds by size, both above 0


def plot_scaling(
    ax: Axes,
    measured: Mapping[str, Line],
    *,
    extrapolated: Mapping[str, Line] | None = None,
    limit: tuple[str, Line] | None = None,
) -> Axes:
    """A line with markers for each name, sizes to the right, seconds upwards, both logarithmic.

    measured: seconds by size, for each name. extrapolated: the same for sizes that were not
    measured; drawn dashed, with hollow markers, in the colour of the name, and not in the
    legend. limit: a label and the seconds that no search of the machine can beat; a plain
    black line. Up to seven names are told apart; a name keeps its colour by its place.

    Raises ValueError for a size or a time that is not above 0 (log axes would drop the point),
    for an extrapolated name that was not measured, and for more than seven names.
    """
    extrapolated = extrapolated or {}
    if len(measured) >= len(PALETTE):
        raise ValueError(f"{len(measured)} lines are too many to tell apart: draw at most 7")
    for name, line in [*measured.items(), *extrapolated.items(), *([limit] if limit else [])]:
        _check(name, line)
    unknown = [name for name in extrapolated if name not in measured]
    if unknown:
        raise ValueError(f"{unknown[0]!r} is extrapolated, but was not measured")
    ax.set_xscale("log")
    ax.set_yscale("log")
    if limit:
        label, line = limit
        ax.plot([*line], [*line.values()], color=BLACK, linewidth=2.5, label=label)
    for (name, line), color, marker in zip(measured.items(), PALETTE, MARKERS, strict=False):
        ax.plot([*line], [*line.values()], color=color, marker=marker, label=name)
        beyond = extrapolated.get(name, {})
        style = {"color": color, "marker": marker, "markerfacecolor": "none", "linestyle": "--"}
        ax.plot([*beyond], [*beyond.values()], **style)
    ax.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    ax.yaxis.set_major_formatter(EngFormatter(unit="s"))
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_minor_formatter(NullFormatter())
    ax.grid(alpha=0.3)
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def _check(name: str, line: Line) -> None:
    for size, seconds in line.items():
        if not (0 < size < float("inf") and 0 < seconds < float("inf")):
            raise ValueError(f"{name}: {seconds} s at size {size} has no place on log-log axes")
