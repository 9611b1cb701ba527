"""CONTRIBUTING in both languages: the same commands, and what they name is there."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PAGES = ["CONTRIBUTING.md", "CONTRIBUTING.zh-TW.md"]


def page(name):
    return (ROOT / name).read_text("utf-8")


def commands(name):
    return re.findall(r"(?s)```bash\n(.*?)```", page(name))


def test_both_give_the_same_commands():
    english, chinese = map(commands, PAGES)
    assert english == chinese and len(english) >= 5


@pytest.mark.parametrize("name", PAGES)
def test_what_is_linked_or_named_in_a_command_is_there(name):
    linked = re.findall(r"\]\(([^)]+)\)", page(name))
    named = re.findall(r"(?<=\s)(?:tools|tests|notebooks)/\S+", "\n".join(commands(name)))
    in_prose = re.findall(r"`((?:memora_lab|notebooks)/[^`<]*|LICENSE[^`]*)`", page(name))
    assert linked and named and in_prose
    paths = [*linked, *named, *in_prose]
    assert [path for path in paths if not (ROOT / path).exists()] == []
