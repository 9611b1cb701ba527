"""embeddings.py: texts to vectors, over the wire."""

from types import SimpleNamespace

import pytest
from openai import BadRequestError
from server import MODEL, Reply, good_body, toy_vector

from memora_lab import (
    EMBEDDING_MODEL,
    EmbeddedMemoryCandidate,
    EmbeddingReplyError,
    MemoryCandidate,
    create_embeddings,
    embed_memory_candidates,
)


def inputs(server):
    return [request["input"] for request in server.requests]


def test_the_tutorials_call(client):
    vectors, tokens = create_embeddings(["ab", "ccc"])
    assert vectors == [[1.0, 1.0, 0.0], [0.0, 0.0, 3.0]]
    assert tokens == 5
    assert type(vectors) is type(vectors[0]) is list
    assert (type(vectors[0][0]), type(tokens)) == (float, int)


def test_no_texts_need_no_request(client, server):
    assert create_embeddings([]) == ([], 0)
    assert embed_memory_candidates([]) == ([], 0)
    assert server.requests == []


def test_the_request_is_the_apis(client, server):
    create_embeddings(["ab"])
    assert server.requests == [
        {"model": EMBEDDING_MODEL, "input": ["ab"], "encoding_format": "float"}
    ]
    assert server.paths[0].endswith("/v1/embeddings")


def test_any_iterable_of_texts_is_taken(client):
    assert create_embeddings(text for text in ("a", "b"))[0] == [toy_vector("a"), toy_vector("b")]


def test_candidates_keep_their_order_and_remember_the_model(client):
    candidates = [MemoryCandidate(content="ab"), MemoryCandidate(content="c")]
    embedded, tokens = embed_memory_candidates(candidates)
    assert embedded == [
        EmbeddedMemoryCandidate(content="ab", embedding=[1, 1, 0], model=MODEL),
        EmbeddedMemoryCandidate(content="c", embedding=[0, 0, 1], model=MODEL),
    ]
    assert tokens == 3


def test_the_model_remembered_is_the_one_that_answered(client, server):
    server.next(Reply(good_body(["ab"], model="another")))
    (memory,), _ = embed_memory_candidates([MemoryCandidate(content="ab")], model="asked")
    assert (server.requests[0]["model"], memory.model) == ("asked", "another")


@pytest.mark.parametrize("model", [None, "", " ", 3])
def test_a_reply_that_names_no_model_is_taken_to_be_of_the_model_asked(client, server, model):
    server.next(Reply(good_body(["ab"], model=model)))
    (memory,), _ = embed_memory_candidates([MemoryCandidate(content="ab")], model="asked")
    assert memory.model == "asked"


# Bad input


@pytest.mark.parametrize("blank", ["", " ", "\n", "\u3000", "\u200b", "\ufeff"])
def test_a_blank_text_is_refused_before_a_request(client, server, blank):
    with pytest.raises(ValueError, match=r"text 2 of 2"):
        create_embeddings(["ab", blank])
    with pytest.raises(ValueError, match=r"text 2 of 2"):
        embed_memory_candidates([MemoryCandidate(content="ab"), MemoryCandidate(content=blank)])
    assert server.requests == []


def test_a_blank_text_in_the_last_batch_is_refused_before_the_first_request(client, server):
    with pytest.raises(ValueError, match="text 3 of 3"):
        create_embeddings(["a", "b", " "], batch_size=1)
    assert server.requests == []


@pytest.mark.parametrize("texts", ["abc", b"abc", None, 5, [1], [None], [b"a"]])
def test_what_is_no_list_of_strings_is_refused_before_a_request(client, server, texts):
    with pytest.raises(TypeError):
        create_embeddings(texts)
    assert server.requests == []


@pytest.mark.parametrize("candidates", ["abc", ["abc"], [None]])
def test_what_is_no_candidate_is_refused_before_a_request(client, server, candidates):
    with pytest.raises(TypeError, match=r"candidates\[0\] must be a MemoryCandidate"):
        embed_memory_candidates(candidates)
    assert server.requests == []


@pytest.mark.parametrize("size", [0, -1, 2049, True, 2.0])
def test_a_bad_batch_size_is_refused_before_a_request(client, server, size):
    with pytest.raises(ValueError, match="batch_size"):
        create_embeddings(["ab"], batch_size=size)
    assert server.requests == []


def test_one_candidate_where_a_list_belongs_is_refused(client, server):
    with pytest.raises(TypeError, match=r"write \[candidate\]"):
        embed_memory_candidates(MemoryCandidate(content="ab"))
    assert server.requests == []


# Batches


def test_up_to_2048_texts_go_in_one_request(client, server):
    texts = [f"{i:04}" for i in range(5000)]
    _, tokens = create_embeddings(texts)
    assert [len(batch) for batch in inputs(server)] == [2048, 2048, 904]
    assert [text for batch in inputs(server) for text in batch] == texts
    assert tokens == 4 * 5000


@pytest.mark.parametrize("by", ["argument", "environment"])
def test_a_server_that_takes_few_texts_gets_few(client, server, monkeypatch, by):
    texts = ["a" * n for n in range(1, 26)]
    if by == "environment":
        monkeypatch.setenv("MEMORA_BATCH_SIZE", "10")
    vectors, tokens = create_embeddings(texts, batch_size=10 if by == "argument" else None)
    assert [len(batch) for batch in inputs(server)] == [10, 10, 5]
    assert vectors == [[float(n), 0.0, 0.0] for n in range(1, 26)]
    assert tokens == sum(range(1, 26))


def test_a_request_stays_under_the_tokens_the_api_allows(client, server):
    texts = ["字" * 8000 for _ in range(50)]
    vectors, _ = create_embeddings(texts)
    assert len(vectors) == 50
    assert all(len("".join(batch).encode()) < 300_000 for batch in inputs(server))
    assert len(inputs(server)) == 5


def test_tokens_nobody_told_count_as_none(client, server):
    server.next(Reply({**good_body(["a"]), "usage": None}))
    assert create_embeddings(["a", "bb"], batch_size=1)[1] == 2


@pytest.mark.parametrize(
    "second",
    [
        Reply(good_body(["b"], model="another")),
        Reply({"data": [{"index": 0, "embedding": [1.0]}], "model": MODEL}),
    ],
    ids=["model", "dimensions"],
)
def test_a_server_that_changes_between_two_requests_is_refused(client, server, second):
    server.next(Reply(good_body(["a"])), second)
    with pytest.raises(EmbeddingReplyError, match="changed between two requests"):
        create_embeddings(["a", "b"], batch_size=1)


def test_a_second_request_that_fails_fails_the_whole(client, server):
    server.next(Reply(good_body(["a"])), Reply(status=400))
    with pytest.raises(BadRequestError):
        create_embeddings(["a", "b", "c"], batch_size=1)
    assert len(server.requests) == 2


@pytest.mark.parametrize(
    "second", [Reply(status=400), Reply({"data": [{"index": 0, "embedding": []}]})]
)
def test_a_later_request_that_fails_tells_where_it_began(client, server, second):
    server.next(Reply(good_body(["a", "b"])), second)
    with pytest.raises((BadRequestError, EmbeddingReplyError)) as caught:
        create_embeddings(["a", "b", "c"], batch_size=2)
    assert "is text 3 of the list" in caught.value.__notes__[-1]


# A client passed in


def test_a_client_passed_in_is_the_one_asked(client, server, monkeypatch):
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/v1")
    assert create_embeddings(["ab"], client=client)[0] == [toy_vector("ab")]
    assert len(server.requests) == 1


def test_what_a_client_of_ones_own_raises_is_passed_on():
    def create(**_):
        raise ZeroDivisionError

    fake = SimpleNamespace(embeddings=SimpleNamespace(create=create))
    with pytest.raises(ZeroDivisionError):
        create_embeddings(["ab"], client=fake)
