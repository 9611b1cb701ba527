"""The pictures: what is drawn, where, and with which font."""

import subprocess
import sys

from memora_lab import MemorySearchResult, plot_scores


def results(*scores):
    return [
        MemorySearchResult(memory_number=n, content=f"第 {n} 筆", score=score)
        for n, score in enumerate(scores, start=1)
    ]


def test_a_bar_for_each_result_the_first_on_top(ax):
    assert plot_scores(ax, results(0.5, 0.25)) is ax
    assert [bar.get_width() for bar in ax.patches] == [0.5, 0.25]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["1. 第 1 筆", "2. 第 2 筆"]
    assert ax.yaxis_inverted()


def test_scores_stand_at_the_bars_and_never_over_the_texts(ax):
    plot_scores(ax, results(0.5, -0.001, -0.25))
    assert [(note.get_text(), note.xy[0]) for note in ax.texts] == [
        ("0.50", 0.5), ("0.00", 0.0), ("-0.25", 0.0)
    ]  # fmt: skip
    assert ax.get_xlim() == (-0.25, 1.0)


def test_the_axis_ends_at_1_so_that_two_plots_compare(ax):
    plot_scores(ax, results(0.1))
    assert ax.get_xlim() == (0.0, 1.0)


def test_no_results_draw_no_bars(ax):
    assert list(plot_scores(ax, []).patches) == []


def test_chinese_and_a_minus_are_drawn_without_a_missing_glyph(ax, caplog):
    plot_scores(ax, results(0.5, -0.25)).set_title("相似度 \u22121 é ü")  # warnings are errors here
    ax.figure.canvas.draw()
    assert not caplog.records


def test_the_package_chooses_no_backend():
    code = (
        "import memora_lab, matplotlib as m; before = dict.__getitem__(m.rcParams, 'backend');"
        "memora_lab.use_chinese_font(); assert dict.__getitem__(m.rcParams, 'backend') is before"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
