"""The two READMEs: the example prints what it says, links lead somewhere, commands agree."""

import re
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
READMES = ["README.md", "README.zh-TW.md"]


def readme(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def blocks(text: str, language: str) -> list[str]:
    return re.findall(rf"(?s)```{language}\n(.*?)```", text)


@pytest.mark.parametrize("name", READMES)
def test_the_example_prints_what_the_readme_says(name, monkeypatch):
    monkeypatch.setenv("MEMORA_PROVIDER", "offline")
    (example,) = blocks(readme(name), "python")
    printed = StringIO()
    with redirect_stdout(printed):
        exec(example, {})
    assert f"`{printed.getvalue().strip()}`" in readme(name)


@pytest.mark.parametrize("name", READMES)
def test_links_and_pictures_are_there(name):
    targets = re.findall(r"\]\(([^)]+)\)", readme(name))
    assert len(targets) >= 3
    assert [target for target in targets if not (ROOT / target).exists()] == []


@pytest.mark.parametrize("name", READMES)
def test_every_module_is_named(name):
    modules = {path.stem for path in (ROOT / "memora_lab").glob("*.py")} - {"__init__"}
    assert {module for module in modules if f"`{module}`" not in readme(name)} == set()


def test_both_give_the_same_commands():
    english, chinese = map(readme, READMES)
    assert blocks(english, "bash") == blocks(chinese, "bash")
    assert "python3 start.py test\n" in blocks(english, "bash")
