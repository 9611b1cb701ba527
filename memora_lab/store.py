"""MemoryStore: memories over one contiguous float32 matrix, which a search reads in one pass."""

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from memora_lab import memory_file
from memora_lab.client import current_endpoint, embedding_model
from memora_lab.embeddings import embed_in_batches
from memora_lab.models import EmbeddedMemoryCandidate
from memora_lab.rows import float32_rows, inverse_norms
from memora_lab.settings import OFFLINE_MODEL
from memora_lab.texts import checked_batch_size, checked_texts

if TYPE_CHECKING:
    from openai import OpenAI

Scalar = str | int | float | bool | None  # what every file and every database can hold
_SCALARS = (str, int, float, bool, type(None))


class MemoryStore(Sequence[EmbeddedMemoryCandidate]):
    """A sequence of embedded memories of one model, ready to be searched.

    An item is built when asked for; what is kept is its text, its metadata and one row of d
    float32. A row whose largest number lies beyond 2**40 or 2**-40 is kept times a power of
    two, which changes no cosine. Room grows by doubling.
    """

    def __init__(self) -> None:
        self._contents: list[str] = []
        self._metadata: list[dict[str, Scalar]] = []
        self._model: str | None = None
        self._asked_for: str | None = None  # the name the model was asked for by, if another
        self._rows = np.empty((0, 0), np.float32)
        self._inverse_norms = np.empty(0, np.float32)

    @classmethod
    def from_vectors(
        cls,
        texts: Iterable[str],
        matrix: ArrayLike,
        *,
        model: str | None = None,
        metadata: Iterable[Mapping[str, Scalar]] | None = None,
    ) -> "MemoryStore":
        """A store of vectors made elsewhere, copied.

        texts: n strings. matrix: (n, d) finite numbers of any dtype. model: what made them; a
        search checks it. metadata: as for `add`. Raises ValueError if the counts differ, or
        for a row with a number that is not finite (the message names the memory).
        """
        if isinstance(texts, str | bytes):
            raise TypeError(f"texts must be a list of strings, got one: write [{texts[:20]!r}]")
        contents, rows = list(texts), float32_rows(matrix)
        for number, content in enumerate(contents, start=1):
            if not isinstance(content, str):
                raise TypeError(f"the text of memory {number} is a {type(content).__name__}")
        if len(contents) != len(rows):
            raise ValueError(f"{len(contents)} texts, but {len(rows)} vectors: one each")
        store = cls()
        store._metadata = _checked_metadata(metadata, len(contents))
        store._write(0, rows, room=len(rows))
        store._contents, store._model = contents, model
        return store

    @classmethod
    def load(cls, path: str | os.PathLike, *, model: str | None = None) -> "MemoryStore":
        """The store that `save` wrote to the path, bit for bit.

        model: what the searches will embed with, by default what the settings say. Raises
        OSError if the file cannot be opened, and ValueError, with the way out, for a file of
        another kind, of a newer format, cut off or damaged, or of another model's memories.
        """
        contents = memory_file.read(path)
        made_by, wanted = contents.model, model or current_endpoint().embedding_model
        if made_by and wanted not in (made_by, contents.asked_for):
            raise ValueError(
                f"{path} holds vectors of {made_by}, and the search uses {wanted}: "
                f"{_way_to(made_by, model)}, or take another file"
            )
        store = cls()
        store._contents, store._model = contents.texts, contents.model
        store._asked_for = contents.asked_for
        store._metadata = contents.metadata or [{} for _ in contents.texts]
        store._rows, store._inverse_norms = contents.rows, contents.inverse_norms
        return store

    def save(self, path: str | os.PathLike) -> None:
        """Write everything to one file, whole or not at all, over what was there.

        Raises OSError if the file cannot be written or another program keeps it; what was there
        stays as it was. The layout is told in `memory_file.py`.
        """
        metadata = self._metadata if any(self._metadata) else []
        memory_file.write(
            path,
            memory_file.Contents(
                self._contents,
                metadata,
                self._model,
                self._asked_for,
                self.matrix,
                self.inverse_norms,
            ),
        )

    def add(
        self,
        texts: Iterable[str],
        *,
        metadata: Iterable[Mapping[str, Scalar]] | None = None,
        client: "OpenAI | None" = None,
        model: str | None = None,
    ) -> int:
        """Embed the texts and keep them, all or none; returns the tokens they cost.

        metadata: a dict for each text, of what is to be known about it besides, such as its
        topic or its date: strings, finite numbers, True, False and None by name. Several
        requests show a progress bar once they take more than a second. Raises what
        `create_embeddings` raises, and ValueError if the model that answers is not the
        store's; the store is then as it was before.
        """
        from tqdm import tqdm

        contents, tokens, made_by = checked_texts(texts), 0, self._model
        notes = _checked_metadata(metadata, len(contents))
        end, room = len(self), len(self) + len(contents)
        one_request = len(contents) <= checked_batch_size(None)  # nothing to show between
        with tqdm(
            total=len(contents), desc="embedding", delay=1, leave=False, disable=one_request
        ) as bar:
            for part in embed_in_batches(contents, client=client, model=model):
                rows = float32_rows(part.vectors)
                self._check_kind(part.model, rows.shape[1])
                made_by = part.model if not len(self) else self._model
                self._write(end, rows, room)
                end += len(rows)
                tokens += part.tokens
                bar.update(len(rows))
        self._metadata += notes
        if not len(self) and made_by != OFFLINE_MODEL:
            # Some servers answer under another name than they were asked for by.
            given = embedding_model() if client else current_endpoint().embedding_model
            self._asked_for = model or given
        self._contents += contents  # only now do the rows written above count
        self._model = made_by
        return tokens

    def keep_first(self, count: int) -> None:
        """Let go of all memories behind the first `count`, such as those just added."""
        del self._contents[count:], self._metadata[count:]
        if not self._contents:
            self._model = self._asked_for = None

    @property
    def matrix(self) -> NDArray[np.float32]:
        """(n, d) float32, row i for memory number i + 1: a read-only view."""
        view = self._rows[: len(self)]
        view.flags.writeable = False
        return view

    @property
    def inverse_norms(self) -> NDArray[np.float32]:
        """(n,) float32: 1 / length of each row, 0 for a row of zeros; a read-only view."""
        view = self._inverse_norms[: len(self)]
        view.flags.writeable = False
        return view

    @property
    def model(self) -> str | None:
        """What made the vectors; None if the store is empty or nobody said."""
        return self._model

    @property
    def dimensions(self) -> int | None:
        """d, or None if the store is empty."""
        return self._rows.shape[1] if len(self) else None

    def content(self, index: int) -> str:
        """The text at an index from 0, without building its vector."""
        return self._contents[index]

    def metadata(self, index: int) -> dict[str, Scalar]:
        """A copy of what is known about the memory at an index from 0; empty if nothing is."""
        return dict(self._metadata[index])

    def __len__(self) -> int:
        return len(self._contents)

    def __getitem__(self, index):
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        return EmbeddedMemoryCandidate(
            content=self._contents[index], embedding=self.matrix[index], model=self._model
        )

    def __repr__(self) -> str:
        return f"MemoryStore({len(self)} memories, {self.dimensions} dimensions, {self._model})"

    def _check_kind(self, model: str, dimensions: int) -> None:
        if not len(self):
            return
        if self._model is not None and model != self._model:
            raise ValueError(
                f"the new texts were embedded by {model}, the memories here by {self._model}: "
                "keep each model's memories in a store of their own"
            )
        if dimensions != self.dimensions:
            raise ValueError(
                f"the new vectors have {dimensions} dimensions, the memories here "
                f"{self.dimensions}: embed both with the same model"
            )

    def _write(self, start: int, rows: NDArray[np.float32], room: int) -> None:
        """Put rows behind the memories that count, making room for at least `room` in all."""
        capacity, d = self._rows.shape
        if room > capacity or d != rows.shape[1]:
            capacity = max(room, 2 * len(self))
            grown = np.empty((capacity, rows.shape[1]), np.float32)
            norms = np.empty(capacity, np.float32)
            if start:
                grown[:start], norms[:start] = self._rows[:start], self._inverse_norms[:start]
            self._rows, self._inverse_norms = grown, norms
        end = start + len(rows)
        self._rows[start:end] = rows
        self._inverse_norms[start:end] = inverse_norms(rows)


def _way_to(made_by: str, given: str | None) -> str:
    """How to search with the model that made a file's vectors."""
    if given:
        return f"give model={made_by!r}"
    if made_by == OFFLINE_MODEL:
        return "set MEMORA_PROVIDER=offline"
    server = " and OPENAI_BASE_URL to a server that has it"
    where = server if current_endpoint().provider == "offline" else ""
    return f"set MEMORA_EMBEDDING_MODEL={made_by}{where}"


def _checked_metadata(
    metadata: Iterable[Mapping[str, Scalar]] | None, count: int
) -> list[dict[str, Scalar]]:
    checked = [{} for _ in range(count)] if metadata is None else [*metadata]
    if len(checked) != count:
        raise ValueError(f"{count} texts, but metadata for {len(checked)}: one each")
    for number, known in enumerate(checked, start=1):
        if not isinstance(known, Mapping):
            raise TypeError(
                f"the metadata of text {number} must be a dict, got {type(known).__name__}"
            )
        for name, value in known.items():
            finite = not isinstance(value, float) or math.isfinite(value)
            if type(name) is not str or type(value) not in _SCALARS or not finite:
                raise TypeError(
                    f"the metadata of text {number} holds {name!r}: {value!r}; a name must be a "
                    "string, a value a string, a finite number, True, False or None"
                )
    return [dict(known) for known in checked]
