"""Vectors of the labelled data from a second model, so that two models can be compared.

The model is multilingual-e5-small; its vectors are kept in a file, and the course needs no
second model installed. `tools/make_e5_vectors.py` makes the file.
"""

import hashlib
from collections.abc import Iterable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from memora_lab.data.labelled import LabelledMemory, LabelledQuery, load_memories, load_queries

E5_FILE = Path(__file__).resolve().parent / "e5_small.npz"


def load_e5_vectors(language: str = "en") -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """The vectors of the course's memories, (n, 384), and of its queries, (m, 384).

    float32, in the order of the files; each row's length is 1 but for the rounding to float16
    they were kept in, so a dot product is a cosine. Raises ValueError for an unknown language,
    and if the vectors were made of other ids or other texts than the files hold now.
    """
    memories = load_memories(language)
    queries = load_queries(language, memories=memories)
    found = []
    with np.load(E5_FILE, allow_pickle=False) as arrays:
        for name, items in (("memories", memories), ("queries", queries)):
            array = f"{name}_{language.replace('-', '_')}"
            made_of = (arrays[f"{name}_ids"].tolist(), str(arrays[f"{array}_digest"]))
            if made_of != ([item.id for item in items], digest(items)):
                raise ValueError(
                    f"{E5_FILE.name} was made of another {name}.tsv: run tools/make_e5_vectors.py"
                )
            found.append(arrays[array].astype(np.float32))
    return found[0], found[1]


def digest(items: Iterable[LabelledMemory | LabelledQuery]) -> str:
    """A fingerprint of the texts: an edited text keeps its id, but not its vector."""
    return hashlib.sha256("\n".join(item.text for item in items).encode()).hexdigest()
