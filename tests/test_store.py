"""store.py: a sequence over one matrix; what is added is added whole or not at all."""

import math
import tracemalloc
from collections.abc import Sequence
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from openai import APIConnectionError, BadRequestError, OpenAI, OpenAIError
from oracle import plain_cosine
from server import MODEL, Reply, good_body, toy_vector

from memora_lab import (
    EmbeddedMemoryCandidate,
    EmbeddingReplyError,
    MemoryStore,
    create_embeddings,
    rank_memories,
    semantic_search,
)


@pytest.fixture
def store(client):
    """Two memories, embedded by the server."""
    made = MemoryStore()
    made.add(["ab", "c"])
    return made


def state_of(store):
    return (len(store), store.model, store.dimensions, list(store), store.inverse_norms.tolist())


# A sequence


def test_it_is_a_sequence_of_embedded_memories(store):
    assert isinstance(store, Sequence)
    assert len(store) == 2
    assert store[0] == EmbeddedMemoryCandidate(content="ab", embedding=[1, 1, 0], model=MODEL)
    assert [memory.content for memory in store] == ["ab", "c"]
    assert [memory.content for memory in reversed(store)] == ["c", "ab"]
    assert store[1] in store


def test_a_negative_index_counts_from_the_end(store):
    assert store[-1].content == "c"
    assert store[-2].content == "ab"


def test_a_slice_is_a_list_of_memories(store):
    store.add(["b", "a"])
    assert [memory.content for memory in store[1:3]] == ["c", "b"]
    assert [memory.content for memory in store[::-2]] == ["a", "c"]
    assert store[4:] == []


@pytest.mark.parametrize("index", [5, -6, 10**6])
def test_an_index_beyond_the_end_is_an_index_error(store, index):
    store.add(["b"] * 2)
    store.add(["b"])  # room for more than there is
    with pytest.raises(IndexError):
        store[index]


def test_it_says_what_it_holds(store):
    assert repr(store) == f"MemoryStore(2 memories, 3 dimensions, {MODEL})"
    assert repr(MemoryStore()) == "MemoryStore(0 memories, None dimensions, None)"


def test_an_empty_store_is_falsy_and_has_no_model():
    store = MemoryStore()
    assert (not store, store.model, store.dimensions, len(store.matrix)) == (True, None, None, 0)


# The matrix


def test_the_matrix_shows_a_row_for_each_memory(store):
    assert store.matrix.dtype == np.float32
    assert store.matrix.tolist() == [toy_vector("ab"), toy_vector("c")]
    assert store.matrix.flags.c_contiguous


def test_the_matrix_is_read_only(store):
    with pytest.raises(ValueError, match="read-only"):
        store.matrix[0, 0] = 5
    with pytest.raises(ValueError, match="read-only"):
        store.inverse_norms[0] = 5


def test_a_matrix_taken_before_an_add_stays_as_it_was(store):
    before = store.matrix
    store.add(["a"] * 10)
    assert before.tolist() == [toy_vector("ab"), toy_vector("c")]


def test_it_grows_by_doubling():
    client = SimpleNamespace(embeddings=SimpleNamespace(create=toy_reply))
    store, addresses = MemoryStore(), []
    for i in range(1000):
        store.add([f"a{i}"], client=client)
        addresses.append(store.matrix.__array_interface__["data"][0])
    moves = sum(a != b for a, b in pairwise(addresses))
    assert moves <= 11
    assert store.matrix.tolist() == [[1.0, 0.0, 0.0]] * 1000


def toy_reply(model, input, encoding_format):
    """What a client of one's own may give back."""
    data = [SimpleNamespace(index=i, embedding=toy_vector(text)) for i, text in enumerate(input)]
    return SimpleNamespace(data=data, model=MODEL, usage=None)


# Vectors made elsewhere


@pytest.mark.parametrize("dtype", ["f2", "f4", ">f4", "f8", "i1", "i8", "u2", "?", "O"])
def test_vectors_of_any_dtype_are_taken(dtype):
    matrix = np.array([[0, 1], [1, 1]]).astype(dtype)
    store = MemoryStore.from_vectors(["a", "b"], matrix, model="m")
    assert store.matrix.dtype == np.float32
    assert store.matrix.tolist() == [[0, 1], [1, 1]]
    assert (store.model, store[1].model) == ("m", "m")


def test_vectors_in_any_layout_are_taken():
    matrix = np.arange(24.0).reshape(4, 6)
    for given_matrix in (np.asfortranarray(matrix), matrix[::-1, ::2], matrix.tolist()):
        store = MemoryStore.from_vectors(list("abcd"), given_matrix)
        assert store.matrix.flags.c_contiguous
        assert store.matrix.tolist() == np.asarray(given_matrix).tolist()


def test_the_vectors_are_copied():
    matrix = np.ones((2, 2), np.float32)
    store = MemoryStore.from_vectors(["a", "b"], matrix)
    matrix[:] = 5
    assert store.matrix.tolist() == [[1, 1], [1, 1]]


def test_counts_that_differ_are_both_named():
    with pytest.raises(ValueError, match="3 texts, but 2 vectors"):
        MemoryStore.from_vectors(["a", "b", "c"], np.ones((2, 2)))


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf, None])
def test_a_number_that_is_not_finite_is_refused_by_the_memorys_number(bad):
    with pytest.raises(ValueError, match="memory 2 holds a number that is not finite"):
        MemoryStore.from_vectors(["a", "b"], [[1, 1], [1, bad]])


@pytest.mark.parametrize(
    "matrix", [[1, 2], [[]], [[], []], [[1], [2, 3]], [["1"], ["2"]], [[1j], [2]], "ab", None, 5]
)
def test_what_is_no_matrix_of_numbers_is_refused(matrix):
    with pytest.raises(ValueError, match="the vectors must"):
        MemoryStore.from_vectors(["a", "b"], matrix)


@pytest.mark.parametrize("texts", [["a", None], ["a", 1], ["a", b"b"]])
def test_a_text_that_is_no_string_is_refused_by_the_memorys_number(texts):
    with pytest.raises(TypeError, match="memory 2"):
        MemoryStore.from_vectors(texts, np.ones((2, 2)))


def test_a_string_where_a_list_of_texts_belongs_is_refused():
    with pytest.raises(TypeError, match="must be a list of strings"):
        MemoryStore.from_vectors("ab", np.ones((2, 2)))


@pytest.mark.parametrize("matrix", [[], np.empty((0, 0)), np.empty((0, 512))])
def test_no_vectors_make_an_empty_store(matrix):
    assert state_of(MemoryStore.from_vectors([], matrix)) == state_of(MemoryStore())


@given(
    st.integers(-300, 300),
    st.lists(st.integers(-9, 9), min_size=2, max_size=2),
)
def test_rows_beyond_the_range_of_float32_keep_their_direction(power, row):
    store = MemoryStore.from_vectors(["a"], [[number * 10.0**power for number in row]])
    assert np.isfinite(store.matrix).all()
    (result,) = rank_memories([3, 4], store)
    assert result.score == pytest.approx(plain_cosine([3, 4], row), abs=1e-6)


def test_rows_in_the_range_of_float32_are_kept_as_they_are():
    rows = np.random.default_rng(0).standard_normal((50, 8)).astype(np.float32)
    assert np.array_equal(MemoryStore.from_vectors(["a"] * 50, rows).matrix, rows)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_loaded_vectors_cost_little_more_than_their_bytes(dtype):
    n, d = 20_000, 256
    matrix, texts = np.ones((n, d), dtype), [f"memory {i}" for i in range(n)]
    tracemalloc.start()
    try:
        store = MemoryStore.from_vectors(texts, matrix)
        cost, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(store) == n
    assert cost <= 1.1 * 4 * n * d


# Adding


def test_adding_embeds_the_texts_and_tells_the_tokens(client, server):
    store = MemoryStore()
    assert store.add(["ab", "c"]) == 3
    assert (len(store), store.model, store.dimensions) == (2, MODEL, 3)
    assert [request["input"] for request in server.requests] == [["ab", "c"]]


def test_adding_goes_on_where_the_last_one_ended(store):
    store.add(["b"])
    assert [memory.content for memory in store] == ["ab", "c", "b"]
    assert store.matrix.tolist() == [toy_vector(text) for text in ("ab", "c", "b")]


def test_adding_works_in_batches(client, server, monkeypatch):
    monkeypatch.setenv("MEMORA_BATCH_SIZE", "2")
    store = MemoryStore()
    assert store.add(["a", "bb", "ccc", "ab", "bc"]) == 10
    assert [request["input"] for request in server.requests] == [
        ["a", "bb"], ["ccc", "ab"], ["bc"]
    ]  # fmt: skip
    assert store.matrix.tolist() == [toy_vector(t) for t in ("a", "bb", "ccc", "ab", "bc")]


def test_adding_nothing_needs_no_request(client, server):
    store = MemoryStore()
    assert store.add([]) == 0
    assert state_of(store) == state_of(MemoryStore())
    assert server.requests == []


def test_the_client_and_the_model_can_be_passed_in(client, server, monkeypatch):
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/v1")
    MemoryStore().add(["ab"], client=client, model="other")
    assert [request["model"] for request in server.requests] == ["other"]


@pytest.mark.parametrize("texts", ["abc", ["a", ""], ["a", "\u3000"], ["a", None], None])
def test_bad_texts_are_refused_before_a_request(store, server, texts):
    before, asked = state_of(store), len(server.requests)
    with pytest.raises((TypeError, ValueError)):
        store.add(texts)
    assert state_of(store) == before
    assert len(server.requests) == asked


def test_a_quick_add_shows_no_progress_bar(client, capsys):
    MemoryStore().add(["ab"])
    assert "embedding:" not in capsys.readouterr().err


def test_an_add_that_takes_a_while_shows_a_progress_bar(client, server, monkeypatch, capsys):
    monkeypatch.setenv("MEMORA_BATCH_SIZE", "1")

    def slowly(request):
        server.closing.wait(0.6)
        return Reply(good_body(request["input"]))

    server.always(slowly)
    MemoryStore().add(["a", "b", "c"])
    assert "embedding:" in capsys.readouterr().err


def test_an_added_store_searches_as_a_list_does(store):
    store.add(["b", "abc", "cc"])
    for query in ("a", "bc", "aabbc"):
        assert semantic_search(query, store, 3) == semantic_search(query, list(store), 3)


# All or nothing

BAD_SECOND_REPLIES = {
    "a fault": Reply(status=400),
    "a web page": Reply(b"<html></html>", content_type="text/html"),
    "no embeddings": Reply({"data": [], "model": MODEL}),
    "another model": lambda request: Reply(good_body(request["input"], model="another")),
    "another dimension": Reply({"data": [{"index": 0, "embedding": [1.0, 2.0]}], "model": MODEL}),
    "not finite": Reply(b'{"data":[{"index":0,"embedding":[1.0,NaN,1.0]}],"model":"toy-model"}'),
    "cut": Reply({"data": []}, cut_after=3),
}


@pytest.mark.parametrize("reply", BAD_SECOND_REPLIES.values(), ids=BAD_SECOND_REPLIES.keys())
@pytest.mark.parametrize("held", [0, 1, 5])
def test_a_second_reply_that_fails_leaves_the_store_as_it_was(
    client, server, monkeypatch, reply, held
):
    store = MemoryStore()
    store.add(["abc", "ab", "a", "b", "c"][:held])
    before, rows = state_of(store), store.matrix.copy()
    monkeypatch.setenv("MEMORA_BATCH_SIZE", "1")
    server.next(Reply(good_body(["b"])))
    server.always(reply)
    with pytest.raises((OpenAIError, EmbeddingReplyError)):
        store.add(["b", "c"], client=client.with_options(max_retries=0))
    assert state_of(store) == before
    assert np.array_equal(store.matrix, rows) or not held


def test_a_store_can_be_added_to_after_a_failure(client, server, monkeypatch):
    monkeypatch.setenv("MEMORA_BATCH_SIZE", "1")
    store = MemoryStore()
    server.next(Reply({"data": [{"index": 0, "embedding": [1.0]}]}), Reply(status=400))
    with pytest.raises(BadRequestError):
        store.add(["a", "b"])
    store.add(["c"])
    assert store.matrix.tolist() == [toy_vector("c")]


@pytest.mark.parametrize("held", [0, 2])
def test_an_interrupt_leaves_the_store_as_it_was(monkeypatch, held):
    store = MemoryStore.from_vectors(
        ["a", "b"][:held], np.eye(3)[:held], model=MODEL if held else None
    )
    before, calls = state_of(store), []

    def create(**options):
        calls.append(options)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return toy_reply(**options)

    monkeypatch.setenv("MEMORA_BATCH_SIZE", "1")
    with pytest.raises(KeyboardInterrupt):
        store.add(["c", "c"], client=SimpleNamespace(embeddings=SimpleNamespace(create=create)))
    assert state_of(store) == before


def test_texts_of_another_model_are_refused(store, server):
    before = state_of(store)
    server.next(Reply(good_body(["b"], model="another")))
    with pytest.raises(ValueError, match=f"embedded by another, the memories here by {MODEL}"):
        store.add(["b"])
    assert state_of(store) == before


def test_vectors_of_another_dimension_are_refused(client):
    store = MemoryStore.from_vectors(["a"], [[1, 2]])
    before = state_of(store)
    with pytest.raises(ValueError, match="new vectors have 3 dimensions, the memories here 2"):
        store.add(["b"])
    assert state_of(store) == before


def test_a_server_that_is_down_leaves_the_store_as_it_was(store, server):
    before = state_of(store)
    with pytest.raises(APIConnectionError):
        store.add(
            ["b"], client=OpenAI(api_key="k", base_url="http://127.0.0.1:9/v1", max_retries=0)
        )
    assert state_of(store) == before


def test_a_store_and_the_vectors_of_its_texts_agree(client):
    store, texts = MemoryStore(), ["ab", "ccc", "a"]
    store.add(texts)
    assert store.matrix.tolist() == create_embeddings(texts)[0]
