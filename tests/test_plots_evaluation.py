"""Histograms and curves: what is drawn, and that groups and lines can be told apart."""

import numpy as np
import pytest

from memora_lab.plots.evaluation import mark_cutoff, plot_curves, plot_score_histograms

BINS = [0.0, 0.25, 0.5, 0.75, 1.0]


def heights(patch):
    """The height of each bar of a filled step histogram, from its outline."""
    return patch.get_xy()[1 : 2 * len(BINS) - 1 : 2, 1]


def test_a_large_group_and_a_small_one_are_drawn_to_the_same_sum(ax):
    groups = {"many": np.repeat([0.1, 0.3], [300, 100]), "few": [0.6, 0.9]}
    assert plot_score_histograms(ax, groups, BINS) is ax
    assert heights(ax.patches[0]).tolist() == pytest.approx([0.75, 0.25, 0, 0])
    assert heights(ax.patches[1]).tolist() == pytest.approx([0, 0, 0.5, 0.5])
    assert ax.get_xlim() == (0.0, 1.0)


def test_groups_are_named_and_told_apart_without_colour(ax, caplog):
    plot_score_histograms(ax, {"答案": [0.5], "其他": [0.1], "無": [0.2]}, BINS).legend()
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["答案", "其他", "無"]
    looks = {(patch.get_hatch(), patch.get_linewidth()) for patch in ax.patches}
    assert len(looks) == 3 and sum(patch.get_hatch() is not None for patch in ax.patches) == 1
    ax.figure.canvas.draw()
    assert not caplog.records


def test_a_group_without_scores_or_one_too_many_is_refused(ax):
    with pytest.raises(ValueError, match="'none' is empty"):
        plot_score_histograms(ax, {"none": []}, BINS)
    with pytest.raises(ValueError, match="4 groups, but only 3"):
        plot_score_histograms(ax, {name: [0.5] for name in "abcd"}, BINS)


def test_curves_are_drawn_as_given_and_told_apart_without_colour(ax):
    curves = {name: np.linspace(0, 1, 20) ** power for power, name in enumerate("abcd", start=1)}
    assert plot_curves(ax, range(1, 21), curves) is ax
    for line, y in zip(ax.lines, curves.values(), strict=True):
        assert line.get_xdata().tolist() == [*range(1, 21)]
        assert line.get_ydata().tolist() == y.tolist()
    assert len({(line.get_linestyle(), line.get_marker()) for line in ax.lines}) == 4
    assert ax.get_xlim() == (1.0, 20.0)
    with pytest.raises(ValueError, match="5 curves, but only 4"):
        plot_curves(ax, [1], {name: [1] for name in "abcde"})


def test_the_cutoff_is_a_vertical_line_with_a_name(ax):
    assert mark_cutoff(ax, 0.3, "門檻") is ax
    assert ax.lines[0].get_xdata() == [0.3, 0.3]
    assert ax.get_legend_handles_labels()[1] == ["門檻"]
