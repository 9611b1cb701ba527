"""An HTTP client that gives up in time.

The SDK alone waits up to ten minutes, tries a timeout three times over, obeys a server that
asks for two minutes of patience, and never ends with one that sends a byte now and then. A
streamed answer may go on for as long as its lines come.
"""

import math
import os
import time
from collections.abc import Iterator
from concurrent.futures import Future
from threading import Thread
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import httpx2
from openai import APIConnectionError, APITimeoutError, DefaultHttpxClient

from memora_lab.settings import CERTIFICATE_VARIABLES, PROXY_VARIABLES

TIMEOUT_SECONDS = 30

_LOOPBACK = ("localhost", "127.0.0.1", "::1")


def network_http_client(base_url: str, seconds: float = TIMEOUT_SECONDS) -> httpx2.Client:
    """A client that gives a request so many seconds, and sends the password of the address.

    ValueError for a proxy or a file of certificates that it cannot use.
    """
    url = httpx2.URL(base_url)
    auth = (url.username, url.password) if url.userinfo else None
    local = _is_local(base_url)  # no proxy stands between us and ourselves
    try:
        return _Bounded(seconds, url.scheme == "https", trust_env=not local, auth=auth)
    except (ValueError, ImportError, OSError, httpx2.InvalidURL) as error:
        of_files = isinstance(error, OSError)
        names = [
            name
            for name in (CERTIFICATE_VARIABLES if of_files else PROXY_VARIABLES)
            if os.environ.get(name)
        ]
        if local or not names:
            raise
        raise ValueError(
            f"the {'certificates' if of_files else 'proxy'} in {', '.join(names)} cannot be used "
            f"({type(error).__name__}): correct it or unset it; MEMORA_PROVIDER=offline needs no "
            "network"
        ) from None


def proxy_before(url: str) -> str:
    """The variables that put a proxy before this address; "" if none stands there.

    Only their names: a proxy's address may hold a password.
    """
    parts, proxies = urlsplit(url), getproxies()
    kinds = {parts.scheme, "all"} & proxies.keys()
    if not kinds or _is_local(url) or proxy_bypass(parts.hostname or ""):
        return ""
    names = [
        n for n in PROXY_VARIABLES if os.environ.get(n) and n.lower()[: -len("_proxy")] in kinds
    ]
    return ", ".join(names) or "the system's settings"


def _is_local(url: str) -> bool:
    return urlsplit(url).hostname in _LOOPBACK


class _Bounded(DefaultHttpxClient):
    def __init__(self, seconds: float, keep: bool, **options: object) -> None:
        if not keep:
            # A small server may leave the rest of a refused request in the connection, and
            # misread the next one. To connect anew costs nothing on the same computer.
            options["limits"] = httpx2.Limits(max_keepalive_connections=0)
        super().__init__(timeout=seconds, event_hooks={"response": [_not_for_minutes]}, **options)
        self._seconds = seconds

    def send(self, request: httpx2.Request, **options: object) -> httpx2.Response:
        try:
            if options.get("stream"):
                response = super().send(request, **options)
                response.stream = _LineByLine(response, self._seconds)
                return response
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


class _LineByLine(httpx2.SyncByteStream):
    """A line within so many seconds; what breaks the stream off is an error of the SDK's."""

    def __init__(self, response: httpx2.Response, seconds: float) -> None:
        self._stream, self._request, self._seconds = response.stream, response.request, seconds
        self._ends = b"" if "content-encoding" in response.headers else b"\n"

    def __iter__(self) -> Iterator[bytes]:
        waited, chunks = 0.0, iter(self._stream)
        while waited <= self._seconds:
            start = time.monotonic()
            try:
                chunk = next(chunks, None)
            except httpx2.TimeoutException:
                break
            except httpx2.TransportError as error:
                raise APIConnectionError(request=self._request) from error
            if chunk is None:
                return
            waited = 0.0 if self._ends in chunk else waited + time.monotonic() - start
            yield chunk
        raise APITimeoutError(self._request)

    def close(self) -> None:
        self._stream.close()
