"""What the tests share: a clean environment, a server on loopback, Python in a process apart."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import matplotlib as mpl
import pytest
from hypothesis import settings
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from openai import OpenAI
from server import EmbeddingServer

from memora_lab import check, get_client, use_chinese_font
from memora_lab.exercises import checks

PROJECT = Path(__file__).parent.parent

settings.register_profile("memora", derandomize=True, database=None, deadline=None)
settings.load_profile("memora")


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No settings but those a test makes, and a working folder of its own.

    The empty `.env` ends the search for one: a developer's own, in the project's folder, is
    never read.
    """
    for name in os.environ:
        ours = name.upper().startswith(("OPENAI_", "MEMORA_", "SSL_CERT_"))
        if ours or name.upper().endswith("_PROXY"):
            monkeypatch.delenv(name)
    (tmp_path / ".env").touch()
    monkeypatch.chdir(tmp_path)


@pytest.fixture(autouse=True)
def no_misses_before() -> None:
    """Each test meets the exercises as a learner does who has not tried them yet."""
    checks._misses.clear()


@pytest.fixture
def assert_named() -> Callable[[str, str, Callable, str], None]:
    """That an answer fails, and is told just the mistake of this key and its first hint."""

    def assert_it(exercise: str, key: str, answer: Callable, language: str) -> None:
        feedback = check(exercise, answer, language)
        assert not feedback.passed
        task = checks._all_exercises()[exercise]
        hint = task.hints_for.get(key, task.hints)[0]
        assert feedback.message.splitlines() == [task.mistakes[key][language], hint[language]]

    return assert_it


@pytest.fixture
def ax() -> Iterator[Axes]:
    """An empty plot that can show Chinese; no window, and no setting left behind."""
    with mpl.rc_context():
        use_chinese_font()
        yield Figure(layout="constrained").subplots()


@pytest.fixture
def server() -> Iterator[EmbeddingServer]:
    started = EmbeddingServer()
    yield started
    started.stop()


@pytest.fixture
def client(server: EmbeddingServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[OpenAI]:
    """The genuine client that the settings make for the server."""
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test-0123456789")
    made = get_client()
    yield made
    made.close()


@pytest.fixture
def run_python() -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run a program in a Python of its own, with these environment variables besides."""

    def run(program: str, **variables: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-W", "error", "-c", program],
            env={**os.environ, "PYTHONPATH": str(PROJECT), "PYTHONUTF8": "1", **variables},
            capture_output=True,
            encoding="utf-8",
            timeout=120,
        )

    return run
