"""An HTTP client that gives up in time.

The SDK alone waits up to ten minutes, tries a timeout three times over, obeys a server that
asks for two minutes of patience, and never ends with one that sends a byte now and then.
"""

import math
import os
import time
from collections.abc import Iterator
from concurrent.futures import Future
from threading import Thread
from urllib.parse import urlsplit

import httpx2
from openai import APITimeoutError, DefaultHttpxClient

TIMEOUT_SECONDS = 30

_LOOPBACK = ("localhost", "127.0.0.1", "::1")
_PROXY_VARIABLES = (
    "ALL_PROXY",
    "HTTPS_PROXY",
    "HTTP_PROXY",
    "all_proxy",
    "https_proxy",
    "http_proxy",
)


def network_http_client(base_url: str, seconds: float = TIMEOUT_SECONDS) -> httpx2.Client:
    """A client that gives a request so many seconds; ValueError for a proxy it cannot use."""
    local = urlsplit(base_url).hostname in _LOOPBACK  # no proxy stands between us and ourselves
    try:
        return _Bounded(seconds, trust_env=not local)
    except (ValueError, ImportError, httpx2.InvalidURL) as error:
        names = [name for name in _PROXY_VARIABLES if os.environ.get(name)]
        if local or not names:
            raise
        raise ValueError(
            f"the proxy in {', '.join(names)} cannot be used ({type(error).__name__}): correct "
            "it or unset it; MEMORA_PROVIDER=offline needs no network"
        ) from None


class _Bounded(DefaultHttpxClient):
    def __init__(self, seconds: float, trust_env: bool) -> None:
        super().__init__(
            timeout=seconds, trust_env=trust_env, event_hooks={"response": [_not_for_minutes]}
        )
        self._seconds = seconds

    def send(self, request: httpx2.Request, **options: object) -> httpx2.Response:
        try:
            if options.get("stream"):  # a streamed answer may go on as long as it is read
                return super().send(request, **options)
            request.extensions["deadline"] = time.monotonic() + self._seconds
            return self._send_in_time(request, options)
        except (TimeoutError, httpx2.TimeoutException) as error:
            # The SDK repeats its own transport's timeouts, but lets its own errors pass.
            raise APITimeoutError(request) from error

    def _send_in_time(self, request: httpx2.Request, options: dict) -> httpx2.Response:
        """In a thread, which can be left alone when it looks up a name for minutes, or is sent
        a header byte by byte: nothing ends these two."""
        answer: Future[httpx2.Response] = Future()

        def ask() -> None:
            try:
                answer.set_result(super(_Bounded, self).send(request, **options))
            except BaseException as error:
                answer.set_exception(error)

        Thread(target=ask, daemon=True).start()
        return answer.result(self._seconds)

    def __del__(self) -> None:
        """As the SDK's own client: one that another has replaced leaves no socket open."""
        try:  # noqa: SIM105 - at the end of the interpreter, suppress may be gone already
            self.close()
        except Exception:
            pass


def _not_for_minutes(response: httpx2.Response) -> None:
    deadline = response.request.extensions.get("deadline")
    if deadline is not None:
        response.stream = _UntilDeadline(response.stream, deadline)
    for name, unit in (("retry-after", 1), ("retry-after-ms", 1000)):
        wait = response.headers.get(name)
        if wait is not None and not _number(wait) <= TIMEOUT_SECONDS * unit:
            response.headers["x-should-retry"] = "false"


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:  # a date
        return math.inf


class _UntilDeadline(httpx2.SyncByteStream):
    def __init__(self, stream: httpx2.SyncByteStream, deadline: float) -> None:
        self._stream, self._deadline = stream, deadline

    def __iter__(self) -> Iterator[bytes]:
        for chunk in self._stream:
            if time.monotonic() > self._deadline:
                raise httpx2.ReadTimeout("the reply did not end in time")
            yield chunk

    def close(self) -> None:
        self._stream.close()
