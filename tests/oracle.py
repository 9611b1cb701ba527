"""The tutorial's search, written out in plain Python: what every result is held against."""

import math
from collections.abc import Sequence


def plain_cosine(a: Sequence[float], b: Sequence[float]) -> float:
    dot = sum(x * y for x, y in zip(a, b, strict=True))
    norm_a = math.sqrt(sum(x * x for x in a))
    norm_b = math.sqrt(sum(y * y for y in b))
    if norm_a == 0 or norm_b == 0:
        return 0.0
    return dot / (norm_a * norm_b)


def plain_search(
    query: Sequence[float], vectors: Sequence[Sequence[float]], top_k: int
) -> list[tuple[int, float]]:
    """The number and the score of the `top_k` nearest; of equals, the lower number first."""
    scores = [
        (number, plain_cosine(vector, query)) for number, vector in enumerate(vectors, start=1)
    ]
    return sorted(scores, key=lambda pair: (-pair[1], pair[0]))[:top_k]
