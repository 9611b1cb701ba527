"""An HTTP client that gives up in time.

The SDK alone waits up to ten minutes, tries a timeout three times over, obeys a server that
asks for two minutes of patience, and never ends with one that sends a byte now and then.
"""

import os
import time
from collections.abc import Iterator
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
        if not options.get("stream"):  # a streamed answer may go on as long as it is read
            request.extensions["deadline"] = time.monotonic() + self._seconds
        try:
            return super().send(request, **options)
        except httpx2.TimeoutException as error:
            # The SDK repeats its own transport's timeouts, but lets its own errors pass.
            raise APITimeoutError(request) from error


def _not_for_minutes(response: httpx2.Response) -> None:
    deadline = response.request.extensions.get("deadline")
    if deadline is not None:
        response.stream = _UntilDeadline(response.stream, deadline)
    wait = response.headers.get("retry-after")
    if wait is not None and not (wait.isdigit() and int(wait) <= TIMEOUT_SECONDS):
        response.headers["x-should-retry"] = "false"


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
