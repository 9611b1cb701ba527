"""check: the mistake by its name, then a hint, then a stronger one, then the solution."""

import pkgutil
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import import_module

from memora_lab import exercises
from memora_lab.exercises.exercise import Exercise

_failures: Counter[str] = Counter()  # for each exercise; what is said grows with it


@dataclass(frozen=True)
class Feedback:
    """What a check found; a notebook shows the message."""

    passed: bool
    message: str

    def __repr__(self) -> str:
        return self.message


def check(exercise: str, answer: Callable, language: str = "en") -> Feedback:
    """Try an answer to the exercise of a name, and tell in "en" or "zh-TW" what is wrong.

    An answer still unwritten (it returns None) is invited, and is no miss. The first miss
    names the mistake and gives a hint, the second a stronger hint, from the third on the
    solution is pointed to. Raises ValueError for a name or language that does not exist.
    """
    known = _all_exercises()
    if exercise not in known:
        raise ValueError(f"no exercise {exercise!r}: there are {', '.join(known)}")
    if language not in _SAID["right"]:
        raise ValueError(f"no language {language!r}: there are {', '.join(_SAID['right'])}")
    found = _try(known[exercise], answer, language)
    if found is None:
        return Feedback(False, _SAID["unwritten"][language])
    if not found:
        _failures[exercise] = 0
        return Feedback(True, _SAID["right"][language])
    _failures[exercise] += 1
    lines = [found, known[exercise].hints[min(_failures[exercise], 2) - 1][language]]
    if _failures[exercise] >= 3:
        lines.append(_SAID["folded"][language])
    return Feedback(False, "\n".join(lines))


class _Stopped(Exception):
    """The learner's code raised."""


def _try(exercise: Exercise, answer: Callable, language: str) -> str | None:
    """What is wrong, in words; "" for a right answer, None for one still unwritten."""
    if answer is None or answer is ...:
        return None
    returned: list[object] = []

    def watched(*arguments: object) -> object:
        try:
            returned.append(answer(*arguments))
        except Exception as error:
            raise _Stopped(f"{type(error).__name__}: {error}") from error
        return returned[-1]

    try:
        mistake = exercise.find_mistake(watched)
        message = exercise.mistakes[mistake][language] if mistake else ""
    except _Stopped as stopped:
        if isinstance(stopped.__cause__, NotImplementedError):
            return None
        return f"{_SAID['stopped'][language]} {stopped}"
    except Exception:  # an answer of a form that nobody thought of
        message = f"{_SAID['form'][language]} {str(returned[-1:])[1:-1][:80]}"
    unwritten = bool(returned) and all(value is None for value in returned)
    return None if unwritten else message


@cache
def _all_exercises() -> dict[str, Exercise]:
    found: dict[str, Exercise] = {}
    for module in sorted(module.name for module in pkgutil.iter_modules(exercises.__path__)):
        if module.startswith("lesson_"):
            found |= import_module(f"{exercises.__name__}.{module}").EXERCISES
    return found


_SAID = {
    "right": {"en": "Right.", "zh-TW": "正確。"},
    "unwritten": {
        "en": "Still to be written: put your code in place of `return None` and run it again.",
        "zh-TW": "還沒動筆：把 `return None` 換成你的程式，再執行這一格。",
    },
    "stopped": {"en": "Your function stopped with", "zh-TW": "你的函式中途停下："},
    "form": {
        "en": "Your function returned something of another form than asked for:",
        "zh-TW": "你的函式回傳的形式和題目要求的不同：",
    },
    "folded": {
        "en": "The solution is folded under the exercise.",
        "zh-TW": "解答收在題目下方，點開就看得到。",
    },
}
