"""engines.py: pip in a Python of its own installs what is missing, or says why it could not."""

import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from memora_lab.engines import PINS, install_engines

ROOT = Path(__file__).parent.parent
TRY = """
import sys
from pathlib import Path
sys.path.insert(0, {root!r})
from memora_lab import engines
engines.PINS = Path({pins!r})
engines._MODULES = ("memora_engine",)
print(engines.install_engines({language!r}))
"""


def test_where_all_is_there_nothing_is_done(capsys):
    pytest.importorskip("faiss", reason="the engines are installed by lesson 6")
    assert install_engines() == []
    assert capsys.readouterr() == ("", "")


def test_the_file_names_the_three():
    pins = set(re.findall(r"(?m)^([\w-]+)[=>]=", PINS.read_text("utf-8")))
    assert {"faiss-cpu", "pymilvus", "milvus-lite"} <= pins


@pytest.fixture(scope="module")
def python(tmp_path_factory):
    """A Python with pip, where this one's packages are seen but nothing can be spoilt."""
    folder = tmp_path_factory.mktemp("engines") / "venv"
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    python = folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    ask = [str(python), "-c", "import site; print(site.getsitepackages()[-1])"]
    packages = subprocess.run(ask, capture_output=True, encoding="utf-8", check=True).stdout.strip()
    others = [path for path in sys.path if path.endswith("site-packages")]
    (Path(packages) / "others.pth").write_text("\n".join(others), "utf-8")
    return python


def tried(python, folder, wheel, language="en"):
    pins = folder / "pins.txt"
    pins.write_text(f"memora-engine==1\n--no-index\n--find-links {folder.as_uri()}\n", "utf-8")
    if wheel:
        with zipfile.ZipFile(folder / "memora_engine-1-py3-none-any.whl", "w") as made:
            made.writestr("memora_engine.py", "")
            info = "memora_engine-1.dist-info"
            made.writestr(
                f"{info}/METADATA", "Metadata-Version: 2.1\nName: memora-engine\nVersion: 1\n"
            )
            made.writestr(
                f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
            )
            made.writestr(f"{info}/RECORD", "")
    program = TRY.format(root=str(ROOT), pins=str(pins), language=language)
    return subprocess.run([str(python), "-c", program], capture_output=True, encoding="utf-8")


@pytest.mark.parametrize(
    ("language", "told"),
    [("en", "Not installed: memora_engine."), ("zh-TW", "沒有裝成：memora_engine。")],
)
def test_what_cannot_be_had_is_told_and_the_lesson_goes_on(python, tmp_path, language, told):
    done = tried(python, tmp_path, wheel=False, language=language)
    assert done.returncode == 0, done.stderr
    assert told in done.stdout and "ERROR: " in done.stdout
    assert done.stdout.endswith("['memora_engine']\n")


def test_without_the_course_s_folder_the_command_is_told(python, tmp_path):
    program = TRY.format(root=str(ROOT), pins=str(tmp_path / "no.txt"), language="en")
    done = subprocess.run([str(python), "-c", program], capture_output=True, encoding="utf-8")
    assert "memora-lab[engines]" in done.stdout and done.stdout.endswith("['memora_engine']\n")


def test_what_is_missing_is_installed_and_can_be_used_at_once(python, tmp_path):
    done = tried(python, tmp_path, wheel=True)
    assert (done.returncode, done.stdout) == (0, "[]\n"), done.stderr
    assert "installing faiss and Milvus" in done.stderr  # the bar
