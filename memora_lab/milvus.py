"""MilvusMemories: memories in a vector database, in a folder or on a server, by its address.

    memories = MilvusMemories("memora.db")  # or "http://host:19530": a server, or a cluster
    memories.add(store)
    results, tokens = memories.search("Help me on my trip", topic="travel", since="2026-01-01")
    memories.close()

Milvus finds the candidates; they are scored again as `semantic_search` scores, so that over an
exact index both give the same. What is not here: deleting, partitions, rights.
"""

import math
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from memora_lab.embeddings import embed
from memora_lab.milvus_columns import COLUMNS, MODEL_PROPERTY, condition, create, row_of
from memora_lab.milvus_connection import Connection
from memora_lab.models import MemorySearchResult
from memora_lab.search import SEARCH_TOP_K, check_query, checked_top_k, reach_of_rounding
from memora_lab.settings import read_settings
from memora_lab.similarity import as_vector, cosine_scores, with_squares
from memora_lab.store import MemoryStore

if TYPE_CHECKING:
    from openai import OpenAI

FOLDER = "memora.db"
_INDEXES = {"FLAT": {}, "HNSW": {"M": 16, "efConstruction": 200}}

_MOST = 16_384  # hits that a server gives to one query
_BATCH = 500  # rows in one request: of the longest texts, half of what a server takes
_SEARCH, _BUILD = 60, 3600  # seconds; a server just started again may need thirty


class MilvusMemories:
    """A collection of memories of one model in Milvus, which outlives the program.

    uri: a folder whose name ends in .db, kept by Milvus Lite within this process, or the
    address of a Milvus server; by default MEMORA_URI, else the folder memora.db. A server's
    token is MEMORA_TOKEN. Use it in a `with`, or close it: only one program at a time can have
    a folder open.

    Raises ImportError if Milvus is not installed, OSError if the folder or the server cannot be
    opened, ValueError for no address and for a collection that is not Memora's.
    """

    def __init__(self, uri: str | Path | None = None, *, collection: str = "memories") -> None:
        settings = read_settings()
        uri = str(uri or settings.get("MEMORA_URI", FOLDER)).strip().rstrip("/\\")
        self._connection = Connection(uri, settings.get("MEMORA_TOKEN", ""))
        self._client, self._told = self._connection.client, self._connection.told
        self.collection = collection
        self.model: str | None = None
        self.dimensions: int | None = None
        try:
            self._exists()
        except BaseException:
            self.close()
            raise

    def add(self, store: MemoryStore) -> None:
        """Write the memories of the store under their numbers, over those that are there.

        Of the metadata, `topic` and `date` (YYYY-MM-DD) are kept, to be filtered by. After an
        error it may be called again. Raises ValueError, before anything is written, for a
        store of another model or other dimensions and for a memory that Milvus cannot hold.
        """
        rows = [row_of(store, index) for index in range(len(store))]
        if not rows:
            return
        with self._told():
            if self._exists():
                self._check_kind(store)
            else:
                create(self._client, self.collection, store)
                self.model, self.dimensions = store.model, store.dimensions
            for start in range(0, len(rows), _BATCH):
                part = slice(start, start + _BATCH)
                pairs = zip(rows[part], store.matrix[part], strict=True)
                batch = [{**row, "vector": vector} for row, vector in pairs]
                # Not insert: a server would keep the old row beside the new.
                self._client.upsert(self.collection, batch, timeout=_BUILD)
            self._client.flush(self.collection, timeout=_BUILD)
            self._load()

    def build_index(self, kind: str) -> None:
        """Put another index in place of the one there is: FLAT, exact, or HNSW, approximate.

        A collection begins with FLAT.
        """
        if kind not in _INDEXES:
            raise ValueError(f"the index must be one of {', '.join(_INDEXES)}, got {kind!r}")
        if not self._exists():
            raise ValueError("there is nothing to build an index of: add memories first")
        with self._told():
            self._client.release_collection(self.collection, timeout=_BUILD)
            for name in self._client.list_indexes(self.collection):
                self._client.drop_index(self.collection, name, timeout=_BUILD)
            self._load(kind)

    def search(
        self,
        query: str,
        top_k: int = SEARCH_TOP_K,
        *,
        topic: str | None = None,
        since: str | date | None = None,
        until: str | date | None = None,
        client: "OpenAI | None" = None,
        model: str | None = None,
    ) -> tuple[list[MemorySearchResult], int]:
        """`semantic_search` among the memories of a topic and of the days from since to until.

        Both days count; with one of them, a memory without a date is left out. Raises what
        `semantic_search` raises, ValueError for a topic or a day that is none, and OSError if
        Milvus does not answer.
        """
        check_query(query)
        k, where = checked_top_k(top_k), condition(topic, since, until)
        if not self._exists():
            return [], 0
        vectors, tokens, made_by = embed([query], client=client, model=model)
        if self.model not in (None, made_by):
            raise ValueError(
                f"the query was embedded by {made_by}, the memories by {self.model}: "
                "embed both with the same model"
            )
        return self._rank(vectors[0], k, where), tokens

    def rank(
        self,
        query_embedding: ArrayLike,
        top_k: int = SEARCH_TOP_K,
        *,
        topic: str | None = None,
        since: str | date | None = None,
        until: str | date | None = None,
    ) -> list[MemorySearchResult]:
        """`search` with the query's vector at hand: d numbers of the memories' model."""
        k, where = checked_top_k(top_k), condition(topic, since, until)
        return self._rank(query_embedding, k, where) if self._exists() else []

    def close(self) -> None:
        """Let go of the server, or of the folder, if nothing else in this program has it open."""
        self._connection.close()

    def __enter__(self) -> "MilvusMemories":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __len__(self) -> int:
        if not self._exists():
            return 0
        with self._told():
            count = self._client.query(self.collection, output_fields=["count(*)"], timeout=_SEARCH)
        return count[0]["count(*)"]

    def __repr__(self) -> str:
        return f"MilvusMemories({self._connection.shown}, {self.collection}, {self.model})"

    def _exists(self) -> bool:
        """Whether the collection is there, read and loaded; it may come from another program."""
        if self.dimensions is not None:
            return True
        with self._told():
            if not self._client.has_collection(self.collection, timeout=_SEARCH):
                return False
            about = self._client.describe_collection(self.collection, timeout=_SEARCH)
            columns = {column["name"]: column for column in about["fields"]}
            if set(columns) != set(COLUMNS):
                raise ValueError(
                    f"{self.collection!r} at {self._connection.shown} is not Memora's, it has the "
                    f"columns {', '.join(columns)}: give another name as collection"
                )
            self._load()
            self.model = about["properties"].get(MODEL_PROPERTY) or None
            self.dimensions = int(columns["vector"]["params"]["dim"])
        return True

    def _check_kind(self, store: MemoryStore) -> None:
        models = {self.model, store.model} - {None}
        if len(models) > 1 or store.dimensions != self.dimensions:
            raise ValueError(
                f"{self.collection!r} at {self._connection.shown} holds {self.dimensions} "
                f"dimensions of {self.model}, the store {store.dimensions} of {store.model}: "
                "give another name as collection"
            )

    def _load(self, kind: str = "FLAT") -> None:
        """Make it ready for searches, with this index if it has none."""
        if not self._client.list_indexes(self.collection):
            index = self._client.prepare_index_params()
            index.add_index("vector", index_type=kind, metric_type="COSINE", params=_INDEXES[kind])
            self._client.create_index(self.collection, index, timeout=_BUILD)
        self._client.load_collection(self.collection, timeout=_BUILD)

    def _rank(self, query_embedding: ArrayLike, k: int, where: str) -> list[MemorySearchResult]:
        query = as_vector(query_embedding, "the query")
        if len(query) != self.dimensions:
            raise ValueError(
                f"the query has {len(query)} dimensions, the memories have {self.dimensions}: "
                "embed both with the same model"
            )
        hits = self._candidates(query, k, where)
        if not hits:
            return []
        scores = cosine_scores(np.array([hit["vector"] for hit in hits], np.float32), query)
        ranked = sorted(
            zip(scores.tolist(), hits, strict=True),
            key=lambda scored: (-scored[0], scored[1]["memory_number"]),
        )
        return [
            MemorySearchResult(memory_number=hit["memory_number"], content=hit["text"], score=score)
            for score, hit in ranked[:k]
        ]

    def _candidates(self, query: NDArray[np.float64], k: int, where: str) -> list[dict]:
        """Every hit that may be among the k nearest, and some more.

        Milvus computes in float32. What lies further below the k-th hit than the roundings
        reach (see search.py) cannot belong to the best k, so more hits are asked for until
        the last one does.
        """
        (query,), (square,) = with_squares(query[np.newaxis])
        unit = (query / (math.sqrt(square) or 1.0)).astype(np.float32)
        reach = reach_of_rounding(len(query))
        limit = min(k + 8, _MOST)
        while True:
            with self._told():
                (hits,) = self._client.search(
                    self.collection,
                    data=[unit],
                    filter=where,
                    limit=limit,
                    output_fields=["memory_number", "text", "vector"],
                    search_params={"metric_type": "COSINE", "params": {"ef": max(64, limit)}},
                    timeout=_SEARCH,
                )
            if len(hits) < limit or limit == _MOST:
                break
            if hits[-1]["distance"] < hits[k - 1]["distance"] - reach:
                break
            limit = min(4 * limit, _MOST)
        if len(hits) == _MOST < k:
            raise ValueError(f"top_k is {k}: of so many memories, Milvus ranks {_MOST:,} at most")
        return [hit["entity"] for hit in hits]
