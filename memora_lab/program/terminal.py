"""The loop: a line is read, done, and whatever goes wrong with it is told in a line."""

import argparse
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import TextIO

from memora_lab.client import Endpoint, chat_model, current_endpoint, get_client
from memora_lab.program.chat import ChatModel
from memora_lab.program.commands import handle, print_help
from memora_lab.program.screen import problem
from memora_lab.program.session import Session

_VERSION = "0.12"


def main() -> int:
    """Run Memora on the terminal or on piped input; 0, or 1 if a setting cannot be used."""
    arguments = argparse.ArgumentParser(
        prog="memora",
        description="An assistant that remembers: type help at its prompt. README.md tells how to "
        "set a chat model.",
    )
    arguments.add_argument("--version", action="version", version=f"Memora v{_VERSION}")
    arguments.parse_args()
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        stream.reconfigure(errors="replace")  # a console may lack a character
    try:
        endpoint = current_endpoint()
        chat = None if endpoint.provider == "offline" else ChatModel(get_client(), chat_model())
    except ValueError as error:
        print(problem(error), file=sys.stderr)
        return 1
    try:
        run(Session(chat), endpoint, _line_reader(), sys.stdout)
        sys.stdout.flush()
    except BrokenPipeError:  # the reader of a pipe has seen enough; nor does what is left want out
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def run(session: Session, endpoint: Endpoint, read: Callable[[], str], out: TextIO) -> None:
    """Read lines until EOFError or `exit`; nothing that a line brings about ends the loop."""
    talks = session.chat.model if session.chat else "none"
    print(f"Memora v{_VERSION}", file=out)
    print(f"Provider: {endpoint.provider}", file=out)
    print(f"Embedding model: {endpoint.embedding_model}; chat model: {talks}", file=out)
    print_help(out)
    while True:
        try:
            line = read()
        except EOFError:
            break
        except KeyboardInterrupt:
            print("\n(exit or Ctrl-D leaves)", file=out)
            continue
        try:
            if not handle(session, line, out):
                break
        except KeyboardInterrupt:
            print("\n(cancelled)", file=out)
        except BrokenPipeError:
            raise
        except Exception as error:
            print(f"Error: {problem(error)}", file=out)
    print("Bye!", file=out)


def _line_reader() -> Callable[[], str]:
    """`input` with a prompt and line editing for a person, without either for a pipe."""
    if not sys.stdin.isatty():
        return input
    with suppress(ImportError):  # Windows has none, and edits by itself
        import readline  # noqa: F401

    def read() -> str:
        try:
            return input("You: ")
        except EOFError:
            print()
            raise

    return read
