"""Gather the wheels for a room of laptops into a folder, to set the course up without a network.

    python3 start.py bundle                                 every system, every Python, in bundle/
    python3 start.py bundle E:/wheels --for windows,mac --python 3.12

What lies in the folder already is not fetched again. pip would judge by the computer it runs on
which package a system needs; here each system's own markers do.
"""

import argparse
import re
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path
from typing import NamedTuple

from packaging.requirements import Requirement
from packaging.tags import Tag, compatible_tags, cpython_tags, mac_platforms
from packaging.utils import InvalidWheelFilename, canonicalize_name, parse_wheel_filename

ROOT = Path(__file__).resolve().parent.parent
COURSE, ENGINES, TESTS = "requirements.txt", "requirements-engines.txt", "requirements-dev.txt"
# What to say where something of them is not to be had. Lesson 6 goes on without the engines.
LEFT_OUT = {COURSE: "no_course", ENGINES: "no_engine", TESTS: "no_tests"}
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
# name: what it is called, os.name, sys.platform, platform.system(), platform.machine(), tags of
# pip's. The oldest macOS comes first, so that its wheel is taken where there are two.
SYSTEMS = {
    "windows": ("Windows", "nt", "win32", "Windows", "AMD64", ["win_amd64"]),
    "mac-arm64": ("macOS (Apple)", "posix", "darwin", "Darwin", "arm64", [(11, 0), (14, 0)]),
    "mac-x64": ("macOS (Intel)", "posix", "darwin", "Darwin", "x86_64", [(11, 0), (14, 0)]),
    "linux-x64": ("Linux (x64)", "posix", "linux", "Linux", "x86_64", (5, 28)),
    "linux-arm64": ("Linux (ARM)", "posix", "linux", "Linux", "aarch64", (17, 28)),
}


class Fault(Exception):
    """Something its user can put right: told in their language, exit status 1."""

    def __init__(self, key: str, **values: object) -> None:
        super().__init__(key)
        self.key, self.values = key, values


class Target(NamedTuple):
    """A system with a Python, such as `windows` and `3.12`."""

    system: str
    python: str

    def __str__(self) -> str:
        return f"{SYSTEMS[self.system][0]}, Python {self.python}"

    def platforms(self) -> list[str]:
        """The platform tags that it takes, the preferred first."""
        _, _, name, _, machine, versions = SYSTEMS[self.system]
        if name == "win32":
            return versions
        if name == "darwin":
            return [tag for version in versions for tag in mac_platforms(version, machine)]
        first, last = versions
        old = {17: "manylinux2014", 12: "manylinux2010", 5: "manylinux1"}
        tags = []
        for minor in range(last, first - 1, -1):
            tags.append(f"manylinux_2_{minor}_{machine}")
            tags += [f"{old[minor]}_{machine}"] if minor in old else []
        return tags

    def tags(self) -> set[Tag]:
        """The tags of the wheels that can be installed there."""
        version = tuple(map(int, self.python.split(".")))
        interpreter = "cp" + self.python.replace(".", "")
        return {
            *cpython_tags(version, platforms=self.platforms()),
            *compatible_tags(version, interpreter, self.platforms()),
        }

    def wants(self, requirement: Requirement) -> bool:
        """Whether its markers hold there, for the first or the last 3.12.x, say."""
        _, os_name, sys_platform, system, machine, _ = SYSTEMS[self.system]
        environment = {"os_name": os_name, "sys_platform": sys_platform, "extra": ""}
        environment |= {"platform_system": system, "platform_machine": machine}
        environment |= {"implementation_name": "cpython", "python_version": self.python}
        environment["platform_python_implementation"] = "CPython"
        return not requirement.marker or any(
            requirement.marker.evaluate(environment | {"python_full_version": self.python + micro})
            for micro in (".0", ".99")
        )


def read_requirements(*names: str) -> list[Requirement]:
    """What these files list, each if it is there, without their `-r` and `-e`.

    With the course's own goes what its package is built with.
    """
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    lines = list(project["build-system"]["requires"]) if COURSE in names else []
    for name in names:
        if (ROOT / name).exists():
            lines += (ROOT / name).read_text("utf-8").splitlines()
    return [Requirement(line) for line in lines if line.strip() and line[0] not in "#-"]


def missing_for(target: Target, requirements: list[Requirement], folder: Path) -> list[Requirement]:
    """What `target` needs and no wheel in `folder` satisfies."""
    tags, there = target.tags(), []
    for path in folder.glob("*.whl"):
        try:
            name, version, _, wheel_tags = parse_wheel_filename(path.name)
        except InvalidWheelFilename:
            continue
        if tags & wheel_tags:
            there.append((name, version))
    return [
        requirement
        for requirement in filter(target.wants, requirements)
        if not any(
            name == canonicalize_name(requirement.name)
            and requirement.specifier.contains(version, prereleases=True)
            for name, version in there
        )
    ]


def download(target: Target, requirements: list[Requirement], folder: Path) -> None:
    """Fetch wheels into `folder`, each whole or not at all; those there are none of are left out.

    Raises Fault if pip fails for another reason, such as the network.
    """
    wanted = [f"{requirement.name}{requirement.specifier}" for requirement in requirements]
    pip = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary=:all:"]
    pip += ["--no-input", "--disable-pip-version-check", "--progress-bar=off"]
    pip += ["--implementation=cp", f"--python-version={target.python}.99"]
    pip += [f"--platform={platform}" for platform in target.platforms()]
    while wanted:
        with tempfile.TemporaryDirectory(dir=folder) as part:
            command = [*pip, "--dest", part, *wanted]
            result = subprocess.run(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                encoding="utf-8",
                errors="replace",
            )
            if result.returncode == 0:
                for wheel in Path(part).iterdir():
                    wheel.replace(folder / wheel.name)
                return
        none = re.search(r"No matching distribution found for (\S+)", result.stdout)
        if "Retrying (" in result.stdout or not none or none[1] not in wanted:
            tail = "\n".join("    " + line for line in result.stdout.splitlines()[-5:])
            raise Fault("pip", tail=tail)
        wanted.remove(none[1])


def chosen(words: str | None, known: list[str], option: str) -> list[str]:
    """Those of `known` that the words name, whole or up to a `-`: `mac` is `mac-arm64` too."""
    if words is None:
        return known
    names = []
    for word in re.split(r"[,，、\s]+", words.strip().lower()):
        found = [name for name in known if name == word or name.startswith(word + "-")]
        if not found:
            raise Fault("unknown", option=option, word=word, known=", ".join(known))
        names += found
    return [name for name in known if name in names]


def size_of(folder: Path) -> str:
    return f"{sum(path.stat().st_size for path in folder.glob('*.whl')) / 1e6:.0f} MB"


def names_of(requirements: list[Requirement]) -> str:
    return ", ".join(f"{requirement.name}{requirement.specifier}" for requirement in requirements)


def write_readme(folder: Path) -> None:
    """README.txt: what to type, and for which systems all is there."""
    lines = []
    for target in (Target(system, python) for system in SYSTEMS for python in PYTHONS):
        if not missing_for(target, read_requirements(COURSE), folder):
            without = names_of(missing_for(target, read_requirements(ENGINES), folder))
            lines.append(f"  {target}" + (f" (- {without})" if without else ""))
    listed = "\n".join(lines) or "  -"
    with (folder / "README.txt").open("w", encoding="utf-8-sig", newline="\r\n") as file:
        name = f'"{folder.name}"' if " " in folder.name else folder.name
        file.write(README.format(name=name, size=size_of(folder), whole=listed))


def bundle(folder: Path, targets: list[Target], files: list[str], lang: str) -> int:
    """Fill `folder`, say what happens; 0 if the targets get all but engines, else 1."""
    requirements, left_out = read_requirements(*files), []
    folder.mkdir(parents=True, exist_ok=True)
    for target in targets:
        wanted = missing_for(target, requirements, folder)
        print(text(lang, "target", target=target, count=len(wanted)), flush=True)
        while wanted:  # one version of each package at a time: pip refuses two
            batch = list({requirement.name: requirement for requirement in wanted}.values())
            download(target, batch, folder)
            wanted = [requirement for requirement in wanted if requirement not in batch]
        for file in files:
            if missing := missing_for(target, read_requirements(file), folder):
                left_out.append((file, target, names_of(missing)))
    write_readme(folder)
    count = len(list(folder.glob("*.whl")))
    print(text(lang, "done", folder=folder, count=count, size=size_of(folder)))
    for file, target, names in left_out:
        print(text(lang, LEFT_OUT[file], target=target, names=names), file=sys.stderr)
    return 1 if any(file != ENGINES for file, _, _ in left_out) else 0


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="start.py bundle")
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT / "bundle")
    parser.add_argument("--lang", default="en")
    parser.add_argument("--for", dest="systems")
    parser.add_argument("--python", dest="pythons")
    parser.add_argument("--tests", action="store_true")
    given = parser.parse_args(words)
    try:
        systems = chosen(given.systems, list(SYSTEMS), "--for")
        pythons = chosen(given.pythons, list(PYTHONS), "--python")
        targets = [Target(system, python) for system in systems for python in pythons]
        files = [COURSE, ENGINES] + ([TESTS] if given.tests else [])
        return bundle(given.folder.resolve(), targets, files, given.lang)
    except Fault as fault:
        print(text(given.lang, fault.key, **fault.values), file=sys.stderr)
        return 1
    except OSError as error:
        print(text(given.lang, "folder", error=error), file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\n" + text(given.lang, "stopped"), file=sys.stderr)
        return 130


def text(lang: str, key: str, **values: object) -> str:
    """The message `key`, in English or in Traditional Chinese."""
    return MESSAGES[key][lang == "zh-TW"].format(**values)


MESSAGES = {
    "target": (
        "{target}: {count} packages to fetch",
        "{target}：還要取得 {count} 個套件",
    ),
    "done": (
        "{folder}\nholds {count} packages, {size}. Its README.txt says how to use it.",
        "{folder}\n共有 {count} 個套件、{size}。用法寫在其中的 README.txt。",
    ),
    "no_course": (
        "Not to be had for {target}: {names}. The course cannot be set up there from this\n"
        "folder: choose another Python for these laptops, or give them a network.",
        "{target} 沒有這些套件：{names}。無法用這個資料夾在該系統安裝課程：\n"
        "請在那些筆電改用其他版本的 Python，或讓它們連上網路。",
    ),
    "no_engine": (
        "Not to be had for {target}: {names}. Lesson 6 goes on there without it.",
        "{target} 沒有這些套件：{names}。第 6 課在該系統會略過它。",
    ),
    "no_tests": (
        "Not to be had for {target}: {names}. The tests cannot be run there without a network.",
        "{target} 沒有這些套件：{names}。在該系統沒有網路就無法執行測試。",
    ),
    "unknown": (
        "{option} does not know {word!r}. It knows: {known}; several with commas between.",
        "{option} 不認得 {word!r}。可用的有：{known}；要選多個，請用逗號隔開。",
    ),
    "folder": (
        "The folder could not be written: {error}. Make room, or give another folder.",
        "無法寫入資料夾：{error}。請清出空間，或改用其他資料夾。",
    ),
    "pip": (
        "The packages could not be fetched. Check the connection and run this again: what is\n"
        "there stays. The last lines of pip:\n{tail}",
        "無法取得套件。請檢查網路連線，再執行一次；已取得的都會保留。\n"
        "pip 的最後幾行訊息：\n{tail}",
    ),
    "stopped": (
        "Stopped. Run it again to go on: what is there stays.",
        "已停止。再執行一次就會接著做，已取得的都會保留。",
    ),
}

README = """Memora Lab without a network ({size})

1. Install Python on the laptop, if it has none.
2. Copy the course's folder to the laptop, without its folder .venv, and this folder too.
3. Open a terminal in the course's folder and type

     Windows       py start.py --offline {name}
     macOS, Linux  python3 start.py --offline {name}

   If this folder is elsewhere, type its path in place of {name}, or drag it into the terminal.
   Put a path that has spaces in it between double quotes.

Keep the folder: lesson 6 installs from it, if the course is started with --offline that day.
The course can be set up on these systems (Linux with glibc 2.28 or newer; macOS 11 or newer,
14 for some packages). Lesson 6 does without what follows a minus sign.

{whole}


不用網路安裝 Memora Lab（{size}）

1. 筆電若沒有 Python，請先安裝。
2. 把課程資料夾（不含其中的 .venv）和這個資料夾都複製到筆電。
3. 在課程資料夾開啟終端機，輸入

     Windows       py start.py --offline {name}
     macOS、Linux  python3 start.py --offline {name}

   這個資料夾若放在別處，請把 {name} 換成它的路徑，或直接把它拖進終端機視窗。
   路徑若有空格，前後要加上雙引號。

請保留這個資料夾：第 6 課會從中安裝套件，那天啟動課程時也要加上 --offline。
可以在以下系統安裝課程（Linux 需 glibc 2.28 以上；macOS 需 11 以上，少數套件需 14）。
減號後面的套件，第 6 課會略過。

{whole}
"""

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
