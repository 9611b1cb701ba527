"""What may be embedded, and how much of it at once: settled before a call is spent."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Set

from memora_lab.settings import read_settings, refuse_key

MAX_TEXTS = 2048
"""Texts in one request, the API's own limit."""

MAX_BYTES = 250_000
"""UTF-8 bytes in one request. A token is at least one byte, so this many bytes are fewer than
the 300,000 tokens the API takes at once, whatever the language and with no tokenizer at hand."""

# Characters that print nothing, though Unicode files them with letters, marks and symbols.
_UNSEEN = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")


def checked_texts(texts: Iterable[str]) -> list[str]:
    """The texts as a list, each a string with something to read in it.

    Raises TypeError for a single string, a dict, a set and an element that is no string,
    ValueError for one that is blank or no valid Unicode; the message gives its position.
    """
    if isinstance(texts, str | bytes):
        raise TypeError(f"texts must be a list of strings, got one string: write [{texts[:20]!r}]")
    try:
        if isinstance(texts, Mapping | Set):  # a dict would be its keys, a set of any order
            raise TypeError
        checked = list(texts)
    except TypeError:
        raise TypeError(f"texts must be a list of strings, got {type(texts).__name__}") from None
    for i, text in enumerate(checked):
        place = f"texts[{i}] (text {i + 1} of {len(checked)})"
        if not isinstance(text, str):
            raise TypeError(f"{place} must be a string, got {type(text).__name__}")
        if is_blank(text):
            raise ValueError(f"{place} is blank, got {text[:20]!a}: give it words or leave it out")
        if not _is_unicode(text):
            raise ValueError(f"{place} holds half a character (a lone surrogate): type it anew")
    return checked


def is_blank(text: str) -> bool:
    """Whether nothing in it can be read: white space, control and zero-width characters."""
    return all(is_unseen(character) for character in text)


def checked_batch_size(given: int | None) -> int:
    """`given`, else MEMORA_BATCH_SIZE, else MAX_TEXTS; ValueError unless 1 to MAX_TEXTS."""
    name, size = "batch_size", given
    if given is None:
        name, size = "MEMORA_BATCH_SIZE", read_settings().get("MEMORA_BATCH_SIZE", MAX_TEXTS)
        if isinstance(size, str) and re.fullmatch("[0-9]{1,4}", size):
            size = int(size)
    if type(size) is not int or not 1 <= size <= MAX_TEXTS:
        refuse_key(name, str(size))
        raise ValueError(f"{name} must be a whole number from 1 to {MAX_TEXTS}, got {size!r}")
    return size


def batches(texts: list[str], batch_size: int) -> Iterator[list[str]]:
    """The texts in order, at most `batch_size` and MAX_BYTES at a time, at least one."""
    batch: list[str] = []
    size = 0
    for text in texts:
        length = len(text.encode())
        if batch and (len(batch) == batch_size or size + length > MAX_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(text)
        size += length
    if batch:
        yield batch


def is_unseen(character: str) -> bool:
    """Whether a character prints nothing: white space, control, format and filler characters."""
    category = unicodedata.category(character)
    if category[0] == "Z" or category in ("Cc", "Cf") or character in _UNSEEN:
        return True
    return category == "Mn" and "VARIATION SELECTOR" in unicodedata.name(character, "")


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
