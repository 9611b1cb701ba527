"""errors.py: the SDK's errors keep their class, gain a note, and show no key."""

import socket
import traceback

import httpx2
import openai
import pytest
from openai import OpenAI
from server import Reply

from memora_lab import EmbeddingReplyError, create_embeddings, get_client, semantic_search
from memora_lab.models import EmbeddedMemoryCandidate

KEY = "sk-secret-0123456789"

SOON = {"retry-after-ms": "1"}  # the SDK tries again: at once, so that no test waits

STATUSES = [
    (400, openai.BadRequestError, "MEMORA_BATCH_SIZE", 1),
    (401, openai.AuthenticationError, "does not accept the key", 1),
    (402, openai.APIStatusError, "no credit left", 1),
    (403, openai.PermissionDeniedError, "does not accept the key", 1),
    (404, openai.NotFoundError, "MEMORA_EMBEDDING_MODEL", 1),
    (405, openai.APIStatusError, "MEMORA_EMBEDDING_MODEL", 1),
    (408, openai.APIStatusError, "busy", 3),
    (409, openai.ConflictError, "busy", 3),
    (413, openai.APIStatusError, "MEMORA_BATCH_SIZE", 1),
    (418, openai.APIStatusError, "OPENAI_BASE_URL", 1),
    (422, openai.UnprocessableEntityError, "MEMORA_BATCH_SIZE", 1),
    (429, openai.RateLimitError, "asked too often", 3),
    (500, openai.InternalServerError, "a fault of its own", 3),
    (503, openai.InternalServerError, "a fault of its own", 3),
]


def error_body(message, code=None, kind="some_error"):
    return {"error": {"message": message, "type": kind, "param": None, "code": code}}


def everything_shown(error):
    notes = " ".join(getattr(error, "__notes__", []))
    trace = "".join(traceback.format_exception(error))
    return f"{error!s} {error!r} {notes} {trace}"


@pytest.fixture
def client(server, monkeypatch):
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    return get_client()


@pytest.mark.parametrize(("status", "kind", "words", "times"), STATUSES)
@pytest.mark.parametrize("body", [error_body("bad"), b"<html>bad</html>", b""])
def test_a_status_keeps_its_class_and_gains_a_note(
    client, server, status, kind, words, times, body
):
    server.always(Reply(body, status, SOON))
    with pytest.raises(kind) as caught:
        create_embeddings(["ab"])
    assert type(caught.value) is kind
    (note,) = caught.value.__notes__
    assert words in note
    assert len(server.requests) == times


@pytest.mark.parametrize("status", [status for status, *_ in STATUSES])
@pytest.mark.parametrize(
    "body",
    [
        error_body(f"Incorrect API key provided: {KEY}."),
        error_body({"given": [KEY]}, code=KEY, kind=[KEY]),
        {"detail": {KEY: KEY}},
        {"error": KEY},
        [KEY],
        f"<html>{KEY}</html>".encode(),
    ],
    ids=["message", "nested", "name", "string", "list", "page"],
)
def test_a_key_that_the_server_repeats_is_shown_nowhere(client, server, status, body):
    server.always(Reply(body, status, SOON))
    with pytest.raises(openai.APIStatusError) as caught:
        create_embeddings(["ab"])
    assert "secret" not in everything_shown(caught.value)
    assert "secret" not in str(vars(caught.value))


def test_a_short_key_is_cut_out_as_a_word_only(server, monkeypatch):
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    monkeypatch.setenv("OPENAI_API_KEY", "ollama")
    server.next(Reply(error_body("key ollama is wrong, see ollamas"), 401))
    with pytest.raises(openai.AuthenticationError, match=r"key \[key\] is wrong, see ollamas"):
        create_embeddings(["ab"])


@pytest.mark.parametrize("where", ["code", "kind"])
def test_a_spent_quota_is_told_from_too_many_requests(client, server, where):
    server.always(Reply(error_body("You", **{where: "insufficient_quota"}), 429, SOON))
    with pytest.raises(openai.RateLimitError) as caught:
        create_embeddings(["ab"])
    assert "no credit left" in caught.value.__notes__[0]


def test_a_wrong_address_is_told_to_miss_v1(server, monkeypatch):
    address = server.url.removesuffix("/v1")
    monkeypatch.setenv("OPENAI_BASE_URL", address)
    for reply, kind in (
        (Reply(b"not found", 404), openai.NotFoundError),
        (Reply(b"<html></html>", content_type="text/html"), EmbeddingReplyError),
    ):
        server.next(reply)
        with pytest.raises(kind) as caught:
            create_embeddings(["ab"])
        assert f"OPENAI_BASE_URL={address}/v1" in caught.value.__notes__[0]


def test_a_missing_model_is_named(client, server):
    server.next(Reply(error_body("no"), 404))
    with pytest.raises(openai.NotFoundError) as caught:
        create_embeddings(["ab"], model="some-model")
    assert "has no model 'some-model'" in caught.value.__notes__[0]


def test_no_server_is_a_connection_error_with_a_note(monkeypatch):
    with socket.create_server(("127.0.0.1", 0)) as gone:
        port = gone.getsockname()[1]
    monkeypatch.setenv("OPENAI_BASE_URL", f"http://127.0.0.1:{port}/v1")
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with pytest.raises(openai.APIConnectionError) as caught:
        create_embeddings(["ab"], client=get_client().with_options(max_retries=0))
    assert f"No connection to http://127.0.0.1:{port}/v1" in caught.value.__notes__[0]
    assert "MEMORA_PROVIDER=offline" in caught.value.__notes__[0]
    assert "secret" not in everything_shown(caught.value)


@pytest.mark.parametrize("cut_after", [0, 10])
def test_a_reply_cut_off_is_a_connection_error_with_a_note(client, server, cut_after):
    server.always(Reply({"data": []}, cut_after=cut_after))
    with pytest.raises(openai.APIConnectionError) as caught:
        create_embeddings(["ab"], client=client.with_options(max_retries=0))
    assert "No connection" in caught.value.__notes__[0]


def test_a_reply_cut_off_once_is_asked_for_again(client, server):
    server.next(Reply({"data": []}, cut_after=3))
    assert create_embeddings(["ab"])[0] == [[1.0, 1.0, 0.0]]
    assert len(server.requests) == 2


def test_a_password_in_the_address_is_shown_nowhere(server, monkeypatch, capsys):
    monkeypatch.setenv("OPENAI_BASE_URL", server.url.replace("//", "//user:geheim@"))
    for reply in (Reply(b"no", 404), Reply(b"no", 401), Reply(b"no"), Reply(b"{}")):
        server.next(reply)
        with pytest.raises((openai.OpenAIError, EmbeddingReplyError)) as caught:
            create_embeddings(["ab"])
        assert "geheim" not in everything_shown(caught.value)
    assert "geheim" not in capsys.readouterr().err


def test_an_error_of_the_offline_model_needs_no_note_about_servers():
    with pytest.raises(openai.BadRequestError) as caught:
        create_embeddings(["a " * 9000])
    assert not hasattr(caught.value, "__notes__")


def test_a_search_that_fails_says_the_same(client, server):
    server.next(Reply(error_body("bad"), 401))
    with pytest.raises(openai.AuthenticationError) as caught:
        semantic_search("ab", [EmbeddedMemoryCandidate(content="a", embedding=[1, 0, 0])])
    assert len(caught.value.__notes__) == 1


def test_a_key_passed_in_with_its_own_client_is_shown_nowhere(server):
    with OpenAI(api_key=KEY, base_url=server.url, max_retries=0) as own:
        server.next(Reply(error_body(KEY), 401))
        with pytest.raises(openai.AuthenticationError) as caught:
            create_embeddings(["ab"], client=own)
    assert "secret" not in everything_shown(caught.value)


# On the way there


@pytest.mark.parametrize(
    ("url", "variable"),
    [
        ("http://models.invalid/v1", "HTTP_PROXY"),
        ("https://models.invalid/v1", "HTTPS_PROXY"),
        ("https://models.invalid/v1", "ALL_PROXY"),
        ("http://models.invalid/v1", "http_proxy"),
    ],
)
def test_a_proxy_that_does_not_run_is_named_without_its_password(monkeypatch, url, variable):
    with socket.create_server(("127.0.0.1", 0)) as gone:
        port = gone.getsockname()[1]
    monkeypatch.setenv("OPENAI_BASE_URL", url)
    monkeypatch.setenv(variable, f"http://user:geheim@127.0.0.1:{port}")
    with pytest.raises(openai.APIConnectionError) as caught:
        create_embeddings(["ab"], client=get_client().with_options(max_retries=0))
    (note,) = caught.value.__notes__
    assert f"proxy stands before it ({variable})" in note
    assert "geheim" not in everything_shown(caught.value)


@pytest.mark.parametrize(("status", "words"), [(407, "wants a user"), (502, "a fault of its own")])
def test_an_answer_of_the_proxy_itself_names_the_proxy(server, monkeypatch, status, words):
    server.always(Reply(b"<html>proxy</html>", status, SOON))
    monkeypatch.setenv("OPENAI_BASE_URL", "http://models.invalid/v1")
    monkeypatch.setenv("HTTP_PROXY", server.url)
    with pytest.raises(openai.APIStatusError) as caught:
        create_embeddings(["ab"])
    (note,) = caught.value.__notes__
    assert words in note and "(HTTP_PROXY)" in note


def test_a_proxy_taken_out_of_the_environment_is_gone_at_once(server, monkeypatch):
    server.next(Reply(b"", 407))
    monkeypatch.setenv("OPENAI_BASE_URL", server.url.replace("127.0.0.1", "127.0.0.2"))
    monkeypatch.setenv("HTTP_PROXY", server.url)
    with pytest.raises(openai.APIStatusError):
        create_embeddings(["ab"])
    before = get_client()
    monkeypatch.delenv("HTTP_PROXY")
    assert get_client() is not before


def test_https_where_the_server_speaks_http_is_told(server, monkeypatch):
    monkeypatch.setenv("OPENAI_BASE_URL", server.url.replace("http:", "https:"))
    with pytest.raises(openai.APIConnectionError) as caught:
        create_embeddings(["ab"], client=get_client().with_options(max_retries=0))
    assert "http:// instead of https://" in caught.value.__notes__[0]


def test_a_certificate_that_is_not_trusted_is_told(server):
    def refuse(request):
        raise httpx2.ConnectError("[SSL: CERTIFICATE_VERIFY_FAILED] self-signed certificate")

    http_client = httpx2.Client(transport=httpx2.MockTransport(refuse))
    own = OpenAI(api_key=KEY, base_url=server.url, max_retries=0, http_client=http_client)
    with own, pytest.raises(openai.APIConnectionError) as caught:
        create_embeddings(["ab"], client=own)
    assert "SSL_CERT_FILE" in caught.value.__notes__[0]


def test_redirects_without_an_end_are_a_connection_error(client, server):
    server.always(Reply(b"", 307, {"location": server.url + "/embeddings"}))
    with pytest.raises(openai.APIConnectionError, match="Connection") as caught:
        create_embeddings(["ab"], client=client.with_options(max_retries=0))
    assert "redirects" in caught.value.__notes__[0]


def test_a_reply_that_makes_no_sense_asks_after_address_and_model(client, server):
    server.next(Reply(b"<html>Sign in</html>", content_type="text/html"))
    with pytest.raises(EmbeddingReplyError) as caught:
        create_embeddings(["ab"], model="some-model")
    (note,) = caught.value.__notes__
    assert server.url in note and "'some-model' (MEMORA_EMBEDDING_MODEL)" in note


@pytest.mark.parametrize("key", ["你的金鑰geheim", "geheim—x", "“geheim”"])
def test_a_key_of_a_client_of_ones_own_that_cannot_be_sent_is_told_and_not_shown(server, key):
    own = OpenAI(api_key=key, base_url=server.url)
    with own, pytest.raises(ValueError, match="cannot be sent") as caught:
        create_embeddings(["ab"], client=own)
    assert type(caught.value) is ValueError
    assert "geheim" not in everything_shown(caught.value)
    assert server.requests == []
