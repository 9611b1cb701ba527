"""tools/run_notebooks.py: what it writes is the same each time, and what it leaves alone."""

import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from memora_lab.data.labelled import COURSE

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))
import run_notebooks  # noqa: E402


@pytest.fixture
def lessons(tmp_path):
    """Two lessons in a repository of their own: one that counts, one that measures."""
    folder = tmp_path / "notebooks" / "en"
    folder.mkdir(parents=True)
    source = "import os, time\nprint(time.time_ns(), os.environ['MEMORA_DATA'])"
    for name, code in (("04_counts", "print(6 * 7)"), ("05_measures", source)):
        cells = [new_markdown_cell("# Title", id="t"), new_code_cell(code, id="c")]
        nbformat.write(new_notebook(cells=cells), folder / f"{name}.ipynb")
    git(tmp_path, "init", "-q")
    return tmp_path


def git(folder, *arguments):
    named = ["-c", "user.name=a", "-c", "user.email=a@b.invalid", *arguments]
    subprocess.run(["git", *named], cwd=folder, check=True)


def contents(folder):
    return [path.read_text("utf-8") for path in sorted(folder.glob("*/*/*.ipynb"))]


def test_what_is_written_stays_but_for_what_measures(lessons, monkeypatch):
    monkeypatch.setattr(run_notebooks, "ROOT", lessons)
    monkeypatch.setenv("MEMORA_PROVIDER", "")  # both are set by the program itself
    monkeypatch.setenv("MEMORA_DATA", "elsewhere")
    run_notebooks.main([])
    first = contents(lessons)
    assert "42" in first[0] and f" {COURSE}" in first[1]

    # Not committed yet, the lesson that measures is written again, the other one the same.
    run_notebooks.main([])
    second = contents(lessons)
    assert second[0] == first[0] and second[1] != first[1]

    git(lessons, "add", ".")
    git(lessons, "commit", "-q", "-m", "lessons")
    run_notebooks.main([])
    assert contents(lessons) == second

    # Named, it is written whatever was committed.
    run_notebooks.main([str(path) for path in sorted(lessons.glob("*/*/*.ipynb"))])
    assert contents(lessons)[0] == first[0] and contents(lessons)[1] != second[1]
