"""A chat model behind the client: the Responses API, or chat completions where there is none.

What a server cannot do is found by asking, and remembered. Errors are the SDK's own, with a
note in plain words.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from openai import APIStatusError, BadRequestError, OpenAI, OpenAIError, UnprocessableEntityError
from pydantic import BaseModel

from memora_lab.client import announce
from memora_lab.errors import explain
from memora_lab.replies import read_tokens

Turns = list[dict[str, str]]  # {"role": "user" or "assistant", "content": …}, the newest last

_NO_SUCH_API = (404, 405, 501)
_REFUSED = (BadRequestError, UnprocessableEntityError)
_SIMPLER = {"json_schema": "json_object", "json_object": "text"}


class Reply(NamedTuple):
    """What the model said, the tokens of the request (0: not told), whether it broke off."""

    text: str
    tokens: int
    cut_off: bool = False


class ChatModel:
    """One chat model of one endpoint."""

    def __init__(self, client: OpenAI, model: str) -> None:
        self.client = client
        self.model = model
        self._api: _Responses | _Completions = _Responses(client, model)
        self._format = "json_schema"

    def stream(self, instructions: str, turns: Turns) -> Iterator[str | Reply]:
        """The pieces of the answer as they come, then the Reply; a thinking block is left out."""
        text, end = "", None
        for piece in without_thinking(self._ask(lambda api: api.stream(instructions, turns))):
            if isinstance(piece, Reply):
                end = piece
            else:
                text += piece
                yield piece
        if end is None and not text:  # no stream came: a server that answers in one piece
            (end,) = self._ask(lambda api: api.whole(instructions, turns))
            text = "".join(without_thinking([end.text]))
            yield text
        yield (end or Reply("", 0))._replace(text=text)

    def answer(self, instructions: str, text: str) -> Reply:
        """The whole answer to one text."""
        *_, reply = self.stream(instructions, [{"role": "user", "content": text}])
        return reply

    def fill(self, instructions: str, text: str, shape: type[BaseModel], kind: str = "") -> Reply:
        """The answer to one text, as JSON of a shape as far as the server goes along with it."""
        kind = kind or self._format
        try:
            (reply,) = self._ask(lambda api: api.fill(instructions, text, shape, kind))
        except _REFUSED:
            if kind not in _SIMPLER:
                raise
            return self.fill(instructions, text, shape, _SIMPLER[kind])
        self._format = kind
        return reply._replace(text="".join(without_thinking([reply.text])))

    def _ask(self, call: Callable[["_Responses | _Completions"], Iterator]) -> Iterator:
        announce(self.client, self.model)
        try:
            try:
                yield from call(self._api)
            except APIStatusError as error:
                if error.status_code not in _NO_SUCH_API or isinstance(self._api, _Completions):
                    raise
                completions = _Completions(self.client, self.model)
                yield from call(completions)
                self._api = completions
        except OpenAIError as error:
            explain(error, self.client, self.model, "MEMORA_CHAT_MODEL")
            raise
        except (ValueError, AttributeError, TypeError, RecursionError):
            # What the SDK stumbles over: a web page, half a JSON, fields of another kind.
            error = OpenAIError("the server's reply is not one of a chat model")
            explain(error, self.client, self.model, "MEMORA_CHAT_MODEL")
            raise error from None


class _Responses:
    def __init__(self, client: OpenAI, model: str) -> None:
        self._responses, self._model = client.responses, model

    def stream(self, instructions: str, turns: Turns) -> Iterator[str | Reply]:
        events = self._responses.create(
            model=self._model, instructions=instructions, input=turns, stream=True, store=False
        )
        for event in events:
            if event.type in ("response.output_text.delta", "response.refusal.delta"):
                yield event.delta
            elif event.type in ("response.completed", "response.incomplete", "response.failed"):
                yield self._reply(event.response)._replace(text="")

    def whole(self, instructions: str, turns: Turns) -> Iterator[Reply]:
        yield self._reply(
            self._responses.create(
                model=self._model, instructions=instructions, input=turns, store=False
            )
        )

    def fill(
        self, instructions: str, text: str, shape: type[BaseModel], kind: str
    ) -> Iterator[Reply]:
        asked = {"model": self._model, "instructions": instructions, "input": text, "store": False}
        if kind == "json_schema":
            # `parse_as=None` leaves the reading to us: the SDK raises for a fence or a sentence.
            yield self._reply(self._responses.parse(**asked, text_format=shape, parse_as=None))
        else:
            yield self._reply(self._responses.create(**asked, text={"format": {"type": kind}}))

    def _reply(self, response: object) -> Reply:
        status = getattr(response, "status", None)
        if status == "failed":
            error = getattr(response, "error", None)
            raise OpenAIError(f"the model failed: {getattr(error, 'message', None) or 'no reason'}")
        messages = [m for m in _told(response, "output") if m.type == "message"]
        parts = [part for message in messages for part in message.content or []]
        texts = [getattr(part, "text", None) or getattr(part, "refusal", None) for part in parts]
        return Reply("".join(filter(None, texts)), read_tokens(response), status == "incomplete")


class _Completions:
    def __init__(self, client: OpenAI, model: str) -> None:
        self._create, self._model = client.chat.completions.create, model

    def stream(self, instructions: str, turns: Turns) -> Iterator[str | Reply]:
        asked = {"model": self._model, "messages": _messages(instructions, turns), "stream": True}
        try:
            chunks = self._create(**asked, stream_options={"include_usage": True})
        except _REFUSED:  # a server that does not know the option
            chunks = self._create(**asked)
        tokens, cut_off, begun = 0, False, False
        for chunk in chunks:
            begun, tokens = True, read_tokens(chunk) or tokens
            for choice in chunk.choices or []:
                cut_off = cut_off or choice.finish_reason == "length"
                piece = choice.delta.content or getattr(choice.delta, "refusal", None)
                if piece:
                    yield piece
        if begun:
            yield Reply("", tokens, cut_off)

    def whole(self, instructions: str, turns: Turns) -> Iterator[Reply]:
        yield _read(self._create(model=self._model, messages=_messages(instructions, turns)))

    def fill(
        self, instructions: str, text: str, shape: type[BaseModel], kind: str
    ) -> Iterator[Reply]:
        schema = {"name": shape.__name__, "schema": shape.model_json_schema()}
        asked = {
            "json_schema": {"type": kind, "json_schema": schema},
            "json_object": {"type": kind},
        }
        yield _read(
            self._create(
                model=self._model,
                messages=_messages(instructions, [{"role": "user", "content": text}]),
                **({"response_format": asked[kind]} if kind in asked else {}),
            )
        )


def _read(completion: object) -> Reply:
    choices = _told(completion, "choices")
    message = getattr(choices[0], "message", None) if choices else None
    content = getattr(message, "content", None) or getattr(message, "refusal", None) or ""
    cut_off = bool(choices) and choices[0].finish_reason == "length"
    return Reply(content, read_tokens(completion), cut_off)


def _told(reply: object, field: str) -> list:
    """The list of a reply; OpenAIError if there is none, with the server's words if it says why."""
    found = getattr(reply, field, None)
    if found is None:
        error = getattr(reply, "error", None)
        said = error.get("message") if isinstance(error, dict) else getattr(error, "message", None)
        raise OpenAIError(said or "the server's reply is not one of a chat model")
    return found


def _messages(instructions: str, turns: Turns) -> Turns:
    return [{"role": "system", "content": instructions}, *turns]


def without_thinking(pieces: Iterable[str | Reply]) -> Iterator[str | Reply]:
    """The pieces without a `<think>` block at the beginning; a Reply among them passes."""
    held, state = "", "unknown"  # then "thinking", "after" (its white space), "speaking"
    for piece in pieces:
        if isinstance(piece, Reply):
            yield from [held] if state == "unknown" and held else []
            held = ""
            yield piece
            continue
        held += piece
        if state == "unknown":
            begun = held.lstrip()
            if len(begun) < len("<think>") and "<think>".startswith(begun):
                continue
            state = "thinking" if begun.startswith("<think>") else "speaking"
        if state == "thinking":
            _, closed, rest = held.partition("</think>")
            if not closed:
                continue
            held, state = rest, "after"
        if state == "after":
            held = held.lstrip()
            state = "speaking" if held else "after"
        if held:
            yield held
        held = ""
    if held and state == "unknown":
        yield held
