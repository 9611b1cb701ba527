"""The program as it is started: in a real terminal, and with its input piped."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from chat_server import facts, play_chat
from server import Reply, good_body

PROJECT = Path(__file__).parent.parent
MEMORA = [sys.executable, "-m", "memora_lab"]
posix = pytest.mark.skipif(os.name == "nt", reason="pexpect needs a POSIX terminal")


def piped(
    text: str | bytes, *arguments: str, **variables: str
) -> subprocess.CompletedProcess[bytes]:
    data = text if isinstance(text, bytes) else text.encode()
    environment = {**os.environ, "PYTHONPATH": str(PROJECT), "PYTHONUTF8": "1", **variables}
    command = [*MEMORA, *arguments]
    return subprocess.run(command, input=data, capture_output=True, env=environment, timeout=60)


def test_piped_input_prints_plain_text_and_exits_0():
    done = piped("remember 使用者喜歡烏龍茶。\nsearch 茶\n")
    assert done.returncode == 0 and done.stderr == b""
    printed = done.stdout.decode()
    assert printed.splitlines()[-5:-1] == [
        "--- Semantic Search: 茶 ---",
        printed.splitlines()[-4],
        "   Memory #1",
        "--------------------------------",
    ]
    assert printed.endswith("\nBye!\n")
    assert "You:" not in printed and "\x1b" not in printed


def test_input_that_ends_without_a_line_end_is_done_too():
    assert b"Memory added.\n" in piped("remember tea").stdout


@pytest.mark.parametrize("encoding", ["ascii", "cp950", "cp1252"])
def test_a_console_that_lacks_a_character_shows_the_rest(encoding):
    line = "remember naïve 茶 ☕\nmemories\n".encode(encoding, "replace")
    done = piped(line, PYTHONUTF8="0", PYTHONIOENCODING=encoding)
    assert done.returncode == 0, done.stderr
    assert done.stdout.replace(b"\r\n", b"\n").endswith(b"\nBye!\n")
    assert b"1. na" in done.stdout


def test_bytes_that_are_no_text_do_not_end_it():
    done = piped(b"remember \xff\xfe tea\nmemories\n\x00\x01\n")
    assert done.returncode == 0
    assert "1. \ufffd\ufffd tea\n" in done.stdout.decode()


@pytest.mark.parametrize(
    ("name", "value"), [("MEMORA_PROVIDER", "cloud"), ("OPENAI_BASE_URL", "localhost")]
)
def test_a_setting_that_cannot_be_used_is_told_with_status_1(name, value):
    done = piped("", **{name: value})
    assert done.returncode == 1
    assert name.encode() in done.stderr and b"Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("argument", "status", "told"),
    [("--version", 0, b"Memora v0.12"), ("--help", 0, b"usage: memora"), ("--nope", 2, b"--nope")],
)
def test_arguments_are_answered_or_refused(argument, status, told):
    environment = {**os.environ, "PYTHONPATH": str(PROJECT)}
    done = subprocess.run([*MEMORA, argument], capture_output=True, env=environment, timeout=60)
    assert done.returncode == status
    assert told in done.stdout + done.stderr


# With a file


def test_what_is_remembered_is_there_at_the_next_start(tmp_path):
    file = str(tmp_path / "我的 記憶.memora")
    first = piped("remember 使用者喜歡烏龍茶。\nremember tea\nexit\n", "--file", file)
    assert f"File: {file}, 0 memories\n" in first.stdout.decode()
    lines = "remember \uff54\uff45\uff41\nmemories\nremember milk\n"  # tea in full-width letters
    second = piped(lines, "--file", file).stdout.decode()
    assert f"File: {file}, 2 memories\n" in second
    assert "Already remembered: Memory #2.\n1. 使用者喜歡烏龍茶。\n2. tea\nMemory" in second
    assert b"3. milk\n" in piped("memories\n", "--file", file).stdout


def test_what_was_added_is_saved_before_the_program_ends(tmp_path):
    file = tmp_path / "m.memora"
    command = [*MEMORA, "--file", str(file)]
    environment = {**os.environ, "PYTHONPATH": str(PROJECT), "PYTHONUTF8": "1"}
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, env=environment, **pipes) as child:
        child.stdin.write(b"remember tea\n")
        child.stdin.flush()
        while not file.exists() and child.poll() is None:
            time.sleep(0.01)
        second = piped("remember milk\n", "--file", str(file))
        child.kill()
    assert second.returncode == 1 and second.stdout == b""
    assert b"open in another program: end that one, or take another file" in second.stderr
    assert b"1. tea\nBye!" in piped("memories\n", "--file", str(file)).stdout


def test_a_file_that_cannot_be_used_is_told_with_status_1_and_left(tmp_path):
    file = tmp_path / "notes.txt"
    file.write_text("no memories")
    for argument, told in [
        (file, "no file of memories"),
        (tmp_path, "is a folder"),
        (tmp_path / "no" / "x", "there is no folder"),
    ]:
        done = piped("remember tea\n", "--file", str(argument))
        assert done.returncode == 1 and done.stdout == b""
        assert told in done.stderr.decode() and b"Traceback" not in done.stderr
    assert file.read_text() == "no memories"


@posix
def test_a_reader_that_has_seen_enough_ends_it_quietly():
    command = f"yes memories | head -5000 | '{sys.executable}' -m memora_lab | head -1"
    environment = {**os.environ, "PYTHONPATH": str(PROJECT)}
    done = subprocess.run(command, shell=True, capture_output=True, env=environment, timeout=60)
    assert done.stdout == b"Memora v0.12\n"
    assert done.stderr == b""


@pytest.fixture
def terminal(tmp_path):
    """Starts Memora in a pseudo-terminal; ended with the test."""
    import pexpect

    started = []

    def start(**variables: str):
        environment = {**os.environ, "PYTHONPATH": str(PROJECT), "PYTHONUTF8": "1", "TERM": "xterm"}
        child = pexpect.spawn(
            MEMORA[0], MEMORA[1:], env=environment | variables, encoding="utf-8",
            timeout=30, echo=True, dimensions=(40, 200),
        )  # fmt: skip
        started.append(child)
        child.expect_exact("You: ")
        return child

    yield start
    for child in started:
        child.close(force=True)


@posix
def test_chinese_is_typed_edited_and_found(terminal):
    child = terminal()
    child.sendline("remember 使用者喜歡烏龍茶茶\x7f。")  # a backspace takes one character away
    child.expect_exact("Memory added.")
    child.sendline("ｍｅｍｏｒｉｅｓ")  # noqa: RUF001
    child.expect_exact("1. 使用者喜歡烏龍茶。\r\n")
    child.sendline("search 他愛喝什麼？")
    child.expect(r"1\. \[-?\d\.\d{4}\] 使用者喜歡烏龍茶。\r\n   Memory #1")
    child.sendeof()
    child.expect_exact("Bye!")
    child.wait()
    assert child.exitstatus == 0


@posix
def test_ctrl_c_cancels_a_request_and_the_memories_stay(terminal, server):
    child = terminal(OPENAI_BASE_URL=server.url, OPENAI_API_KEY="sk-test-0123456789")
    child.sendline("remember tea")
    child.expect_exact("Memory added.")
    server.next(Reply(silent=True))
    child.sendline("remember milk")
    wait_for(lambda: len(server.requests) == 2)
    child.sendintr()
    child.expect_exact("(cancelled)")
    child.sendline("memories")
    child.expect_exact("1. tea\r\n")
    child.sendline("remember milk")
    child.expect_exact("Memory added.")
    child.sendline("exit")
    child.expect_exact("Bye!")


@posix
def test_ctrl_c_cancels_a_reply_and_the_message_leaves_the_conversation(terminal, server):
    child = terminal(OPENAI_BASE_URL=server.url, MEMORA_CHAT_MODEL="toy-chat")
    server.next(Reply(drip=True, content_type="text/event-stream"))
    child.sendline("Hello there.")
    child.expect_exact("Memora: ")
    wait_for(lambda: server.requests)
    child.sendintr()
    child.expect_exact("(cancelled)")
    child.sendline("history")
    child.expect_exact("(empty)")
    play_chat(server, "好的。", facts("使用者住在台北。"))
    child.sendline("我住台北")
    child.expect_exact("Memora: 好的。\r\n")
    child.expect_exact("Memory #1 added: 使用者住在台北。")


@posix
def test_ctrl_c_at_the_prompt_stays(terminal):
    child = terminal()
    child.send("half a li")
    child.expect_exact("half a li")  # read: else Ctrl-C takes it away from under readline
    # Between two waits of readline, one goes unseen until the next key, and takes its line along.
    until(child, child.sendintr, "leaves)")
    until(child, lambda: child.sendline("memories"), "(empty)")


def until(child, act, expected: str) -> None:
    import pexpect

    for _ in range(5):
        act()
        if child.expect_exact([expected, pexpect.TIMEOUT], timeout=5) == 0:
            return
    raise AssertionError(f"{expected} was not printed: {child.before}")


@posix
def test_a_network_that_fails_between_two_commands_loses_nothing(terminal, server):
    child = terminal(OPENAI_BASE_URL=server.url)
    child.sendline("remember tea")
    child.expect_exact("Memory added.")
    server.always(Reply(b"gone", status=503, headers={"x-should-retry": "false"}))
    child.sendline("search tea")
    child.expect_exact("Error: ")
    server.always(lambda request: Reply(good_body(request["input"])))
    child.sendline("memories")
    child.expect_exact("1. tea\r\n")


def wait_for(done, seconds: float = 20) -> None:
    end = time.monotonic() + seconds
    while not done():
        assert time.monotonic() < end
        time.sleep(0.01)
