"""search.py: against the tutorial's loop, by hand, by properties, and over the wire."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle import plain_cosine, plain_search
from server import MODEL, Reply, good_body

from memora_lab import (
    SEARCH_TOP_K,
    EmbeddedMemoryCandidate,
    MemoryStore,
    create_embeddings,
    embed_memory_candidates,
    rank_memories,
    semantic_search,
)
from memora_lab.models import MemoryCandidate

numbers = st.floats(-1e3, 1e3).map(lambda x: 0.0 if abs(x) < 1e-3 else x)
vectors = st.integers(1, 6).flatmap(
    lambda d: st.tuples(
        st.lists(numbers, min_size=d, max_size=d),
        st.lists(st.lists(numbers, min_size=d, max_size=d), min_size=1, max_size=25),
    )
)
few_vectors = st.tuples(  # so few numbers that many vectors are equal
    st.lists(st.integers(-1, 1), min_size=2, max_size=2),
    st.lists(st.lists(st.integers(-1, 1), min_size=2, max_size=2), min_size=1, max_size=25),
)
top_ks = st.integers(1, 30)


def memories_of(rows, model=None):
    return [
        EmbeddedMemoryCandidate(content=f"memory {i}", embedding=row, model=model)
        for i, row in enumerate(rows, start=1)
    ]


def store_of(rows, model=None):
    texts = [f"memory {i}" for i in range(1, len(rows) + 1)]
    return MemoryStore.from_vectors(texts, rows, model=model)


def pairs(results):
    return [(result.memory_number, result.score) for result in results]


def assert_as_the_oracle(results, query, rows, top_k):
    """Numbers, order and scores. The oracle's own last bits may order equal scores otherwise."""
    expected = plain_search(query, rows, top_k)
    assert len(results) == len(expected)
    for result, (number, score) in zip(results, expected, strict=True):
        assert result.score == pytest.approx(score, abs=1e-12)
        own = plain_cosine(rows[result.memory_number - 1], query)
        assert result.score == pytest.approx(own, abs=1e-12)
        assert result.memory_number == number or own == pytest.approx(score, abs=1e-12)
        assert result.content == f"memory {result.memory_number}"


# The tutorial's loop


@given(vectors, top_ks)
def test_a_list_gives_what_the_tutorials_loop_gives(given_vectors, top_k):
    query, rows = given_vectors
    assert_as_the_oracle(rank_memories(query, memories_of(rows), top_k), query, rows, top_k)


@given(vectors, top_ks)
def test_a_store_gives_what_the_tutorials_loop_gives_over_its_rows(given_vectors, top_k):
    query, rows = given_vectors
    store = store_of(rows)
    results = rank_memories(query, store, top_k)
    assert_as_the_oracle(results, query, store.matrix.tolist(), top_k)


@given(vectors, top_ks)
def test_a_store_and_its_memories_as_a_list_give_the_same(given_vectors, top_k):
    query, rows = given_vectors
    store = store_of(rows)
    assert rank_memories(query, store, top_k) == rank_memories(query, list(store), top_k)


@given(few_vectors, top_ks)
def test_of_equal_vectors_the_lower_number_leads(given_vectors, top_k):
    query, rows = given_vectors
    for memories in (memories_of(rows), store_of(rows)):
        found = [
            (result.score, tuple(rows[result.memory_number - 1]), result.memory_number)
            for result in rank_memories(query, memories, top_k)
        ]
        for score, row, number in found:
            lower = [i for i in range(1, number) if tuple(rows[i - 1]) == row]
            assert [n for s, r, n in found if r == row and n < number] == lower
            assert {s for s, r, _ in found if r == row} == {score}


@pytest.mark.parametrize("d", [1, 2, 3, 8, 64, 512, 1536])
@pytest.mark.parametrize("spread", [1e-7, 1e-5, 1e-3, 1.0])
def test_a_store_finds_the_nearest_among_rows_that_float32_cannot_tell_apart(d, spread):
    rng = np.random.default_rng(d)
    base = rng.standard_normal(d)
    rows = (base * (1 + spread * rng.standard_normal((300, d)))).astype(np.float32)
    rows[200:] = rows[:100]
    store, query = store_of(rows), base * (1 + spread * rng.standard_normal(d))
    for top_k in (1, 3, 150, 299):
        assert rank_memories(query, store, top_k) == rank_memories(query, list(store), top_k)


@pytest.mark.parametrize("n", [255, 256, 257, 5000, 5001])
@pytest.mark.parametrize("order", ["random", "rising", "falling", "few values", "all equal"])
def test_a_store_of_many_finds_what_their_list_finds(n, order):
    angles = np.random.default_rng(n).uniform(0, np.pi, n)
    angles = {
        "random": angles,
        "rising": np.sort(angles)[::-1],
        "falling": np.sort(angles),
        "few values": np.round(angles),
        "all equal": np.ones(n),
    }[order]
    store = store_of(np.stack([np.cos(angles), np.sin(angles)], axis=1))
    everything = rank_memories([1, 0], store, n)
    assert everything == rank_memories([1, 0], list(store), n)
    for top_k in (1, 2, 3, 10, 19, 20, 64, n - 1):
        assert rank_memories([1, 0], store, top_k) == everything[:top_k]


@given(vectors, st.lists(numbers, min_size=1, max_size=6))
def test_another_memory_never_changes_the_order_of_the_others(given_vectors, more):
    query, rows = given_vectors
    another = (more * len(query))[: len(query)]
    for make in (memories_of, store_of):
        before = pairs(rank_memories(query, make(rows), len(rows)))
        after = pairs(rank_memories(query, make([*rows, another]), len(rows) + 1))
        assert [pair for pair in after if pair[0] <= len(rows)] == before


@given(vectors, top_ks, st.integers(-60, 60))
def test_a_longer_or_shorter_query_finds_the_same(given_vectors, top_k, power):
    query, rows = given_vectors
    scaled = [number * 2.0**power for number in query]
    for memories in (memories_of(rows), store_of(rows)):
        assert rank_memories(scaled, memories, top_k) == rank_memories(query, memories, top_k)


# By hand


@pytest.mark.parametrize("make", [memories_of, store_of])
def test_a_case_worked_by_hand(make):
    results = rank_memories([1, 0], make([[0, 1], [1, 1], [2, 0], [-1, 0]]), 3)
    assert [result.memory_number for result in results] == [3, 2, 1]
    assert [result.content for result in results] == ["memory 3", "memory 2", "memory 1"]
    assert [r.score for r in results] == pytest.approx([1, math.sqrt(0.5), 0], abs=1e-15)


@pytest.mark.parametrize("make", [memories_of, store_of])
def test_ties_are_ordered_by_number(make):
    rows = [[1, 1], [1, 0], [1, 1], [1, 0], [1, 1]]
    assert [number for number, _ in pairs(rank_memories([1, 0], make(rows), 4))] == [2, 4, 1, 3]


@pytest.mark.parametrize("make", [memories_of, store_of])
@pytest.mark.parametrize("scale", [1e200, 1e-200, 1e110, 1e-110, 1e30, 1e-30, 1])
@pytest.mark.parametrize("query_scale", [1e200, 1e-200, 1e110, 1])
def test_huge_and_tiny_memories_score_correctly(make, scale, query_scale):
    rows = np.array([[4, 3], [3, 4], [0, 0], [-3, -4]]) * scale
    results = rank_memories(np.array([3, 4]) * query_scale, make(rows), 3)
    assert [result.memory_number for result in results] == [2, 1, 3]
    assert [r.score for r in results] == pytest.approx([1, 0.96, 0], abs=1e-6)


@pytest.mark.parametrize("make", [memories_of, store_of])
def test_a_memory_of_zeros_scores_zero(make):
    assert pairs(rank_memories([1, 0], make([[-1, 0], [0, 0]]), 2)) == [(2, 0.0), (1, -1.0)]


@pytest.mark.parametrize("make", [memories_of, store_of])
def test_a_query_of_zeros_scores_zero_with_all(make):
    assert pairs(rank_memories([0, 0], make([[1, 0], [0, 1], [0, 0]]), 2)) == [(1, 0.0), (2, 0.0)]


@pytest.mark.parametrize("make", [memories_of, store_of])
@pytest.mark.parametrize("top_k", [3, 4, 10**30])
def test_fewer_memories_than_top_k_are_all_found(make, top_k):
    assert len(rank_memories([1, 0], make([[1, 0], [0, 1], [1, 1]]), top_k)) == 3


@pytest.mark.parametrize("memories", [[], MemoryStore()])
def test_no_memories_rank_to_nothing(memories):
    assert rank_memories([1, 0], memories) == []


def test_a_score_is_a_plain_float_and_a_number_a_plain_int():
    for memories in (memories_of([[1, 0]]), store_of([[1, 0]])):
        (result,) = rank_memories(np.array([1, 0]), memories)
        assert (type(result.score), type(result.memory_number)) == (float, int)


def test_it_takes_any_iterable_of_memories():
    assert len(rank_memories([1, 0], iter(memories_of([[1, 0], [0, 1]])))) == 2


# Over the wire


def test_the_tutorials_call(client):
    memories, _ = embed_memory_candidates([MemoryCandidate(content=t) for t in ("ab", "b", "aac")])
    results, tokens = semantic_search("aa", memories, 2)
    assert [result.content for result in results] == ["aac", "ab"]
    assert tokens == 2


def test_three_results_by_default(client):
    assert SEARCH_TOP_K == 3
    assert len(semantic_search("a", memories_of([[1, 0, 0]] * 5))[0]) == 3


@pytest.mark.parametrize("make", [memories_of, store_of])
def test_a_search_over_a_thousand_memories_is_one_request_with_one_text(client, server, make):
    rows = np.random.default_rng(0).standard_normal((1000, 3)).tolist()
    semantic_search("abc", make(rows, MODEL))
    assert [request["input"] for request in server.requests] == [["abc"]]


@pytest.mark.parametrize("memories", [[], MemoryStore()])
def test_no_memories_need_no_request(client, server, memories):
    assert semantic_search("abc", memories) == ([], 0)
    assert server.requests == []


def test_the_client_and_the_model_can_be_passed_in(client, server, monkeypatch):
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/v1")
    semantic_search("abc", memories_of([[1, 0, 0]]), client=client, model="other")
    assert [request["model"] for request in server.requests] == ["other"]


@pytest.mark.parametrize("query", ["", " ", "\n", "\u3000", "\u200b", " \ufeff\u3000"])
def test_a_blank_query_is_refused_before_a_request(client, server, query):
    with pytest.raises(ValueError, match=r"^Search query cannot be empty\.$"):
        semantic_search(query, memories_of([[1, 0, 0]]))
    with pytest.raises(ValueError, match=r"^Search query cannot be empty\.$"):
        semantic_search(query, [])
    assert server.requests == []


@pytest.mark.parametrize("query", [None, 1, b"tea", ["tea"]])
def test_a_query_that_is_no_string_is_refused_before_a_request(client, server, query):
    with pytest.raises(TypeError, match="search query must be a string"):
        semantic_search(query, memories_of([[1, 0, 0]]))
    assert server.requests == []


@pytest.mark.parametrize("top_k", [0, -1, True, False, 2.0, 1.5, None, "3", np.True_, [1]])
def test_a_top_k_that_is_no_whole_number_of_at_least_one_is_refused(client, server, top_k):
    for memories in (memories_of([[1, 0, 0]]), store_of([[1, 0, 0]]), []):
        with pytest.raises(ValueError, match="top_k must be a whole number of at least 1"):
            semantic_search("abc", memories, top_k)
        with pytest.raises(ValueError, match="top_k must be a whole number of at least 1"):
            rank_memories([1, 0, 0], memories, top_k)
    assert server.requests == []


def test_a_numpy_integer_is_a_whole_number():
    assert len(rank_memories([1, 0], memories_of([[1, 0]] * 3), np.int64(2))) == 2


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_a_number_that_is_not_finite_is_refused_before_a_request(client, server, bad):
    memories = memories_of([[1, 0, 0], [1, 0, 0], [1, bad, 0]])
    with pytest.raises(ValueError, match="memory 3 must hold finite numbers"):
        semantic_search("abc", memories)
    assert server.requests == []


@pytest.mark.parametrize("bad", [["a", 1, 2], [None, 1, 2], [[1], [2], [3]], [10**400, 1, 2]])
def test_an_embedding_spoilt_after_it_was_made_is_refused_by_its_number(client, server, bad):
    memories = memories_of([[1, 0, 0], [1, 0, 0]])
    memories[1].embedding = bad
    with pytest.raises(ValueError, match="memory 2 must"):
        semantic_search("abc", memories)
    assert server.requests == []


@pytest.mark.parametrize("memories", ["abc", ["tea"], [None], [MemoryCandidate(content="tea")]])
def test_what_is_no_embedded_memory_is_refused_before_a_request(client, server, memories):
    with pytest.raises(TypeError, match="memory 1 must be an EmbeddedMemoryCandidate"):
        semantic_search("abc", memories)
    assert server.requests == []


def test_an_empty_vector_is_refused_before_a_request(client, server):
    with pytest.raises(ValueError, match="memory 1 has an empty vector"):
        semantic_search("abc", memories_of([[]]))
    assert server.requests == []


def test_a_query_that_is_not_finite_is_refused():
    with pytest.raises(ValueError, match="the query must hold finite numbers"):
        rank_memories([1, math.nan], memories_of([[1, 0]]))


# The same model on both sides


def test_memories_of_mixed_models_are_refused_before_a_request(client, server):
    memories = memories_of([[1, 0, 0]] * 2, "one") + memories_of([[1, 0, 0]], "two")
    with pytest.raises(ValueError, match="memory 3 was embedded by two, memory 1 by one"):
        semantic_search("abc", memories)
    assert server.requests == []


def test_memories_of_mixed_dimensions_are_refused_before_a_request(client, server):
    with pytest.raises(ValueError, match="memory 2 has 2 dimensions, memory 1 has 3"):
        semantic_search("abc", memories_of([[1, 0, 0], [1, 0]]))
    assert server.requests == []


@pytest.mark.parametrize("make", [memories_of, store_of])
def test_memories_of_another_model_are_refused_even_at_equal_dimensions(client, make):
    message = f"the query was embedded by {MODEL}, memory 1 by another-model"
    with pytest.raises(ValueError, match=message):
        semantic_search("abc", make([[1, 0, 0]], "another-model"))


def test_the_memory_that_names_the_other_model_is_named(client):
    memories = memories_of([[1, 0, 0]]) + memories_of([[1, 0, 0]], "another-model")
    with pytest.raises(ValueError, match="memory 2 by another-model"):
        semantic_search("abc", memories)


@pytest.mark.parametrize("make", [memories_of, store_of])
def test_memories_of_another_dimension_are_refused(client, make):
    with pytest.raises(ValueError, match="the query has 3 dimensions, memory 1 has 2"):
        semantic_search("abc", make([[1, 0]]))


@pytest.mark.parametrize("make", [memories_of, store_of])
def test_memories_without_a_model_are_checked_by_dimension_alone(client, make):
    assert len(semantic_search("abc", make([[1, 0, 0]]))[0]) == 1


def test_the_model_that_counts_is_the_one_that_answered(client, server):
    memories, _ = embed_memory_candidates([MemoryCandidate(content="ab")])
    assert memories[0].model == MODEL
    server.next(Reply(good_body(["abc"], model="replaced")))
    with pytest.raises(ValueError, match=f"embedded by replaced, memory 1 by {MODEL}"):
        semantic_search("abc", memories)


def test_searching_leaves_the_memories_as_they_were(client):
    vectors, _ = create_embeddings(["ab", "c"])
    memories = memories_of(vectors, MODEL)
    copies = [memory.model_copy(deep=True) for memory in memories]
    semantic_search("abc", memories)
    assert memories == copies


def test_one_memory_in_place_of_a_list_is_told():
    memory = EmbeddedMemoryCandidate(content="a", embedding=[1.0])
    with pytest.raises(TypeError, match=r"got one memory: write \[memory\]"):
        rank_memories([1.0], memory)
