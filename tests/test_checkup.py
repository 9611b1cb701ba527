"""The check-up: ready where all is well, and for each fault a line that says what to do."""

import sys
from importlib import metadata
from pathlib import Path

import pytest

import memora_lab
from memora_lab import checkup
from memora_lab.checkup import check_up, kernel, package_versions, python_version

LANGUAGES = ["en", "zh-TW"]
READY = {"en": "All is ready.", "zh-TW": "一切就緒。"}


def faults(found):
    """(what is wrong, what to do) for each line marked fix."""
    lines = found.text.splitlines()
    return [(line, lines[i + 1]) for i, line in enumerate(lines) if line.startswith("fix ")]


@pytest.mark.parametrize("language", LANGUAGES)
def test_all_is_ready_offline(language):
    found = check_up(language)
    assert found.ok and repr(found) == found.text
    lines = found.text.splitlines()
    assert len(lines) == 8 and all(line.startswith("ok  ") for line in lines[:-1])
    assert lines[-1] == READY[language]
    for shown in (
        "numpy ",
        "offline, universal",
        {"en": "one embedding: 512 numbers", "zh-TW": "試做一次 embedding：512 個數字"}[language],
        ".".join(map(str, sys.version_info[:3])),
    ):
        assert shown in found.text


def test_no_path_of_this_machine_is_shown():
    assert not {part for part in check_up().text.split() if Path(part.rstrip(",")).is_absolute()}


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_folder_that_cannot_be_written_is_told(language, tmp_path):
    ((wrong, to_do),) = faults(check_up(language, folder=tmp_path / "not there"))
    assert "FileNotFoundError" in wrong
    assert to_do.strip("→ ") and READY[language] not in check_up(language, folder="no").text


def test_a_setting_that_cannot_be_used_is_told(monkeypatch):
    monkeypatch.setenv("MEMORA_PROVIDER", "cloud")
    (wrong, to_do), _ = faults(check_up())
    assert "MEMORA_PROVIDER is 'cloud'" in wrong and "Correct the setting" in to_do


def test_a_server_that_answers_is_named_with_its_model(client, server):
    found = check_up()
    assert found.ok
    assert f"compatible, text-embedding-3-small, {server.url}" in found.text


def test_a_server_that_is_down_is_told_and_its_key_is_not(client, server):
    server.stop()
    found = check_up()
    ((wrong, to_do),) = faults(found)
    assert "No connection to" in wrong and "MEMORA_PROVIDER=offline" in to_do
    assert "sk-test" not in found.text


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_missing_font_is_told(language, monkeypatch):
    def use_chinese_font():
        raise RuntimeError("no font with Traditional Chinese characters was found")

    monkeypatch.setattr(memora_lab, "use_chinese_font", use_chinese_font)
    ((wrong, to_do),) = faults(check_up(language))
    assert "no font" in wrong and "start.py" in to_do


def test_a_package_that_cannot_be_imported_is_told(run_python):
    code = (
        "import sys; sys.modules['numpy'] = None; from memora_lab.checkup import check_up;"
        "found = check_up(); assert not found.ok; print(found)"
    )
    done = run_python(code)
    assert done.returncode == 0, done.stderr
    assert "fix one embedding: ModuleNotFoundError" in done.stdout


def test_a_course_that_is_not_installed_is_told(monkeypatch):
    def requires(name):
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(checkup.metadata, "requires", requires)
    ((wrong, to_do),) = faults(check_up())
    assert "memora-lab" in wrong and "requirements.txt" in to_do


def test_every_package_that_does_not_fit_is_named_and_extras_are_left_out():
    installed = {"numpy": "1.26.4", "openai": "4.0.1", "pandas": "3.1", "httpx2": "2.16"}

    def version(name):
        if name not in installed:
            raise metadata.PackageNotFoundError(name)
        return installed[name]

    needed = [
        "numpy>=2.2", "pandas>=2.2", "openai<4,>=3.57", "httpx2", "tqdm>=4.66",
        'jupyterlab>=4.5; extra == "course"',
    ]  # fmt: skip
    with pytest.raises(RuntimeError) as told:
        package_versions(needed, version)
    assert str(told.value) == "numpy 1.26.4 (>=2.2), openai 4.0.1 (<4), tqdm missing"
    installed |= {"numpy": "2.10.0", "openai": "3.57.0", "tqdm": "4.70"}
    assert package_versions(needed, version) == "numpy 2.10.0, openai 3.57.0"


def test_an_old_python_is_refused():
    assert python_version((3, 11, 0)) == "3.11.0"
    with pytest.raises(RuntimeError, match="3, 10"):
        python_version((3, 10, 14))


def test_the_courses_own_kernel_is_known_by_its_folder(tmp_path):
    folder = Path(sys.executable).parent.name
    assert kernel(tmp_path / ".venv", tmp_path) == f".venv/{folder}"
    assert kernel(tmp_path / "anaconda3", tmp_path) == ""


def test_an_unknown_language_is_refused():
    with pytest.raises(KeyError):
        check_up("fr")
