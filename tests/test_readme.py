"""The two READMEs: the example prints what it says, links lead somewhere, commands agree."""

import re
import subprocess
import sys
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
    targets = [target.partition("#")[0] for target in re.findall(r"\]\(([^)]+)\)", readme(name))]
    assert len(targets) >= 3
    assert [target for target in targets if not (ROOT / target).exists()] == []


@pytest.mark.parametrize("name", READMES)
def test_every_module_is_named(name):
    package = ROOT / "memora_lab"
    modules = {path.stem for path in package.glob("[!_]*.py")}
    modules |= {f"{path.parent.name}/" for path in package.glob("*/__init__.py")}
    assert {module for module in modules if f"`{module}`" not in readme(name)} == set()


@pytest.mark.parametrize("name", READMES)
def test_the_session_shown_is_what_the_program_prints(name, monkeypatch):
    monkeypatch.setenv("PYTHONUTF8", "1")
    (shown,) = blocks(readme(name), "text")
    typed = re.findall(r"(?m)^You: (.*)", shown)
    program = [sys.executable, "-m", "memora_lab"]
    done = subprocess.run(program, input="\n".join(typed).encode(), capture_output=True, cwd=ROOT)
    printed = done.stdout.decode().partition("Ctrl-D)")[2].split()
    score = re.compile(r"\d\.\d{4}")  # the last digit may differ on another processor
    said = re.sub(r"(?m)^You: .*", "", shown).split()
    assert [score.sub("", word) for word in printed] == [score.sub("", word) for word in said]


def test_both_give_the_same_commands():
    english, chinese = map(readme, READMES)
    assert blocks(english, "bash") == blocks(chinese, "bash")
    assert "python3 start.py test\n" in blocks(english, "bash")
