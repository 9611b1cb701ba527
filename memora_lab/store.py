"""MemoryStore: memories over one contiguous float32 matrix, which a search reads in one pass."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from memora_lab.embeddings import embed_in_batches
from memora_lab.models import EmbeddedMemoryCandidate
from memora_lab.texts import checked_batch_size, checked_texts

if TYPE_CHECKING:
    from openai import OpenAI

_CHUNK_ROWS = 4096  # float64 copies are made of so many rows at a time
_FAR = 40  # powers of two: float32 squares and sums stay in range on this side of it


class MemoryStore(Sequence[EmbeddedMemoryCandidate]):
    """A sequence of embedded memories of one model, ready to be searched.

    An item is built when asked for; what is kept is its text and one row of d float32. A row
    whose largest number lies beyond 2**40 or 2**-40 is kept times a power of two, which
    changes no cosine. Room grows by doubling.
    """

    def __init__(self) -> None:
        self._contents: list[str] = []
        self._model: str | None = None
        self._rows = np.empty((0, 0), np.float32)
        self._inverse_norms = np.empty(0, np.float32)

    @classmethod
    def from_vectors(
        cls, texts: Iterable[str], matrix: ArrayLike, *, model: str | None = None
    ) -> "MemoryStore":
        """A store of vectors made elsewhere, copied.

        texts: n strings. matrix: (n, d) finite numbers of any dtype. model: what made them; a
        search checks it. Raises ValueError if the two counts differ, or for a row with a
        number that is not finite (the message names the memory).
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
        store._write(0, rows, room=len(rows))
        store._contents, store._model = contents, model
        return store

    def add(
        self,
        texts: Iterable[str],
        *,
        client: "OpenAI | None" = None,
        model: str | None = None,
    ) -> int:
        """Embed the texts and keep them, all or none; returns the tokens they cost.

        Several requests show a progress bar once they take more than a second. Raises what
        `create_embeddings` raises, and ValueError if the model that answers is not the
        store's; the store is then as it was before.
        """
        from tqdm import tqdm

        contents, tokens, made_by = checked_texts(texts), 0, self._model
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
        self._contents += contents  # only now do the rows written above count
        self._model = made_by
        return tokens

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
        self._inverse_norms[start:end] = _inverse_norms(rows)


def float32_rows(matrix: ArrayLike) -> NDArray[np.float32]:
    """(n, d) finite numbers as float32, far rows scaled (see MemoryStore); ValueError if not."""
    try:
        rows = np.asarray(matrix)
        if rows.dtype.kind not in "biufO":  # of complex numbers, NumPy would drop a half
            raise TypeError
        rows = rows.astype(np.float64) if rows.dtype.kind == "O" else rows
    except (TypeError, ValueError, OverflowError):
        raise ValueError("the vectors must be numbers, as many for each memory") from None
    if rows.size == 0 and len(rows) == 0:
        return np.empty((0, 0), np.float32)
    if rows.ndim != 2 or not rows.shape[1]:
        raise ValueError(
            f"the vectors must have the shape (memories, dimensions), got {rows.shape}"
        )
    # Not `abs`: it would copy the whole matrix.
    with np.errstate(over="ignore"):
        peaks = np.maximum(rows.max(axis=1).astype(float), -rows.min(axis=1).astype(float))
    wrong = np.flatnonzero(~np.isfinite(peaks))
    if len(wrong):
        raise ValueError(f"memory {wrong[0] + 1} holds a number that is not finite: embed it again")
    _, exponents = np.frexp(peaks)
    with np.errstate(over="ignore"):  # what leaves float32's range is written anew below
        result = rows.astype(np.float32)
    for i in np.flatnonzero((np.abs(exponents) > _FAR) & (peaks > 0)):
        result[i] = np.ldexp(rows[i].astype(np.float64), -exponents[i])
    return result


def _inverse_norms(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    norms = np.zeros(len(rows))
    for start in range(0, len(rows), _CHUNK_ROWS):
        part = rows[start : start + _CHUNK_ROWS].astype(np.float64)
        norms[start : start + _CHUNK_ROWS] = np.sqrt(np.einsum("ij,ij->i", part, part))
    return np.divide(1, norms, out=np.zeros_like(norms), where=norms > 0).astype(np.float32)
