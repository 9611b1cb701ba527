"""Whether the pins can be installed elsewhere:  python tools/resolve_platforms.py [file …]

Each file (requirements.txt and requirements-dev.txt by default) is resolved for every system and
Python below, from wheels alone, as a computer without a compiler has to. Needs uv and a network,
and installs nothing. Exit status 1 if something is missing somewhere.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FILES = ("requirements.txt", "requirements-dev.txt")
PYTHONS = ("3.11", "3.14")  # the oldest that is supported, and the newest there is
PLATFORMS = {
    "Windows x86_64": "x86_64-pc-windows-msvc",
    "macOS 13 arm64": "aarch64-apple-darwin",
    "macOS 13 x86_64": "x86_64-apple-darwin",
    "Linux x86_64": "x86_64-manylinux_2_28",
    "Linux arm64": "aarch64-manylinux_2_28",
}


def pins_in(file: Path) -> list[str]:
    """The lines that name a package, those of the files it includes among them."""
    pins = []
    for line in file.read_text(encoding="utf-8").splitlines():
        line = line.partition(" #")[0].strip()
        if line.startswith("-r "):
            pins += pins_in(file.parent / line[3:].strip())
        elif line and not line.startswith(("#", "-")):  # `-e .`: this project needs no wheel
            pins.append(line)
    return pins


def name_of(pin: str) -> str:
    return re.match(r"[\w.-]+", pin).group().lower()


def named_in(told: str, pins: list[str]) -> list[str]:
    """The pins of whose packages a refusal says that there is no such wheel."""
    package = r"([\w.-]+)(?:\{[^}]*\})?=="  # a marker may stand between name and version
    words = re.findall(rf"{package}\S+ has no (?:usable )?wheels", told)
    words += re.findall(rf"no version of {package}", told)
    return [pin for pin in pins if name_of(pin) in {word.lower() for word in words}]


def resolve(pins: list[str], platform: str, python: str, *options: str) -> tuple[bool, str]:
    """Whether uv finds a wheel for each, and what it prints."""
    with tempfile.TemporaryDirectory() as folder:
        asked = Path(folder, "asked.txt")
        asked.write_text("\n".join(pins), encoding="utf-8")
        done = subprocess.run(
            [shutil.which("uv") or "uv", "pip", "compile", str(asked), "--no-header",
             "--no-annotate", "--only-binary", ":all:", "--python-platform", platform,
             "--python-version", python, *options],
            capture_output=True,
            encoding="utf-8",
            env={**os.environ, "MACOSX_DEPLOYMENT_TARGET": "13.0"},
        )  # fmt: skip
    return done.returncode == 0, done.stdout if done.returncode == 0 else done.stderr


def missing(pins: list[str], platform: str, python: str) -> list[str]:
    """What there is no wheel of, and what the pins need but do not name."""
    gone: list[str] = []
    while True:
        left = [pin for pin in pins if pin not in gone]
        found, told = resolve(left, platform, python, "--no-deps")
        if found:
            break
        named = named_in(" ".join(told.split()), left)
        if not named:
            raise SystemExit(f"uv cannot resolve for {platform}, Python {python}:\n{told}")
        gone += named
    if gone:
        return [f"no wheel of {pin.partition(' ;')[0]}" for pin in gone]
    found, told = resolve(pins, platform, python)
    if not found:
        return [" ".join(told.split())]
    named = set(map(name_of, pins))
    return [f"no pin of {line}" for line in told.split() if name_of(line) not in named]


def main(words: list[str]) -> int:
    if not shutil.which("uv"):
        print("This needs uv: pip install uv")
        return 1
    complete = True
    for file in words or FILES:
        pins = pins_in(ROOT / file)
        print(f"{file}: {len(pins)} pins")
        for name, platform in PLATFORMS.items():
            for python in PYTHONS:
                lacking = missing(pins, platform, python)
                complete = complete and not lacking
                print(f"  {name:<16} Python {python:<6} {'; '.join(lacking) or 'complete'}")
    return 0 if complete else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
