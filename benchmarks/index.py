"""The index of lesson 6 at 100,000 vectors: recall against speed, and what building it costs.

    python benchmarks/index.py            prints a table
    python benchmarks/index.py --keep     and writes it where the lesson reads it

One thread for every search. OPENBLAS_CORETYPE and OPENBLAS_L2_SIZE must be unset: the script
starts itself anew without them.
"""

import os
import sys
import time

from ratios import start_anew_without_openblas_settings

start_anew_without_openblas_settings()
os.environ["OPENBLAS_NUM_THREADS"] = "1"
os.environ["MEMORA_PROVIDER"] = "offline"

import faiss  # noqa: E402
import numpy as np  # noqa: E402

from memora_lab import create_embeddings  # noqa: E402
from memora_lab.approximate import KEPT, many_vectors, measured, nearest  # noqa: E402
from memora_lab.data.labelled import COURSE, load_memories, load_queries  # noqa: E402

N, K, LINKS, EF_CONSTRUCTION = 100_000, 10, 32, 200
EF_SEARCH = (16, 32, 64, 128, 256, 512)


def embedded(items: list) -> np.ndarray:
    return np.array(create_embeddings([item.text for item in items])[0], np.float32)


def main() -> None:
    rows = many_vectors(embedded(load_memories("en", COURSE)), N)
    queries = embedded(load_queries("en", COURSE))
    exact = nearest(rows, queries, K)
    faiss.omp_set_num_threads(1)
    flat = faiss.IndexFlatIP(rows.shape[1])
    flat.add(rows)
    scan = measured(lambda query: flat.search(query[None], K)[1][0], queries, exact)
    graph = faiss.IndexHNSWFlat(rows.shape[1], LINKS, faiss.METRIC_INNER_PRODUCT)
    graph.hnsw.efConstruction = EF_CONSTRUCTION
    start = time.perf_counter()
    graph.add(rows)
    build = (time.perf_counter() - start) / scan.seconds
    size = faiss.serialize_index(graph).nbytes - rows.nbytes
    lines = [
        f"# HNSW over {N:,} x {rows.shape[1]} vectors, {LINKS} links, efConstruction "
        f"{EF_CONSTRUCTION}, recall@{K}; one thread. Made by benchmarks/index.py --keep.",
        "ef_search\trecall\tspeed_up\tbuild\tbytes",
    ]
    for ef in EF_SEARCH:
        graph.hnsw.efSearch = ef
        found = measured(lambda query: graph.search(query[None], K)[1][0], queries, exact)
        speed_up = scan.seconds / found.seconds
        lines.append(f"{ef}\t{found.recall:.3f}\t{speed_up:.1f}\t{build:.0f}\t{size}")
    print(*lines, sep="\n")
    if "--keep" in sys.argv:
        KEPT.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
