"""The program under 10,000 odd lines: no traceback, no end before `exit`, each memory counted."""

import io
import os
import random
import subprocess
import sys
import unicodedata
from collections.abc import Iterator

import pytest
from conftest import PROJECT

from memora_lab import MemoryStore, current_endpoint
from memora_lab.program.commands import COMMANDS
from memora_lab.program.session import Session
from memora_lab.program.terminal import run

SEED = 6
SPACES = [" ", "  ", "\t", "\u3000", "\x0b", "\u2003"]
UNSEEN = ["", " ", "\u3000", "\u200b", "\x00", "\x07", "\x1b", "\u202e", "\u2066", "\ufeff", "\x85"]
SEEN = [
    "tea", "1", "2", "0", "-1", "1 2", "\uff11\u3000\uff12", "²", "9" * 40, "tea tea",
    "tea\u3000 tea", "茶", "\uff54\uff45\uff41", "%s", "{}", "'\"\\", "`rm`", "👩‍👩‍👧", "🇹🇼",
    "שלום", "مرحبا", "e\u0301", "\ufffd", "None", "exit", "a" * 300,
]  # fmt: skip
LETTERS = [(0x41, 0x5A), (0xC0, 0xD6), (0x5D0, 0x5EA), (0xE01, 0xE2E), (0x4E00, 0x9FFF)]
LETTERS += [(0x1F600, 0x1F64F), (0x20000, 0x20FFF)]


def plain(text: str) -> str:
    """What makes two texts the same memory."""
    return " ".join(unicodedata.normalize("NFKC", text).split()).strip("".join(UNSEEN))


class Lines:
    """Odd lines, and what the program must do with each: worked out from how a line is made."""

    def __init__(self, seed: int, surrogates: bool = True) -> None:
        self._random = random.Random(seed)
        self._odd = ["\ud800", "\udfff"] if surrogates else []
        self.memories: dict[str, int] = {}

    def __iter__(self) -> Iterator[tuple[str, str]]:
        """A line, and what its output begins with."""
        while True:
            word = self._random.choice([*COMMANDS, "quit", "you", "remember", "remember"])
            text, seen, broken = self._text()
            gap = self._random.choice([*SPACES, "", "x", "茶"])
            if gap not in SPACES and text:
                yield self._dressed(word) + (gap or "-") + text, ""  # another word: talk
            elif word not in ("exit", "quit") or seen or broken:
                before = self._random.choice(["", " ", "\u3000", "\ufeff"])
                answer = self._answer(word, text, seen, broken)
                yield before + self._dressed(word) + (gap if text else "") + text, answer

    def _dressed(self, word: str) -> str:
        """The word as it is, in capitals, or as a Chinese keyboard types it in full width."""
        wide = "".join(chr(ord(letter) + 0xFEE0) for letter in word)
        return self._random.choice([word, word, word.upper(), wide])

    def _text(self) -> tuple[str, bool, bool]:
        """A text, whether there is something to see in it, whether it is no valid Unicode."""
        kinds = self._random.choices([UNSEEN, SEEN, None, self._odd or SEEN], [4, 5, 4, 1], k=3)
        kinds = kinds[: self._random.randrange(4)]
        text = "".join(
            self._random.choice(kind) if kind else chr(self._random.randint(*choice))
            for kind, choice in zip(kinds, self._random.choices(LETTERS, k=3), strict=False)
        )
        seen = any(kind is not UNSEEN for kind in kinds)
        return text, seen, self._odd != [] and self._odd in kinds

    def _answer(self, word: str, text: str, seen: bool, broken: bool) -> str:
        if word != "remember":
            return ""
        if not seen:
            return "Usage: remember <text>"
        same = plain(text)
        if broken:
            return "Error: "
        if same in self.memories:
            return f"Already remembered: Memory #{self.memories[same]}."
        self.memories[same] = len(self.memories) + 1
        return "Memory added."


def test_10_000_odd_lines_and_the_memories_are_counted_right_at_each():
    lines, session, out = Lines(SEED), Session(None), io.StringIO()
    script, sent = iter(lines), []

    def check_last() -> None:
        printed, place = out.getvalue(), f"seed {SEED}, line {len(sent)}: {sent[-1:]!a}"
        if sent:
            assert printed.startswith(sent[-1][1]), place
        assert len(session.store) == len(lines.memories), place
        assert "Traceback" not in printed, place
        assert not [c for c in printed if c < " " and c not in "\n\t"], place  # a terminal obeys
        out.seek(0)
        out.truncate()

    def read() -> str:
        check_last()
        if len(sent) == 10_000:
            return "exit"
        sent.append(next(script))
        return sent[-1][0]

    run(session, current_endpoint(), read, out)
    assert len(sent) == 10_000 and out.getvalue() == "Bye!\n"
    assert len(lines.memories) > 400
    assert [plain(memory.content) for memory in session.store] == [*lines.memories]


@pytest.mark.parametrize("text", ["茶" * 100_000, "tea " * 25_000, "\u200b" * 100_000])
@pytest.mark.parametrize(
    ("word", "answer"),
    [
        ("remember", "Error: "),
        ("search", "Error: "),
        ("vector", "Usage: vector <number>"),
        ("memories", "Usage: memories"),
    ],
)
def test_a_line_of_100_000_characters_is_answered_and_adds_nothing(word, answer, text):
    session, out = Session(None), io.StringIO()
    script = iter(["remember tea", f"{word} {text}", "exit"])
    run(session, current_endpoint(), lambda: next(script), out)
    printed = out.getvalue().partition("Memory added.\n")[2]
    if answer == "Error: " and text.startswith("\u200b"):  # nothing in it to embed
        answer = f"Usage: {word} <"
    if word == "memories" and text.startswith("\u200b"):  # nothing follows the command
        answer = "1. tea\n"
    assert printed.startswith(answer) and printed.endswith("\nBye!\n")
    assert ("8192 tokens" in printed) == (answer == "Error: ")
    assert [memory.content for memory in session.store] == ["tea"]


@pytest.mark.parametrize("file", [[], ["--file", "memories.memora"]])
def test_odd_lines_through_a_pipe(file, tmp_path):
    lines = Lines(SEED + 1, surrogates=False)
    sent = [line for line, _ in zip(iter(lines), range(500), strict=False)]
    done = subprocess.run(
        [sys.executable, "-m", "memora_lab", *file],
        input="\n".join(
            [*(line for line, _ in sent), "status", "exit", "remember too late"]
        ).encode(),
        env={**os.environ, "PYTHONPATH": str(PROJECT), "PYTHONUTF8": "1"},
        capture_output=True,
        timeout=120,
    )
    printed = done.stdout.decode()
    assert (done.returncode, done.stderr) == (0, b"")
    assert "Traceback" not in printed and printed.endswith("\nBye!\n")
    added = sum(answer == "Memory added." for _, answer in sent)
    assert printed.splitlines().count("Memory added.") == added > 20
    status = printed.rpartition("\nmemories")[2]
    assert int(status.split()[0]) == added
    if file:
        kept = [memory.content for memory in MemoryStore.load(tmp_path / file[1])]
        assert len(kept) == added == len(set(kept))
