"""The loop: a line is read, done, and whatever goes wrong with it is told in a line."""

import argparse
import os
import sys
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TextIO

from memora_lab.client import Endpoint, chat_model, current_endpoint, get_client
from memora_lab.memory_file import keep
from memora_lab.program.chat import ChatModel
from memora_lab.program.commands import handle, print_help
from memora_lab.program.screen import problem, shown
from memora_lab.program.session import Session

_VERSION = "0.12"


def main() -> int:
    """Run Memora on the terminal or on piped input; 0, or 1 if a setting cannot be used."""
    file = _arguments().file
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        stream.reconfigure(errors="replace")  # a console may lack a character
    # Kept from the first look to the last change: what a second copy saved would be lost.
    with ExitStack() as held:
        try:
            if file:
                held.enter_context(keep(file, patience=0))
            endpoint = current_endpoint()
            chat = None if endpoint.provider == "offline" else ChatModel(get_client(), chat_model())
            session = Session(chat, file=file)
        except (ValueError, OSError) as error:
            print(problem(error), file=sys.stderr)
            return 1
        try:
            run(session, endpoint, _line_reader(), sys.stdout)
            sys.stdout.flush()
        except BrokenPipeError:  # the reader of a pipe has seen enough; nor does the rest want out
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="memora",
        description="An assistant that remembers: type help at its prompt. README.md tells how to "
        "set a chat model.",
    )
    parser.add_argument("--version", action="version", version=f"Memora v{_VERSION}")
    parser.add_argument(
        "--file",
        type=Path,
        help="where the memories last, such as memories.memora; without it, exit forgets them",
    )
    return parser.parse_args()


def run(session: Session, endpoint: Endpoint, read: Callable[[], str], out: TextIO) -> None:
    """Read lines until EOFError or `exit`; nothing that a line brings about ends the loop."""
    talks = session.chat.model if session.chat else "none"
    print(f"Memora v{_VERSION}", file=out)
    print(f"Provider: {endpoint.provider}", file=out)
    print(f"Embedding model: {endpoint.embedding_model}; chat model: {talks}", file=out)
    if session.file:
        print(f"File: {shown(str(session.file))}, {len(session.store)} memories", file=out)
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
