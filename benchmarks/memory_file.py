"""Loading 100,000 memories, against reading the bytes of their file.

    python benchmarks/memory_file.py

Both sides find the file in the system's cache, as after a save: it is the work of loading that
is measured, not the disk.
"""

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from ratios import Ratio, in_turns, report

from memora_lab import MemoryStore

N, D, MODEL = 100_000, 512, "benchmark"


def measure() -> Iterator[Ratio]:
    """Each of the ratios, with its limit."""
    texts = [f"使用者喜歡第 {i} 種茶, and tells why in a sentence" for i in range(N)]
    matrix = np.random.default_rng(0).standard_normal((N, D), dtype=np.float32)
    known = [{"topic": "tea", "date": "2026-03-01"}] * N
    for name, metadata in (("texts alone", None), ("topic and date", known)):
        store = MemoryStore.from_vectors(texts, matrix, model=MODEL, metadata=metadata)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "memories.memora"
            store.save(path)
            load, read = in_turns(
                9,
                lambda path=path: MemoryStore.load(path, model=MODEL),
                lambda path=path: path.read_bytes(),
            )
        yield Ratio(f"load / read the bytes, {N:,} x {D}, {name}", load / read, 3)


if __name__ == "__main__":
    sys.exit(report(measure()))
