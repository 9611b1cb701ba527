"""The labelled data set: one person's memories, and questions with the memories that answer.

It is the course's own, or a class's: two files of a folder, `memories.csv` and `queries.csv`,
as a spreadsheet saves them. `sheet.py` says what they may look like.
"""

import datetime
import re
import unicodedata
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from memora_lab.data.sheet import COLUMNS, Sheet
from memora_lab.data.words import said
from memora_lab.settings import read_settings
from memora_lab.texts import is_blank

LANGUAGES = ("en", "zh-TW")

COURSE = Path(__file__).resolve().parent
"""The folder of the course's own set."""

CLASS_FOLDER = "class_data"
"""The name of a folder that takes its place."""

_TYPES = (".csv", ".tsv", ".txt")
_BETWEEN_IDS = r"[\s,;、]+"  # after NFKC, which turns the full-width ones into these
_DATE = r"(?P<year>\d{4})([-/.])(?P<month>\d{1,2})\2(?P<day>\d{1,2})"


class LabelledMemory(BaseModel):
    """A memory in one language; `id` is the same in every language.

    A class's may come without a topic, which is "" then, and without a date, which is None.
    """

    id: str
    topic: str = ""
    date: datetime.date | None = None
    text: str


class LabelledQuery(BaseModel):
    """A question in one language. `answers` holds the id of every memory that answers it.

    A class's may come without a kind, which is "" then.
    """

    id: str
    kind: str = ""
    text: str
    answers: tuple[str, ...]


def data_folder() -> Path:
    """Where the data come from: the class's folder if there is one, else the course's.

    The class's is the one MEMORA_DATA names, or the nearest `class_data`, looked for in the
    working folder and upwards, so that a lesson finds it beside README.md.
    """
    if named := read_settings().get("MEMORA_DATA"):
        return Path(named).expanduser().resolve()
    here = Path.cwd().resolve()
    found = [folder / CLASS_FOLDER for folder in (here, *here.parents)]
    return next((folder for folder in found if folder.is_dir()), COURSE)


def is_course_data() -> bool:
    """Whether the data are the course's own: what a lesson says of single memories holds."""
    return data_folder() == COURSE


def load_memories(language: str = "en", folder: str | Path | None = None) -> list[LabelledMemory]:
    """The n memories in the order of the file: of `data_folder()`, or of another folder.

    Columns: id, a text in `language`, in the other language or in neither (`text`), whichever
    comes first in this order, and if wanted topic and date. Raises ValueError for an unknown
    language, for a folder without the file, and for what is wrong in it: several mistakes at
    once, in `language`, each with row and column, what was found and what was expected.
    """
    sheet = _open("memories", language, folder)
    rows = _rows(sheet, language)
    for number, row in rows:
        row["date"] = _day(sheet, number, row.get("date", ""))
    sheet.stop_if_wrong()
    return [LabelledMemory.model_validate(row) for _, row in rows]


def load_queries(language: str = "en", folder: str | Path | None = None) -> list[LabelledQuery]:
    """The m queries in the order of the file: of `data_folder()`, or of another folder.

    Columns: id, a text as for the memories, answers (ids of the folder's memories with commas
    between them, empty if none answers), and if wanted kind. Raises ValueError as
    `load_memories`, and unless two queries have an answer and two have none.
    """
    sheet = _open("queries", language, folder)
    rows = _rows(sheet, language, "answers")
    known = {memory.id for memory in load_memories(language, sheet.path.parent)}
    for number, row in rows:
        row["answers"] = _answers(sheet, number, row["answers"], known)
    sheet.stop_if_wrong()
    answered = sum(bool(row["answers"]) for _, row in rows)
    if min(answered, len(rows) - answered) < 2:
        sheet.fail("too few", answered=answered, unanswered=len(rows) - answered)
    return [LabelledQuery.model_validate(row) for _, row in rows]


def _open(name: str, language: str, folder: str | Path | None) -> Sheet:
    if language not in LANGUAGES:
        raise ValueError(f"found the language {language!r}, expected one of {LANGUAGES}")
    folder = data_folder() if folder is None else Path(folder)
    there = sorted(folder.iterdir()) if folder.is_dir() else []
    files = [path for path in there if path.stem.lower() == name and path.suffix.lower() in _TYPES]
    if len(files) != 1:
        found = ", ".join(path.name for path in (files or there)[:9]) or "()"
        raise ValueError(said("no file", language, folder=folder, found=found, name=name))
    return Sheet(files[0], language)


def _rows(sheet: Sheet, language: str, *needed: str) -> list[tuple[int, dict[str, Any]]]:
    """The rows by number, each with an id of its own and a "text" in the language, if it can be."""
    texts = [name for name in (language, "text", *LANGUAGES) if name in sheet.columns]
    for name in ("id", *needed, *(() if texts else ("text",))):
        if name not in sheet.columns:
            sheet.wrong("missing", names=" / ".join(COLUMNS[name]))
    sheet.stop_if_wrong()
    if not sheet.rows:
        sheet.fail("no rows")
    rows: list[tuple[int, dict[str, Any]]] = []
    first_with: dict[str, int] = {}
    for number, row in sheet.rows:
        name, text = _id(sheet, number, row["id"], first_with), row[texts[0]]
        if is_blank(text):
            sheet.wrong("empty", number, texts[0])
        elif not any(character.isalnum() for character in text):
            sheet.wrong("no words", number, texts[0], found=text[:20])
        rows.append((number, {**row, "id": name, "text": text}))
    return rows


def _id(sheet: Sheet, number: int, cell: str, first_with: dict[str, int]) -> str:
    """The id as it is compared: full-width digits and letters are the plain ones."""
    name = unicodedata.normalize("NFKC", cell)
    first = first_with.setdefault(name, number)
    if is_blank(name):
        sheet.wrong("empty", number, "id")
    elif re.search(_BETWEEN_IDS, name):
        sheet.wrong("id form", number, "id", found=cell)
    elif first != number:
        sheet.wrong("id again", number, "id", found=cell, first=first)
    return name


def _day(sheet: Sheet, number: int, cell: str) -> datetime.date | None:
    """The day of 2026-03-01, 2026/3/1, 2026.3.1 or 2026年3月1日; None where nothing stands."""
    if is_blank(cell):
        return None
    plain = re.sub(r"\s", "", unicodedata.normalize("NFKC", cell))
    found = re.fullmatch(_DATE, re.sub("[年月]", "-", plain).removesuffix("日"))
    try:
        if found:
            return datetime.date(*map(int, found.group("year", "month", "day")))
    except ValueError:  # no such day
        pass
    sheet.wrong("date", number, "date", found=cell)
    return None


def _answers(sheet: Sheet, number: int, cell: str, known: set[str]) -> tuple[str, ...]:
    parts = re.split(_BETWEEN_IDS, unicodedata.normalize("NFKC", cell))
    answers = tuple(part for part in parts if part)
    for answer in dict.fromkeys(answers):
        if answer not in known:
            sheet.wrong("answer", number, "answers", found=answer)
        elif answers.count(answer) > 1:
            sheet.wrong("answer again", number, "answers", found=answer)
    return answers
