"""What the SDK's errors mean and what to do: one note added to each, in plain words.

The errors keep their class. A key that a server repeats in its message is cut out.
"""

import re
from collections.abc import Iterator

import openai

from memora_lab.client import is_offline, plain_address
from memora_lab.replies import EmbeddingReplyError

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
    key = getattr(client, "api_key", "")
    for link in _chain(error):
        link.args = _without(link.args, key)
        for name in ("message", "body", "code", "param", "type"):
            if hasattr(link, name):
                setattr(link, name, _without(getattr(link, name), key))
    note = _note(error, plain_address(str(getattr(client, "base_url", ""))), model, setting)
    if note and not is_offline(client):
        error.add_note(note)
    # Of 300 lines of traceback, a learner needs the last; what lies behind it is in the note.
    error.__traceback__ = None
    error.__suppress_context__ = True
    error.__cause__ = None


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
    if isinstance(error, openai.APITimeoutError):
        return f"{address} gave no answer in time: busy, or loading a model? {_OFFLINE}"
    if isinstance(error, openai.APIConnectionError):
        return (
            f"No connection to {address} ({_cause(error)}). Is the network up, and is the server "
            f"running? {_OFFLINE}"
        )
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
    if status in (400, 413, 422):
        return (
            "The server refuses this. If the texts are long: shorten them. If they are many: some "
            "servers take 10 or 16 at a time (MEMORA_BATCH_SIZE=10)."
        )
    if status is not None and status >= 500:
        return f"{address} has a fault of its own: try again later. {_OFFLINE}"
    if status is not None:
        return f"{address} does not answer as the API does: is OPENAI_BASE_URL right? {_OFFLINE}"
    return ""


def _cause(error: Exception) -> str:
    behind = [str(link) or type(link).__name__ for link in _chain(error)]
    return behind[-1].splitlines()[0][:100]


def _not_found_note(address: str, model: str, setting: str) -> str:
    if not address.endswith("/v1"):
        return _missing_v1(address)
    return f"{address} has no model {model!r} for this: set {setting} to one that it has."


def _missing_v1(address: str) -> str:
    return f"Most servers want /v1 at the end of the address: OPENAI_BASE_URL={address}/v1"
