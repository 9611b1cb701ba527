"""What can be typed: a function for each command; every other line is talk."""

import re
from collections.abc import Callable
from typing import NamedTuple, TextIO

from memora_lab.client import current_endpoint
from memora_lab.program.screen import shown
from memora_lab.program.session import Session
from memora_lab.program.talk import talk
from memora_lab.search import semantic_search
from memora_lab.similarity import cosine_similarity
from memora_lab.texts import is_blank

# What a Chinese input method types in its full-width mode, by its plain form.
_PLAIN = {0x3000: " ", **{0xFF01 + i: chr(0x21 + i) for i in range(94)}}


class Command(NamedTuple):
    run: Callable[[Session, str, TextIO], None]
    argument: str  # as its usage names it; "" if it takes none
    about: str


class UsageError(ValueError):
    """The argument is not what the command takes."""


def handle(session: Session, line: str, out: TextIO) -> bool:
    """Do what one line asks for; False if it asks to leave. Raises what the command raises."""
    line = line.lstrip("\ufeff")  # the mark that begins a file piped in on Windows
    if is_blank(line):
        return True
    word, argument = _split(line)
    word = "exit" if word == "quit" else word
    if word == "exit" and not argument:
        return False
    if word not in COMMANDS:
        talk(session, line.strip(), out)
        return True
    command = COMMANDS[word]
    try:
        if bool(argument) != bool(command.argument):
            raise UsageError
        command.run(session, argument, out)
    except UsageError:
        alone = "" if command.argument else " (alone on its line; to talk, begin with another word)"
        print(f"Usage: {word} {command.argument}".rstrip() + alone, file=out)
    return True


def print_help(out: TextIO) -> None:
    """The commands, a line each."""
    for word, command in COMMANDS.items():
        print(f"  {f'{word} {command.argument}':<19} {command.about}", file=out)


def _split(line: str) -> tuple[str, str]:
    """The first word in its plain form and lower case, and what follows as it was typed."""
    first, *rest = line.split(maxsplit=1)
    argument = rest[0].strip() if rest else ""
    return first.translate(_PLAIN).lower(), "" if is_blank(argument) else argument


def _numbers(argument: str, count: int) -> list[int]:
    words = argument.translate(_PLAIN).split()
    if len(words) != count or not all(re.fullmatch("[0-9]{1,9}", word) for word in words):
        raise UsageError
    return [int(word) for word in words]


def _memory(session: Session, number: int):
    if not 1 <= number <= len(session.store):
        held = (
            f"they run from 1 to {len(session.store)}" if len(session.store) else "there are none"
        )
        raise ValueError(f"there is no memory {number}: {held}")
    return session.store[number - 1]


def _remember(session: Session, text: str, out: TextIO) -> None:
    known = session.number_of(text)
    if known is not None:
        print(f"Already remembered: Memory #{known}.", file=out)
        return
    session.remember([text])
    print("Memory added.", file=out)


def _memories(session: Session, _: str, out: TextIO) -> None:
    count = len(session.store)
    for i in range(count):
        print(f"{i + 1:>{len(str(count))}}. {shown(session.store.content(i))}", file=out)
    if not count:
        print("(empty)", file=out)


def _vector(session: Session, argument: str, out: TextIO) -> None:
    (number,) = _numbers(argument, 1)
    memory = _memory(session, number)
    first = ", ".join(f"{value:.4f}" for value in memory.embedding[:8])
    print(f"Memory #{number}: {shown(memory.content)}", file=out)
    print(f"Model: {memory.model}", file=out)
    print(f"Dimensions: {len(memory.embedding)}", file=out)
    print(f"First 8 values: [{first}]", file=out)


def _similarity(session: Session, argument: str, out: TextIO) -> None:
    numbers = _numbers(argument, 2)
    one, other = (_memory(session, number) for number in numbers)
    for number, memory in zip(numbers, (one, other), strict=True):
        print(f"Memory #{number}: {shown(memory.content)}", file=out)
    print(f"Cosine similarity: {cosine_similarity(one.embedding, other.embedding):.4f}", file=out)


def _search(session: Session, query: str, out: TextIO) -> None:
    if not len(session.store):
        print("(no memories)", file=out)
        return
    results, tokens = semantic_search(query, session.store, session.top_k)
    session.tokens["queries"] += tokens
    print(f"--- Semantic Search: {shown(query)} ---", file=out)
    for rank, result in enumerate(results, start=1):
        print(f"{rank}. [{result.score:.4f}] {shown(result.content)}", file=out)
        print(f"   Memory #{result.memory_number}", file=out)
    print("-" * 32, file=out)


def _top_k(session: Session, argument: str, out: TextIO) -> None:
    (k,) = _numbers(argument, 1)
    if k < 1:
        raise UsageError
    session.top_k = k
    print(f"A search shows {k} from now on.", file=out)


def _extraction(session: Session, _: str, out: TextIO) -> None:
    print(session.extraction, file=out)


def _history(session: Session, _: str, out: TextIO) -> None:
    names = {"user": "You", "assistant": "Memora"}
    for turn in session.conversation.turns:
        print(f"{names[turn.role]}: {shown(turn.content)}", file=out)
    if not session.conversation.turns:
        print("(empty)", file=out)


def _context(session: Session, _: str, out: TextIO) -> None:
    print(session.context, file=out)


def _summary(session: Session, _: str, out: TextIO) -> None:
    print(shown(session.conversation.summary) or "(empty)", file=out)


def _status(session: Session, _: str, out: TextIO) -> None:
    endpoint, conversation = current_endpoint(), session.conversation
    facts = {
        "provider": endpoint.provider,
        "embedding model": session.store.model or endpoint.embedding_model,
        "chat model": session.chat.model if session.chat else "(none)",
        "memories": len(session.store),
        "file": shown(str(session.file)) if session.file else "(none: exit forgets)",
        "turns": f"{len(conversation.turns)}, {conversation.folded} of them in the summary",
        "top-k": session.top_k,
    }
    spent_on = ("memories", "queries", "chat", "summary", "extraction")
    facts |= {f"tokens: {what}": session.tokens[what] for what in spent_on}
    facts["tokens: total"] = session.tokens.total()
    for name, value in facts.items():
        print(f"{name:<19} {value}", file=out)


def _help(session: Session, _: str, out: TextIO) -> None:
    print_help(out)


def _leave(session: Session, _: str, out: TextIO) -> None:
    raise UsageError  # alone on its line it leaves, see handle


COMMANDS = {
    "remember": Command(_remember, "<text>", "keep a memory"),
    "memories": Command(_memories, "", "list the memories"),
    "vector": Command(_vector, "<number>", "what a memory became"),
    "similarity": Command(_similarity, "<a> <b>", "how alike two memories are"),
    "search": Command(_search, "<query>", "the memories nearest in meaning"),
    "top-k": Command(_top_k, "<k>", "how many results a search shows"),
    "extraction": Command(_extraction, "", "what the last message told about you"),
    "history": Command(_history, "", "the conversation"),
    "context": Command(_context, "", "what was last sent to the chat model"),
    "summary": Command(_summary, "", "the older part of the conversation"),
    "status": Command(_status, "", "counts, models and tokens"),
    "help": Command(_help, "", "these lines"),
    "exit": Command(_leave, "", "leave (also: quit, Ctrl-D)"),
}
