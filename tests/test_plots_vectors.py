"""Strip, map, arrows, heat map: what is drawn, where, and readable in both languages."""

import numpy as np
import pytest
from matplotlib.colors import to_hex

from memora_lab.plots.colors import BLUE, ORANGE
from memora_lab.plots.vectors import plot_arrows, plot_heatmap, plot_map, plot_strip


def test_a_strip_is_a_row_for_each_vector_with_zero_in_the_middle(ax):
    assert plot_strip(ax, [[0.5, -0.25, 0.0], [0.1, 0.2, 0.3]], ["one", "第二"]) is ax
    (image,) = ax.images
    assert image.get_array().shape == (2, 3)
    low, high = image.get_clim()
    assert low == -high and 0 < high <= 0.5
    assert [label.get_text() for label in ax.get_yticklabels()] == ["one", "第二"]


@pytest.mark.parametrize("vector", [[0.5, -0.5], [0.0, 0.0]])
def test_a_single_vector_is_one_row_zeros_too(ax, vector):
    plot_strip(ax, vector)
    assert ax.images[0].get_array().shape == (1, 2)
    ax.figure.canvas.draw()


def test_bright_is_high_and_dark_is_low_so_that_it_reads_in_grey(ax):
    plot_strip(ax, [-1.0, 0.0, 1.0])
    colors = ax.images[0].to_rgba(np.array([-1.0, 0.0, 1.0]))[:, :3]
    grey = colors @ [0.299, 0.587, 0.114]
    assert list(grey) == sorted(grey) and grey[2] - grey[0] > 0.4


def test_a_map_has_a_colour_and_a_shape_for_each_group_and_outlines_for_the_second_kind(ax):
    points = [[0, 0], [1, 0], [0, 1], [1, 1]]
    assert plot_map(ax, points, ["b", "a", "b", "a"], hollow=[False, False, True, True]) is ax
    assert ax.get_legend_handles_labels()[1] == ["b", "a"]
    filled_b, hollow_b, filled_a, hollow_a = ax.collections
    assert filled_b.get_offsets().tolist() == [[0, 0]]
    assert hollow_b.get_offsets().tolist() == [[0, 1]]
    assert len(hollow_a.get_facecolors()) == 0 and to_hex(filled_b.get_facecolors()[0]) == (
        BLUE.lower()
    )
    assert to_hex(hollow_a.get_edgecolors()[0]) == ORANGE.lower()
    shapes = [collection.get_paths()[0].vertices.tolist() for collection in (filled_b, filled_a)]
    assert shapes[0] != shapes[1]


def test_a_group_with_outlines_alone_is_in_the_legend(ax):
    plot_map(ax, [[0, 0], [1, 1]], ["a", "b"], hollow=[False, True])
    assert ax.get_legend_handles_labels()[1] == ["a", "b"]


@pytest.mark.parametrize(
    ("points", "groups", "hollow", "message"),
    [
        ([[0, 0]], ["a", "b"], [], "1 points, 2 groups"),
        ([[0, 0]], ["a"], [True, False], "2 hollow"),
        ([[0, 0]] * 9, list("abcdefghi"), [], "9 groups, and colours for 8"),
    ],
)
def test_a_map_refuses_what_it_cannot_draw(ax, points, groups, hollow, message):
    with pytest.raises(ValueError, match=message):
        plot_map(ax, points, groups, hollow=hollow)


def test_arrows_end_at_their_vectors_and_labels_stand_beyond(ax):
    assert plot_arrows(ax, [[3, 1], [-2, -1]], ["right", "左"]) is ax
    tips = [note.xy for note in ax.texts if not note.get_text()]
    assert np.allclose(tips, [[3, 1], [-2, -1]])
    labels = {note.get_text(): note for note in ax.texts if note.get_text()}
    assert (labels["right"].get_ha(), labels["左"].get_ha()) == ("left", "right")
    assert ax.get_aspect() == 1
    assert ax.get_xlim()[0] < -2 and ax.get_xlim()[1] > 3


def test_the_circle_has_radius_1(ax):
    plot_arrows(ax, [[0.6, 0.8], [0, 0]], ["a", "0"], circle=True)
    (circle,) = [patch for patch in ax.patches if hasattr(patch, "radius")]
    assert circle.radius == 1
    ax.figure.canvas.draw()


def test_each_arrow_needs_a_label(ax):
    with pytest.raises(ValueError, match="zip"):
        plot_arrows(ax, [[1, 0], [0, 1]], ["one"])


def test_a_heat_map_writes_each_number_and_numbers_the_texts(ax):
    assert plot_heatmap(ax, [[1.0, -0.001], [0.7, 1.0]], ["tea", "茶"]) is ax
    assert [note.get_text() for note in ax.texts] == ["1.00", "0.00", "0.70", "1.00"]
    assert [note.get_color() for note in ax.texts] == ["white", "black", "white", "white"]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["1. tea", "2. 茶"]
    assert [label.get_text() for label in ax.get_xticklabels()] == ["1", "2"]
    assert ax.images[0].get_clim() == (0, 1)


@pytest.mark.parametrize(
    "draw",
    [
        lambda ax: plot_strip(ax, [[0.5, -0.5]], ["我喜歡咖啡"]),
        lambda ax: plot_map(ax, [[0, 0], [1, 1]], ["文法", "飲食"]).legend(),
        lambda ax: plot_arrows(ax, [[1, 1]], ["問句"], circle=True),
        lambda ax: plot_heatmap(ax, [[1, -0.5], [-0.5, 1]], ["咖啡", "茶 é"]),
    ],
)
def test_chinese_and_a_minus_are_drawn_without_a_missing_glyph(ax, caplog, draw):
    draw(ax)
    ax.set_title("相似度 \u22121")  # warnings are errors here
    ax.figure.canvas.draw()
    assert not caplog.records
