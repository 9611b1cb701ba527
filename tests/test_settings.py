"""settings.py: the environment, then the nearest `.env`."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import memora_lab
from memora_lab.settings import read_settings


def write_env(text, folder=".", encoding="utf-8"):
    Path(folder, ".env").write_text(text, encoding=encoding)


def test_nothing_is_set_by_default():
    assert read_settings() == {}


@pytest.mark.parametrize("blank", ["", " ", "\t\n", "\u3000", "\u00a0"])
def test_a_blank_variable_counts_as_unset(monkeypatch, blank):
    monkeypatch.setenv("OPENAI_API_KEY", blank)
    assert read_settings() == {}


def test_a_blank_variable_lets_the_file_speak(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", " ")
    write_env("OPENAI_API_KEY=from-file")
    assert read_settings() == {"OPENAI_API_KEY": "from-file"}


@pytest.mark.parametrize("text", ["sk-x\n", " sk-x", "\tsk-x\r\n", "\u3000sk-x\u00a0"])
def test_white_space_around_a_value_is_stripped(monkeypatch, text):
    monkeypatch.setenv("OPENAI_API_KEY", text)
    assert read_settings() == {"OPENAI_API_KEY": "sk-x"}


def test_the_environment_wins_over_the_file(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "from-environment")
    write_env("OPENAI_API_KEY=from-file\nMEMORA_BATCH_SIZE=10")
    assert read_settings() == {"OPENAI_API_KEY": "from-environment", "MEMORA_BATCH_SIZE": "10"}


def test_other_names_in_the_file_are_left_alone():
    write_env("OTHER=1\nMEMORA_PROVIDER=offline")
    assert read_settings() == {"MEMORA_PROVIDER": "offline"}
    assert "OTHER" not in os.environ


def test_the_file_is_looked_for_upwards(monkeypatch, tmp_path):
    write_env("OPENAI_API_KEY=above")
    deep = tmp_path / "notebooks" / "zh-TW"
    deep.mkdir(parents=True)
    monkeypatch.chdir(deep)
    assert read_settings() == {"OPENAI_API_KEY": "above"}


def test_the_nearest_file_counts(monkeypatch, tmp_path):
    write_env("OPENAI_API_KEY=above\nMEMORA_BATCH_SIZE=10")
    (tmp_path / "near").mkdir()
    write_env("OPENAI_API_KEY=near", "near")
    monkeypatch.chdir(tmp_path / "near")
    assert read_settings() == {"OPENAI_API_KEY": "near"}


def test_a_folder_named_env_is_passed_over(monkeypatch, tmp_path):
    write_env("OPENAI_API_KEY=above")
    (tmp_path / "near" / ".env").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "near")
    assert read_settings() == {"OPENAI_API_KEY": "above"}


def test_the_projects_file_is_found_from_any_folder(tmp_path):
    project, elsewhere = tmp_path / "a project 專案", tmp_path / "elsewhere"
    elsewhere.mkdir()
    (tmp_path / ".env").unlink()
    shutil.copytree(Path(memora_lab.__file__).parent, project / "memora_lab")
    write_env("OPENAI_API_KEY=of-the-project", project)
    result = subprocess.run(
        [sys.executable, "-c", "from memora_lab.settings import *; print(read_settings())"],
        cwd=elsewhere,
        env={**os.environ, "PYTHONPATH": str(project)},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert result.stdout.strip() == "{'OPENAI_API_KEY': 'of-the-project'}", result.stderr


def test_a_changed_file_is_noticed_at_once():
    for text in ("one", "two", "six", "ten"):  # of one length, and within one tick of the clock
        write_env(f"OPENAI_API_KEY={text}")
        assert read_settings() == {"OPENAI_API_KEY": text}
    Path(".env").write_text("")
    assert read_settings() == {}


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("OPENAI_API_KEY=sk-x", "sk-x"),
        ("OPENAI_API_KEY = sk-x ", "sk-x"),
        ("export OPENAI_API_KEY='sk-x'", "sk-x"),
        ('OPENAI_API_KEY=" sk-x "', "sk-x"),
        ("OPENAI_API_KEY=sk-x # my key", "sk-x"),
        ("OPENAI_API_KEY=a$b${HOME}", "a$b${HOME}"),
        ("# a comment\n\nOPENAI_API_KEY=sk-x\r\n", "sk-x"),
    ],
)
def test_lines_are_read_as_people_write_them(line, value):
    write_env(line)
    assert read_settings() == {"OPENAI_API_KEY": value}


@pytest.mark.parametrize("line", ["OPENAI_API_KEY", "OPENAI_API_KEY=", "OPENAI_API_KEY=' '"])
def test_a_blank_line_counts_as_unset(line):
    write_env(line)
    assert read_settings() == {}


def test_a_byte_order_mark_does_no_harm():
    write_env("OPENAI_API_KEY=sk-x", encoding="utf-8-sig")
    assert read_settings() == {"OPENAI_API_KEY": "sk-x"}


@pytest.mark.parametrize("encoding", ["utf-16", "big5"])
def test_a_file_that_is_no_utf_8_is_refused_by_its_name(encoding):
    write_env("OPENAI_API_KEY=sk-secret # 金鑰", encoding=encoding)
    with pytest.raises(ValueError, match=r"\.env .* UTF-8") as caught:
        read_settings()
    assert "secret" not in str(caught.value)
    assert caught.value.__suppress_context__


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="POSIX permissions")
def test_a_file_that_may_not_be_read_is_refused_by_its_name():
    write_env("OPENAI_API_KEY=sk-x")
    Path(".env").chmod(0)
    if os.access(".env", os.R_OK):
        pytest.skip("root reads every file")
    with pytest.raises(ValueError, match=r"\.env cannot be read"):
        read_settings()
