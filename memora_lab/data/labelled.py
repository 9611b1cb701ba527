"""The labelled data set: one person's memories, and questions with the memories that answer.

Both files are tab-separated text in UTF-8 with a header line, one column of text for each
language. Lines that begin with `#` and empty lines are skipped; columns may come in any order,
and further ones are ignored. What a spreadsheet saves is read too: a byte order mark, CRLF,
cells in quotes. So a teacher can write the files anew for another class.
"""

import csv
import datetime
from collections.abc import Iterator, Sequence
from io import StringIO
from pathlib import Path

from pydantic import BaseModel

from memora_lab.texts import is_blank

LANGUAGES = ("en", "zh-TW")
FOLDER = Path(__file__).resolve().parent


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
    """The memories in the order of the file: the course's, or the one at `path`.

    The file needs the columns id, topic, date (YYYY-MM-DD) and `language`. Raises ValueError
    for an unknown language, a file that is not UTF-8, a header without one of these columns,
    and a line with another number of columns, an empty cell, a bad date or a repeated id. The
    message names the file and the line, what was found and what was expected.
    """
    columns = ("id", "topic", "date", _checked(language))
    memories = []
    for place, row in _rows(Path(path or FOLDER / "memories.tsv"), columns):
        try:
            date = datetime.datetime.strptime(row["date"], "%Y-%m-%d").date()
        except ValueError:
            raise ValueError(
                f"{place}: found the date {row['date']!r}, expected a day as YYYY-MM-DD"
            ) from None
        memories.append(
            LabelledMemory(id=row["id"], topic=row["topic"], date=date, text=row[language])
        )
    return memories


def load_queries(
    language: str = "en",
    path: str | Path | None = None,
    memories: Sequence[LabelledMemory] | None = None,
) -> list[LabelledQuery]:
    """The queries in the order of the file: the course's, or the one at `path`.

    The file needs the columns id, kind, answers (ids between commas, empty if nothing answers)
    and `language`. The ids are looked up among `memories`, by default the course's. Raises
    ValueError as `load_memories` does, and for an answer that is no memory's id or is there
    twice.
    """
    columns = ("id", "kind", "answers", _checked(language))
    known = {memory.id for memory in (load_memories(language) if memories is None else memories)}
    queries = []
    for place, row in _rows(Path(path or FOLDER / "queries.tsv"), columns):
        answers = tuple(part.strip() for part in row["answers"].split(",") if part.strip())
        for answer in answers:
            if answer not in known:
                raise ValueError(f"{place}: found the answer {answer!r}, expected a memory's id")
            if answers.count(answer) > 1:
                raise ValueError(f"{place}: found the answer {answer!r} twice, expected it once")
        queries.append(
            LabelledQuery(id=row["id"], kind=row["kind"], text=row[language], answers=answers)
        )
    return queries


def _checked(language: str) -> str:
    if language not in LANGUAGES:
        raise ValueError(f"found the language {language!r}, expected one of {LANGUAGES}")
    return language


def _rows(path: Path, columns: Sequence[str]) -> Iterator[tuple[str, dict[str, str]]]:
    """For each row its place, for messages, and its cells by column, stripped."""
    header: list[str] = []
    lines: dict[str, int] = {}
    for line, cells in _cells(path):
        place = f"{path}, line {line}"
        if not header:
            header = cells
            for name in columns:
                if header.count(name) != 1:
                    raise ValueError(f"{place}: found the header {header}, expected one {name!r}")
            continue
        if len(cells) != len(header):
            raise ValueError(f"{place}: found {len(cells)} columns, expected {len(header)}")
        row = dict(zip(header, cells, strict=True))
        for name in columns:
            if name != "answers" and is_blank(row[name]):
                raise ValueError(f"{place}: found nothing in the column {name!r}, expected text")
        if row["id"] in lines:
            first = lines[row["id"]]
            raise ValueError(
                f"{place}: found the id {row['id']!r} of line {first}, expected a new one"
            )
        lines[row["id"]] = line
        yield place, row
    if not header:
        raise ValueError(f"{path}, line 1: found no header, expected {', '.join(columns)}")


def _cells(path: Path) -> Iterator[tuple[int, list[str]]]:
    """For each row that is neither empty nor a comment: its first line, and its cells."""
    raw = path.read_bytes()
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise ValueError(
            f"{path}, line {line}: found bytes that are no UTF-8, expected the file to be saved "
            "as text in UTF-8"
        ) from None
    # Strict, because a quote left open would otherwise swallow the rest of the file.
    reader = csv.reader(StringIO(text, newline=""), delimiter="\t", strict=True)
    while True:
        line = reader.line_num + 1
        try:
            cells = [cell.strip() for cell in next(reader)]
        except StopIteration:
            return
        except csv.Error as error:
            raise ValueError(
                f"{path}, line {line}: found a cell that cannot be read ({error}), expected one "
                'that begins with " to end with one'
            ) from None
        if any(cells) and not cells[0].startswith("#"):
            yield line, cells
