"""How texts and errors look on a screen."""

import unicodedata

# They turn the direction of what follows them, beyond the text they stand in.
_TURNING = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def shown(text: str) -> str:
    """The text with what a terminal would obey, not show, written out: ESC as \\x1b."""
    return "".join(_visible(character) for character in text)


def problem(error: BaseException) -> str:
    """An error and its notes in plain words."""
    message = str(error) or type(error).__name__
    return shown("\n".join([message, *getattr(error, "__notes__", [])]))


def _visible(character: str) -> str:
    kind = unicodedata.category(character)
    if character in "\n\t" or (kind not in ("Cc", "Cs") and character not in _TURNING):
        return character
    return character.encode("unicode_escape").decode()
