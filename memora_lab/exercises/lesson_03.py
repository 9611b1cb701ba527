"""Lesson 03: rank by hand, many questions in one request, two wishes at once."""

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
    if sorted(number for _, number in pairs) == [1, 2, 3, 4]:
        return "swapped"
    if len(pairs) == 3 and len(set(numbers)) == 3:
        return "cut"
    if sorted(numbers) == [0, 1, 2, 3]:
        return "from_zero"
    if sorted(numbers) != [1, 2, 3, 4]:
        return "shape"
    scores = [score for _, score in sorted(pairs)]
    if not _close(scores, cosines):
        distances = [1 - cosine for cosine in cosines]
        likely = {"no_norms": dots, "distance": distances}
        return next((key for key in likely if _close(scores, likely[key])), "scores")
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


def _best_of_mistake(answer: Callable) -> str:
    queries = [[1.0, 0.0], [0.0, 1.0]]
    memories = [[1.0, 0.9], [0.1, 1.0], [-1.0, -1.0], [1.0, -2.0]]
    cosines = [(x / math.hypot(x, y), y / math.hypot(x, y)) for x, y in memories]
    pairs = _pairs(answer(queries, memories, 3))
    numbers = [number for number, _ in pairs]
    if len(set(numbers)) < len(numbers):
        return "twice"
    if len(numbers) == len(memories):
        return "all"
    if 0 in numbers:
        return "from_zero"
    if len(numbers) != 3 or not set(numbers) <= {1, 2, 3, 4}:
        return "shape"
    told = [cosines[number - 1] for number in numbers]
    scores = [score for _, score in pairs]
    for mistake, combine in (("sum", sum), ("sum", lambda pair: sum(pair) / 2), ("lowest", min)):
        if _close(scores, [combine(pair) for pair in told]):
            return mistake
    if not _close(scores, [max(pair) for pair in told]):
        dots = [max(memories[number - 1]) for number in numbers]
        return "no_norms" if _close(scores, dots) else "scores"
    if numbers != [2, 1, 4]:
        return "unsorted"
    # All cosines below 0, and room for one.
    far = _pairs(answer([[1.0, 0.0]], [[-1.0, 1.0], [-1.0, 0.2]], 1))
    if len(far) != 1:
        return "all"
    return "" if _close([far[0][1]], [-math.sqrt(0.5)]) else "negative"


def _pairs(got: object) -> list[tuple[int, float]]:
    """The answer as (number, score) pairs; none if it is anything else."""
    try:
        return [(int(number), float(score)) for number, score in got]
    except (TypeError, ValueError):
        return []


def _close(scores: Sequence[float], expected: Sequence[float]) -> bool:
    """Scores rounded to two digits are as good."""
    return all(math.isclose(a, b, abs_tol=6e-3) for a, b in zip(scores, expected, strict=True))


_FROM_ZERO = {
    "en": "The memories are counted from 0; Memora counts them from 1.",
    "zh-TW": "記憶從 0 開始編號了；Memora 從 1 開始。",
}

_NO_NORMS = {
    "en": "These are dot products: they still have to be divided by the two lengths.",
    "zh-TW": "這些是內積：還要除以兩個向量的長度。",
}
_USE_COSINE = (
    {
        "en": "Hint: `cosine` from above divides by both lengths.",
        "zh-TW": "提示：上面的 `cosine` 會除以兩個長度。",
    },
    {
        "en": "Hint: score = cosine(query_vector, vector)",
        "zh-TW": "提示：score = cosine(query_vector, vector)",
    },
)
_SORT = (
    {
        "en": "Hint: `sorted` goes upwards; a minus sign in its key turns it round.",
        "zh-TW": "提示：`sorted` 由小到大排；在 key 裡加負號，就會反過來。",
    },
    {
        "en": "Hint: sorted(pairs, key=lambda pair: (-pair[1], pair[0]))",
        "zh-TW": "提示：sorted(pairs, key=lambda pair: (-pair[1], pair[0]))",
    },
)

EXERCISES = {
    "rank": Exercise(
        _rank_mistake,
        {
            "shape": {
                "en": "Expected one (number, score) pair for each of the 4 memories.",
                "zh-TW": "4 筆記憶，每筆都要有一組 (編號, 分數)。",
            },
            "swapped": {
                "en": "The pairs are the wrong way round: the number first, then the score.",
                "zh-TW": "順序反了：編號在前，分數在後。",
            },
            "cut": {
                "en": "Only three came back: here every memory is ranked, all 4 of them.",
                "zh-TW": "只回傳了三組：這裡每一筆記憶都要排，4 筆全部。",
            },
            "from_zero": _FROM_ZERO,
            "no_norms": _NO_NORMS,
            "distance": {
                "en": "These are 1 - cosine, a distance: near is small there. Give the cosine.",
                "zh-TW": "這些是 1 - 餘弦，也就是距離，越近越小。請給餘弦。",
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
        {key: _USE_COSINE for key in ("no_norms", "distance", "scores")}
        | {key: _SORT for key in ("upwards", "ties", "unsorted")},
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
                "en": "Hint: embed takes a list and gives back two things: the vectors, in the "
                "same order, and the tokens.",
                "zh-TW": "提示：embed 收的是串列，回傳兩樣東西：順序相同的向量，和 token 數。",
            },
            {
                "en": "Hint: vectors, tokens = embed(queries), then a loop over the vectors.",
                "zh-TW": "提示：先 vectors, tokens = embed(queries)，再用迴圈走過 vectors。",
            },
        ),
    ),
    "best_of": Exercise(
        _best_of_mistake,
        {
            "twice": {
                "en": "A memory is there twice: first take its best score, then sort.",
                "zh-TW": "同一筆記憶出現兩次：先取它的最高分，再排序。",
            },
            "all": {
                "en": "All memories came back: keep the first top_k.",
                "zh-TW": "所有記憶都回來了：只留前 top_k 筆。",
            },
            "from_zero": _FROM_ZERO,
            "shape": {
                "en": "Expected top_k pairs (number, score).",
                "zh-TW": "要回傳 top_k 組 (編號, 分數)。",
            },
            "sum": {
                "en": "The scores were added or averaged: a memory that fits one wish is enough.",
                "zh-TW": "分數被加總或平均了：符合其中一個要求就夠了。",
            },
            "no_norms": _NO_NORMS,
            "negative": {
                "en": "A cosine can be below 0: do not let the best score begin at 0.",
                "zh-TW": "餘弦可能小於 0：最高分不要從 0 開始。",
            },
            "lowest": {
                "en": "These are the lowest of the cosines: take the highest for each memory.",
                "zh-TW": "取成最低的餘弦了：每筆記憶要取最高的那一個。",
            },
            "scores": {
                "en": "The scores are not the highest cosine of each memory with the queries.",
                "zh-TW": "這些分數不是每筆記憶和各個查詢的最高餘弦。",
            },
            "unsorted": {
                "en": "The scores are right, but the highest does not come first.",
                "zh-TW": "分數對了，但最高的沒有排在最前面。",
            },
        },
        (
            {
                "en": "Hint: a memory gets max(cosine(query, vector) for query in query_vectors).",
                "zh-TW": "提示：一筆記憶取 max(cosine(query, vector) for query in query_vectors)。",
            },
            {
                "en": "Hint: make a (number, best score) pair for each memory, sort as in "
                "exercise 1, and cut with [:top_k].",
                "zh-TW": "提示：每筆記憶一組 (編號, 最高分)，像練習 1 那樣排序，再取 [:top_k]。",
            },
        ),
        {"no_norms": _USE_COSINE, "unsorted": _SORT},
    ),
}
