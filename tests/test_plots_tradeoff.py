"""plots/tradeoff.py: recall to the right, speed upwards, each point labelled."""

import pytest

from memora_lab.plots.tradeoff import plot_tradeoff


def test_each_curve_has_its_points_and_labels(ax):
    assert plot_tradeoff(ax, {"a": [(0.5, 20.0, "16"), (0.9, 4.0, "64")], "b": [(1.0, 1.0, "")]})
    first, second = ax.get_lines()
    assert first.get_xydata().tolist() == [[0.5, 20], [0.9, 4]]
    assert second.get_xydata().tolist() == [[1, 1]]
    assert [text.get_text() for text in ax.texts] == ["16", "64", ""]
    assert first.get_marker() != second.get_marker()
    assert ax.get_yscale() == "log"


def test_ticks_are_shares_and_times(ax):
    plot_tradeoff(ax, {"a": [(0.5, 1.0, ""), (1.0, 100.0, "")]})
    ax.figure.canvas.draw()
    assert {"60%", "100%"} <= {tick.get_text() for tick in ax.get_xticklabels()}
    assert {"1×", "20×", "100×"} <= {tick.get_text() for tick in ax.get_yticklabels()}  # noqa: RUF001


@pytest.mark.parametrize("point", [(1.1, 1, ""), (-0.1, 1, ""), (0.5, 0, ""),
                                   (float("nan"), 1, ""), (0.5, float("inf"), "")])  # fmt: skip
def test_a_point_that_has_no_place_is_refused_by_name(ax, point):
    with pytest.raises(ValueError, match="int8: recall"):
        plot_tradeoff(ax, {"int8": [point]})


def test_more_curves_than_colours_are_refused(ax):
    with pytest.raises(ValueError, match="9 curves, but only 8"):
        plot_tradeoff(ax, {str(i): [(1, 1, "")] for i in range(9)})
