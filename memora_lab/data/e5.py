"""Vectors of the labelled data from a second model, so that two models can be compared.

The model is multilingual-e5-small; its vectors are kept in a file beside the data, and the
course needs no second model installed. `tools/make_e5_vectors.py` makes the file.
"""

import hashlib
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from memora_lab.data.labelled import (
    LabelledMemory,
    LabelledQuery,
    data_folder,
    load_memories,
    load_queries,
)
from memora_lab.data.words import said

E5_NAME = "e5_small.npz"
"""The file's name, in the folder of the data."""


def load_e5_vectors(language: str = "en") -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """The vectors of the memories, (n, 384), and of the queries, (m, 384), of `data_folder()`.

    float32, in the order of the files; each row's length is 1 but for the rounding to float16
    they were kept in, so a dot product is a cosine. Raises ValueError for an unknown language,
    and if there are no vectors of these ids and texts.
    """
    found = []
    labelled = (("memories", load_memories(language)), ("queries", load_queries(language)))
    path = data_folder() / E5_NAME
    if not path.is_file():
        raise ValueError(said("no vectors", language))
    with np.load(path, allow_pickle=False) as arrays:
        for name, items in labelled:
            array = f"{name}_{language.replace('-', '_')}"
            made_of = (arrays[f"{name}_ids"].tolist(), str(arrays[f"{array}_digest"]))
            if made_of != ([item.id for item in items], digest(items)):
                raise ValueError(said("no vectors", language))
            found.append(arrays[array].astype(np.float32))
    return found[0], found[1]


def digest(items: Iterable[LabelledMemory | LabelledQuery]) -> str:
    """A fingerprint of the texts: an edited text keeps its id, but not its vector."""
    return hashlib.sha256("\n".join(item.text for item in items).encode()).hexdigest()
