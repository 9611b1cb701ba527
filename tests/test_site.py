"""The site, built for real, then read as files and in a browser, from the disk."""

import base64
import importlib.util
import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import nbformat
import pytest
from browser import BROWSER, NO_BROWSER, ROOT, browser_context

NEEDED = ("sphinx", "myst_nb", "furo", "latex2mathml")
pytestmark = pytest.mark.skipif(
    not all(map(importlib.util.find_spec, NEEDED)),
    reason="needs the site's packages: python3 start.py site",
)
in_browser = [
    pytest.mark.skipif(not BROWSER or os.name == "nt", reason=NO_BROWSER),
    pytest.mark.skipif(not importlib.util.find_spec("playwright"), reason="needs playwright"),
]
LANGUAGES = ("en", "zh-TW")
NAMES = sorted(path.stem for path in (ROOT / "notebooks" / "en").glob("*.ipynb"))
TOOL = ROOT / "tools" / "make_site.py"


class Page(HTMLParser):
    """Where a page leads, what it loads, its anchors, words and language, what is folded."""

    def __init__(self, path):
        super().__init__()
        self.links, self.loaded, self.anchors, self.words = [], [], set(), []
        self.language, self.switch, self.folded, self._skip = None, None, [], 0
        self.feed(path.read_text("utf-8"))

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.anchors |= {given["id"]} if "id" in given else set()
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
            self.switch = given["href"] if "hreflang" in given else self.switch
        elif tag == "link" and given.get("rel") not in ("next", "prev", "index", "search"):
            self.loaded.append(given["href"])
        elif "src" in given:
            self.loaded.append(given["src"])
        if tag == "html":
            self.language = given["lang"]
        if tag == "details":
            self.folded.append("open" not in given)
        self._skip += tag in ("script", "style")

    def handle_endtag(self, tag):
        self._skip -= tag in ("script", "style")

    def handle_data(self, data):
        if not self._skip:
            self.words.append(data)

    @property
    def text(self):
        return re.sub(r"\s+", " ", "".join(self.words))


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The folder, on a path as a teacher may have it, and what was said on the way."""
    folder = tmp_path_factory.mktemp("site") / "our pages 網頁"
    command = [sys.executable, TOOL, "--no-browser", "--output", folder]
    environ = os.environ | {"LC_ALL": "zh_XX.UTF-8", "PYTHONIOENCODING": "utf-8"}  # no such locale
    result = subprocess.run(command, capture_output=True, encoding="utf-8", env=environ)
    assert result.returncode == 0, result.stderr
    return folder, result


@pytest.fixture(scope="module")
def pages(built):
    return {path: Page(path) for path in sorted(built[0].rglob("*.html"))}


# ---- the files


def test_nothing_is_amiss_in_the_building(built):
    folder, result = built
    assert result.stderr == ""
    assert str(folder / "index.html") in result.stdout


def test_every_link_leads_somewhere_and_every_page_can_be_reached(built, pages):
    folder = built[0]
    seen, left = set(), [folder / "index.html"]
    while left:
        path = left.pop()
        seen.add(path)
        for address in pages[path].links + pages[path].loaded:
            parts = urlsplit(address)
            if parts.scheme:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            assert target.is_file(), f"{address} on {path}"
            if target in pages:
                anchor = unquote(parts.fragment)
                assert not anchor or anchor in pages[target].anchors, f"{address} on {path}"
                left += [target] if target not in seen else []
    # The index of Sphinx's search page aside, all are seen.
    assert {path for path in pages if path.name != "search.html"} <= seen
    for lang in LANGUAGES:
        there = folder / lang / "notebooks" / lang
        assert {path.stem for path in seen if path.parent == there} == set(NAMES)


def test_links_between_lessons_lead_to_pages_not_to_downloads(pages):
    found = [link for page in pages.values() for link in page.links if "://" not in link]
    assert not [link for link in found if urlsplit(link).path.endswith((".ipynb", ".md"))]
    assert sum("01_embedding.html" in link for link in found) > 10


def test_nothing_comes_from_the_network(built, pages):
    for path, page in pages.items():
        assert not [address for address in page.loaded if urlsplit(address).scheme == "https"], path
        assert not [address for address in page.loaded if address.startswith("//")], path
    for style in built[0].rglob("*.css"):
        assert not re.search(r"(@import|url\()\s*[\"']?(https?:)?//", style.read_text("utf-8"))


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("name", NAMES)
def test_a_lesson_shows_the_outputs_that_were_saved(built, pages, lang, name):
    notebook = nbformat.read(ROOT / "notebooks" / lang / f"{name}.ipynb", as_version=4)
    path = built[0] / lang / "notebooks" / lang / f"{name}.html"
    page, folded = pages[path], 0
    shown = [path.parent / unquote(address) for address in page.loaded if "_images" in address]
    pictures = {each.read_bytes() for each in shown}
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            folded += cell.source.count("<details>")
            continue
        for output in cell.outputs:
            if output.output_type == "stream":
                assert re.sub(r"\s+", " ", output.text).strip() in page.text
            elif "image/png" in output.data:
                assert base64.b64decode(output.data["image/png"]) in pictures
    assert page.folded.count(True) == folded and all(page.folded)
    assert page.language.lower() == lang.lower()


def test_both_languages_have_the_same_pages_and_lead_to_each_other(built, pages):
    for path, page in pages.items():
        if path != built[0] / "index.html":
            there = (path.parent / page.switch).resolve()
            back = (there.parent / pages[there].switch).resolve()
            assert back == path and pages[there].language != page.language


def test_a_failure_is_told_in_both_languages(tmp_path):
    (tmp_path / "sitecustomize.py").write_text("import sys; sys.modules['myst_nb'] = None")
    for lang, words in (("en", "could not be made"), ("zh-TW", "無法製作網頁")):
        command = [sys.executable, TOOL, "--no-browser", "--output", tmp_path / "x"]
        result = subprocess.run(
            [*command, "--lang", lang],
            env=os.environ | {"PYTHONPATH": str(tmp_path), "PYTHONIOENCODING": "utf-8"},
            capture_output=True,
            encoding="utf-8",
        )
        assert result.returncode == 1 and words in result.stderr and "myst_nb" in result.stderr


# ---- the browser


@pytest.fixture(scope="module")
def tab(tmp_path_factory):
    """A page of the browser that keeps what it asked for, and what it complained about."""
    with browser_context(tmp_path_factory.mktemp("browser")) as context:
        page = context.new_page()
        page.asked, page.complaints = [], []
        page.on("request", lambda request: page.asked.append(request.url))
        page.on("pageerror", lambda error: page.complaints.append(str(error)))
        page.on("console", lambda told: page.complaints.append(told.text))
        yield page


def marked(function):
    for mark in in_browser:
        function = mark(function)
    return function


# What sticks out of the screen, and out of nothing that scrolls.
CUT_OFF = """() => [...document.querySelectorAll('article *')].filter(element => {
    if (element.getBoundingClientRect().right <= innerWidth + 1) return false;
    for (let box = element.parentElement; box; box = box.parentElement)
        if (/auto|scroll/.test(getComputedStyle(box).overflowX)
            && box.getBoundingClientRect().right <= innerWidth + 1) return false;
    return true; }).map(element => element.outerHTML.slice(0, 200))"""


@marked
@pytest.mark.parametrize("width", [390, 1280])
def test_pages_fit_a_phone_and_a_desktop(tab, pages, width):
    """Tables and code scroll inside; no page does sideways. Nothing else is asked for."""
    tab.set_viewport_size({"width": width, "height": 844})
    for path in pages:
        tab.goto(path.as_uri())
        assert tab.evaluate("document.documentElement.scrollWidth") <= width, path
        assert tab.evaluate(CUT_OFF) == [], path
        broken = tab.evaluate("[...document.images].filter(image => !image.naturalWidth).length")
        assert not broken, path
    assert not [url for url in tab.asked if not url.startswith(("file:", "data:"))]
    assert tab.complaints == []


def search(tab, built, lang, words):
    """Typed into the search box of a lesson → the results' paths, in their order."""
    tab.set_viewport_size({"width": 1280, "height": 844})
    lesson = built[0] / lang / "notebooks" / lang / f"{NAMES[0]}.html"
    tab.goto(lesson.as_uri())
    tab.locator("input[name=q]").fill(words)
    tab.locator("input[name=q]").press("Enter")
    tab.locator("#search-results .search-summary:not(:empty)").wait_for()
    tab.wait_for_function("Search._pulse_status < 0")
    found = tab.locator("#search-results li a").evaluate_all("links => links.map(a => a.href)")
    return [Path(unquote(urlsplit(url).path)) for url in found]


@marked
@pytest.mark.parametrize(
    ("lang", "words", "first"),
    [
        ("en", "cosine similarity", "02_cosine_similarity"),
        ("en", "glossary", "glossary"),
        ("zh-TW", "餘弦相似度", "02_cosine_similarity"),
        ("zh-TW", "關鍵字", None),
        ("zh-TW", "門檻", None),
        ("zh-TW", "Milvus", None),
    ],
)
def test_search_finds_every_page_with_the_words(tab, built, pages, lang, words, first):
    found = search(tab, built, lang, words)
    holding = {
        path
        for path, page in pages.items()
        if path.is_relative_to(built[0] / lang) and words.lower() in page.text.lower()
    }
    holding = {path for path in holding if path.name != "search.html"}
    if lang == "zh-TW":  # words in the list of pages at the side are on every page
        holding = {path for path in holding if pages[path].text.count(words) > 2}
        assert holding <= set(found) and len(holding) > 1
    assert not first or found[0].stem.startswith(first)
    assert tab.complaints == []


@marked
@pytest.mark.parametrize(("lang", "words"), [("en", "zebrafish"), ("zh-TW", "餘弦斑馬")])
def test_search_finds_nothing_where_there_is_nothing(tab, built, lang, words):
    assert search(tab, built, lang, words) == []


@marked
def test_both_sides_of_the_search_cut_chinese_alike(tab, built):
    sys.path.insert(0, str(ROOT / "tools" / "site"))
    from chinese_search import SearchTraditionalChinese

    cut = SearchTraditionalChinese({}).split
    assert cut("餘弦 of k") == ["餘", "弦", "餘弦", "of", "k"]
    search(tab, built, "zh-TW", "k")
    for text in ("餘弦相似度", "top-k 是什麼？", "用Python寫，好", "a_b,c", "é 記", "，。！"):
        typed = tab.evaluate("text => splitQuery(text)", text)
        assert set(typed) <= set(cut(text)), text
        assert bool(typed) == bool(re.search(r"\w", text))


@marked
@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_solution_is_folded_until_it_is_asked_for(tab, built, lang):
    tab.goto((built[0] / lang / "notebooks" / lang / "02_cosine_similarity.html").as_uri())
    solution = tab.locator("details").first
    assert not solution.locator("pre").is_visible()
    solution.locator("summary").click()
    assert solution.locator("pre").is_visible()
    assert "return" in solution.inner_text()


@marked
def test_the_language_switch_keeps_the_page(tab, built):
    tab.set_viewport_size({"width": 390, "height": 844})
    tab.goto((built[0] / "index.html").as_uri())
    tab.get_by_role("link", name="English").click()
    assert tab.title() == "Memora Lab"
    tab.goto((built[0] / "en" / "notebooks" / "en" / "04_top_k.html").as_uri())
    tab.locator(".announcement a").click()
    assert tab.url.endswith("/zh-TW/notebooks/zh-TW/04_top_k.html")
    tab.locator(".announcement a").click()
    assert tab.url.endswith("/en/notebooks/en/04_top_k.html")


@marked
@pytest.mark.parametrize("lang", LANGUAGES)
def test_formulas_are_drawn_by_the_browser_itself(tab, built, lang):
    tab.goto((built[0] / lang / "notebooks" / lang / "02_cosine_similarity.html").as_uri())
    box = tab.locator("math mfrac").first.bounding_box()
    assert box["height"] > 20 and box["width"] > 20  # a numerator stands on a denominator
    assert "cos" in tab.locator("math").first.text_content()
    assert "\\frac" not in tab.locator("article").inner_text()
