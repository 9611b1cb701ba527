"""Text → vectors: the one place where the embeddings endpoint is called."""

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from memora_lab.client import announce, client_of, current_endpoint, embedding_model
from memora_lab.models import EmbeddedMemoryCandidate, MemoryCandidate
from memora_lab.replies import EmbeddingReplyError, Embeddings, check_numbers, read_reply
from memora_lab.settings import refuse_key
from memora_lab.texts import batches, checked_batch_size, checked_texts

if TYPE_CHECKING:  # imported with the first client
    from openai import OpenAI
    from openai.resources import Embeddings as Resource


def create_embeddings(
    texts: Iterable[str],
    *,
    client: "OpenAI | None" = None,
    model: str | None = None,
    batch_size: int | None = None,
) -> tuple[list[list[float]], int]:
    """One vector for each text, in their order, and the tokens they cost.

    texts: n strings. client, model: default to what the settings choose. batch_size: texts in
    one request, 1 to 2,048. Returns (n lists of d floats, total tokens; 0 where the server
    does not tell); `([], 0)` for no texts, without a request.

    Raises TypeError or ValueError for bad input before any request, `EmbeddingReplyError` for
    a reply that is not n sound vectors, and the SDK's own errors with a note in plain words.
    """
    vectors, tokens, _ = embed(texts, client=client, model=model, batch_size=batch_size)
    return vectors.tolist(), tokens


def embed_memory_candidates(
    candidates: Sequence[MemoryCandidate],
    *,
    client: "OpenAI | None" = None,
    model: str | None = None,
) -> tuple[list[EmbeddedMemoryCandidate], int]:
    """Each candidate with its vector and the model that made it, and the tokens they cost.

    Order, errors and `([], 0)` for none as in `create_embeddings`.
    """
    if isinstance(candidates, MemoryCandidate):
        raise TypeError("candidates must be a list, got one MemoryCandidate: write [candidate]")
    contents = [_content(candidate, i) for i, candidate in enumerate(candidates)]
    vectors, tokens, made_by = embed(contents, client=client, model=model)
    embedded = [
        EmbeddedMemoryCandidate(content=content, embedding=vector, model=made_by)
        for content, vector in zip(contents, vectors.tolist(), strict=True)
    ]
    return embedded, tokens


def embed(
    texts: Iterable[str],
    *,
    client: "OpenAI | None" = None,
    model: str | None = None,
    batch_size: int | None = None,
) -> Embeddings:
    """`create_embeddings` as a matrix, and the model that answered ("" for no texts)."""
    parts = list(embed_in_batches(texts, client=client, model=model, batch_size=batch_size))
    if not parts:
        return Embeddings(np.empty((0, 0)), 0, "")
    vectors, tokens, models = zip(*parts, strict=True)
    return Embeddings(np.concatenate(vectors), sum(tokens), models[0])


def embed_in_batches(
    texts: Iterable[str],
    *,
    client: "OpenAI | None" = None,
    model: str | None = None,
    batch_size: int | None = None,
) -> Iterator[Embeddings]:
    """`create_embeddings` one request at a time, the texts all checked before the first.

    Raises EmbeddingReplyError if two replies differ in model or dimensions.
    """
    checked, size = checked_texts(texts), checked_batch_size(batch_size)
    if not checked:
        return
    if model:
        refuse_key("model", model)
    if client is None:
        endpoint = current_endpoint()
        client, model = client_of(endpoint), model or endpoint.embedding_model
    model = model or embedding_model()
    announce(client, model)
    first, start = None, 0
    for batch in batches(checked, size):
        reply = _request(client, model, batch, start)
        start += len(batch)
        first = first or reply
        if _kind(reply) != _kind(first):
            raise EmbeddingReplyError(
                "the server changed between two requests from "
                f"{_kind(first)} to {_kind(reply)}: embed the texts again"
            )
        yield reply


def _content(candidate: MemoryCandidate, index: int) -> str:
    if not hasattr(candidate, "content"):
        raise TypeError(
            f"candidates[{index}] must be a MemoryCandidate, got {type(candidate).__name__}: "
            "write [MemoryCandidate(content=…)]"
        )
    return candidate.content


def _request(client: "OpenAI", model: str, batch: list[str], start: int) -> Embeddings:
    from openai import OpenAIError

    from memora_lab.errors import explain

    try:
        reply = _ask(client.embeddings, model=model, input=batch, encoding_format="float")
        return read_reply(reply, len(batch), model)
    except (OpenAIError, EmbeddingReplyError) as error:
        explain(error, client, model)
        if start:  # what the message counts, it counts from there
            error.add_note(f"The first text of this request is text {start + 1} of the list.")
        raise
    except UnicodeEncodeError:  # of the request, not of the reply; it holds the whole key
        raise ValueError(
            "the client's key, or another header of its own, holds a character that cannot be "
            "sent: copy it again from the provider's page"
        ) from None
    except (ValueError, OverflowError, AttributeError, RecursionError):
        # What the SDK stumbles over: no JSON, no UTF-8, a number of a thousand digits, a field
        # named as one of its own.
        error = EmbeddingReplyError("the server's reply is broken off or no sound JSON")
        explain(error, client, model)
        raise error from None


def _ask(embeddings: "Resource", **asked: object) -> object:
    raw = getattr(embeddings, "with_raw_response", None)
    if raw is None:  # of a client that is none of the SDK's
        return embeddings.create(**asked)
    response = raw.create(**asked)
    check_numbers(response.content)
    return response.parse()


def _kind(reply: Embeddings) -> str:
    return f"{reply.model} ({reply.vectors.shape[1]} dimensions)"
