"""Lesson 03: rank by hand, many questions in one request, remember what was asked."""

import math
from collections.abc import Callable, Sequence

from memora_lab.exercises.exercise import Exercise
from memora_lab.models import EmbeddedMemoryCandidate


def _rank_mistake(answer: Callable) -> str:
    query, memories = [1.0, 0.0], [[0.0, 2.0], [4.0, 4.0], [1.0, 0.1], [1.0, 1.0]]
    cosines = [0.0, math.sqrt(0.5), 1 / math.sqrt(1.01), math.sqrt(0.5)]
    dots = [0.0, 4.0, 1.0, 1.0]
    got = answer(query, memories)
    pairs = _pairs(got)
    numbers = [number for number, _ in pairs]
    if sorted(numbers) == [0, 1, 2, 3]:
        return "from_zero"
    if sorted(numbers) != [1, 2, 3, 4]:
        return "shape"
    scores = [score for _, score in sorted(pairs)]
    if not _close(scores, cosines):
        return "no_norms" if _close(scores, dots) else "scores"
    if numbers == [3, 2, 4, 1]:
        return ""
    return {(1, 2, 4, 3): "upwards", (1, 4, 2, 3): "upwards", (3, 4, 2, 1): "ties"}.get(
        tuple(numbers), "unsorted"
    )


def _search_all_mistake(answer: Callable) -> str:
    compass = {"east": [1.0, 0.0], "north": [0.0, 1.0], "west": [-1.0, 0.0]}
    queries = {"up": [0.1, 1.0], "left": [-1.0, 0.1], "right": [1.0, 0.1]}
    calls: list[list[str]] = []

    def embed(texts: Sequence[str]) -> tuple[list[list[float]], int]:
        calls.append(list(texts))
        return [{**compass, **queries}.get(text, [0.0, 0.0]) for text in texts], len(texts)

    memories = [EmbeddedMemoryCandidate(content=t, embedding=v) for t, v in compass.items()]
    got = answer(list(queries), memories, embed)
    asked = [text for call in calls for text in call]
    if set(asked) & set(compass):
        return "memories_again"
    if len(calls) != 1 or asked != list(queries):
        return "one_request"
    mistakes = {(2, 3, 1): "", (1, 2, 0): "from_zero", (3, 1, 3): "farthest"}
    return mistakes.get(tuple(got) if isinstance(got, list | tuple) else (), "wrong")


def _pairs(got: object) -> list[tuple[int, float]]:
    """The answer as (number, score) pairs; none if it is anything else."""
    try:
        return [(int(number), float(score)) for number, score in got]
    except (TypeError, ValueError):
        return []


def _close(scores: Sequence[float], expected: Sequence[float]) -> bool:
    return all(math.isclose(a, b, abs_tol=1e-6) for a, b in zip(scores, expected, strict=True))


_FROM_ZERO = {
    "en": "The memories are counted from 0; Memora counts them from 1.",
    "zh-TW": "記憶從 0 開始編號了；Memora 從 1 開始。",
}

EXERCISES = {
    "rank": Exercise(
        _rank_mistake,
        {
            "shape": {
                "en": "Expected one (number, score) pair for each of the 4 memories.",
                "zh-TW": "4 筆記憶，每筆都要有一組 (編號, 分數)。",
            },
            "from_zero": _FROM_ZERO,
            "no_norms": {
                "en": "These are dot products: they still have to be divided by the two lengths.",
                "zh-TW": "這些是內積：還要除以兩個向量的長度。",
            },
            "scores": {
                "en": "The scores are not the cosines of the query with each memory.",
                "zh-TW": "這些分數不是查詢和每筆記憶的餘弦相似度。",
            },
            "upwards": {
                "en": "Sorted upwards: the farthest memory leads. The highest score comes first.",
                "zh-TW": "由小排到大了，最不像的排在最前面。分數最高的要在最前面。",
            },
            "ties": {
                "en": "Memories 2 and 4 score the same; of equals, the lower number comes first.",
                "zh-TW": "記憶 2 和 4 同分；同分時，編號小的在前。",
            },
            "unsorted": {
                "en": "The scores are right, but the pairs are not sorted by them.",
                "zh-TW": "分數對了，但還沒有按照分數排序。",
            },
        },
        (
            {
                "en": "Hint: make the pairs first, with enumerate(…, start=1), then sort them.",
                "zh-TW": "提示：先用 enumerate(…, start=1) 做出每一組，再排序。",
            },
            {
                "en": "Hint: sorted(pairs, key=lambda pair: (-pair[1], pair[0]))",
                "zh-TW": "提示：sorted(pairs, key=lambda pair: (-pair[1], pair[0]))",
            },
        ),
    ),
    "search_all": Exercise(
        _search_all_mistake,
        {
            "memories_again": {
                "en": "The memories were embedded again: their vectors are in memory.embedding.",
                "zh-TW": "記憶又做了一次 embedding：向量早就在 memory.embedding 裡。",
            },
            "one_request": {
                "en": "embed must be called once, with all the queries in their order.",
                "zh-TW": "embed 只能呼叫一次，一次交出所有查詢，順序不變。",
            },
            "from_zero": _FROM_ZERO,
            "farthest": {
                "en": "These are the farthest memories: take the highest score, not the lowest.",
                "zh-TW": "這些是最不像的記憶：要取最高分，不是最低分。",
            },
            "wrong": {
                "en": "Expected a list with the number of the nearest memory for each query.",
                "zh-TW": "要回傳一個串列：每個查詢各自最接近的記憶編號。",
            },
        },
        (
            {
                "en": "Hint: embed takes a list and keeps its order.",
                "zh-TW": "提示：embed 收的是串列，順序不會變。",
            },
            {
                "en": "Hint: vectors, tokens = embed(queries), then a loop over the vectors.",
                "zh-TW": "提示：先 vectors, tokens = embed(queries)，再用迴圈走過 vectors。",
            },
        ),
    ),
}
