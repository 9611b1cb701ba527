"""The scores of a search as bars."""

from collections.abc import Sequence

from matplotlib.axes import Axes

from memora_lab.models import MemorySearchResult
from memora_lab.plots.colors import BLUE, GREY


def plot_scores(ax: Axes, results: Sequence[MemorySearchResult]) -> Axes:
    """One bar for each result, nearest on top, its text beside it and its score at its end.

    The axis runs from 0 (or the lowest score, if below) to 1, so that two plots compare.
    """
    texts = [f"{result.memory_number}. {result.content}" for result in results]
    scores = [result.score for result in results]
    places = range(len(results))
    ax.barh(places, scores, color=[BLUE] + [GREY] * (len(results) - 1))
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
