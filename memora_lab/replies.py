"""Reading a server's reply: all of it understood, or none of it used.

Compatible servers differ from the API, and the SDK hands over what came without checking it.
"""

import base64
import re
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

_BOOLEAN = re.compile(rb'"embedding"\s*:\s*\[[^\]"]*(?:true|false)')


class EmbeddingReplyError(ValueError):
    """The server answered, but not with one sound vector for each text."""


class Embeddings(NamedTuple):
    """(n, d) float64 in the order of the texts; tokens, 0 if nobody told; the model."""

    vectors: NDArray[np.float64]
    tokens: int
    model: str


def read_reply(reply: object, count: int, asked_model: str) -> Embeddings:
    """`count` vectors out of what `client.embeddings.create` returned.

    Items go by their `index`; if none has one, by their place. Raises EmbeddingReplyError
    unless there are exactly `count`, each of finite numbers, all of the same length.
    """
    items, error = getattr(reply, "data", None), getattr(reply, "error", None)
    if not isinstance(items, list) or (error and isinstance(error, dict | str)):
        raise EmbeddingReplyError(f"the server sent no embeddings but {_shown(reply)}")
    if len(items) != count:
        raise EmbeddingReplyError(f"the server sent {len(items)} embeddings for {count} texts")
    vectors = [_vector(item, number) for number, item in enumerate(_in_order(items), start=1)]
    for number, vector in enumerate(vectors, start=1):
        if len(vector) != len(vectors[0]):
            raise EmbeddingReplyError(
                f"the server sent embeddings of unequal length: {len(vectors[0])} numbers for "
                f"text 1, {len(vector)} for text {number}"
            )
    model = getattr(reply, "model", None)
    named = isinstance(model, str) and model.strip()
    return Embeddings(np.stack(vectors), read_tokens(reply), model if named else asked_model)


def check_numbers(body: bytes) -> None:
    """EmbeddingReplyError for `true` in a vector: of a reply, the SDK makes it 1.0 unseen."""
    if (b"true" in body or b"false" in body) and _BOOLEAN.search(body):
        raise EmbeddingReplyError("the server sent something else than numbers: true or false")


def _in_order(items: list) -> list:
    if not all(hasattr(item, "embedding") for item in items):
        raise EmbeddingReplyError("the server sent something else than embeddings")
    indices = [getattr(item, "index", None) for item in items]
    if all(index is None for index in indices):
        return items
    if not all(type(index) is int for index in indices) or sorted(indices) != [*range(len(items))]:
        raise EmbeddingReplyError(
            f"the server numbered its {len(items)} embeddings {_beginning(str(indices), 60)}: "
            "each number from 0 on must stand there once"
        )
    return sorted(items, key=lambda item: item.index)


def _vector(item: object, number: int) -> NDArray[np.float64]:
    numbers = getattr(item, "embedding", None)
    if isinstance(numbers, str):
        numbers = _from_base64(numbers)
    if not isinstance(numbers, list) or not numbers:
        raise EmbeddingReplyError(f"the server sent no numbers for text {number}")
    if not set(map(type, numbers)) <= {float, int}:
        raise EmbeddingReplyError(f"the server sent something else than numbers for text {number}")
    try:
        vector = np.array(numbers, dtype=np.float64)
    except OverflowError:  # a whole number of over 300 digits
        vector = np.array([np.inf])
    if not np.isfinite(vector).all():
        raise EmbeddingReplyError(f"the server sent a number that is not finite for text {number}")
    return vector


def _from_base64(text: str) -> list[float] | None:
    """What the API sends when asked for base64: little-endian float32."""
    try:
        return np.frombuffer(base64.b64decode(text, validate=True), dtype="<f4").tolist()
    except ValueError:
        return None


def read_tokens(reply: object) -> int:
    """The tokens that a reply of any endpoint says it took; 0 if it does not say."""
    usage = getattr(reply, "usage", None)
    for name in ("total_tokens", "prompt_tokens"):
        tokens = usage.get(name) if isinstance(usage, dict) else getattr(usage, name, None)
        if type(tokens) is int and tokens > 0:
            return tokens
    return 0


def _shown(reply: object) -> str:
    """What came instead, short: the message of an error, the beginning of a page."""
    error = getattr(reply, "error", None)
    if error is not None:
        message = error.get("message") if isinstance(error, dict) else error
        return f"an error: {_beginning(str(message), 200)}"
    if isinstance(reply, str):
        return f"a text that begins {_beginning(reply.strip(), 80)!r}"
    return "a reply of another form"


def _beginning(text: str, length: int) -> str:
    """Cut between words: what is left of a key cut in two would not be known for a key."""
    if len(text) <= length:
        return text
    return re.sub(r"[\w.~+/=-]+$", "", text[:length], flags=re.ASCII) + "…"
