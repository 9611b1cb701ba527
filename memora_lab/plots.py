"""Pictures: each function draws on the Axes it is given and returns it.

Titles and axis labels are the caller's, in the caller's language.
"""

from collections.abc import Sequence

import matplotlib as mpl
from matplotlib import font_manager
from matplotlib.axes import Axes

from memora_lab.models import MemorySearchResult

# Told apart by every reader: Okabe & Ito, *Color Universal Design* (2008).
FIRST_COLOR, OTHER_COLOR = "#0072B2", "#B8C4CC"

_INSTALLED_FONTS = (
    "Microsoft JhengHei",
    "PingFang TC",
    "Heiti TC",
    "Noto Sans CJK TC",
    "Noto Sans TC",
    "WenQuanYi Zen Hei",
)


def use_chinese_font() -> str:
    """Let matplotlib draw Traditional Chinese; returns the name of the font.

    The packaged Noto Sans TC, so that a figure is the same everywhere; without it, an
    installed font. RuntimeError if there is neither.
    """
    name = _packaged_font() or _installed_font()
    if name is None:
        raise RuntimeError(
            "no font with Traditional Chinese characters was found: pip install pylopdf-fonts-zh-tw"
        )
    mpl.rcParams["font.family"] = [name, "DejaVu Sans"]
    mpl.rcParams["axes.unicode_minus"] = False  # some fonts have no minus sign, all a hyphen
    return name


def plot_scores(ax: Axes, results: Sequence[MemorySearchResult]) -> Axes:
    """One bar for each result, nearest on top, its text beside it and its score at its end.

    The axis runs from 0 (or the lowest score, if below) to 1, so that two plots compare.
    """
    texts = [f"{result.memory_number}. {result.content}" for result in results]
    scores = [result.score for result in results]
    places = range(len(results))
    ax.barh(places, scores, color=[FIRST_COLOR] + [OTHER_COLOR] * (len(results) - 1))
    for place, score in enumerate(scores):
        # Right of zero even for a bar that goes left of it, where the texts stand; + 0 for -0.00.
        at = (max(score, 0), place)
        text = f"{round(score, 2) + 0:.2f}"
        ax.annotate(text, at, xytext=(4, 0), textcoords="offset points", va="center")
    ax.set_yticks(places, texts)
    ax.invert_yaxis()
    ax.set_xlim(min([0.0, *scores]), 1.0)
    ax.axvline(0, color="black", linewidth=0.8)
    ax.spines[["top", "right", "left"]].set_visible(False)
    ax.tick_params(left=False)
    return ax


def _packaged_font() -> str | None:
    try:
        from pylopdf_fonts_zh_tw import sans_path
    except ImportError:
        return None
    font_manager.fontManager.addfont(sans_path())
    return font_manager.FontProperties(fname=sans_path()).get_name()


def _installed_font() -> str | None:
    installed = set(font_manager.get_font_names())
    return next((name for name in _INSTALLED_FONTS if name in installed), None)
