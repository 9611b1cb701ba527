"""A table as a spreadsheet saves it: CSV or TSV in, rows by column out, mistakes by row and column.

A byte order mark, CRLF, quotes, empty rows and columns, commas, semicolons or tabs: all of it is
read as it comes. The words of the messages stand in `words.py`.
"""

import codecs
import csv
import unicodedata
from io import StringIO
from pathlib import Path
from typing import NoReturn

from memora_lab.data.words import said

SHOWN = 5
"""Mistakes told at once."""

COLUMNS = {
    "id": ("id", "編號"),
    "topic": ("topic", "主題"),
    "date": ("date", "日期"),
    "kind": ("kind", "類型"),
    "answers": ("answers", "答案"),
    "text": ("text", "內容"),
    "en": ("en", "english", "英文"),
    "zh-TW": ("zh-tw", "chinese", "中文"),
}
"""What a column may be called in the header; capitals do not matter."""


class Sheet:
    """The rows of a file below its header, and what was found wrong with them.

    columns: by the names of `COLUMNS`, each one's letter and its word in the header. rows: the
    number of each, as a spreadsheet counts, and its cells by column. Left out are empty rows,
    rows of one cell that begins with `#`, columns with other names, and what stands above the
    header. ValueError if the file is no table.
    """

    def __init__(self, path: Path, language: str) -> None:
        self.path, self.language = path, language
        self.columns: dict[str, tuple[str, str]] = {}
        self.rows: list[tuple[int, dict[str, str]]] = []
        self._mistakes: list[tuple[int, str]] = []  # each with its row, 0 for the whole file
        text, broken = _decoded(path.read_bytes())
        if broken:
            self.fail("bytes", broken)
        self._read(text)
        self.stop_if_wrong()

    def wrong(self, what: str, row: int = 0, column: str = "", **found: object) -> None:
        """Note a mistake by its key in `words.py`; the column by its name or its letter."""
        place = said("row", self.language, row=row) if row else ""
        letter, name = self.columns.get(column, (column, ""))
        place += said("column", self.language, letter=letter) if letter else ""
        place += said("named", self.language, name=name) if name else ""
        place += said("colon", self.language) if place else ""
        self._mistakes.append((row, place + said(what, self.language, **found)))

    def fail(self, what: str, row: int = 0, column: str = "", **found: object) -> NoReturn:
        """Note a mistake that leaves nothing to go on with, and raise."""
        self.wrong(what, row, column, **found)
        raise self._error()

    def stop_if_wrong(self) -> None:
        """ValueError with the first mistakes noted, a line each, if there are any."""
        if self._mistakes:
            raise self._error()

    def _error(self) -> ValueError:
        in_order = [told for _, told in sorted(self._mistakes, key=lambda mistake: mistake[0])]
        told, more = in_order[:SHOWN], len(in_order) - SHOWN
        if more > 0:
            told.append(said("more", self.language, n=more))
        return ValueError("\n- ".join([said("head", self.language, path=self.path), *told]))

    def _read(self, text: str) -> None:
        tables = [_records(text, separator) for separator in "\t;,"]
        records, broken = max(tables, key=lambda table: _known(_header(table[0])))
        header = _header(records)
        if _known(header) < 2:
            first = next((" ".join(cells) for cells in records if any(cells)), "")
            self.fail("header", found=first[:60])
        start = records.index(header) + 1
        self._name_columns(start, header)
        for number, cells in enumerate(records[start:], start + 1):
            if any(cells) and not (cells[0].startswith("#") and not any(cells[1:])):
                self._add(number, cells, header)
        if broken:
            self.wrong("quote", len(records) + 1)

    def _name_columns(self, row: int, header: list[str]) -> None:
        for index, cell in enumerate(header):
            name = _column(cell)
            if name in self.columns:
                self.wrong("twice", row, _letter(index), found=cell)
            elif name:
                self.columns[name] = (_letter(index), cell)

    def _add(self, number: int, cells: list[str], header: list[str]) -> None:
        width = max((i for i, cell in enumerate(header, 1) if cell), default=0)
        for index, cell in enumerate(cells[width:], width):
            if cell:
                self.wrong("unnamed", number, _letter(index), found=cell[:40])
                return
        padded = cells + [""] * (len(header) - len(cells))
        row = {_column(name): cell for name, cell in zip(header, padded, strict=False)}
        self.rows.append((number, {name: cell for name, cell in row.items() if name}))


def _decoded(raw: bytes) -> tuple[str, int]:
    """The text of UTF-8, UTF-16 with its mark, or Big5 beyond doubt; else a row that is none."""
    utf16 = raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    try:
        text = raw.decode("utf-16" if utf16 else "utf-8-sig")
    except UnicodeDecodeError as error:
        if not _is_big5(raw):
            return "", raw.count(b"\n", 0, error.start) + 1
        text = raw.decode("cp950")
    return text, 1 if "\0" in text else 0  # every second byte 0: UTF-16 without its mark


def _is_big5(raw: bytes) -> bool:
    """Whether bytes are surely Chinese text in Big5, Taiwan's code page 950.

    In real text more than one character in twenty is one of these 28; where the bytes are of
    another code page, Big5 makes a jumble of rare ones of them, or nothing at all.
    """
    try:
        text = raw.decode("cp950")
    except UnicodeDecodeError:
        return False
    chinese = [character for character in text if "\u4e00" <= character <= "\u9fff"]
    common = sum(character in _MOST_COMMON for character in chinese)
    return len(chinese) >= 50 and common > len(chinese) / 20


_MOST_COMMON = "的一是不了在有我人這個上們來到時大為子你說就那和要會可也"


def _records(text: str, separator: str) -> tuple[list[list[str]], bool]:
    """The cells of every row, stripped, and whether a quote broke the reading off."""
    # Strict, because a quote left open would swallow the rest of the file unnoticed.
    reader = csv.reader(StringIO(text, newline=""), delimiter=separator, strict=True)
    records: list[list[str]] = []
    try:
        for cells in reader:
            records.append([cell.strip() for cell in cells])
    except csv.Error:
        return records, True
    return records, False


def _header(records: list[list[str]]) -> list[str]:
    """The first row with two known names: a title may stand above it."""
    return next((cells for cells in records if _known(cells) >= 2), [])


def _known(cells: list[str]) -> int:
    return sum(_column(cell) is not None for cell in cells)


def _column(cell: str) -> str | None:
    name = unicodedata.normalize("NFKC", cell).strip().casefold()
    return next((column for column, names in COLUMNS.items() if name in names), None)


def _letter(index: int) -> str:
    """A column as a spreadsheet calls it: A to Z, then AA."""
    return (_letter(index // 26 - 1) if index >= 26 else "") + chr(ord("A") + index % 26)
