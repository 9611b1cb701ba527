"""A real server on loopback that plays the embeddings endpoint, on good days and on bad ones.

    server.next(Reply(status=500))      what it answers next, one reply for each request
    server.always(Reply(status=500))    what it answers from now on
    server.requests                     the body of each request it got, in order

With no order given it answers as the API does, with vectors that can be worked out by hand.
"""

import itertools
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread

MODEL = "toy-model"

_numbers = itertools.count(1)


def toy_vector(text: str) -> list[float]:
    """How often a, b and c stand in the text."""
    return [float(text.count(letter)) for letter in "abc"]


def good_body(texts: list[str], model: str = MODEL) -> dict:
    """What a well-behaved server answers: each text costs as many tokens as it has letters."""
    tokens = sum(map(len, texts))
    return {
        "object": "list",
        "data": [
            {"object": "embedding", "index": i, "embedding": toy_vector(text)}
            for i, text in enumerate(texts)
        ],
        "model": model,
        "usage": {"prompt_tokens": tokens, "total_tokens": tokens},
    }


@dataclass
class Reply:
    """One answer. `body` is sent as it is if it is bytes, as JSON if it is anything else."""

    body: object = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    content_type: str = "application/json"
    cut_after: int | None = None  # bytes of the body after which the connection is cut
    drip: bool = False  # a byte of the body now and then, without an end
    silent: bool = False  # no answer at all


Answer = Reply | Callable[[dict], Reply]


class EmbeddingServer(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        # A path of its own: a port may come again, and an address is announced only once.
        self.url = f"http://127.0.0.1:{self.server_port}/{next(_numbers)}/v1"
        self.requests: list[dict] = []
        self.headers: list[dict[str, str]] = []
        self.paths: list[str] = []
        self.closing = Event()
        self._next: list[Answer] = []
        self._always: Answer = lambda request: Reply(good_body(request["input"]))
        Thread(target=self.serve_forever, args=(0.01,), daemon=True).start()

    def next(self, *answers: Answer) -> None:
        self._next += answers

    def always(self, answer: Answer) -> None:
        self._always = answer

    def answer(self, request: dict) -> Reply:
        answer = self._next.pop(0) if self._next else self._always
        return answer if isinstance(answer, Reply) else answer(request)

    def stop(self) -> None:
        self.closing.set()
        self.shutdown()
        self.server_close()

    def handle_error(self, request: object, client_address: object) -> None:
        """Silence: a client that gives up early is what some tests are about."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # or each reply waits 40 ms for the last one's receipt
    server: EmbeddingServer

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.server.requests.append(request)
        self.server.headers.append({k.lower(): v for k, v in self.headers.items()})
        self.server.paths.append(self.path)
        reply = self.server.answer(request)
        if reply.silent:
            self.server.closing.wait()
            self.close_connection = True
            return
        body = reply.body if isinstance(reply.body, bytes) else json.dumps(reply.body).encode()
        self.send_response(reply.status)
        headers = {"content-type": reply.content_type, "content-length": str(len(body))}
        if reply.drip:
            headers["content-length"] = "1000000"
        for name, value in (headers | reply.headers).items():
            self.send_header(name, value)
        self.end_headers()
        if reply.drip:
            while not self.server.closing.wait(0.05):
                self.wfile.write(b" ")
            self.close_connection = True
            return
        self.wfile.write(body[: reply.cut_after])
        self.close_connection = self.close_connection or reply.cut_after is not None

    def do_GET(self) -> None:
        self.send_response(405)
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """No lines on stderr."""
