"""The picture of growth: log-log lines, dashed beyond what was measured, the machine's limit."""

import pytest
from matplotlib.colors import to_hex

from memora_lab.plots.scaling import plot_scaling

MEASURED = {"迴圈": {1: 1e-5, 1000: 1e-2}, "store": {1: 4e-5, 1000: 6e-5}}


def lines(ax):
    return [line for line in ax.lines if len(line.get_xdata())]


def test_both_axes_are_logarithmic_and_the_axes_come_back(ax):
    assert plot_scaling(ax, MEASURED) is ax
    assert (ax.get_xscale(), ax.get_yscale()) == ("log", "log")


def test_a_line_for_each_name_told_apart_by_colour_and_by_marker(ax):
    loop, store = lines(plot_scaling(ax, MEASURED))
    assert ([*loop.get_xdata()], [*loop.get_ydata()]) == ([1, 1000], [1e-5, 1e-2])
    assert [loop.get_label(), store.get_label()] == ["迴圈", "store"]
    assert loop.get_color() != store.get_color()
    assert loop.get_marker() != store.get_marker()


def test_what_was_not_measured_is_dashed_and_hollow_in_the_same_colour(ax):
    beyond = {"store": {1000: 6e-5, 1_000_000: 6e-2}}
    _, store, dashed = lines(plot_scaling(ax, MEASURED, extrapolated=beyond))
    assert dashed.get_linestyle() == "--"
    assert dashed.get_markerfacecolor() == "none"
    assert to_hex(dashed.get_color()) == to_hex(store.get_color())
    assert dashed.get_marker() == store.get_marker()
    assert [text.get_text() for text in ax.legend().get_texts()] == ["迴圈", "store"]


def test_the_limit_is_a_plain_black_line_with_its_label(ax):
    limit = lines(plot_scaling(ax, MEASURED, limit=("limit", {1: 1e-7, 1000: 1e-4})))[0]
    assert (limit.get_label(), limit.get_marker(), limit.get_linestyle()) == ("limit", "None", "-")
    assert to_hex(limit.get_color()) == "#000000"


def test_sizes_and_times_are_written_out(ax):
    plot_scaling(ax, MEASURED)
    assert ax.xaxis.get_major_formatter()(1000, 0) == "1,000"
    assert ax.yaxis.get_major_formatter()(1e-3, 0) == "1 ms"


def test_it_is_drawn_without_a_missing_glyph(ax, caplog):
    plot_scaling(ax, MEASURED, limit=("機器的極限", {1: 1e-7, 1000: 1e-4})).set_title("搜尋時間")
    ax.legend()
    ax.figure.canvas.draw()  # warnings are errors here
    assert not caplog.records


@pytest.mark.parametrize("point", [{1: 0.0}, {0: 1.0}, {1: -1.0}, {1: float("nan")}])
def test_a_point_with_no_place_on_log_axes_is_refused_by_name(ax, point):
    for given in (
        {"measured": {"loop": point}},
        {"measured": {"loop": {1: 1.0}}, "extrapolated": {"loop": point}},
        {"measured": {}, "limit": ("loop", point)},
    ):
        with pytest.raises(ValueError, match=r"loop: .* no place on log-log axes"):
            plot_scaling(ax, **given)


def test_an_extrapolation_of_nothing_measured_is_refused(ax):
    with pytest.raises(ValueError, match="'index' is extrapolated, but was not measured"):
        plot_scaling(ax, MEASURED, extrapolated={"index": {1: 1.0}})


def test_more_lines_than_can_be_told_apart_are_refused(ax):
    with pytest.raises(ValueError, match="8 lines are too many"):
        plot_scaling(ax, {str(i): {1: 1.0} for i in range(8)})


def test_no_lines_draw_no_lines(ax):
    assert lines(plot_scaling(ax, {})) == []
