"""What a search costs beside the least it could cost.

    python benchmarks/search.py

A search must read each number of the matrix once, and `matrix @ query` does nothing else: its
time is the floor. The other way round, the tutorial's loop over lists shows what one pass over
a matrix saves. The query's embedding is left aside (see embedding.py).

OPENBLAS_CORETYPE and OPENBLAS_L2_SIZE must be unset: the script starts itself anew without them.
The machine should have nothing else to do: NumPy's threads wait for one that is held up.
"""

import math
import sys
from collections.abc import Iterator, Sequence

from ratios import Ratio, in_turns, report, start_anew_without_openblas_settings

start_anew_without_openblas_settings()

import numpy as np  # noqa: E402

from memora_lab import EmbeddedMemoryCandidate, MemoryStore, rank_memories  # noqa: E402

TOP_K = 3


def measure() -> Iterator[Ratio]:
    """Each of the ratios, with its limit."""
    for n, d, repeats in ((100_000, 512, 101), (200_000, 1536, 31)):
        name = f"search / matrix @ query, N={n:,} D={d:,}"
        yield Ratio(name, search_to_product(n, d, repeats), 1.10)
    n, d = 1000, 1536
    name = f"the tutorial's loop / search, N={n:,} D={d:,}"
    yield Ratio(name, loop_to_search(n, d), 500, at_least=True)


def search_to_product(n: int, d: int, repeats: int) -> float:
    """How many times as long a search takes as the product alone."""
    store, query = random_store(n, d), random_query(d)
    matrix, single = store.matrix, query.astype(np.float32)
    search, product = in_turns(
        repeats, lambda: rank_memories(query, store, TOP_K), lambda: matrix @ single
    )
    return search / product


def loop_to_search(n: int, d: int) -> float:
    """How many times as long the tutorial's loop takes as a search of a store."""
    store, query = random_store(n, d), random_query(d)
    memories, numbers = list(store), query.tolist()
    (loop,) = in_turns(3, lambda: tutorial_search(numbers, memories))
    (search,) = in_turns(300, lambda: rank_memories(query, store, TOP_K))
    return loop / search


def tutorial_search(
    query: Sequence[float], memories: Sequence[EmbeddedMemoryCandidate]
) -> list[tuple[float, int]]:
    """The search as the tutorial writes it: one cosine after the other, over lists."""
    scores = []
    for number, memory in enumerate(memories, start=1):
        dot = sum(a * b for a, b in zip(query, memory.embedding, strict=True))
        query_norm = math.sqrt(sum(a * a for a in query))
        memory_norm = math.sqrt(sum(b * b for b in memory.embedding))
        scores.append((-dot / (query_norm * memory_norm), number))
    return sorted(scores)[:TOP_K]


def random_store(n: int, d: int) -> MemoryStore:
    """n memories that point anywhere."""
    matrix = np.random.default_rng(0).standard_normal((n, d), dtype=np.float32)
    return MemoryStore.from_vectors([""] * n, matrix)


def random_query(d: int) -> np.ndarray:
    """(d,) float64, as an embedding comes."""
    return np.random.default_rng(1).standard_normal(d)


if __name__ == "__main__":
    sys.exit(report(measure()))
