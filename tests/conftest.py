"""What the tests share: a clean environment, a server on loopback, Python in a process apart."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import settings
from openai import OpenAI
from server import EmbeddingServer

from memora_lab import get_client

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
        if name.upper().startswith(("OPENAI_", "MEMORA_")) or name.upper().endswith("_PROXY"):
            monkeypatch.delenv(name)
    (tmp_path / ".env").touch()
    monkeypatch.chdir(tmp_path)


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
