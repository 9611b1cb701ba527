"""What a memory is, before and after embedding, and what a search gives back.

Nothing here computes: the three shapes travel between the other files. The numbers of an
embedding are checked where they are used (`similarity.py`, `store.py`), so that the message
can name the memory they belong to.
"""

from typing import Annotated

from pydantic import BaseModel, BeforeValidator, Field


def _plain_list(value: object) -> object:
    """Let a NumPy row in: pydantic takes lists only."""
    return value.tolist() if hasattr(value, "tolist") else value


class MemoryCandidate(BaseModel):
    """A sentence worth remembering, not embedded yet."""

    content: str


class EmbeddedMemoryCandidate(BaseModel):
    """A sentence and its vector.

    `embedding` holds d floats of any length (norm); a NumPy row of shape (d,) is taken too.
    `model` names what made the vector, as the server's reply names it; vectors of two models
    must never be compared, even when their dimensions agree. None: unknown, made by hand.
    """

    content: str
    embedding: Annotated[list[float], BeforeValidator(_plain_list)]
    model: str | None = None


class MemorySearchResult(BaseModel):
    """One hit: its place among the memories, its text, how near it is.

    `memory_number` counts from 1. `score` is a cosine in [-1, 1]; higher is nearer.
    """

    memory_number: int = Field(ge=1)
    content: str
    score: float = Field(ge=-1, le=1, allow_inf_nan=False)
