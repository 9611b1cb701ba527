"""What lesson 6 needs besides the course: faiss and Milvus, installed when the lesson begins.

Together they would make every first start a good deal longer and half as large again, and five
lessons do without them.
"""

import subprocess
import sys
from importlib import invalidate_caches
from importlib.util import find_spec
from pathlib import Path

PINS = Path(__file__).resolve().parent.parent / "requirements-engines.txt"
_MODULES = ("faiss", "pymilvus", "milvus_lite")


def install_engines(language: str = "en") -> list[str]:
    """Install what is missing into this Python, with a bar; the names that are missing then.

    Nothing is done, and the list is empty, where all is there. What cannot be installed (no
    network, no wheel for this computer) is told with the reason, and raises nothing: the
    lesson goes on without it. language: of what is said, "en" or "zh-TW".
    """
    if not _missing():
        return []
    said = _SAID[language]
    if not PINS.is_file():
        print(said["no_pins"])
        return _missing()
    lines = _pip(said["installing"])
    invalidate_caches()
    missing = _missing()
    if missing:
        reasons = [line for line in lines if line.startswith("ERROR")] or lines[-3:]
        print(said["failed"].format(", ".join(missing)), *reasons[:3], sep="\n    ")
    return missing


def _missing() -> list[str]:
    return [name for name in _MODULES if find_spec(name) is None]


def _pip(label: str) -> list[str]:
    """What pip prints; its packages move a bar."""
    from tqdm import tqdm

    pins = [line for line in PINS.read_text("utf-8").splitlines() if not line.startswith("#")]
    command = [sys.executable, "-m", "pip", "install", "--no-input", "--progress-bar", "off"]
    command += ["--disable-pip-version-check", "--no-color", "-r", str(PINS)]
    lines = []
    with (
        tqdm(total=len(pins), desc=label, leave=False) as bar,
        subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            encoding="utf-8",
            errors="replace",
        ) as pip,
    ):
        for line in pip.stdout:
            lines.append(line.strip())
            if line.startswith(("Collecting", "Requirement already satisfied")):
                bar.update(min(1, len(pins) - bar.n))
    return lines


_SAID = {
    "en": {
        "installing": "installing faiss and Milvus",
        "failed": "Not installed: {}. The lesson goes on without. With a stick, start the course "
        "by `python3 start.py --offline FOLDER`. pip said:",
        "no_pins": 'To install faiss and Milvus: %pip install "memora-lab[engines]", then restart.',
    },
    "zh-TW": {
        "installing": "正在安裝 faiss 和 Milvus",
        "failed": "沒有裝成：{}。課程會略過它繼續。有隨身碟的話，請用 "
        "`python3 start.py --offline 資料夾` 啟動課程。pip 的訊息：",
        "no_pins": '安裝 faiss 和 Milvus：%pip install "memora-lab[engines]"，再重新啟動。',
    },
}
