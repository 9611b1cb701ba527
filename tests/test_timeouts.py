"""timeouts.py: a request ends in time, whatever the server does."""

import socket
import sys
import threading
import time
from contextlib import contextmanager, suppress

import openai
import pytest
from openai import OpenAI
from server import Reply, toy_vector

from memora_lab import create_embeddings, get_client
from memora_lab.timeouts import TIMEOUT_SECONDS, network_http_client, proxy_before

SHORT = 0.3  # seconds that a request gets here
BOUND = 10  # seconds that a slow machine may take for it: fewer than the real timeout


@pytest.fixture
def connect():
    made = []

    def connect_to(url, seconds=SHORT):
        http_client = network_http_client(url, seconds)
        made.append(OpenAI(api_key="k", base_url=url, max_retries=2, http_client=http_client))
        return made[-1]

    yield connect_to
    for client in made:
        client.close()


@contextmanager
def at_most(seconds):
    start = time.monotonic()
    try:
        yield
    finally:  # what is timed ends with an exception
        assert time.monotonic() - start < seconds


@contextmanager
def raw_server(talk):
    """A server that answers each connection with `talk(connection, stop)`."""
    stop = threading.Event()

    def answer(connection):
        with connection, suppress(OSError):
            connection.recv(65536)
            talk(connection, stop)
            # What is left unread of a request would break the answer off when this is closed.
            connection.shutdown(socket.SHUT_WR)
            connection.settimeout(1)
            while connection.recv(65536):
                pass

    def serve():
        while not stop.is_set():
            with suppress(TimeoutError):
                connection, _ = listener.accept()
                threading.Thread(target=answer, args=(connection,), daemon=True).start()

    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(0.05)
        server = threading.Thread(target=serve)
        server.start()
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}/v1"
        finally:
            stop.set()
            server.join()


def test_a_request_gets_thirty_seconds():
    assert TIMEOUT_SECONDS == 30


def test_the_client_of_the_settings_gives_up_after_thirty_seconds(client):
    assert client.timeout == 30
    assert client._client.timeout.read == 30


@pytest.mark.parametrize(
    "reply",
    [
        Reply(silent=True),
        Reply(drip=True),
        Reply(drip=True, status=500),
        Reply(drip=True, content_type="text/html"),
    ],
    ids=["never answers", "drips", "drips a fault", "drips a page"],
)
def test_a_server_that_does_not_end_is_asked_once_and_left(connect, server, reply):
    server.next(reply)
    with pytest.raises(openai.APITimeoutError) as caught, at_most(BOUND):
        create_embeddings(["ab"], client=connect(server.url))
    assert "no answer in time" in caught.value.__notes__[0]
    assert len(server.requests) == 1


def test_the_client_can_be_used_after_a_timeout(connect, server):
    client = connect(server.url)
    server.next(Reply(drip=True))
    with pytest.raises(openai.APITimeoutError):
        create_embeddings(["ab"], client=client)
    assert create_embeddings(["ab"], client=client)[0] == [toy_vector("ab")]


def test_a_server_that_drips_headers_is_left(connect):
    def talk(connection, stop):
        connection.sendall(b"HTTP/1.1 200 OK\r\n")
        while not stop.wait(0.05):
            connection.sendall(b"x-more: 1\r\n")

    with raw_server(talk) as url, pytest.raises(openai.APITimeoutError), at_most(BOUND):
        create_embeddings(["ab"], client=connect(url))


def test_what_is_no_web_server_is_a_connection_error(connect):
    def talk(connection, stop):
        connection.sendall(b"SSH-2.0-OpenSSH\r\n")

    with raw_server(talk) as url, pytest.raises(openai.APIConnectionError), at_most(BOUND):
        create_embeddings(["ab"], client=connect(url).with_options(max_retries=0))


@pytest.mark.parametrize(
    "headers",
    [
        {"retry-after": "3600"},
        {"retry-after": "100"},
        {"retry-after-ms": "100000"},
        {"retry-after": "Wed, 21 Oct 2099 07:28:00 GMT"},
        {"retry-after": "nan"},
        {"retry-after": "9" * 5000},
        {"retry-after": "\u00b2"},
        {"retry-after": "100", "x-should-retry": "true"},
    ],
    ids=str,
)
def test_a_server_that_asks_for_minutes_of_patience_is_asked_once(client, server, headers):
    server.always(Reply(b"{}", 429, headers))
    with pytest.raises(openai.RateLimitError), at_most(BOUND):
        create_embeddings(["ab"])
    assert len(server.requests) == 1


def test_a_server_that_asks_for_a_second_is_asked_again(client, server):
    server.next(Reply(b"{}", 429, {"retry-after": "1"}))
    start = time.monotonic()
    assert create_embeddings(["ab"])[0] == [toy_vector("ab")]
    assert time.monotonic() - start >= 1
    assert len(server.requests) == 2


def test_a_streamed_answer_may_take_longer(connect, server):
    with connect(server.url).embeddings.with_streaming_response.create(
        model="m", input=["ab"]
    ) as response:
        assert "embedding" in response.read().decode()


def test_a_streamed_answer_may_go_on_for_as_long_as_its_lines_come(connect):
    def talk(connection, stop):
        connection.sendall(b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n")
        for _ in range(6):
            stop.wait(0.5)
            connection.sendall(b": still here\n")

    with raw_server(talk) as url:
        embeddings = connect(url, seconds=2).embeddings
        asked = embeddings.with_streaming_response.create(model="m", input=["ab"])
        with asked as response:
            assert response.read().decode() == ": still here\n" * 6


@pytest.mark.parametrize("status", ["200 OK", "500 Fault"])
def test_a_streamed_answer_that_never_ends_a_line_is_left(connect, status):
    def talk(connection, stop):
        connection.sendall(f"HTTP/1.1 {status}\r\nconnection: close\r\n\r\n".encode())
        while not stop.wait(SHORT / 10):
            connection.sendall(b" ")

    with raw_server(talk) as url, pytest.raises(openai.APITimeoutError), at_most(BOUND):
        client = connect(url).with_options(max_retries=0)
        for _ in client.responses.create(model="m", input="Hello.", stream=True):
            pass


def test_a_streamed_answer_that_goes_silent_is_left(connect):
    def talk(connection, stop):
        connection.sendall(b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n: hello\n")
        stop.wait()

    with raw_server(talk) as url, pytest.raises(openai.APITimeoutError), at_most(BOUND):
        for _ in connect(url).responses.create(model="m", input="Hello.", stream=True):
            pass


def test_a_streamed_answer_cut_off_is_a_connection_error(connect):
    def talk(connection, stop):
        connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n: hello\n")

    with raw_server(talk) as url, pytest.raises(openai.APIConnectionError):
        for _ in connect(url).responses.create(model="m", input="Hello.", stream=True):
            pass


# Proxies and certificates


def test_a_proxy_that_cannot_be_used_is_named(monkeypatch):
    monkeypatch.setenv("ALL_PROXY", "socks5://user:geheim@127.0.0.1:1")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://models.invalid/v1")
    with pytest.raises(ValueError, match="ALL_PROXY") as caught:
        create_embeddings(["ab"])
    assert "MEMORA_PROVIDER=offline" in str(caught.value)
    assert "geheim" not in str(caught.value)


def test_a_proxy_of_an_unknown_kind_is_named(monkeypatch):
    monkeypatch.setenv("HTTPS_PROXY", "foo://x")
    with pytest.raises(ValueError, match="HTTPS_PROXY"):
        network_http_client("https://models.invalid/v1")


@pytest.mark.parametrize("proxy", ["socks5://127.0.0.1:1", "http://127.0.0.1:1", "nonsense"])
@pytest.mark.parametrize("variable", ["ALL_PROXY", "HTTP_PROXY", "http_proxy"])
def test_no_proxy_stands_before_a_server_on_this_machine(monkeypatch, server, variable, proxy):
    monkeypatch.setenv(variable, proxy)
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    assert create_embeddings(["ab"])[0] == [toy_vector("ab")]
    get_client().close()


@pytest.mark.parametrize("proxy", ["socks5://127.0.0.1:1", "nonsense"])
def test_the_offline_model_looks_at_no_proxy(monkeypatch, proxy):
    monkeypatch.setenv("ALL_PROXY", proxy)
    assert len(create_embeddings(["tea"])[0][0]) == 512


@pytest.mark.parametrize("content", [None, "no certificate"])
def test_certificates_that_cannot_be_used_are_named(monkeypatch, tmp_path, content):
    path = tmp_path / "geheim.pem"
    if content:
        path.write_text(content)
    monkeypatch.setenv("SSL_CERT_FILE", str(path))
    with pytest.raises(ValueError, match="certificates in SSL_CERT_FILE"):
        network_http_client("https://models.invalid/v1")


PROXY_CASES = [
    ("http://models.invalid/v1", {"HTTP_PROXY": "p:1"}, "HTTP_PROXY"),
    ("https://models.invalid/v1", {"HTTPS_PROXY": "p:1"}, "HTTPS_PROXY"),
    ("https://models.invalid/v1", {"ALL_PROXY": "p:1", "HTTP_PROXY": "p:1"}, "ALL_PROXY"),
    ("http://models.invalid/v1", {"HTTPS_PROXY": "p:1"}, ""),
    ("http://models.invalid/v1", {"HTTP_PROXY": "p:1", "NO_PROXY": "models.invalid"}, ""),
    ("http://models.invalid/v1", {"HTTP_PROXY": "p:1", "NO_PROXY": "*"}, ""),
    ("http://localhost:1/v1", {"ALL_PROXY": "p:1"}, ""),
    ("http://127.0.0.1:1/v1", {"HTTP_PROXY": "p:1"}, ""),
    ("http://models.invalid/v1", {}, ""),
]


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="the system may set a proxy too")
@pytest.mark.parametrize(("url", "variables", "names"), PROXY_CASES)
def test_the_proxy_before_an_address_is_known_by_its_variable(monkeypatch, url, variables, names):
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert proxy_before(url) == names
