"""tools/bundle.py: what each system needs, and a folder filled from an index made here.

The index is a folder of empty wheels, so that nothing is fetched from a network.
"""

import importlib.util
import os
import platform
import re
import shutil
import socket
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from packaging.markers import default_environment
from packaging.requirements import Requirement
from packaging.tags import sys_tags

ROOT = Path(__file__).resolve().parent.parent

spec = importlib.util.spec_from_file_location("bundle", ROOT / "tools" / "bundle.py")
bundle = importlib.util.module_from_spec(spec)
spec.loader.exec_module(bundle)

EVERY = [bundle.Target(system, python) for system in bundle.SYSTEMS for python in bundle.PYTHONS]
REQUIREMENTS = bundle.read_requirements(*bundle.LEFT_OUT)
HERE = {("linux", "x86_64"): "linux-x64", ("linux", "aarch64"): "linux-arm64"}
HERE |= {("darwin", "arm64"): "mac-arm64", ("darwin", "x86_64"): "mac-x64"}
HERE |= {("win32", "AMD64"): "windows"}
here = bundle.Target(
    HERE.get((sys.platform, platform.machine())), "{}.{}".format(*sys.version_info)
)
known_here = pytest.mark.skipif(
    here not in EVERY, reason="bundle.py has no wheels for this system and Python"
)


# ---- what a system needs


@known_here
def test_this_system_wants_what_its_own_pip_would_install():
    """The markers as this Python itself reads them are the oracle."""
    for requirement in REQUIREMENTS:
        if "full_version" not in str(requirement.marker):  # wanted for any 3.12.x, say
            wanted = not requirement.marker or requirement.marker.evaluate(default_environment())
            assert here.wants(requirement) == wanted, requirement
        elif requirement.marker.evaluate(default_environment()):
            assert here.wants(requirement), requirement


@known_here
@pytest.mark.skipif(sys.platform != "linux", reason="the newest tags of other systems vary")
def test_this_system_takes_the_wheels_that_are_chosen_for_it():
    """Fewer tags than this system takes, none that it does not: but for a glibc newer than its."""
    glibc = int(platform.libc_ver()[1].split(".")[1])
    refused = here.tags() - set(sys_tags())
    newer = {int(re.search(r"manylinux_2_(\d+)_", tag.platform)[1]) for tag in refused}
    assert all(minor > glibc for minor in newer)
    assert len(here.tags()) > 100


@pytest.mark.parametrize(
    ("marker", "systems"),
    [
        ("sys_platform == 'win32'", "windows"),
        ("os_name != 'nt'", "mac-arm64 mac-x64 linux-x64 linux-arm64"),
        ("platform_machine == 'arm64'", "mac-arm64"),
        ("platform_system == 'Linux' and platform_machine != 'x86_64'", "linux-arm64"),
        ("implementation_name != 'cpython'", ""),
        ("extra == 'x'", ""),
    ],
)
def test_markers_are_those_of_the_target(marker, systems):
    requirement = Requirement(f"x==1 ; {marker}")
    found = [target.system for target in EVERY if target.wants(requirement)]
    assert found == [system for system in systems.split() for _ in bundle.PYTHONS]


def test_a_marker_on_the_last_number_of_a_version_is_met_on_both_sides():
    old, new = (Requirement(f"x==1 ; python_full_version {sign} '3.11.5'") for sign in ("<", ">="))
    assert [target.python for target in EVERY[:2] if target.wants(old)] == ["3.11"]
    assert [target.python for target in EVERY[:2] if target.wants(new)] == ["3.11", "3.12"]


def test_what_the_course_is_built_with_is_needed_too():
    names = {requirement.name for requirement in REQUIREMENTS}
    assert {"setuptools", "numpy", "jupyterlab", "pytest"} <= names
    tests_alone = {requirement.name for requirement in bundle.read_requirements(bundle.TESTS)}
    assert "pytest" in tests_alone and not {"setuptools", "numpy"} & tests_alone


def test_all_that_can_be_left_out_has_a_message():
    assert set(bundle.LEFT_OUT.values()) <= set(bundle.MESSAGES)


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (None, list(bundle.SYSTEMS)),
        ("mac", ["mac-arm64", "mac-x64"]),
        ("Linux-x64, windows", ["windows", "linux-x64"]),
        ("mac-x64、mac", ["mac-arm64", "mac-x64"]),
    ],
)
def test_systems_named_by_a_teacher(words, found):
    assert bundle.chosen(words, list(bundle.SYSTEMS), "--for") == found


@pytest.mark.parametrize("words", ["amiga", "", "windows,", "w", "mac-"])
def test_systems_that_are_none(words):
    with pytest.raises(bundle.Fault, match="unknown"):
        bundle.chosen(words, list(bundle.SYSTEMS), "--for")


def test_every_message_is_in_both_languages():
    for key, (english, chinese) in bundle.MESSAGES.items():
        assert set(re.findall(r"{(\w+)", english)) == set(re.findall(r"{(\w+)", chinese)), key
        assert english.isascii() and re.search(r"[\u4e00-\u9fff]", chinese), key


# ---- a folder, filled


def make_wheel(folder, name, tag, requires_python=""):
    """An empty wheel, such as `a-1` with the tag `py3-none-any`."""
    stem, info = f"{name}-{tag}.whl", f"{name}.dist-info"
    package, version = name.split("-")
    metadata = f"Metadata-Version: 2.1\nName: {package}\nVersion: {version}\n" + requires_python
    with zipfile.ZipFile(folder / stem, "w") as wheel:
        wheel.writestr(f"{info}/METADATA", metadata)
        wheel.writestr(f"{info}/WHEEL", f"Wheel-Version: 1.0\nTag: {tag}\n")
    return stem


@pytest.fixture
def run(tmp_path):
    """A course of its own, with an index; → a function that bundles and returns what it said."""
    course, index = tmp_path / "a course 課程", tmp_path / "index"
    (course / "tools").mkdir(parents=True)
    index.mkdir()
    shutil.copy(ROOT / "tools" / "bundle.py", course / "tools")
    (course / "pyproject.toml").write_text('[build-system]\nrequires = ["setuptools>=77"]\n')
    (course / "requirements.txt").write_text(
        "# a comment\npure==1\nbinary==1\ncolour==1 ; sys_platform == 'win32'\n"
        "soup==1 ; python_full_version < '3.11.5'\nsoup==2 ; python_full_version >= '3.11.5'\n"
        "-e .\n",
        "utf-8",
    )
    (course / "requirements-dev.txt").write_text("-r requirements.txt\nchecks==1\n", "utf-8")
    for name in ("pure-1", "pure-2", "colour-1", "setuptools-76", "setuptools-80", "checks-1"):
        make_wheel(index, name, "py3-none-any")
    make_wheel(index, "soup-1", "py3-none-any")
    make_wheel(index, "soup-2", "py3-none-any", "Requires-Python: >=3.11.5\n")
    for tag in ("cp312-cp312-win_amd64", "cp311-abi3-macosx_11_0_arm64"):
        make_wheel(index, "binary-1", tag)
    for version in (14, 11):
        make_wheel(index, "binary-1", f"cp312-cp312-macosx_{version}_0_arm64")
    environ = {key: value for key, value in os.environ.items() if not key.startswith("PIP_")}
    environ |= {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": index.as_uri(), "PYTHONUTF8": "1"}
    environ |= {"PIP_CONFIG_FILE": os.devnull}

    def run(*words, folder=course / "bundle", status=0, **changes):
        given = {key: value for key, value in (environ | changes).items() if value is not None}
        command = [sys.executable, course / "tools" / "bundle.py", *words]
        result = subprocess.run(command, env=given, capture_output=True, encoding="utf-8")
        assert result.returncode == status, result.stdout + result.stderr
        assert "Traceback" not in result.stderr
        return result.stdout + result.stderr, folder

    run.index, run.course = index, course
    return run


def wheels(folder):
    return {path.name for path in folder.iterdir() if path.name != "README.txt"}


PURE = {f"{name}-py3-none-any.whl" for name in ("pure-1", "setuptools-80", "soup-2")}
WINDOWS = {*PURE, "colour-1-py3-none-any.whl", "binary-1-cp312-cp312-win_amd64.whl"}


def test_each_system_gets_its_own_and_what_is_there_is_kept(run):
    said, folder = run("--for", "windows", "--python", "3.12")
    assert wheels(folder) == WINDOWS  # no checks, no `pure` but the pinned
    assert "Windows, Python 3.12: 5 packages to fetch" in said and "holds 5 packages" in said
    # Of two wheels for macOS the older system's is taken, which newer ones take as well.
    said, _ = run("--for", "mac-arm64", "--python", "3.12", "--tests", "--lang", "zh-TW")
    assert wheels(folder) - WINDOWS == {
        "binary-1-cp312-cp312-macosx_11_0_arm64.whl",
        "checks-1-py3-none-any.whl",
    }
    assert "macOS (Apple), Python 3.12：還要取得 2 個套件" in said
    text = (folder / "README.txt").read_text("utf-8-sig")
    assert "py start.py --offline bundle" in text and "--offline bundle" in text.split("筆電若")[1]
    served = re.findall(r"^  (\S.*, Python .*)", text, re.M)
    assert served == ["Windows, Python 3.12", "macOS (Apple), Python 3.12"] * 2


def test_a_second_run_asks_for_nothing(run):
    run("--for", "windows", "--python", "3.12")
    for wheel in run.index.iterdir():
        wheel.unlink()
    said, folder = run("--for", "windows", "--python", "3.12")
    assert ": 0 packages to fetch" in said and wheels(folder) == WINDOWS
    (folder / "pure-1-py3-none-any.whl").unlink()
    run("--for", "windows", "--python", "3.12", status=1)


def test_both_sides_of_a_version_are_there(run):
    """`soup` 2 wants 3.11.5: pip must not judge by 3.11.0 or by the Python that it runs on."""
    _, folder = run("--for", "mac-arm64", "--python", "3.11")
    assert {"soup-1-py3-none-any.whl", "soup-2-py3-none-any.whl"} <= wheels(folder)


def test_what_is_not_to_be_had_is_named_and_the_rest_is_fetched(run):
    said, folder = run("--for", "windows,linux-x64", "--python=3.12", status=1)
    assert "Not to be had for Linux (x64), Python 3.12: binary==1." in said
    assert wheels(folder) == WINDOWS
    text = (folder / "README.txt").read_text("utf-8-sig")
    assert "  Windows, Python 3.12" in text and "  Linux" not in text
    assert "沒有這些套件：binary==1" in run("--for=linux-x64", "--lang=zh-TW", status=1)[0]


def test_lesson_6_goes_on_without_an_engine(run):
    (run.course / "requirements-engines.txt").write_text("-r requirements.txt\nengine==1\n")
    make_wheel(run.index, "engine-1", "cp312-cp312-macosx_14_0_arm64")
    said, folder = run("--for", "windows,mac-arm64", "--python", "3.12")
    assert (
        "Windows, Python 3.12: engine==1. Lesson 6 goes on" in said and said.count("engine==1") == 1
    )
    assert "engine-1-cp312-cp312-macosx_14_0_arm64.whl" in wheels(folder)
    text = (folder / "README.txt").read_text("utf-8-sig")
    assert "  Windows, Python 3.12 (- engine==1)\n" in text
    assert "  macOS (Apple), Python 3.12\n" in text
    assert "第 6 課在該系統會略過它" in run("--for=windows", "--python=3.12", "--lang=zh-TW")[0]


def test_no_network_stops_it_at_once(run):
    with socket.create_server(("127.0.0.1", 0)) as closed:
        index = f"http://127.0.0.1:{closed.getsockname()[1]}/simple"
    network = {"PIP_NO_INDEX": None, "PIP_FIND_LINKS": None, "PIP_INDEX_URL": index}
    said, folder = run("--for=mac,windows", status=1, PIP_RETRIES="1", **network)
    assert "Check the connection" in said and "Not to be had" not in said
    assert said.count("packages to fetch") == 1 and wheels(folder) == set()


def test_another_folder_and_one_that_cannot_be(run, tmp_path):
    elsewhere = tmp_path / "a stick" / "the wheels"
    _, folder = run(str(elsewhere), "--for=windows", "--python=3.12", folder=elsewhere)
    assert wheels(folder) == WINDOWS
    assert '--offline "the wheels"' in (folder / "README.txt").read_text("utf-8-sig")
    (tmp_path / "file").touch()
    assert "could not be written" in run(str(tmp_path / "file"), status=1)[0]
    assert "--python does not know '2.7'" in run("--python", "2.7", status=1)[0]
