"""Memora Lab: semantic search, built step by step. The public names, in reading order.

A name's module is imported at the name's first use: pydantic, NumPy, matplotlib and the model
take seconds together on a slow machine, and nobody needs all of them at once.
"""

from importlib import import_module

_NAMES = {
    "models": ("MemoryCandidate", "EmbeddedMemoryCandidate", "MemorySearchResult"),
    "settings": ("EMBEDDING_MODEL",),
    "client": ("Endpoint", "current_endpoint", "get_client"),
    "embeddings": ("create_embeddings", "embed_memory_candidates"),
    "replies": ("EmbeddingReplyError",),
    "similarity": ("cosine_similarity",),
    "search": ("SEARCH_TOP_K", "semantic_search", "rank_memories"),
    "store": ("MemoryStore",),
    "plots.fonts": ("use_chinese_font",),
    "plots.scores": ("plot_scores",),
    "exercises.checks": ("check",),
}
_MODULE_OF = {name: module for module, names in _NAMES.items() for name in names}

__all__ = [*_MODULE_OF]


def __getattr__(name: str) -> object:
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_MODULE_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
