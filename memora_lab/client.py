"""Which endpoint answers, and the OpenAI client that talks to it.

    offline      no key and no base URL set: a local model behind the same client, no network
    openai       OPENAI_API_KEY is set
    compatible   OPENAI_BASE_URL is set: Ollama, LM Studio, vLLM and their like

Nothing is read at import, and no client is made before it is needed.
"""

import os
import sys
import unicodedata
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Literal
from urllib.parse import urlsplit

from memora_lab.settings import (
    CERTIFICATE_VARIABLES,
    CHAT_MODEL,
    EMBEDDING_MODEL,
    OFFLINE_MODEL,
    PROXY_VARIABLES,
    read_settings,
    refuse_key,
)

if TYPE_CHECKING:  # takes longer to import than the rest of the package together
    from openai import OpenAI

_OPENAI_URL = "https://api.openai.com/v1"
_OFFLINE_HOST = "offline.invalid"  # .invalid resolves nowhere (RFC 2606)
_OFFLINE_URL = f"http://{_OFFLINE_HOST}/v1"
# What the client reads from the environment by itself, once, when it is made.
_HEADER_VARIABLES = ("OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_CUSTOM_HEADERS")
_VARIABLES = (
    *_HEADER_VARIABLES,
    *CERTIFICATE_VARIABLES,
    *PROXY_VARIABLES,
    "NO_PROXY",
    "no_proxy",
)


@dataclass(frozen=True)
class Endpoint:
    """Where texts go, and which model reads them there."""

    provider: Literal["offline", "openai", "compatible"]
    embedding_model: str
    base_url: str = field(repr=False)
    api_key: str = field(repr=False)

    @property
    def address(self) -> str:
        """The base URL, without a password that may stand in it."""
        return plain_address(self.base_url)


def current_endpoint() -> Endpoint:
    """The endpoint that the settings choose at this moment.

    Raises ValueError if a setting cannot be used; the message names it, and shows no key.
    """
    settings = read_settings()
    key = settings.get("OPENAI_API_KEY", "")
    url = settings.get("OPENAI_BASE_URL", "")
    forced = settings.get("MEMORA_PROVIDER", "").lower()
    if forced not in ("", "offline"):
        refuse_key("MEMORA_PROVIDER", settings["MEMORA_PROVIDER"])
        raise ValueError(
            f"MEMORA_PROVIDER is {forced!r}: the only value is 'offline'. Unset it, and "
            "OPENAI_API_KEY and OPENAI_BASE_URL choose the provider"
        )
    if forced or not (key or url):
        return Endpoint("offline", OFFLINE_MODEL, _OFFLINE_URL, "offline")
    _check_key(key)
    if not url:
        return Endpoint("openai", embedding_model(), _OPENAI_URL, key)
    _check_url(url)
    # A local server wants no key, but the client insists on one.
    return Endpoint("compatible", embedding_model(), url, key or "no-key")


def get_client() -> "OpenAI":
    """The client of the current endpoint: made once, another one when the settings change.

    A request ends within 30 seconds; one turned away for the moment is tried twice more.
    Raises ValueError as `current_endpoint` does, or for a proxy, a file of certificates or an
    OPENAI_ORG_ID and its like that cannot be used.
    """
    return client_of(current_endpoint())


def client_of(endpoint: Endpoint) -> "OpenAI":
    """`get_client`, with the endpoint at hand."""
    surroundings = tuple(os.environ.get(name) for name in _VARIABLES)
    return _make_client(endpoint.provider, endpoint.base_url, endpoint.api_key, surroundings)


def embedding_model() -> str:
    """The model to ask a server for, where a call names none."""
    return _model("MEMORA_EMBEDDING_MODEL", EMBEDDING_MODEL)


def chat_model() -> str:
    """The model that holds the conversation; the offline provider has none."""
    return _model("MEMORA_CHAT_MODEL", CHAT_MODEL)


def is_offline(client: "OpenAI") -> bool:
    """Whether what this client is asked never leaves the process."""
    return urlsplit(str(getattr(client, "base_url", ""))).hostname == _OFFLINE_HOST


def announce(client: "OpenAI", model: str) -> None:
    """Say once, on stderr, to which address texts are about to go and which model reads them."""
    url = str(getattr(client, "base_url", ""))
    if url and not is_offline(client):
        _announce_once(plain_address(url), model)


def plain_address(url: str) -> str:
    """Scheme, host, port and path of a URL: no user, no password, no query."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}".rstrip("/")


@cache
def _announce_once(address: str, model: str) -> None:
    print(f"Memora Lab: texts are sent to {address}, read by the model {model}.", file=sys.stderr)


def _model(name: str, default: str) -> str:
    return refuse_key(name, read_settings().get(name, default))


@lru_cache(maxsize=8)
def _make_client(
    provider: str, base_url: str, api_key: str, _surroundings: tuple[str | None, ...]
) -> "OpenAI":
    from openai import OpenAI

    _check_headers()
    if provider == "offline":
        from memora_lab.offline import offline_http_client

        # Strict lets pydantic read the vectors; the SDK's own lenient walk over each number
        # takes as long as the model. Only our own transport is sure to pass it.
        return OpenAI(
            api_key=api_key,
            base_url=base_url,
            http_client=offline_http_client(),
            _strict_response_validation=True,
        )
    from memora_lab.timeouts import TIMEOUT_SECONDS, network_http_client

    return OpenAI(
        api_key=api_key,
        # Without the password, if one stands there, which the HTTP client sends: an address
        # comes up in errors and logs.
        base_url=plain_address(base_url),
        max_retries=2,
        timeout=TIMEOUT_SECONDS,
        http_client=network_http_client(base_url),
    )


def _check_key(key: str) -> None:
    if not (key.isascii() and key.isprintable() and " " not in key):
        raise ValueError(
            "OPENAI_API_KEY holds a space, a line break or a character that no key has: "
            "copy it again from the provider's page, and nothing beside it"
        )


def _check_url(url: str) -> None:
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
        good = parts.scheme in ("http", "https") and host and parts.port != 0
        good = good and not parts.query and not parts.fragment
        # As a network takes it: no empty part, and no digits of a Chinese input method.
        good = good and host.encode("idna") and unicodedata.normalize("NFKC", host) == host
    except ValueError:
        good = False
    if not good or not url.isprintable() or " " in url:
        # What stands there is not shown: it may hold a password, or be the key.
        raise ValueError(
            "OPENAI_BASE_URL must be a whole address such as http://localhost:11434/v1, with "
            "nothing behind it (a key belongs in OPENAI_API_KEY)"
        )
    refuse_key("OPENAI_BASE_URL", plain_address(url))


def _check_headers() -> None:
    for name in _HEADER_VARIABLES:
        text = os.environ.get(name, "")
        lines = text.split("\n") if name == "OPENAI_CUSTOM_HEADERS" else [text]
        if not all(line.isascii() and line.isprintable() for line in lines):
            raise ValueError(
                f"{name} holds a line break or a character that cannot be sent: copy it again "
                "from the provider's page, or unset it"
            )
