"""What a chat endpoint sends: the Responses API and chat completions, whole and as a stream.

    play_chat(server, reply="Hello.", extraction='{"should_remember": false, "memories": []}')

makes a server from `server.py` answer all three endpoints as a good one does.
"""

import json
from collections.abc import Iterable

from server import EmbeddingServer, Reply, good_body

NOTHING = '{"should_remember": false, "memories": []}'
TOKENS = 7  # what every chat request costs


def facts(*texts: str) -> str:
    memories = [{"content": text} for text in texts]
    return json.dumps({"should_remember": True, "memories": memories}, ensure_ascii=False)


def play_chat(
    server: EmbeddingServer,
    reply: str | Reply = "Hello.",
    extraction: str | Reply = NOTHING,
    summary: str | Reply = "They talked.",
    responses: bool = True,
    streams: bool = True,
    formats: Iterable[str] = ("json_schema", "json_object", "text"),
) -> None:
    """Answer from now on. A Reply is sent as it is; formats: those that do not get a 400."""

    def answer(request: dict) -> Reply:
        path = server.paths[-1]
        if path.endswith("/embeddings"):
            return Reply(good_body(request["input"]))
        if path.endswith("/responses") and not responses:
            return Reply({"error": {"message": "no such path"}}, status=404)
        form = asked_format(request)
        if form not in formats:
            return Reply({"error": {"message": f"{form} is not supported"}}, status=400)
        told = instructions_of(request)
        said = reply
        if "keep the summary" in told:
            said = summary
        elif "find lasting facts" in told:
            said = extraction
        if isinstance(said, Reply):
            return said
        wrap = response if path.endswith("/responses") else completion
        return wrap(said, stream=streams and bool(request.get("stream")))

    server.always(answer)


def asked_format(request: dict) -> str:
    form = request.get("text", {}).get("format") or request.get("response_format") or {}
    return form.get("type", "text")


def instructions_of(request: dict) -> str:
    return request.get("instructions") or request["messages"][0]["content"]


def response(text: str, stream: bool = False, status: str = "completed", **fields: object) -> Reply:
    """A reply of the Responses API."""
    part = {"type": "output_text", "text": text, "annotations": []}
    message = {
        "type": "message",
        "id": "m",
        "role": "assistant",
        "status": status,
        "content": [part],
    }
    whole = {
        "id": "r", "object": "response", "created_at": 1, "model": "toy-chat", "status": status,
        "output": [message] if text else [], "parallel_tool_calls": True, "tool_choice": "auto",
        "tools": [],
        "usage": {
            "input_tokens": 4, "output_tokens": 3, "total_tokens": TOKENS,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens_details": {"reasoning_tokens": 0},
        },
        **fields,
    }  # fmt: skip
    if not stream:
        return Reply(whole)
    events = [
        {"type": "response.output_text.delta", "delta": piece, "item_id": "m", "output_index": 0,
         "content_index": 0, "sequence_number": i, "logprobs": []}
        for i, piece in enumerate(in_pieces(text))
    ]  # fmt: skip
    return sse([*events, {"type": f"response.{status}", "response": whole, "sequence_number": 99}])


def completion(text: str, stream: bool = False, finish: str = "stop") -> Reply:
    """A reply of chat completions."""
    head = {"id": "c", "created": 1, "model": "toy-chat"}
    usage = {"prompt_tokens": 4, "completion_tokens": 3, "total_tokens": TOKENS}
    if not stream:
        choice = {
            "index": 0,
            "finish_reason": finish,
            "message": {"role": "assistant", "content": text},
        }
        return Reply({**head, "object": "chat.completion", "choices": [choice], "usage": usage})
    head["object"] = "chat.completion.chunk"
    chunks = [
        {**head, "choices": [{"index": 0, "delta": {"content": piece}, "finish_reason": None}]}
        for piece in in_pieces(text)
    ]
    last = {**head, "choices": [{"index": 0, "delta": {}, "finish_reason": finish}]}
    return sse([*chunks, last, {**head, "choices": [], "usage": usage}])


def in_pieces(text: str) -> list[str]:
    return [text[i : i + 3] for i in range(0, len(text), 3)]


def sse(events: list[dict]) -> Reply:
    lines = [f"event: {e.get('type', 'message')}\ndata: {json.dumps(e)}\n\n" for e in events]
    if "type" not in events[-1]:
        lines = [f"data: {json.dumps(e)}\n\n" for e in events] + ["data: [DONE]\n\n"]
    return Reply("".join(lines).encode(), content_type="text/event-stream")
