"""Memora Lab: semantic search, built step by step. The public names, in reading order."""

from memora_lab.client import EMBEDDING_MODEL, Endpoint, current_endpoint, get_client
from memora_lab.embeddings import create_embeddings, embed_memory_candidates
from memora_lab.models import EmbeddedMemoryCandidate, MemoryCandidate, MemorySearchResult
from memora_lab.replies import EmbeddingReplyError
from memora_lab.search import SEARCH_TOP_K, rank_memories, semantic_search
from memora_lab.similarity import cosine_similarity
from memora_lab.store import MemoryStore

__all__ = [
    "MemoryCandidate",
    "EmbeddedMemoryCandidate",
    "MemorySearchResult",
    "EMBEDDING_MODEL",
    "Endpoint",
    "current_endpoint",
    "get_client",
    "create_embeddings",
    "embed_memory_candidates",
    "EmbeddingReplyError",
    "cosine_similarity",
    "SEARCH_TOP_K",
    "semantic_search",
    "rank_memories",
    "MemoryStore",
]
