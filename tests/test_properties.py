"""What holds for any vectors and any text, at any scale.

The oracle is the definition of the cosine in exact arithmetic, rounded once at the end.
"""

from decimal import Context, Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from openai import BadRequestError
from oracle import plain_search

from memora_lab import (
    EmbeddedMemoryCandidate,
    MemoryStore,
    cosine_similarity,
    create_embeddings,
    rank_memories,
    semantic_search,
)

_PRECISE = Context(prec=60)


def exact_cosine(a, b):
    """In whole numbers of any size, so that nothing is too large or too small."""
    a, b = [Fraction(x) for x in a], [Fraction(x) for x in b]
    dot = sum(x * y for x, y in zip(a, b, strict=True))
    product = sum(x * x for x in a) * sum(y * y for y in b)
    if product == 0:
        return 0.0
    square = dot * dot / product
    root = _PRECISE.sqrt(_PRECISE.divide(Decimal(square.numerator), Decimal(square.denominator)))
    return float(root) if dot >= 0 else -float(root)


ANY_FLOAT = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from([0.0, -0.0, 1.0, -1.0, 5e-324, -5e-324, 2.2e-308, 1.7e308, -1.7e308]),
    st.integers(-2, 2).map(float),
)


@st.composite
def searches(draw, number=ANY_FLOAT):
    """A query and some memories, many of them equal, each at a scale of its own, and a k."""
    d = draw(st.integers(1, 5))
    vector = st.lists(number, min_size=d, max_size=d)
    rows = draw(st.lists(vector, min_size=1, max_size=12))
    rows += draw(st.lists(st.sampled_from(rows), max_size=6))
    return draw(vector), rows, draw(st.integers(1, len(rows) + 2))


def memories_of(rows):
    return [
        EmbeddedMemoryCandidate(content=f"memory {i}", embedding=row)
        for i, row in enumerate(rows, start=1)
    ]


def store_of(rows):
    return MemoryStore.from_vectors([f"memory {i}" for i in range(1, len(rows) + 1)], rows)


def assert_exact(results, query, rows, k):
    """Score and order are those of the definition; of equal vectors the lower number leads."""
    exact = [exact_cosine(row, query) for row in rows]
    assert len(results) == min(k, len(rows))
    best = sorted(exact, reverse=True)
    for result, expected in zip(results, best, strict=False):
        assert result.score == pytest.approx(exact[result.memory_number - 1], abs=1e-12)
        assert result.score == pytest.approx(expected, abs=1e-12)
    scored = [(-result.score, result.memory_number) for result in results]
    assert scored == sorted(scored)
    worst = scored[-1]
    left_out = set(range(1, len(rows) + 1)) - {number for _, number in scored}
    for number in left_out:  # an equal vector with a higher number, or a smaller score
        assert exact[number - 1] <= -worst[0] + 1e-12
        twins = [n for _, n in scored if rows[n - 1] == rows[number - 1]]
        assert all(n < number for n in twins)


@given(searches())
@example(([1e-200, 1e-200], [[1e200, 0.0], [1e-320, 1e-320]], 2))
@example(([5e-324], [[5e-324], [-5e-324], [1.7e308]], 3))
def test_a_list_is_ranked_as_the_definition_says_at_any_scale(search):
    query, rows, k = search
    assert_exact(rank_memories(query, memories_of(rows), k), query, rows, k)


@given(searches())
def test_a_store_is_ranked_as_the_definition_says_of_what_it_keeps(search):
    query, rows, k = search
    store = store_of(rows)
    assert_exact(rank_memories(query, store, k), query, store.matrix.tolist(), k)


@given(searches())
def test_a_store_scores_what_it_was_given_within_the_precision_of_float32(search):
    query, rows, _ = search
    for result in rank_memories(query, store_of(rows), len(rows)):
        exact = exact_cosine(rows[result.memory_number - 1], query)
        assert result.score == pytest.approx(exact, abs=1e-6)


@given(searches(st.floats(-1e100, 1e100).filter(lambda x: x == 0 or abs(x) > 1e-100)))
def test_the_tutorials_loop_agrees_where_it_does_not_overflow(search):
    query, rows, k = search
    found = rank_memories(query, memories_of(rows), k)
    for result, (_, score) in zip(found, plain_search(query, rows, k), strict=True):
        assert result.score == pytest.approx(score, abs=1e-12)


@given(searches(), st.data())
def test_another_memory_anywhere_behind_changes_no_score_and_no_order(search, data):
    query, rows, _ = search
    another = data.draw(st.lists(ANY_FLOAT, min_size=len(query), max_size=len(query)))
    for make in (memories_of, store_of):
        before = rank_memories(query, make(rows), len(rows))
        after = rank_memories(query, make([*rows, another]), len(rows) + 1)
        assert [r for r in after if r.memory_number <= len(rows)] == before


@given(searches(), st.integers(1, 20))
def test_the_first_k_are_the_beginning_of_all(search, k):
    query, rows, _ = search
    for make in (memories_of, store_of):
        everything = rank_memories(query, make(rows), len(rows))
        assert rank_memories(query, make(rows), k) == everything[:k]


@given(searches(st.floats(-1e30, 1e30).filter(lambda x: x == 0 or abs(x) > 1e-30)),
       st.floats(1e-30, 1e30))  # fmt: skip
def test_scaling_a_vector_changes_no_score(search, factor):
    query, rows, k = search
    longer = [[x * factor for x in row] for row in rows]
    for row, scaled in zip(rows, longer, strict=True):
        one, other = cosine_similarity(row, query), cosine_similarity(scaled, query)
        assert one == pytest.approx(other, abs=1e-12)
    for make, error in ((memories_of, 1e-12), (store_of, 1e-6)):
        before = rank_memories(query, make(rows), k)
        after = rank_memories(query, make(longer), k)
        assert [r.score for r in before] == pytest.approx([r.score for r in after], abs=error)


# Any text

CHARACTERS = st.one_of(
    st.characters(),  # any but surrogates
    st.characters(categories=["Cs", "Cc", "Cf", "Co", "Cn"]),
    st.sampled_from(
        "\u202e\u200f\u05d0\u0627\u200d\ufe0f\u0300\u20e3\U0001f468\U0001f3fd\U0001f1f9"
    ),
)
TEXTS = {
    "right to left": "أهلا وسهلا בוקר טוב",
    "turned by a control character": "\u202eabc\u202c \u2067xyz\u2069",
    "a family": "👨‍👩‍👧‍👦",
    "a flag and a skin tone": "🇹🇼👋🏽",
    "a keycap": "1️⃣",
    "marks upon marks": "Z" + "\u0300\u0336\u035b" * 200,
    "control characters": "".join(map(chr, range(32))) + "a",
    "private use and no character": "\ue000\U0010ffff\ufffea",
    "half a character": "a\ud83d",
    "the other half": "\udc4b a",
    "both halves apart": "\ud83d\udc4b",
    "100,000 letters": "a" * 100_000,
    "100,000 words": "a " * 100_000,
    "100,000 Chinese characters": "茶" * 100_000,
    "100,000 emoji": "👍" * 100_000,
    "100,000 spaces": " " * 100_000,
    "100,000 marks": "e" + "\u0301" * 100_000,
    "100,000 zeros": "\x00" * 100_000,
    "one line break among many words": "tea\n" * 3000,
}


def assert_embeds_or_is_refused(text):
    """Three vectors of numbers, or an error that says which of the three texts it is."""
    try:
        vectors, tokens = create_embeddings(["tea", text, "rice"])
    except ValueError as error:
        assert "texts[1] (text 2 of 3)" in str(error)
    except BadRequestError as error:
        place = str(error) + "".join(getattr(error, "__notes__", []))
        assert "input[1]" in place or ("input[0]" in place and "is text 2 of" in place)
    else:
        assert np.isfinite(vectors).all() and len(vectors) == 3
        assert vectors[0] == pytest.approx(create_embeddings(["tea"])[0][0], abs=1e-6)
        assert tokens > 0


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS.keys())
def test_an_unusual_text_embeds_or_is_refused_with_its_position(text):
    assert_embeds_or_is_refused(text)


@given(st.text(CHARACTERS, max_size=40))
@settings(max_examples=150)
def test_any_text_embeds_or_is_refused_with_its_position(text):
    assert_embeds_or_is_refused(text)


@given(st.text(CHARACTERS, max_size=20))
@settings(max_examples=50)
def test_any_text_is_found_again_or_refused_whole(text):
    store = MemoryStore.from_vectors(["tea"], [create_embeddings(["tea"])[0][0]])
    try:
        store.add([text])
    except ValueError:
        assert len(store) == 1
        return
    results, _ = semantic_search(text, store, 2)
    (own,) = [result for result in results if result.content == text]
    assert own.score == pytest.approx(1, abs=1e-5) or not any(store[1].embedding)
