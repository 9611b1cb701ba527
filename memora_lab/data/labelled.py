"""The labelled data set: one person's memories, and questions with the memories that answer.

Both files are tab-separated UTF-8 with a header line and one column of text for each language.
Empty lines and those that begin with `#` are skipped; the columns may come in any order, and
more of them are ignored. A teacher may put other files in their place: what a spreadsheet
saves, with a byte order mark, CRLF and cells in quotes, is read too.
"""

import csv
import datetime
from collections.abc import Iterator, Sequence
from io import StringIO
from pathlib import Path

from pydantic import BaseModel

from memora_lab.texts import is_blank

LANGUAGES = ("en", "zh-TW")
_FOLDER = Path(__file__).resolve().parent


class LabelledMemory(BaseModel):
    """A memory in one language; `id` is the same in every language."""

    id: str
    topic: str
    date: datetime.date
    text: str


class LabelledQuery(BaseModel):
    """A question in one language. `answers` holds the id of every memory that answers it."""

    id: str
    kind: str
    text: str
    answers: tuple[str, ...]


def load_memories(language: str = "en", path: str | Path | None = None) -> list[LabelledMemory]:
    """The n memories in the order of the file: the course's, or the one at `path`.

    Columns: id, topic, date (YYYY-MM-DD) and `language`. Raises ValueError for an unknown
    language, a file that is not UTF-8, a header without one of these columns, and a line with
    another number of columns, an empty cell, a bad date or a repeated id; the message names
    file and line, what was found and what was expected.
    """
    memories = []
    for place, row in _rows(Path(path or _FOLDER / "memories.tsv"), "topic", "date", language):
        try:
            date = datetime.datetime.strptime(row["date"], "%Y-%m-%d").date()
        except ValueError:
            raise _error(place, f"the date {row['date']!r}", "a day as YYYY-MM-DD") from None
        memories.append(LabelledMemory.model_validate({**row, "date": date}))
    return memories


def load_queries(
    language: str = "en",
    path: str | Path | None = None,
    memories: Sequence[LabelledMemory] | None = None,
) -> list[LabelledQuery]:
    """The m queries in the order of the file: the course's, or the one at `path`.

    Columns: id, kind, answers (ids between commas; empty if nothing answers) and `language`.
    Raises ValueError as `load_memories` does, and for an answer that is there twice or is no
    id of `memories`, by default the course's.
    """
    known = {memory.id for memory in (load_memories(language) if memories is None else memories)}
    queries = []
    for place, row in _rows(Path(path or _FOLDER / "queries.tsv"), "kind", "answers", language):
        answers = tuple(part.strip() for part in row["answers"].split(",") if part.strip())
        for answer in answers:
            if answer not in known or answers.count(answer) > 1:
                raise _error(place, f"the answer {answer!r}", "ids of memories, each once")
        queries.append(LabelledQuery.model_validate({**row, "answers": answers}))
    return queries


def _rows(path: Path, *columns: str) -> Iterator[tuple[str, dict[str, str]]]:
    """The place of each row, for messages, and its cells by column; the last one is the text."""
    if columns[-1] not in LANGUAGES:
        raise ValueError(f"found the language {columns[-1]!r}, expected one of {LANGUAGES}")
    needed, header, seen = ("id", *columns), None, set()
    for place, cells in _cells(path):
        if header is None:
            header = cells
            for name in needed:
                if header.count(name) != 1:
                    raise _error(place, f"the header {header}", f"one column {name!r}")
            continue
        if len(cells) != len(header):
            raise _error(place, f"{len(cells)} columns", f"{len(header)}, as in the header")
        row = dict(zip(header, cells, strict=True))
        for name in needed:
            if name != "answers" and is_blank(row[name]):
                raise _error(place, f"nothing in the column {name!r}", "text")
        if row["id"] in seen:
            raise _error(place, f"the id {row['id']!r} once more", "another in every line")
        seen.add(row["id"])
        yield place, {**row, "text": row[columns[-1]]}
    if header is None:
        raise _error(f"{path}, line 1", "no header", f"the columns {', '.join(needed)}")


def _cells(path: Path) -> Iterator[tuple[str, list[str]]]:
    """The place of each row that is neither empty nor a comment, and its cells, stripped."""
    raw = path.read_bytes()
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise _error(f"{path}, line {line}", "bytes that are not UTF-8", "UTF-8 text") from None
    # Strict, because a quote left open would swallow the rest of the file unnoticed.
    reader = csv.reader(StringIO(text, newline=""), delimiter="\t", strict=True)
    while True:
        place = f"{path}, line {reader.line_num + 1}"
        try:
            cells = [cell.strip() for cell in next(reader)]
        except StopIteration:
            return
        except csv.Error as error:
            raise _error(place, f"a cell with a quote ({error})", 'its quotes as ""') from None
        if any(cells) and not cells[0].startswith("#"):
            yield place, cells


def _error(place: str, found: str, expected: str) -> ValueError:
    return ValueError(f"{place}: found {found}, expected {expected}")
