"""What an exercise is: how its mistakes are found, and what is said about each."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple

Text = dict[str, str]  # by language: "en", "zh-TW"


class Exercise(NamedTuple):
    """find_mistake tries an answer: "" if it is right, else a key of `mistakes`.

    It may raise for an answer of a form it did not expect. hints: for the first miss, and a
    stronger one for the next; hints_for: instead of them, for a mistake that they do not fit.
    """

    find_mistake: Callable[[Callable], str]
    mistakes: dict[str, Text]
    hints: tuple[Text, Text]
    hints_for: Mapping[str, tuple[Text, Text]] = MappingProxyType({})
