"""The settings of the site: one build for each language, straight from the course's folder.

Nothing is executed: the pages show the outputs that the lessons were saved with. Nothing is
fetched by a page either, so that it looks the same from a disk without a network.
"""

import os
import sys
from pathlib import Path

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.addnodes import pending_xref

sys.path.insert(0, str(Path(__file__).parent))
from chinese_search import SearchTraditionalChinese

ROOT = Path(__file__).resolve().parent.parent.parent
LANG = os.environ["MEMORA_SITE_LANGUAGE"]  # en or zh-TW, as tools/make_site.py sets it
ZH = LANG == "zh-TW"
OTHER = "en" if ZH else "zh-TW"
ENDING = ".zh-TW" if ZH else ""
LESSONS, PAGES = ("課程", "補充頁面") if ZH else ("Lessons", "More pages")

project = html_title = "Memora Lab"
language = "zh_TW" if ZH else "en"
extensions = ["myst_nb"]
root_doc = "README" + ENDING
templates_path = ["templates"]
include_patterns = [f"*{ENDING}.md", f"docs/*{ENDING}.md", f"notebooks/{LANG}/*.ipynb"]
exclude_patterns = ["**/.*", "_site", "bundle"] + ([] if ZH else ["*.zh-TW.md", "*/*.zh-TW.md"])

suppress_warnings = ["toc.empty_glob"]  # not every course has more pages
nb_execution_mode = "off"
nb_ipywidgets_js = {}  # they would come from the network
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 6

html_theme = "furo"
# templates/page.html fills the bar at the top.
html_theme_options = {"announcement": " ", "top_of_page_buttons": []}
html_static_path = ["static"]
html_css_files = ["site.css"]
html_js_files = [("chinese.js", {"priority": 900})] if ZH else []  # after Sphinx's own words
html_math_renderer = "mathml"
html_copy_source = html_show_sphinx = html_show_copyright = html_use_index = False
html_show_search_summary = False  # a page on a disk may not read another

# What the theme says, and has no Chinese for.
WORDS = {
    "Back to top": "回到頂端",
    "Made with ": "網頁製作：",
    "On this page": "本頁內容",
    "Skip to content": "跳到內容",
}


def in_other_language(page):
    """`docs/a` ↔ `docs/a.zh-TW`, `notebooks/en/a` ↔ `notebooks/zh-TW/a`."""
    if page.startswith("notebooks/"):
        return page.replace(f"/{LANG}/", f"/{OTHER}/", 1)
    return page.removesuffix(".zh-TW") if page.endswith(".zh-TW") else page + ".zh-TW"


def way_across(page, target):
    """The address of a page of the other language, as `page` has to write it."""
    return "../" * (page.count("/") + 1) + f"{OTHER}/{target}.html"


def list_pages(app, docname, source):
    """Put the list of all pages, in their order, into the start page."""
    if docname != root_doc:
        return
    places = [(LESSONS, [f"notebooks/{LANG}/*"]), (PAGES, [f"docs/*{ENDING}", f"*{ENDING}"])]
    for caption, patterns in places:
        lines = ["", "```{toctree}", ":hidden:", ":glob:", f":caption: {caption}", ""]
        source[0] += "\n".join([*lines, *patterns, "```", ""])


def link_other_language(app, doctree):
    """Lead a link to a page of the other language there: this build does not know it."""
    pages = app.env.found_docs
    for link in list(doctree.findall(pending_xref)):
        target = link["reftarget"]
        if link["refdomain"] == "doc" and target not in pages:
            address = way_across(app.env.docname, target)
            address += "#" + link["reftargetid"] if link["reftargetid"] else ""
            link.replace_self(nodes.reference("", "", *link.children, refuri=address))


def add_switch(app, pagename, templatename, context, doctree):
    """Tell the page's template where the same page is in the other language."""
    target = "search" if pagename == "search" else in_other_language(pagename)
    if doctree and not list(ROOT.glob(target + ".[mi]*")):
        target = in_other_language(root_doc)
    context.update(other_page=way_across(pagename, target), other_lang=OTHER)
    context["other_name"] = "English" if ZH else "繁體中文"


def speak_chinese(app):
    known = app.translator
    app.builder.templates.environment.install_gettext_callables(
        lambda words: WORDS.get(words) or known.gettext(words), known.ngettext
    )


def write_math(self, node):
    self.body.append(convert(node.astext()))
    raise nodes.SkipNode


def write_display_math(self, node):
    self.body.append(f'<div class="math">{convert(node.astext(), display="block")}</div>')
    raise nodes.SkipNode


def setup(app):
    app.add_search_language(SearchTraditionalChinese)
    app.add_html_math_renderer("mathml", (write_math, None), (write_display_math, None))
    if ZH:
        app.connect("builder-inited", speak_chinese)
    app.connect("source-read", list_pages)
    app.connect("doctree-read", link_other_language)
    app.connect("html-page-context", add_switch)
