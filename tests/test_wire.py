"""Every bad day of a server, for everything that asks one: what is told, how soon, what is left.

test_errors.py, test_replies.py and test_timeouts.py hold the finer points of embeddings.
"""

import time
from io import StringIO

import openai
import pytest
from chat_server import play_chat
from openai import OpenAI
from server import Reply, good_body

from memora_lab import (
    EmbeddingReplyError,
    MemoryCandidate,
    MemoryStore,
    create_embeddings,
    embed_memory_candidates,
    semantic_search,
)
from memora_lab.program.chat import ChatModel
from memora_lab.program.session import Session
from memora_lab.program.talk import talk
from memora_lab.timeouts import network_http_client

KEY = "sk-secret-0123456789"
BOUND = 20  # seconds for all the tries of one request, on a slow machine

SOON = {"retry-after-ms": "1"}  # so that no test waits for the second and the third try


def status(number, **error):
    return Reply({"error": {"message": f"bad {KEY}", **error}}, number, SOON)


# What the server answers, the error, words of its note for embeddings.
STATUSES = {
    "400": (status(400), openai.BadRequestError, "shorten them"),
    "401": (status(401), openai.AuthenticationError, "OPENAI_API_KEY"),
    "403": (status(403), openai.PermissionDeniedError, "OPENAI_API_KEY"),
    "404": (status(404), openai.NotFoundError, "MEMORA_"),
    "408": (status(408), openai.APIStatusError, "try again in a moment"),
    "409": (status(409), openai.ConflictError, "try again in a moment"),
    "413": (status(413), openai.APIStatusError, "MEMORA_BATCH_SIZE"),
    "422": (status(422), openai.UnprocessableEntityError, "MEMORA_BATCH_SIZE"),
    "429": (status(429), openai.RateLimitError, "wait a minute"),
    "429 for an hour": (
        Reply(b"", 429, {"retry-after": "3600"}),
        openai.RateLimitError,
        "wait a minute",
    ),
    "429 without credit": (
        status(429, code="insufficient_quota"),
        openai.RateLimitError,
        "no credit left",
    ),
    "500": (status(500), openai.InternalServerError, "try again later"),
    "502, a page": (
        Reply(b"<html>Bad gateway</html>", 502, SOON, content_type="text/html"),
        openai.InternalServerError,
        "try again later",
    ),
    "503, empty": (Reply(b"", 503, SOON), openai.InternalServerError, "try again later"),
}
SILENCES = {
    "no answer": (Reply(silent=True), openai.APITimeoutError, "no answer in time"),
    "headers, then drips": (Reply(drip=True), openai.APITimeoutError, "no answer in time"),
    "cut before the body": (
        Reply({"data": []}, cut_after=0),
        openai.APIConnectionError,
        "No connection",
    ),
    "cut in the body": (
        Reply({"data": []}, cut_after=5),
        openai.APIConnectionError,
        "No connection",
    ),
}
NO_REPLIES = {
    "half a JSON": (Reply(b'{"data": [{"embedd'), EmbeddingReplyError, "Is http"),
    "an empty body": (Reply(b""), EmbeddingReplyError, "Is http"),
    "a page": (
        Reply(b"<html>Sign in</html>", content_type="text/html"),
        EmbeddingReplyError,
        "Is http",
    ),
    "an error with 200": (
        Reply({"error": {"message": f"overloaded {KEY}"}}),
        EmbeddingReplyError,
        "Is http",
    ),
    "true and false": (
        Reply({"data": [{"index": 0, "embedding": [True, False, True]}]}),
        EmbeddingReplyError,
        "Is http",
    ),
    "ten megabytes of nothing": (Reply(b"[" + b"0," * 5_000_000), EmbeddingReplyError, "Is http"),
}
BAD_DAYS = STATUSES | SILENCES | NO_REPLIES

ACTS = {
    "create_embeddings": lambda client, store: create_embeddings(["ab"], client=client),
    "embed_memory_candidates": lambda client, store: embed_memory_candidates(
        [MemoryCandidate(content="ab")], client=client
    ),
    "add to an empty store": lambda client, store: MemoryStore().add(["ab"], client=client),
    "add": lambda client, store: store.add(["ab", "c"], client=client),
    "search a store": lambda client, store: semantic_search("ab", store, client=client),
    "search a list": lambda client, store: semantic_search("ab", list(store), client=client),
}


@pytest.fixture
def connect(server):
    """A client such as the settings make; for a server that ends nothing, one in a hurry."""
    made = []

    def connect_to(hurry=False):
        http_client = network_http_client(server.url, 0.3 if hurry else 30)
        made.append(
            OpenAI(
                api_key=KEY,
                base_url=server.url,
                max_retries=0 if hurry else 1,
                http_client=http_client,
            )
        )
        return made[-1]

    yield connect_to
    for client in made:
        client.close()


@pytest.fixture
def store():
    return MemoryStore.from_vectors(["aa", "bc"], [[2, 0, 0], [0, 1, 1]], model="toy-model")


def state_of(store):
    return (len(store), store.model, list(store), store.matrix.tolist())


def told(error):
    return " ".join([str(error), repr(error), *getattr(error, "__notes__", ())])


@pytest.mark.parametrize("act", ACTS.values(), ids=ACTS.keys())
@pytest.mark.parametrize(("reply", "kind", "words"), BAD_DAYS.values(), ids=BAD_DAYS.keys())
def test_a_bad_day_of_the_embeddings_is_told_and_changes_nothing(
    server, connect, store, act, reply, kind, words
):
    client = connect(hurry=issubclass(kind, openai.APIConnectionError))
    before, start = state_of(store), time.monotonic()
    server.always(reply)
    with pytest.raises(kind) as caught:
        act(client, store)
    assert time.monotonic() - start < BOUND
    assert words in told(caught.value)
    assert "secret" not in told(caught.value)
    assert state_of(store) == before
    assert len(server.requests) <= 2
    server.always(lambda request: Reply(good_body(request["input"])))
    act(connect(), store)  # the next day is a good one


@pytest.mark.parametrize(("reply", "kind", "words"), BAD_DAYS.values(), ids=BAD_DAYS.keys())
def test_a_bad_day_of_the_chat_is_told_and_the_message_taken_back(
    server, connect, reply, kind, words
):
    client = connect(hurry=issubclass(kind, openai.APIConnectionError))
    session = Session(ChatModel(client, "toy-chat"))
    start = time.monotonic()
    server.always(reply)
    with pytest.raises((openai.OpenAIError, ValueError)) as caught:
        talk(session, "I like tea.", StringIO())
    assert time.monotonic() - start < BOUND
    if issubclass(kind, openai.OpenAIError):
        assert isinstance(caught.value, kind)
        assert len(caught.value.__notes__) == 1
    assert "secret" not in told(caught.value)
    assert session.conversation.turns == []
    assert len(session.store) == 0
    play_chat(server, "Good day.")
    session.chat, out = ChatModel(connect(), "toy-chat"), StringIO()
    talk(session, "I like tea.", out)
    assert out.getvalue().startswith("Memora: Good day.")


def test_a_slow_first_byte_is_waited_for(server, connect):
    def slowly(request):
        server.closing.wait(0.4)
        return Reply(good_body(request["input"]))

    server.always(slowly)
    assert create_embeddings(["ab"], client=connect())[0] == [[1.0, 1.0, 0.0]]
    assert len(server.requests) == 1


def test_a_huge_reply_that_is_sound_is_taken(server, connect):
    vector = [0.5] * 300_000
    server.next(Reply({"data": [{"index": 0, "embedding": vector}], "padding": "x" * 10_000_000}))
    assert create_embeddings(["ab"], client=connect())[0] == [vector]


def test_too_many_requests_without_a_time_are_tried_again_in_a_moment(server, connect):
    server.next(Reply(b"{}", 429))
    assert create_embeddings(["ab"], client=connect())[0] == [[1.0, 1.0, 0.0]]
    assert len(server.requests) == 2
