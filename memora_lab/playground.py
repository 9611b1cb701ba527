"""A playground for a notebook: ask, and move k and a cutoff; the results follow at once.

It needs ipywidgets, which the course's install and Colab bring along. Where
widgets do not render, `semantic_search` in a plain cell gives the same results.
"""

from collections.abc import Mapping
from html import escape

try:
    import ipywidgets as widgets
except ImportError as error:
    raise ImportError(
        "the playground needs ipywidgets: pip install ipywidgets, then restart the kernel. "
        "Without it, use the plain cell below: it gives the same results"
    ) from error

from memora_lab.client import current_endpoint
from memora_lab.embeddings import create_embeddings
from memora_lab.models import MemorySearchResult
from memora_lab.plots.colors import BLUE, GREY, VERMILION
from memora_lab.search import rank_memories
from memora_lab.store import MemoryStore
from memora_lab.texts import is_blank

_MOST = 20  # results; more bars than that nobody reads


class Playground(widgets.VBox):
    """A query box, two sliders and a choice of language over bars that follow them.

    stores: the memories of each language, "en" and "zh-TW", one of them or both, of the model
    that embeds the query. language: of the labels, and of the memories at first. cutoff: in
    [0, 1]; results below it are shown in grey. A query is embedded once; k, cutoff and other
    memories cost no request. The offline model searches at every key, a server at Enter, as
    each of its requests may cost money. Raises ValueError for a language without a store. What
    goes wrong later is told in place of the bars.
    """

    def __init__(
        self,
        stores: Mapping[str, MemoryStore],
        language: str = "en",
        query: str = "",
        k: int = 3,
        cutoff: float = 0.0,
    ) -> None:
        if language not in stores:
            raise ValueError(f"no memories in {language!r}: there are {', '.join(stores)}")
        self._stores, self._labels = dict(stores), language
        self._vectors: dict[str, list[float]] = {}
        wide = {"layout": widgets.Layout(width="98%"), "style": {"description_width": "7em"}}
        at_every_key = current_endpoint().provider == "offline"
        self.query = widgets.Text(
            query,
            description=self._said("query"),
            placeholder=self._said("ask"),
            continuous_update=at_every_key,
            **wide,
        )
        self.k = widgets.IntSlider(k, 1, _MOST, description="k", **wide)
        self.cutoff = widgets.FloatSlider(
            cutoff, min=0, max=1, step=0.01, description=self._said("cutoff"), **wide
        )
        self.language = widgets.Dropdown(
            options=[(_NAMES.get(name, name), name) for name in stores],
            value=language,
            description=self._said("memories"),
            style=wide["style"],
        )
        self.results = widgets.HTML()
        self.shown: list[MemorySearchResult] = []
        controls = (self.query, self.k, self.cutoff, self.language)
        super().__init__([*controls, self.results])
        for control in controls:
            control.observe(self._update, "value")
        self._update()

    def __repr__(self) -> str:  # what a page shows that renders no widgets
        return self._said("plain")

    def _update(self, _: object = None) -> None:
        self.shown = []
        try:
            if is_blank(self.query.value):
                self.results.value = _paragraph(self._said("ask"))
                return
            vector = self._vector(self.query.value)
            store = self._stores[self.language.value]
            self.shown = rank_memories(vector, store, self.k.value)
            self.results.value = self._page()
        except Exception as error:  # a traceback from a widget is lost, or lands anywhere
            self.results.value = _paragraph(f"{type(error).__name__}: {error}")

    def _page(self) -> str:
        cutoff = self.cutoff.value
        enough = sum(result.score >= cutoff for result in self.shown)
        said = self._said("some" if enough else "none")
        head = _paragraph(said.format(enough=enough, all=len(self.shown), cutoff=cutoff))
        return head + "".join(_row(result, cutoff) for result in self.shown)

    def _said(self, what: str) -> str:
        return _SAID[what][self._labels]

    def _vector(self, query: str) -> list[float]:
        if query not in self._vectors:
            (self._vectors[query],), _ = create_embeddings([query])
        return self._vectors[query]


def _row(result: MemorySearchResult, cutoff: float) -> str:
    """One result as a bar over 0 to 1, with a line at the cutoff, and its text below."""
    enough = result.score >= cutoff
    color, mark = (BLUE, "✓") if enough else (GREY, "·")
    width = 100 * min(max(result.score, 0.0), 1.0)
    return (
        f'<div style="margin:6px 0;line-height:1.5;font-size:15px">'
        f'<div style="opacity:{1 if enough else 0.65}">{mark} {result.memory_number}. '
        f"{escape(result.content)} <b>{result.score:.3f}</b></div>"
        f'<div style="position:relative;height:12px;background:rgba(128,128,128,.15)">'
        f'<div style="width:{width:.1f}%;height:12px;background:{color}"></div>'
        f'<div style="position:absolute;left:{100 * cutoff:.1f}%;top:-2px;height:16px;'
        f'border-left:2px dashed {VERMILION}"></div></div></div>'
    )


def _paragraph(text: str) -> str:
    return f'<p style="margin:8px 0;font-size:15px">{escape(text)}</p>'


_NAMES = {"en": "English", "zh-TW": "中文"}

_SAID = {
    "query": {"en": "Question", "zh-TW": "查詢"},
    "cutoff": {"en": "Cutoff", "zh-TW": "門檻"},
    "memories": {"en": "Memories", "zh-TW": "記憶"},
    "ask": {"en": "Ask something", "zh-TW": "問點什麼吧"},
    "some": {
        "en": "The closest {all}; at or above the cutoff of {cutoff:.2f}: {enough}.",
        "zh-TW": "最接近的 {all} 筆；達到門檻 {cutoff:.2f} 的有 {enough} 筆。",
    },
    "none": {
        "en": "Nothing reaches the cutoff of {cutoff:.2f}. The closest {all} all the same:",
        "zh-TW": "沒有一筆達到門檻 {cutoff:.2f}。還是列出最接近的 {all} 筆：",
    },
    "plain": {
        "en": "The playground: run this cell to open it.",
        "zh-TW": "遊樂場：執行這一格就會打開。",
    },
}
