"""What one run of Memora holds: memories, conversation, counts."""

import datetime
import unicodedata
from collections import Counter
from pathlib import Path

from memora_lab.program.chat import ChatModel
from memora_lab.program.conversation import Conversation
from memora_lab.search import SEARCH_TOP_K
from memora_lab.store import MemoryStore
from memora_lab.texts import is_unseen


class Session:
    """The state that commands and talk change.

    chat: None where no chat model answers. file: where the memories last, None if they do not;
    it is read here, if it exists, and written after each change.
    """

    def __init__(
        self,
        chat: ChatModel | None,
        conversation: Conversation | None = None,
        file: Path | None = None,
    ) -> None:
        self.chat = chat
        self.conversation = conversation or Conversation()
        self.file = file
        self.store = MemoryStore.load(file) if file and file.exists() else MemoryStore()
        self.top_k = SEARCH_TOP_K
        self.tokens: Counter[str] = Counter()  # by what they were spent on
        self.extraction = self.context = "(none yet)"  # what these two commands print
        self._numbers: dict[str, int] = {}
        for i in range(len(self.store)):
            self._numbers.setdefault(_same(self.store.content(i)), i + 1)

    def number_of(self, text: str) -> int | None:
        """The number of the memory with this text, full-width forms and the like aside."""
        return self._numbers.get(_same(text))

    def remember(self, texts: list[str]) -> list[int]:
        """Embed and keep the texts that are new, all or none; returns their numbers."""
        new = {_same(text): text for text in texts if self.number_of(text) is None}
        known, today = len(self.store), {"date": datetime.date.today().isoformat()}
        self.tokens["memories"] += self.store.add([*new.values()], metadata=[today] * len(new))
        try:
            if self.file and new:
                self.store.save(self.file)
        except BaseException:  # Ctrl-C too: what is listed is what is in the file
            self.store.keep_first(known)
            raise
        numbers = range(known + 1, len(self.store) + 1)
        self._numbers.update(zip(new, numbers, strict=True))
        return list(numbers)


def _same(text: str) -> str:
    """What two texts that look alike have in common."""
    words = " ".join(unicodedata.normalize("NFKC", text).split())
    # A zero-width character at an end is no difference; between emoji it makes another one.
    return words.strip("".join(filter(is_unseen, set(words))))
