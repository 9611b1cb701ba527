"""What a single query costs in Milvus Lite, the folder, beside NumPy's one pass over a matrix.

    python benchmarks/milvus.py

Both are exact. Lesson 6 says that a vector database in a folder is no faster: what it gives is
memories that last, filters, and the way to a server. So each ratio has a least, not a most.
It needs memora-lab[engines], and takes about a minute, most of it to fill the folders.
"""

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from ratios import Ratio, in_turns, report, start_anew_without_openblas_settings

start_anew_without_openblas_settings()

import numpy as np  # noqa: E402

from memora_lab import MemoryStore, rank_memories  # noqa: E402
from memora_lab.milvus import MilvusMemories  # noqa: E402

_D, TOP_K = 512, 10


def measure() -> Iterator[Ratio]:
    """Each of the ratios, with its limit."""
    for n, repeats in ((10_000, 51), (100_000, 15)):
        yield Ratio(f"{n:,} x {_D}: Milvus Lite / rank_memories", _ratio(n, repeats), 1, True)


def _ratio(n: int, repeats: int) -> float:
    rng = np.random.default_rng(0)
    rows, query = rng.standard_normal((n, _D), dtype=np.float32), rng.standard_normal(_D)
    store = MemoryStore.from_vectors([f"memory {i}" for i in range(n)], rows)
    with tempfile.TemporaryDirectory() as folder, MilvusMemories(Path(folder, "m.db")) as memories:
        memories.add(store)
        numpy, milvus = in_turns(
            repeats,
            lambda: rank_memories(query, store, TOP_K),
            lambda: memories.rank(query, TOP_K),
        )
    return milvus / numpy


if __name__ == "__main__":
    sys.exit(report(measure()))
