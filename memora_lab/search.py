"""Semantic search: the memories nearest in meaning to a query.

One embedding for the query, one cosine for each memory, the k highest.
"""

import math
import operator
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from memora_lab.embeddings import embed
from memora_lab.models import EmbeddedMemoryCandidate, MemorySearchResult
from memora_lab.similarity import as_vector, cosine_scores, with_squares
from memora_lab.store import MemoryStore
from memora_lab.texts import is_blank

if TYPE_CHECKING:
    from openai import OpenAI

SEARCH_TOP_K = 3


def semantic_search(
    query: str,
    memories: Iterable[EmbeddedMemoryCandidate],
    top_k: int = SEARCH_TOP_K,
    *,
    client: "OpenAI | None" = None,
    model: str | None = None,
) -> tuple[list[MemorySearchResult], int]:
    """The `top_k` memories nearest to the query, nearest first, and the tokens of the query.

    memories: a list of embedded memories or a MemoryStore; both give the same results. Of
    equal scores the lower memory number comes first. All memories, ranked, if there are fewer
    than `top_k`; `([], 0)`, without a request, if there are none.

    Raises ValueError before any request for a blank query, for a `top_k` that is no whole
    number of at least 1 and for memories of mixed models or dimensions, and after it if the
    query's model or dimensions are not theirs. Otherwise raises as `create_embeddings` does.
    """
    check_query(query)
    k, gathered = checked_top_k(top_k), _gather(memories)
    if not len(gathered.matrix):
        return [], 0
    vectors, tokens, made_by = embed([query], client=client, model=model)
    if gathered.model not in (None, made_by):
        raise ValueError(
            f"the query was embedded by {made_by}, memory {gathered.model_from} by "
            f"{gathered.model}: embed both with the same model"
        )
    return _rank(vectors[0], gathered, k), tokens


def rank_memories(
    query_embedding: ArrayLike,
    memories: Iterable[EmbeddedMemoryCandidate],
    top_k: int = SEARCH_TOP_K,
) -> list[MemorySearchResult]:
    """`semantic_search` with the query's vector at hand: d numbers of the memories' model."""
    return _rank(query_embedding, _gather(memories), checked_top_k(top_k))


class _Gathered(NamedTuple):
    """Memories as a search needs them, whatever they came in."""

    matrix: NDArray  # (n, d)
    content: Callable[[int], str]
    model: str | None = None
    model_from: int = 1  # the number of the memory that names the model
    inverse_norms: NDArray[np.float32] | None = None  # (n,), kept by a store alone


def _gather(memories: Iterable[EmbeddedMemoryCandidate]) -> _Gathered:
    if isinstance(memories, MemoryStore):
        return _Gathered(
            memories.matrix,
            memories.content,
            memories.model,
            inverse_norms=memories.inverse_norms,
        )
    if isinstance(memories, EmbeddedMemoryCandidate):
        raise TypeError("memories must be a list or a MemoryStore, got one memory: write [memory]")
    listed = list(memories)
    contents = [memory.content for memory in _checked_kind(listed)]
    model, model_from = _model_of(listed)
    return _Gathered(_matrix_of(listed), contents.__getitem__, model, model_from)


def _matrix_of(memories: list[EmbeddedMemoryCandidate]) -> NDArray[np.float64]:
    try:
        matrix = np.array([memory.embedding for memory in memories], dtype=np.float64)
        sound = not memories or (matrix.ndim == 2 and bool(np.isfinite(matrix).all()))
    except (TypeError, ValueError, OverflowError):
        sound = False
    if not sound:  # one at a time, for a message that names the memory
        matrix = np.stack(
            [as_vector(memory.embedding, f"memory {i}") for i, memory in enumerate(memories, 1)]
        )
    return matrix


def _checked_kind(memories: list) -> list[EmbeddedMemoryCandidate]:
    for number, memory in enumerate(memories, start=1):
        if not isinstance(memory, EmbeddedMemoryCandidate):
            raise TypeError(
                f"memory {number} must be an EmbeddedMemoryCandidate, got "
                f"{type(memory).__name__}: embed_memory_candidates makes them"
            )
        d, expected = len(memory.embedding), len(memories[0].embedding)
        if not d:
            raise ValueError(f"memory {number} has an empty vector: embed it again")
        if d != expected:
            raise ValueError(
                f"memory {number} has {d} dimensions, memory 1 has {expected}: "
                "embed both with the same model"
            )
    return memories


def _model_of(memories: list[EmbeddedMemoryCandidate]) -> tuple[str | None, int]:
    """The one model that the memories name, and the number of the first that does."""
    model, model_from = None, 1
    for number, memory in enumerate(memories, start=1):
        if model is None and memory.model is not None:
            model, model_from = memory.model, number
        elif memory.model not in (None, model):
            raise ValueError(
                f"memory {number} was embedded by {memory.model}, memory {model_from} by "
                f"{model}: embed both with the same model"
            )
    return model, model_from


def _rank(query_embedding: ArrayLike, memories: _Gathered, k: int) -> list[MemorySearchResult]:
    query = as_vector(query_embedding, "the query")
    if not len(memories.matrix):
        return []
    n, d = memories.matrix.shape
    if len(query) != d:
        raise ValueError(
            f"the query has {len(query)} dimensions, memory 1 has {d}: "
            "embed both with the same model"
        )
    if k < n and memories.inverse_norms is not None:
        numbers = _within_reach(memories.matrix, memories.inverse_norms, query, k)
        rows = memories.matrix[numbers]
    else:
        numbers, rows = np.arange(n), memories.matrix
    scores = cosine_scores(rows, query)
    best = np.argsort(-scores, kind="stable")[:k]  # stable: of equals, the lower number leads
    return [
        MemorySearchResult(
            memory_number=int(numbers[i]) + 1,
            content=memories.content(int(numbers[i])),
            score=float(scores[i]),
        )
        for i in best
    ]


def _within_reach(
    matrix: NDArray[np.float32],
    inverse_norms: NDArray[np.float32],
    query: NDArray[np.float64],
    k: int,
) -> NDArray[np.intp]:
    """Ascending indices of every row that may be among the k nearest, and of few others.

    float32 reads half the bytes of float64, and the time of a search is the reading. Its
    scores are wrong by at most about d roundings of 2**-24 each (Higham, *Accuracy and
    Stability of Numerical Algorithms*, 2002, section 3.1), so what lies twice that below the
    k-th best cannot belong to the best k.
    """
    d = matrix.shape[1]
    (query,), (square,) = with_squares(query[np.newaxis])
    length = math.sqrt(square) or 1.0  # of zeros: then every score is 0
    scores = matrix @ (query / length).astype(np.float32)
    scores *= inverse_norms
    kth = _about_kth_best(scores, k)
    return (scores >= kth - reach_of_rounding(d)).nonzero()[0]


def reach_of_rounding(d: int) -> float:
    """How far apart two cosines of d dimensions may come out in float32 that are equal."""
    return 4 * (d + 16) * 2.0**-24


def _about_kth_best(scores: NDArray[np.float32], k: int) -> np.float32:
    """What at least k of the scores reach, and hardly one more.

    The best of each column of 64 is taken in one quick pass; the best of k columns are k
    scores. To part all the scores takes as long as the rest of the search together.
    """
    columns = len(scores) // 64
    if columns < 4 * k:
        return np.partition(scores, len(scores) - k)[len(scores) - k]
    best = scores[: 64 * columns].reshape(64, columns).max(axis=0)
    return np.partition(best, columns - k)[columns - k]


def check_query(query: object) -> None:
    """Raise TypeError for a query that is no string, ValueError for one that is blank."""
    if not isinstance(query, str):
        raise TypeError(f"the search query must be a string, got {type(query).__name__}")
    if is_blank(query):
        raise ValueError("Search query cannot be empty.")


def checked_top_k(top_k: object, name: str = "top_k") -> int:
    """`top_k` as an int; ValueError with its name unless it is a whole number of at least 1."""
    try:
        k = 0 if isinstance(top_k, bool | np.bool_) else operator.index(top_k)
    except TypeError:
        k = 0
    if k < 1:
        raise ValueError(f"{name} must be a whole number of at least 1, got {top_k!r}")
    return k
