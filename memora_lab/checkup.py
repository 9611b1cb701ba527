"""The check-up of lesson 00: what is ready, and what to do about what is not.

Nothing but the standard library is imported before the checks run (`memora_lab` imports a name
when it is used), so that a missing package is a line of the answer and no traceback.
"""

import os
import re
import sys
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

import memora_lab

_ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class CheckUp:
    """ok: nothing is left to do. text: a line for each check; a notebook shows it."""

    ok: bool
    text: str

    def __repr__(self) -> str:
        return self.text


def check_up(language: str = "en", *, folder: str | Path = ".") -> CheckUp:
    """Try Python, packages, kernel, model, font and the folder, and embed one short text.

    language: of what is said, "en" or "zh-TW". What fails is told with what to do, and raises
    nothing. A server, where one is set, gets the text.
    """
    at = {"en": 0, "zh-TW": 1}[language]
    checks: tuple[Callable[[], object], ...] = (
        lambda: python_version(sys.version_info[:3]),
        lambda: package_versions(metadata.requires("memora-lab") or ()),
        lambda: kernel(Path(sys.prefix)) or _OTHER_KERNEL[at],
        lambda: _model(memora_lab.current_endpoint()),
        lambda: memora_lab.use_chinese_font(),
        lambda: _writable(Path(folder)),
        lambda: f"{len(memora_lab.create_embeddings(['Memora'])[0][0])} {_NUMBERS[at]}",
    )
    ok, lines = True, []
    for check, (label, to_do) in zip(checks, _CHECKS, strict=True):
        try:
            lines.append(f"ok  {label[at]}{_COLON[at]}{check()}")
        except Exception as error:
            ok = False
            told = " ".join([str(error), *getattr(error, "__notes__", ())])
            fault = f"fix {label[at]}{_COLON[at]}{type(error).__name__}: {told}"
            lines += [fault, f"    → {to_do[at]}"]
    return CheckUp(ok, "\n".join([*lines, (_READY if ok else _NOT_READY)[at]]))


def python_version(version: tuple[int, ...]) -> str:
    """The version as a text; RuntimeError below 3.11."""
    if version < (3, 11):
        raise RuntimeError(f"{version} < (3, 11)")
    return ".".join(map(str, version))


def package_versions(needed: Iterable[str], version: Callable = metadata.version) -> str:
    """The main versions; RuntimeError names every package that is missing or does not fit."""
    found, wrong = {}, []
    for line in needed:
        name, bounds = re.match(r"([\w.-]+)([^;]*)", line).groups()
        if "extra ==" in line:
            continue
        try:
            found[name] = version(name)
        except metadata.PackageNotFoundError:
            wrong.append(f"{name} missing")
            continue
        for sign, bound in re.findall(r"(>=|<)([\d.]+)", bounds):
            have, want = ([int(n) for n in re.findall(r"\d+", v)] for v in (found[name], bound))
            if (have < want) == (sign == ">="):
                wrong.append(f"{name} {found[name]} ({sign}{bound})")
    if wrong:
        raise RuntimeError(", ".join(wrong))
    return ", ".join(f"{n} {found[n]}" for n in ("numpy", "matplotlib", "openai") if n in found)


def kernel(prefix: Path, root: Path = _ROOT) -> str:
    """`.venv/bin` if this Python lives in the project's `.venv`, else ""."""
    own = prefix.resolve() == (root / ".venv").resolve()
    return f".venv/{Path(sys.executable).parent.name}" if own else ""


def _model(endpoint: "memora_lab.Endpoint") -> str:
    where = "" if endpoint.provider == "offline" else f", {endpoint.address}"
    return f"{endpoint.provider}, {endpoint.embedding_model}{where}"


def _writable(folder: Path) -> str:
    with tempfile.TemporaryFile(dir=folder):
        # In a C locale a name may hold what cannot be printed.
        return os.fsencode(folder.resolve().name).decode("utf-8", "replace")


_SETUP = "python3 start.py (Windows: py start.py), or pip install -r requirements.txt"
_AGAIN = f"In the course's folder run {_SETUP}", f"在課程的資料夾執行 {_SETUP}"
_OFFLINE = "MEMORA_PROVIDER=offline needs no server.", "MEMORA_PROVIDER=offline 不需要伺服器。"
_OTHER_KERNEL = "not the course's own, but memora_lab is here", "不是課程自己的，但有 memora_lab"
_COLON, _NUMBERS = (": ", "："), ("numbers", "個數字")
_READY = "All is ready.", "一切就緒。"
_NOT_READY = (
    "Put right what is marked fix, then Kernel > Restart Kernel…, and run this cell again.",
    "處理完標著 fix 的項目，再選 Kernel > Restart Kernel…，重新執行這一格。",
)
_CHECKS = (  # each: what it is called, what to do if it fails; English, Chinese
    (("Python", "Python"), ("Install 3.11 or newer: python.org", "安裝 3.11 以上：python.org")),
    (("packages", "套件"), _AGAIN),
    (("kernel", "kernel"), _AGAIN),
    (("model", "模型"), ("Correct the setting, or remove it.", "改正這個設定，或把它拿掉。")),
    (("font", "字型"), _AGAIN),
    (("writable folder", "資料夾可寫入"), ("Move the course to your own.", "換到自己的資料夾。")),
    (("one embedding", "試做一次 embedding"), _OFFLINE),
)
