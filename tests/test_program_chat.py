"""Talk, over the wire: a good server, and each that is not."""

from io import StringIO

import pytest
from chat_server import NOTHING, TOKENS, completion, facts, play_chat, response, sse
from server import Reply

from memora_lab import get_client
from memora_lab.client import current_endpoint
from memora_lab.program.chat import ChatModel, without_thinking
from memora_lab.program.commands import handle
from memora_lab.program.conversation import Conversation
from memora_lab.program.session import Session
from memora_lab.program.terminal import run


@pytest.fixture
def session(client):
    return Session(ChatModel(client, "toy-chat"))


def say(session: Session, *lines: str) -> str:
    """What the program prints for these lines, its opening and its farewell aside."""
    out = StringIO()
    pending = iter(lines)

    def read() -> str:
        try:
            return next(pending)
        except StopIteration:
            raise EOFError from None

    run(session, current_endpoint(), read, out)
    return out.getvalue().partition("Ctrl-D)\n")[2].removesuffix("Bye!\n")


def wide(text: str) -> str:
    """The letters as a Chinese input method types them in its full-width mode."""
    return "".join(chr(ord(letter) + 0xFEE0) for letter in text)


def roles(session: Session) -> list[str]:
    return [turn.role for turn in session.conversation.turns]


BOTH_APIS = pytest.mark.parametrize("responses", [True, False], ids=["responses", "completions"])


@BOTH_APIS
def test_a_message_is_answered_and_its_fact_remembered(server, session, responses):
    play_chat(server, "好的。", facts("使用者住在台北。"), responses=responses)
    assert say(session, "我住台北", "memories", "extraction", "history") == (
        "Memora: 好的。\n"
        "Memory #1 added: 使用者住在台北。\n"
        "1. 使用者住在台北。\n"
        "- 使用者住在台北。\n"
        "You: 我住台北\n"
        "Memora: 好的。\n"
    )


@BOTH_APIS
def test_a_server_that_does_not_stream_is_asked_again_for_the_whole(server, session, responses):
    play_chat(server, "<think>hm</think>Hello.", responses=responses, streams=False)
    assert say(session, "Hi there.").startswith("Memora: Hello.\n")
    assert session.tokens["chat"] == TOKENS


@BOTH_APIS
def test_every_token_is_counted_where_it_was_spent(server, session, responses):
    play_chat(server, "Hi.", facts("The user likes tea."), responses=responses)
    say(session, "I like tea.", "search tea")
    assert session.tokens == {
        "chat": TOKENS, "extraction": TOKENS, "memories": len("The user likes tea."), "queries": 3
    }  # fmt: skip
    assert f"tokens: total       {session.tokens.total()}\n" in say(session, "status")


def test_commands_never_enter_the_conversation(server, session):
    play_chat(server)
    say(
        session,
        "remember tea",
        "memories",
        "SEARCH tea",
        wide("help"),
        "vector 1",
        "top-k 2",
        "search",
    )
    assert session.conversation.turns == []


def test_the_fact_request_has_the_message_alone_as_data_and_a_schema(server, session):
    play_chat(server, "Nice.")
    say(session, 'Hello "you"', "I like tea.")
    request = server.requests[-1]
    assert request["input"] == '"I like tea."'
    assert request["text"]["format"]["type"] == "json_schema"
    assert request["text"]["format"]["strict"] is True
    assert request["model"] == "toy-chat"
    assert request["store"] is False


def test_a_message_that_only_asks_is_not_searched_for_facts(server, session):
    play_chat(server, "A name.", facts("The user has a name."))
    say(session, "What is your name? Is it long?", "你叫什麼名字？")
    assert [path.rpartition("/")[2] for path in server.paths] == ["responses", "responses"]
    assert len(session.store) == 0


def test_a_known_fact_is_not_stored_twice(server, session):
    play_chat(server, "Ok.", facts("The user likes tea.", "The user likes tea.", wide("AI")))
    printed = say(session, "remember AI", "I like tea.", "I like tea, I said.")
    assert printed.count("Memory #") == 1
    assert [m.content for m in session.store] == ["AI", "The user likes tea."]


@pytest.mark.parametrize(
    ("formats", "asked"),
    [
        (("json_object", "text"), ["json_schema", "json_object", "json_object"]),
        (("text",), ["json_schema", "json_object", "text", "text"]),
    ],
)
@BOTH_APIS
def test_a_server_without_schemas_is_asked_more_and_more_plainly(
    server, session, formats, asked, responses
):
    play_chat(server, "Ok.", facts("The user likes tea."), responses=responses, formats=formats)
    say(session, "I like tea.", "I like tea a lot.")
    assert [m.content for m in session.store] == ["The user likes tea."]
    kinds = [kind_of(request) for request in server.requests if is_fill(request)]
    assert [kind for kind in kinds if kind][-len(asked) :] == asked


def is_fill(request: dict) -> bool:
    return not request.get("stream") and (
        "messages" in request or isinstance(request["input"], str)
    )


def kind_of(request: dict) -> str:
    form = request.get("text", {}).get("format") or request.get("response_format") or {}
    return form.get("type", "text")


WRAPPED = [
    "```json\n{}\n```",
    "Here it is: {} Anything else?",
    "<think>The user {{likes}} tea [1].</think>\n{}",
    "  {}\n",
]


@pytest.mark.parametrize("wrapper", WRAPPED)
@BOTH_APIS
def test_facts_are_found_in_fences_prose_and_after_thinking(server, session, wrapper, responses):
    wrapped = wrapper.format(facts("The user likes tea."))
    play_chat(server, "Ok.", wrapped, responses=responses)
    say(session, "I like tea.")
    assert [m.content for m in session.store] == ["The user likes tea."]


BAD_EXTRACTIONS = {
    "prose": "I found nothing to remember.",
    "empty": "",
    "refusal": response("", output=[{"type": "message", "id": "m", "role": "assistant",
        "status": "completed", "content": [{"type": "refusal", "refusal": "I cannot."}]}]),
    "cut off": response(facts("The user likes tea.")[:-6], status="incomplete"),
    "failed": response("", status="failed", error={"code": "server_error", "message": "no luck"}),
    "no output": response("", output=None),
    "wrong keys": '{"facts": ["tea"]}',
    "numbers": "[1, 2]",
    "null": "null",
    "a page": Reply(b"<html>login</html>", content_type="text/html"),
    "half JSON": Reply(b'{"id": "r", "outp'),
    "no body": Reply(b""),
    "an error with 200": Reply({"error": {"message": "overloaded"}}),
    "500": Reply({"error": {"message": "boom"}}, status=500, headers={"x-should-retry": "false"}),
    "401": Reply({"error": {"message": "bad key"}}, status=401),
}  # fmt: skip


@pytest.mark.parametrize("kind", BAD_EXTRACTIONS)
def test_a_bad_extraction_leaves_the_conversation_and_a_reason(server, session, kind):
    play_chat(server, "Ok.", BAD_EXTRACTIONS[kind])
    printed = say(session, "remember milk", "I like tea.", "extraction", "memories")
    assert "Memora: Ok.\n" in printed
    assert roles(session) == ["user", "assistant"]
    assert [m.content for m in session.store] == ["milk"]
    assert "(nothing extracted) " in printed
    assert len(session.extraction) > len("(nothing extracted) ")


@pytest.mark.parametrize("responses", [True, False])
@pytest.mark.parametrize(
    ("body", "told"),
    [
        (Reply({"error": {"message": "overloaded"}}), "overloaded"),
        (Reply({"detail": "no"}), "is not one of a chat model"),
        (Reply(b"<html>login</html>", content_type="text/html"), "is not one of a chat model"),
    ],
)
def test_what_is_no_answer_of_a_chat_model_is_told_as_such(server, session, body, told, responses):
    play_chat(server, body, responses=responses, streams=False)
    assert told in say(session, "I like tea.")
    assert roles(session) == []


@pytest.mark.parametrize(
    "empty", [NOTHING, "[]", '{"memories": []}', '{"should_remember": false, "memories": null}',
              '{"should_remember": false, "memories": [{"content": "The user likes tea."}]}',
              '{"should_remember": true, "memories": ["…", "  "]}']
)  # fmt: skip
def test_no_fact_is_the_usual_case_and_says_nothing(server, session, empty):
    play_chat(server, "Ok.", empty)
    assert say(session, "I like tea.") == "Memora: Ok.\n"
    assert "no lasting fact" in session.extraction
    assert len(session.store) == 0


@pytest.mark.parametrize(
    "shape",
    [
        '["The user likes tea."]',
        '[{"content": "The user likes tea."}]',
        '{"memories": ["The user likes tea."]}',
    ],
)
def test_other_shapes_are_understood(server, session, shape):
    play_chat(server, "Ok.", shape)
    say(session, "I like tea.")
    assert [m.content for m in session.store] == ["The user likes tea."]


@pytest.mark.parametrize(
    ("message", "memory"),
    [
        ("我住台北，喜歡烏龍茶", "The user lives in Taipei."),
        ("我住台北，喜歡烏龍茶", "使用者住在台北，喜欢乌龙茶。"),
        ("我住台北，喜欢乌龙茶", "使用者住在台北，喜歡烏龍茶。"),
        ("I live in Taipei.", "使用者住在台北。"),
    ],
)
def test_another_language_or_script_is_left_out(server, session, message, memory):
    play_chat(server, "Ok.", facts(memory))
    say(session, message)
    assert len(session.store) == 0
    assert "language or script" in session.extraction


BAD_REPLIES = {
    "500": Reply({"error": {"message": "boom"}}, status=500, headers={"x-should-retry": "false"}),
    "401": Reply({"error": {"message": "bad key"}}, status=401),
    "429": Reply({"error": {"message": "no credit", "code": "insufficient_quota"}}, status=429,
                 headers={"x-should-retry": "false"}),
    "empty": response("", stream=True),
    "only thinking": response("<think>hmm", stream=True),
    "an error in the stream": sse([{"type": "error", "message": "overloaded", "code": "x",
                                    "error": {"message": "overloaded"}}]),
    "failed": response("", stream=True, status="failed", error={"message": "no luck"}),
    "a page": Reply(b"<html>login</html>", content_type="text/html"),
    "half an event": Reply(b'event: response.output_text.delta\ndata: {"type": "resp\n\n',
                           content_type="text/event-stream"),
    "cut in the middle": Reply(response("A long answer.", stream=True).body,
                               content_type="text/event-stream", cut_after=300),
}  # fmt: skip


@pytest.mark.parametrize("kind", BAD_REPLIES)
def test_a_failed_request_takes_the_message_back(server, session, kind):
    play_chat(server, BAD_REPLIES[kind])
    printed = say(session, "remember milk", "I like tea.")
    assert "Error: " in printed
    assert session.conversation.turns == []
    assert [m.content for m in session.store] == ["milk"]
    play_chat(server, "Back again.")
    assert "Memora: Back again.\n" in say(session, "And now it works.")
    assert roles(session) == ["user", "assistant"]


@pytest.mark.parametrize("reply", [response("A long", stream=True, status="incomplete"),
                                   "no responses"])  # fmt: skip
def test_a_reply_cut_off_by_the_server_is_kept_and_said_so(server, session, reply):
    if isinstance(reply, str):
        play_chat(server, completion("A long", stream=True, finish="length"), responses=False)
    else:
        play_chat(server, reply)
    assert "A long\n(The reply was cut off by the server.)\n" in say(session, "Tell me. All.")
    assert roles(session) == ["user", "assistant"]


def test_a_refusal_is_an_answer(server, session):
    refusal = {"type": "response.refusal.delta", "delta": "I cannot.", "item_id": "m",
               "output_index": 0, "content_index": 0, "sequence_number": 0}  # fmt: skip
    events = sse([refusal, {"type": "response.completed", "response": response("").body}])
    play_chat(server, events)
    assert say(session, "Do it.").startswith("Memora: I cannot.\n")


def test_a_server_without_the_responses_api_is_asked_for_it_once(server, session):
    play_chat(server, "Ok.", responses=False)
    say(session, "One.", "Two.")
    assert [path.rpartition("/")[2] for path in server.paths].count("responses") == 1


def test_a_thinking_block_is_neither_shown_nor_kept(server, session):
    play_chat(server, "<think>Let me see.</think>\n\nTea.")
    assert say(session, "What now. Tea.") == "Memora: Tea.\n"
    assert session.conversation.turns[-1].content == "Tea."


@pytest.mark.parametrize(
    ("pieces", "left"),
    [
        (["<th", "ink>a", "b</thi", "nk>\n", "c"], "c"),
        (["<", "b>bold"], "<b>bold"),
        (["plain <think>"], "plain <think>"),
        (["<think>never ends"], ""),
        (["<th"], "<th"),
        ([], ""),
    ],
)
def test_thinking_is_told_from_text_however_it_is_cut(pieces, left):
    assert "".join(without_thinking(pieces)) == left


def test_old_turns_are_folded_into_a_summary_and_the_rest_sent_whole(server, client):
    session = Session(ChatModel(client, "toy-chat"), Conversation(budget=300))
    play_chat(server, "An answer of some length. " * 5, summary="They spoke of tea.")
    printed = say(session, *(f"I like tea number {n}." for n in range(8)), "summary")
    assert "They spoke of tea.\n" in printed
    assert len(session.conversation.turns) == 16
    assert 0 < session.conversation.folded < 16
    assert session.tokens["summary"] % TOKENS == 0 < session.tokens["summary"]
    streamed = [request for request in server.requests if request.get("stream")]
    last = [r for r in streamed if r["input"][-1]["content"] == "I like tea number 7."][-1]
    assert '"They spoke of tea."' in last["instructions"]
    sent = [turn["content"] for turn in last["input"]]
    held = [turn.content for turn in session.conversation.turns]
    assert sent == held[15 - len(sent) : 15]
    assert "They spoke of tea." in session.context


@pytest.mark.parametrize("summary", [BAD_REPLIES["500"], ""])
def test_a_failed_summary_does_not_stop_the_conversation(server, client, summary):
    session = Session(ChatModel(client, "toy-chat"), Conversation(budget=300))
    play_chat(server, "An answer of some length. " * 5, summary=summary)
    say(session, *(f"I like tea number {n}." for n in range(6)))
    assert len(session.conversation.turns) == 12
    assert session.conversation.folded == 0


def test_a_message_longer_than_the_room_is_refused_before_a_request(server, session):
    play_chat(server)
    assert "say it in parts" in say(session, "茶" * 100_000)
    assert server.requests == []
    assert session.conversation.turns == []


def test_a_key_that_the_server_repeats_is_not_shown(server, session):
    play_chat(server, Reply({"error": {"message": "Bad key sk-test-0123456789"}}, status=401))
    printed = say(session, "Hello there.")
    assert "[key]" in printed and "sk-test" not in printed
    assert "OPENAI_API_KEY" in printed


def test_a_missing_model_names_the_setting(server, session):
    body = {"error": {"message": "model not found", "code": "model_not_found"}}
    server.always(Reply(body, status=404))
    assert "MEMORA_CHAT_MODEL" in say(session, "Hello there.")


@pytest.mark.parametrize(("line", "word"), [("hello", "needs a chat model"), ("你好", "聊天模型")])
def test_offline_a_plain_line_is_told_what_talking_needs(line, word):
    out = StringIO()
    handle(Session(None), line, out)
    assert word in out.getvalue()
    assert "OPENAI_API_KEY" in out.getvalue() and "OPENAI_BASE_URL" in out.getvalue()


def test_the_announcement_names_the_chat_model(server, session, capsys):
    play_chat(server)
    say(session, "Hello there.")
    assert f"{server.url}, read by the model toy-chat" in capsys.readouterr().err
    assert get_client().base_url.host == "127.0.0.1"
