"""check: the mistake by its name, then a hint, then a stronger one, then the solution."""

import pkgutil
import traceback
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import import_module

from memora_lab import exercises
from memora_lab.exercises.exercise import Exercise

_misses: Counter[tuple[str, str]] = Counter()  # by exercise and mistake; hints grow with it


@dataclass(frozen=True)
class Feedback:
    """What a check found; a notebook shows the message."""

    passed: bool
    message: str

    def __repr__(self) -> str:
        return self.message


def check(exercise: str, answer: Callable, language: str = "en") -> Feedback:
    """Try an answer to the exercise of a name, and tell in "en" or "zh-TW" what is wrong.

    An answer still unwritten is invited, and is no miss. A miss names the mistake and gives a
    hint; the same mistake again, a stronger hint; from the third miss on the solution is
    pointed to. Raises ValueError for a name or language that does not exist.
    """
    known = _all_exercises()
    if exercise not in known:
        raise ValueError(f"no exercise {exercise!r}: there are {', '.join(known)}")
    if language not in _SAID["right"]:
        raise ValueError(f"no language {language!r}: there are {', '.join(_SAID['right'])}")
    if not callable(answer) and answer not in (None, ...):
        return Feedback(False, _SAID["no_function"][language].format(exercise))
    task = known[exercise]
    kind, message = _try(task, answer, language)
    if kind == "right":
        _forget(exercise)
    if kind in ("right", "unwritten"):
        return Feedback(kind == "right", _SAID[kind][language])
    _misses[exercise, kind] += 1
    hints = task.hints_for.get(kind, task.hints)
    lines = [message, hints[min(_misses[exercise, kind], 2) - 1][language]]
    if sum(count for (name, _), count in _misses.items() if name == exercise) >= 3:
        lines.append(_SAID["folded"][language])
    return Feedback(False, "\n".join(lines))


def _forget(exercise: str) -> None:
    for name, kind in list(_misses):
        if name == exercise:
            del _misses[name, kind]


class _Stopped(Exception):
    """The learner's code raised."""


def _try(exercise: Exercise, answer: Callable | None, language: str) -> tuple[str, str]:
    """What kind of answer it is, and in words what is wrong with it.

    The kind is "right", "unwritten", "nothing" (it returned none), "stopped" (it raised),
    "form", or a key of the exercise's mistakes.
    """
    returned: list[object] = []

    def watched(*arguments: object) -> object:
        try:
            returned.append(answer(*arguments))
        except Exception as error:
            raise _Stopped from error
        return returned[-1]

    if _is_skeleton(answer):
        return "unwritten", ""
    try:
        kind = exercise.find_mistake(watched) or "right"
        message = "" if kind == "right" else exercise.mistakes[kind][language]
    except _Stopped as stopped:
        if isinstance(stopped.__cause__, NotImplementedError):
            return "unwritten", ""
        return "stopped", _SAID["stopped"][language].format(_where(stopped.__cause__))
    except Exception:  # an answer of a form that nobody thought of
        kind, shown = "form", str(returned[-1:])[1:-1][:80]
        message = _SAID["form"][language].format(shown)
    if returned and all(value is None for value in returned):
        return "nothing", _SAID["nothing"][language]
    return kind, message


def _is_skeleton(answer: Callable | None) -> bool:
    """Whether there is nothing in it yet: no function, or one that only returns None."""
    if answer is None or answer is ...:
        return True
    code, bare = getattr(answer, "__code__", None), _skeleton.__code__
    return code is not None and (code.co_code, code.co_consts) == (bare.co_code, bare.co_consts)


def _skeleton() -> None:
    return None


def _where(error: BaseException) -> str:
    """The error and the line of the learner's cell that raised it."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__)][1:]  # after `watched`
    line = f" ({frames[0].lineno}: {frames[0].line})" if frames and frames[0].line else ""
    return f"{type(error).__name__}: {error}{line}"


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
    "nothing": {
        "en": "Your function returned None: is a `return` missing, or does it return a call such "
        "as `.sort()` that gives nothing back?",
        "zh-TW": "你的函式回傳了 None：少了 `return`，或回傳了 `.sort()` 這種沒有回傳值的呼叫？",
    },
    "no_function": {
        "en": 'Give the function itself, without calling it: check("{0}", {0}, LANGUAGE)',
        "zh-TW": '請交出函式本身，不要呼叫它：check("{0}", {0}, LANGUAGE)',
    },
    "stopped": {
        "en": "Your function stopped with {}",
        "zh-TW": "你的函式中途停下：{}",
    },
    "form": {
        "en": "Your function returned something of another form than asked for: {}",
        "zh-TW": "你的函式回傳的形式和題目要求的不同：{}",
    },
    "folded": {
        "en": "The solution is folded under the exercise.",
        "zh-TW": "解答收在題目下方，點開就看得到。",
    },
}
