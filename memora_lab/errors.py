"""What the SDK's errors mean and what to do: one note added to each, in plain words.

The errors keep their class. A key that a server repeats in its message is cut out.
"""

import re
from collections.abc import Iterator

import openai

from memora_lab.client import is_offline, plain_address
from memora_lab.replies import EmbeddingReplyError
from memora_lab.timeouts import proxy_before

_OFFLINE = "MEMORA_PROVIDER=offline goes on without a server."


def explain(
    error: Exception,
    client: openai.OpenAI,
    model: str,
    setting: str = "MEMORA_EMBEDDING_MODEL",
) -> None:
    """Add the note, and replace the client's key by `[key]` wherever a message repeats it.

    setting: the variable that names another model for what was asked.
    """
    for key in _keys(client):
        for link in _chain(error):
            link.args = _without(link.args, key)
            for name in ("message", "body", "code", "param", "type"):
                if hasattr(link, name):
                    setattr(link, name, _without(getattr(link, name), key))
    address = plain_address(str(getattr(client, "base_url", "")))
    note = _note(error, address, model, setting)
    if note and not is_offline(client):
        error.add_note(f"{note} {_proxy_note(error, address)}".strip())
    # Of 300 lines of traceback, a learner needs the last; what lies behind it is in the note.
    error.__traceback__ = None
    error.__suppress_context__ = True
    error.__cause__ = None


def _keys(client: openai.OpenAI) -> set[object]:
    """The client's key, and another that OPENAI_CUSTOM_HEADERS may put in its place."""
    keys = {getattr(client, "api_key", "")}
    for name, text in getattr(client, "default_headers", {}).items():
        if name.lower() == "authorization":
            keys.update(str(text).split()[-1:])
    return keys


def _without(value: object, key: object) -> object:
    if isinstance(value, str) and isinstance(key, str):
        key = key.strip()
        # A long key goes wherever it stands, a short one (`ollama`) as a word of its own.
        pattern = re.escape(key) if len(key) >= 8 else rf"(?<!\w){re.escape(key)}(?!\w)"
        return re.sub(pattern, "[key]", value) if key else value
    if isinstance(value, tuple | list):
        return type(value)(_without(item, key) for item in value)
    if isinstance(value, dict):
        return {_without(name, key): _without(item, key) for name, item in value.items()}
    return value


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    seen = []
    while error is not None and error not in seen:
        seen.append(error)
        yield error
        error = error.__cause__ or error.__context__


def _note(error: Exception, address: str, model: str, setting: str) -> str:
    strange = isinstance(error, EmbeddingReplyError) or type(error) is openai.OpenAIError
    if strange and not address.endswith("/v1"):
        return _missing_v1(address)
    if strange:
        return f"Is {address} right, and {model!r} ({setting}) a model for this? {_OFFLINE}"
    if isinstance(error, openai.APITimeoutError):
        return (
            f"{address} gave no answer in time: busy, loading a model, or asked for much at once "
            f"(MEMORA_BATCH_SIZE=16)? {_OFFLINE}"
        )
    if isinstance(error, openai.APIConnectionError):
        cause = _cause(error)
        return f"No connection to {address} ({cause}). {_what_to_check(cause)} {_OFFLINE}"
    status = getattr(error, "status_code", None)
    if status in (401, 403):
        return (
            f"{address} does not accept the key. Copy OPENAI_API_KEY again from the provider's "
            f"page, and see that it belongs to this address. {_OFFLINE}"
        )
    kinds = (getattr(error, "code", None), getattr(error, "type", None))
    if status == 402 or (status == 429 and "insufficient_quota" in kinds):
        return f"The account has no credit left: add some on the provider's page. {_OFFLINE}"
    if status == 429:
        return f"{address} is asked too often: wait a minute and try again. {_OFFLINE}"
    if status in (408, 409, 425):
        return f"{address} is busy: try again in a moment. {_OFFLINE}"
    if status in (404, 405):
        return _not_found_note(address, model, setting)
    if status in (400, 413, 422) and setting == "MEMORA_CHAT_MODEL":
        return f"The server refuses this. Say it in fewer words, or set {setting} to another model."
    if status in (400, 413, 422):
        return (
            "The server refuses this. If the texts are long: shorten them. If they are many: some "
            "servers take 10 or 16 at a time (MEMORA_BATCH_SIZE=10)."
        )
    if status == 407:
        return f"The proxy wants a user and a password in its address. {_OFFLINE}"
    if status is not None and status >= 500:
        return f"{address} has a fault of its own: try again later. {_OFFLINE}"
    if status is not None:
        return f"{address} does not answer as the API does: is OPENAI_BASE_URL right? {_OFFLINE}"
    return ""


def _proxy_note(error: Exception, address: str) -> str:
    """A proxy that is down, or that answers itself, looks like a fault of the server."""
    names = proxy_before(address)
    if not names or getattr(error, "status_code", 500) in (400, 401, 402, 404, 422, 429):
        return ""
    return f"A proxy stands before it ({names}): is its address right, and does it run?"


def _cause(error: Exception) -> str:
    behind = [str(link) or type(link).__name__ for link in _chain(error)]
    return behind[-1].splitlines()[0][:100]


def _what_to_check(cause: str) -> str:
    if "CERTIFICATE" in cause:
        return "Its certificate is not trusted: set SSL_CERT_FILE to your network's own."
    if "SSL" in cause:
        return "Should the address begin with http:// instead of https://?"
    return "Is the network up, and is the server running?"


def _not_found_note(address: str, model: str, setting: str) -> str:
    if not address.endswith("/v1"):
        return _missing_v1(address)
    return (
        f"{address} has no model {model!r} for this, or does no such thing at all: set {setting} "
        "to one that it has."
    )


def _missing_v1(address: str) -> str:
    return f"Most servers want /v1 at the end of the address: OPENAI_BASE_URL={address}/v1"
