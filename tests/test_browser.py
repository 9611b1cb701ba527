"""The course in a real browser, as start.py opens it: every lesson, both editions at once.

A picture of each lesson is left in `test-artifacts/`, to be looked at.
"""

import importlib.util
import os
import urllib.error
import urllib.request

import nbformat
import pytest
from browser import BROWSER, NO_BROWSER, ROOT, Server, Tab, browser_context, copy_course

pytestmark = [
    pytest.mark.skipif(not BROWSER or os.name == "nt", reason=NO_BROWSER),
    pytest.mark.skipif(not importlib.util.find_spec("playwright"), reason="needs playwright"),
]

LANGUAGES = ("en", "zh-TW")
DRINK = {"en": ("oolong tea", "oolong"), "zh-TW": ("烏龍茶", "烏龍")}  # a question, its answer
NAMES = sorted(path.name for path in (ROOT / "notebooks" / "en").glob("*.ipynb"))
PICTURES = ROOT / "test-artifacts"


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    started = Server(copy_course(tmp_path_factory.mktemp("course")))
    yield started
    started.stop()


@pytest.fixture(scope="module")
def tabs(server, tmp_path_factory):
    """One for each language. Closed with the module: while it is open, no other test can run
    an event loop."""
    with browser_context(tmp_path_factory.mktemp("browser")) as context:
        chinese = Tab(context, server, f"notebooks/zh-TW/{NAMES[0]}")
        yield {"en": Tab(context, server), "zh-TW": chinese}


def test_without_the_token_nothing_is_served(server):
    contents = server.address.partition("/lab/")[0] + "/api/contents"
    with urllib.request.urlopen(f"{contents}?token={server.token}") as reply:
        assert b"notebooks" in reply.read()
    for wrong in ("", "?token=", "?token=" + "0" * len(server.token)):
        with pytest.raises(urllib.error.HTTPError, match="403") as refused:
            urllib.request.urlopen(contents + wrong)
        refused.value.close()


def test_the_printed_address_opens_the_first_lesson(tabs):
    assert tabs["en"].path == f"notebooks/en/{NAMES[0]}"
    assert tabs["en"].page.get_by_role("heading", name="0 · Start here").is_visible()
    assert [tab.pop_ups() for tab in tabs.values()] == [[], []]


@pytest.mark.parametrize("name", NAMES)
def test_both_editions_of_a_lesson_run_at_once(name, server, tabs):
    for language, tab in tabs.items():
        tab.open(f"notebooks/{language}/{name}")
        assert not any(cell["outputs"] or cell["execution_count"] for cell in tab.code_cells())
    for tab in tabs.values():
        tab.start("notebook:run-all-cells")
    for language, tab in tabs.items():
        tab.wait_until_done()
        tab.wait_until_ready()
        assert_ran_well(tab)
        PICTURES.mkdir(exist_ok=True)
        tab.shoot(PICTURES / f"{name[:2]}_{language}.png")
    assert server.listening_on() <= {"127.0.0.1", "::1"}


def test_a_kernel_restarted_midway_runs_on_and_the_playground_answers(tabs):
    for language, tab in tabs.items():
        tab.open(f"notebooks/{language}/04_top_k.ipynb")
        tab.start("notebook:run-all-cells")
    for tab in tabs.values():
        tab.wait_until_some_ran(5)
        tab.start("notebook:restart-run-all")
        tab.page.locator(".jp-Dialog button.jp-mod-accept").click()
    for language, tab in tabs.items():
        tab.wait_until_done()
        tab.wait_until_ready()
        assert_ran_well(tab)
        assert_playground_answers(tab, *DRINK[language])


def assert_playground_answers(tab, question, answer):
    """Another question, one result more, a cutoff that nothing reaches, no question."""
    from playwright.sync_api import expect

    results = tab.page.locator(".widget-html-content")
    query = tab.page.locator(".widget-text input")
    k, cutoff = tab.page.locator(".noUi-handle").all()
    scores = results.locator("b")
    assert scores.count() == 5 and answer not in results.inner_text()
    query.fill(question)
    expect(results).to_contain_text(answer)
    k.press("ArrowRight")
    expect(scores).to_have_count(6)
    cutoff.press("Home")
    expect(results).to_contain_text("0.00")
    assert results.inner_text().count("✓") == 6
    cutoff.press("End")
    expect(results).to_contain_text("1.00")
    assert "✓" not in results.inner_text()
    query.fill("  ")
    expect(scores).to_have_count(0)


def assert_ran_well(tab):
    """Every cell ran, in order, without an error or a word on stderr, where matplotlib tells of
    characters that its font lacks; the figures are those of the committed lesson, and are seen.
    """
    cells = tab.code_cells()
    outputs = [output for cell in cells for output in cell["outputs"]]
    assert [o for o in outputs if o["output_type"] == "error" or o.get("name") == "stderr"] == []
    assert [cell["execution_count"] for cell in cells] == [*range(1, len(cells) + 1)]
    committed = nbformat.read(ROOT / tab.path, as_version=4).cells
    assert figures(cells) == figures(cell for cell in committed if cell.cell_type == "code")
    tab.show_all(sum(figures(cells).values()))
    assert (tab.pop_ups(), tab.errors) == ([], [])


def figures(cells):
    """How many pictures each cell drew."""
    return {
        cell["id"]: sum("image/png" in output.get("data", {}) for output in cell["outputs"])
        for cell in cells
    }
