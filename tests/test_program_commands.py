"""The commands: exact transcripts, over injected input and output."""

import datetime
from io import StringIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memora_lab import MemoryStore
from memora_lab.client import current_endpoint
from memora_lab.program.commands import COMMANDS, handle
from memora_lab.program.session import Session
from memora_lab.program.terminal import run

OPENING = """\
Memora v0.12
Provider: offline
Embedding model: universal-sentence-encoder-multilingual-v3; chat model: none
"""


def typed(*lines: str, session: Session | None = None) -> str:
    """All that is printed for these lines and Ctrl-D."""
    out, pending = StringIO(), iter(lines)

    def read() -> str:
        line = next(pending, EOFError)
        if not isinstance(line, str):
            raise line
        return line

    run(session or Session(None), current_endpoint(), read, out)
    return out.getvalue()


def answers(*lines: str, session: Session | None = None) -> str:
    """What these lines are answered, without the opening and the farewell."""
    return typed(*lines, session=session).partition("Ctrl-D)\n")[2].removesuffix("Bye!\n")


def wide(text: str) -> str:
    return "".join(chr(ord(letter) + 0xFEE0) for letter in text)


@pytest.fixture
def toy(client):
    """A session whose vectors count the letters a, b and c: every score can be worked out."""
    session = Session(None)
    session.remember(["a", "aab", "c"])
    return session


def test_the_opening_names_provider_and_models_and_every_command():
    printed = typed()
    assert printed.startswith(OPENING)
    assert printed.endswith("Bye!\n")
    for word in COMMANDS:
        assert f"\n  {word} " in printed
    assert answers("help") == printed.removeprefix(OPENING).removesuffix("Bye!\n")


def test_the_tutorials_session():
    printed = answers(
        "memories",
        "search anything",
        "remember 使用者想加強旅遊英文。",
        "remember 使用者偏好簡短的文法解釋。",
        "remember 使用者希望 TOEIC 達到 850 分。",
        "remember 使用者喜歡透過例句學習。",
        "memories",
        "search 請不要把文法解釋得太複雜",
    )
    before, _, search = printed.partition("--- Semantic Search: 請不要把文法解釋得太複雜 ---\n")
    assert before == (
        "(empty)\n(no memories)\n" + 4 * "Memory added.\n" + "1. 使用者想加強旅遊英文。\n"
        "2. 使用者偏好簡短的文法解釋。\n"
        "3. 使用者希望 TOEIC 達到 850 分。\n"
        "4. 使用者喜歡透過例句學習。\n"
    )
    lines = search.splitlines()
    assert lines[0].startswith("1. [0.") and lines[0].endswith("] 使用者偏好簡短的文法解釋。")
    assert lines[1] == "   Memory #2"
    assert len(lines) == 7 and set(lines[-1]) == {"-"}


def test_a_search_as_it_is_printed(toy):
    assert answers("search a", session=toy) == (
        "--- Semantic Search: a ---\n"
        "1. [1.0000] a\n   Memory #1\n"
        "2. [0.8944] aab\n   Memory #2\n"
        "3. [0.0000] c\n   Memory #3\n"
        "--------------------------------\n"
    )


def test_top_k_changes_what_a_search_shows(toy):
    printed = answers("top-k 1", "search a", session=toy)
    assert printed.startswith("A search shows 1 from now on.\n")
    assert printed.count("Memory #") == 1


def test_a_vector_as_it_is_printed(toy):
    assert answers("vector 2", session=toy) == (
        "Memory #2: aab\nModel: toy-model\nDimensions: 3\n"
        "First 8 values: [2.0000, 1.0000, 0.0000]\n"
    )


def test_a_similarity_as_it_is_printed(toy):
    assert answers("similarity 1 2", session=toy) == (
        "Memory #1: a\nMemory #2: aab\nCosine similarity: 0.8944\n"
    )


@pytest.mark.parametrize("again", ["a", "  a  ", wide("a"), "a\u3000", "\ufeffa\u200b"])
def test_the_same_text_again_is_known_and_not_stored(toy, server, again):
    spent = len(server.requests)
    assert answers(f"remember {again}", session=toy) == "Already remembered: Memory #1.\n"
    assert len(toy.store) == 3 and len(server.requests) == spent


@pytest.mark.parametrize(
    "line", ["MEMORIES", "  memories  ", wide("memories"), "\u3000memories", "\ufeffMemories"]
)
def test_a_command_in_any_case_and_width(line):
    assert answers(line) == "(empty)\n"


def test_a_full_width_space_ends_the_command_and_the_argument_stays_as_typed(toy):
    assert answers(f"remember\u3000{wide('AI')} 助理", session=toy) == "Memory added.\n"
    assert toy.store[3].content == f"{wide('AI')} 助理"
    assert answers(f"{wide('vector')} {wide('1')}", session=toy).startswith("Memory #1: a\n")


@pytest.mark.parametrize(
    ("line", "usage"),
    [
        ("remember", "remember <text>"),
        ("remember \u200b\u3000", "remember <text>"),
        ("search", "search <query>"),
        ("vector", "vector <number>"),
        ("vector ²", "vector <number>"),
        ("vector -1", "vector <number>"),
        ("vector 1 2", "vector <number>"),
        ("vector " + "9" * 5000, "vector <number>"),
        ("similarity 1", "similarity <a> <b>"),
        ("similarity a b", "similarity <a> <b>"),
        ("top-k", "top-k <k>"),
        ("top-k 0", "top-k <k>"),
        ("top-k 1.5", "top-k <k>"),
        ("memories please", "memories (alone on its line; to talk, begin with another word)"),
        ("quit now", "exit (alone on its line; to talk, begin with another word)"),
        ("exit now", "exit (alone on its line; to talk, begin with another word)"),
    ],
)
def test_a_command_without_its_argument_prints_its_usage(toy, line, usage):
    assert answers(line, session=toy) == f"Usage: {usage}\n"


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("vector 0", "there is no memory 0: they run from 1 to 3"),
        ("vector 4", "there is no memory 4"),
        ("similarity 1 9", "there is no memory 9"),
    ],
)
def test_a_number_of_no_memory_is_told_which_there_are(toy, line, told):
    assert told in answers(line, session=toy)


def test_a_number_where_there_are_no_memories():
    assert "there is no memory 1: there are none" in answers("vector 1")


@pytest.mark.parametrize("line", ["", "   ", "\u3000", "\u200b", "\t", "\x00"])
def test_an_empty_line_does_nothing(line):
    assert answers(line) == ""


@pytest.mark.parametrize("line", ["exit", "quit", " EXIT ", wide("quit")])
def test_leaving_stops_reading(line):
    assert answers(line, "memories") == ""


def test_ctrl_c_at_the_prompt_leaves_nothing_and_nobody():
    assert answers(KeyboardInterrupt, "memories").endswith("leaves)\n(empty)\n")


def test_status_lines_up_and_adds_up(toy):
    lines = answers("search ab", "status", session=toy).splitlines()[-12:]
    assert len({len(line) - len(line[20:]) for line in lines}) == 1
    values = {line[:20].strip(): line[20:] for line in lines}
    assert values["memories"] == "3"
    assert values["tokens: memories"] == "5" and values["tokens: queries"] == "2"
    assert values["tokens: total"] == "7"


def test_nothing_was_said_yet():
    assert answers("history", "context", "summary", "extraction") == (
        "(empty)\n(none yet)\n(empty)\n(none yet)\n"
    )


def test_what_a_terminal_would_obey_is_written_out(toy):
    printed = answers("remember \x1b[31mred\u202e", "memories", session=toy)
    assert "4. \\x1b[31mred\\u202e\n" in printed


@pytest.mark.parametrize("line", ["remember \ud800", "search \ud800", "remember " + "長" * 100_000])
def test_what_cannot_be_embedded_is_told_and_loses_nothing(line):
    session = Session(None)
    printed = answers("remember tea", line, "memories", session=session)
    assert printed.startswith("Memory added.\nError: ") and printed.endswith("1. tea\n")


ODD = st.text(st.characters(codec=None), max_size=20) | st.sampled_from(
    ["", "\x1b[2J", "1", "-1", "²", "9" * 30, "\ud800", "👩‍👩‍👧", "\u202e", "1 2", "a b c"]
)
LINES = st.builds(lambda w, s, a: w + s + a, st.sampled_from([*COMMANDS, ""]),
                  st.sampled_from([" ", "\u3000", ""]), ODD)  # fmt: skip


@given(st.lists(LINES, max_size=8))
def test_no_line_ends_the_program_or_loses_a_memory(lines):
    session = Session(None)
    for line in lines:
        out, held = StringIO(), len(session.store)
        try:
            if not handle(session, line, out):
                return
        except (ValueError, TypeError):
            assert len(session.store) == held
        added = out.getvalue() == "Memory added.\n"
        assert len(session.store) == held + added


# With a file


@pytest.fixture
def file(tmp_path):
    folder = tmp_path / "gone and back"
    folder.mkdir()
    return folder / "m.memora"


def test_each_change_is_in_the_file_before_the_next_line(file):
    session = Session(None, file=file)
    for count, line in enumerate(["remember tea", "remember milk"], start=1):
        assert answers(line, session=session) == "Memory added.\n"
        assert len(MemoryStore.load(file)) == count
    written = file.stat().st_mtime_ns
    assert "Already" in answers("remember TEA ", "remember tea", session=session)
    assert len(MemoryStore.load(file)) == 3  # TEA is another text than tea
    again = Session(None, file=file)
    assert "2. milk\n" in answers("memories", session=again)
    assert again.store.metadata(0) == {"date": datetime.date.today().isoformat()}
    assert file.stat().st_mtime_ns > written


def test_what_cannot_be_saved_is_not_remembered_either(file):
    session = Session(None, file=file)
    answers("remember tea", session=session)
    away = file.parent.rename(file.parent.with_name("away"))
    told = answers("remember milk", "memories", session=session)
    assert told.startswith("Error: there is no folder") and told.endswith("1. tea\n")
    away.rename(file.parent)
    assert answers("remember milk", "memories", session=session).endswith("2. milk\n")
    assert len(MemoryStore.load(file)) == 2


def test_ctrl_c_while_saving_remembers_nothing(file):
    class Interrupted(MemoryStore):
        def save(self, path):
            raise KeyboardInterrupt

    session = Session(None, file=file)
    session.store = Interrupted()
    assert answers("remember tea", "memories", session=session) == "\n(cancelled)\n(empty)\n"


def test_status_names_the_file(file):
    assert f"file                {file}\n" in answers("status", session=Session(None, file=file))
    assert "file                (none: exit forgets)\n" in answers("status")


def test_a_zero_width_joiner_within_makes_another_text(toy):
    joined = "\U0001f469\u200d\U0001f467"  # one emoji, of two that are joined
    answers(f"remember {joined}", f"remember {joined.replace(chr(0x200D), '')}", session=toy)
    assert len(toy.store) == 5


def test_what_contradicts_a_memory_is_kept_beside_it(toy):
    answers("remember My favourite is Ronaldo.", "remember My favourite is Messi.", session=toy)
    assert [memory.content for memory in toy.store][-2:] == [
        "My favourite is Ronaldo.",
        "My favourite is Messi.",
    ]
