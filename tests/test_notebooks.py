"""The lessons: both editions say the same, run without a network, and their solutions pass."""

import ast
import os
import re
import sys
from pathlib import Path

import nbformat
import pytest

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))
from run_notebooks import run  # noqa: E402

LESSONS = sorted((ROOT / "notebooks").glob("*/*.ipynb"))
NAMES = sorted({path.name for path in LESSONS})

# Runs in each kernel before the lesson: whatever leaves the machine is an error, not a wait.
NO_NETWORK = """
import sys

def refuse(event, arguments):
    if event in ("socket.connect", "socket.sendto", "socket.sendmsg"):
        address = arguments[1]
        local = not isinstance(address, tuple) or address[0] in ("127.0.0.1", "::1", "localhost")
    elif event in ("socket.getaddrinfo", "socket.gethostbyname"):
        local = arguments[0] in (None, "", "127.0.0.1", "::1", "localhost")
    else:
        return
    if not local:
        raise RuntimeError(f"a lesson reached for the network: {event} {arguments}")

sys.addaudithook(refuse)
"""


def lesson(language: str, name: str) -> nbformat.NotebookNode:
    return nbformat.read(ROOT / "notebooks" / language / name, as_version=4)


def code(notebook: nbformat.NotebookNode) -> list[nbformat.NotebookNode]:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


@pytest.fixture
def no_network(tmp_path, monkeypatch):
    startup = tmp_path / "profile_default" / "startup"
    startup.mkdir(parents=True)
    (startup / "00-no-network.py").write_text(NO_NETWORK, encoding="utf-8")
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    monkeypatch.setenv("MEMORA_PROVIDER", "offline")
    # A teacher's own data beside README.md are not what is tested.
    monkeypatch.setenv("MEMORA_DATA", str(ROOT / "memora_lab" / "data"))


@pytest.mark.usefixtures("no_network")
@pytest.mark.parametrize("path", LESSONS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_a_lesson_runs_top_to_bottom_and_its_solutions_pass(path):
    kept = nbformat.read(path, as_version=4)
    fresh = nbformat.read(path, as_version=4)
    fresh.cells += solved(fresh)
    run(fresh, path.parent)
    own, added = code(fresh)[: len(code(kept))], code(fresh)[len(code(kept)) :]
    outputs = [output for cell in code(fresh) for output in cell.outputs]
    assert [output for output in outputs if output.get("name") == "stderr"] == []
    if path.stem[:2] not in ("05", "06"):  # these two print what they measure
        assert printed(own) == printed(code(kept))
    right = {"en": "Right.", "zh-TW": "正確。"}[path.parent.name]
    assert [cell.outputs[-1].data["text/plain"] for cell in added] == [right] * len(added)
    assert len(added) >= (0 if path.stem.startswith("00") else 3)  # the first page has none


@pytest.mark.usefixtures("no_network")
def test_a_lesson_that_reaches_for_the_network_fails():
    notebook = nbformat.v4.new_notebook(
        cells=[
            nbformat.v4.new_code_cell("import socket\nsocket.create_connection(('192.0.2.1', 80))")
        ]
    )
    with pytest.raises(Exception, match="reached for the network"):
        run(notebook, ROOT)


@pytest.mark.parametrize("name", NAMES)
def test_both_editions_have_the_same_cells_and_code(name):
    english, chinese = lesson("en", name), lesson("zh-TW", name)
    assert [(c["id"], c.cell_type) for c in english.cells] == [
        (c["id"], c.cell_type) for c in chinese.cells
    ]
    for one, other in zip(code(english), code(chinese), strict=True):
        assert shape(one.source) == shape(other.source), one["id"]


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_the_committed_outputs_are_of_one_clean_run(path):
    cells = code(nbformat.read(path, as_version=4))
    assert [cell.execution_count for cell in cells] == [*range(1, len(cells) + 1)]
    outputs = [output for cell in cells for output in cell.outputs]
    assert {output.output_type for output in outputs} <= {
        "stream", "display_data", "execute_result"
    }  # fmt: skip
    assert not [output for output in outputs if output.get("name") == "stderr"]
    assert str(ROOT) not in path.read_text(encoding="utf-8")


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_cells_are_short_and_prose_is_calm(path):
    notebook = nbformat.read(path, as_version=4)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            assert len(cell.source.splitlines()) <= 10, cell["id"]
        else:
            assert not re.search(r"[!！]|\bsimply\b", cell.source), cell["id"]


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_every_link_leads_somewhere(path):
    cells = nbformat.read(path, as_version=4).cells
    prose = "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    targets = [target for target in re.findall(r"\]\(([^)\s]+)\)", prose) if ":" not in target]
    files = [target.partition("#")[0] for target in targets]
    assert [file for file in files if not (path.parent / file).is_file()] == []
    following = NAMES[NAMES.index(path.name) + 1 :][:1]
    assert not following or following[0] in targets


def printed(cells: list[nbformat.NotebookNode]) -> list[str]:
    """What each cell prints, scores, shares and versions aside: they differ by machine."""
    texts = [
        "".join(output.text for output in cell.outputs if output.output_type == "stream")
        for cell in cells
    ]
    return [re.sub(r"-?\d+(\.\d+)+|\d+%", "#", text) for text in texts]


def solved(notebook: nbformat.NotebookNode) -> list[nbformat.NotebookNode]:
    """For each exercise its answer cell once more, with the folded solution in it."""
    sources = {cell["id"]: cell.source for cell in notebook.cells}
    answers = [name for name in sources if re.fullmatch(r"exercise-\d+-answer", name)]
    solutions = [name for name in sources if name.startswith("solution-")]
    assert len(answers) == len(solutions)
    cells = []
    for answer, solution in zip(answers, solutions, strict=True):
        right = re.search(r"(?s)```python\n(.*?)```", sources[solution])[1]
        before, _, after = re.split(r"(?s)(def .*?\n    return None[^\n]*\n)", sources[answer])
        cells.append(nbformat.v4.new_code_cell(before + right + after))
    return cells


def shape(source: str) -> str:
    """The syntax tree of a cell with its string literals blanked; comments are not in it."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            node.value = ""
    return ast.dump(tree)


def test_there_are_lessons_in_both_languages():
    for language in ("en", "zh-TW"):
        assert [path.name for path in LESSONS if path.parent.name == language] == NAMES
    assert NAMES and os.path.exists(ROOT / "notebooks" / "en" / "03_semantic_search.ipynb")
