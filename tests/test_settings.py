"""settings.py: the environment, then the nearest `.env`."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import memora_lab
from memora_lab.settings import read_settings, refuse_key


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


@pytest.mark.parametrize(
    "text",
    [
        "text-embedding-3-small", "gpt-5.4-mini", "universal-sentence-encoder-multilingual-v3",
        "bge-m3", "nomic-embed-text:latest", "hf.co/CompendiumLabs/bge-base-en-v1.5-gguf:Q8_0",
        "Qwen/Qwen3-Embedding-0.6B", "intfloat/multilingual-e5-large-instruct",
        "snowflake-arctic-embed2:568m-l-fp16", "ft:gpt-4o-mini-2024-07-18:acme::AbCdEfG1",
        "text-embedding-qwen3-embedding-0.6b@q8_0", "BAAI/bge-small-zh-v1.5", "mxbai-embed-large",
        "models--BAAI--bge-m3/snapshots/5617a9f61b028005a4858fdac845db406aefb181",
        "nvidia/NV-Embed-v2", "jina-embeddings-v2-base-zh", "pplx-embed-context-v1-4b", "pa",
        "10", "desk-top-model", "sklearn-model",
        "https://gateway.ai.cloudflare.com/v1/0123456789abcdef0123456789abcdef/lab/openai",
        "https://my-host-01.openai.azure.com/openai/v1", "http://desk-01.lab:11434/v1",
    ],
)  # fmt: skip
def test_names_of_models_and_addresses_are_not_taken_for_keys(text):
    assert refuse_key("NAME", text) == text


def test_the_key_itself_is_known_in_another_place_whatever_it_looks_like(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "0123456789abcdef" * 2)
    with pytest.raises(ValueError, match="NAME holds what looks like a key") as caught:
        refuse_key("NAME", "0123456789abcdef" * 2)
    assert "0123" not in str(caught.value)
