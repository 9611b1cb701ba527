"""A line that is no command: it joins the conversation, is answered, and is searched for facts."""

from typing import TextIO

from openai import OpenAIError

from memora_lab.client import announce
from memora_lab.program.chat import ChatModel, Reply
from memora_lab.program.conversation import SUMMARY_INSTRUCTIONS, Turn, estimated_tokens
from memora_lab.program.extraction import extract
from memora_lab.program.screen import problem, shown
from memora_lab.program.session import Session
from memora_lab.texts import checked_texts

_NO_CHAT_MODEL = {
    "en": "Talking needs a chat model: set OPENAI_API_KEY for OpenAI, or OPENAI_BASE_URL for a "
    "server of your own (Ollama: http://localhost:11434/v1, with MEMORA_CHAT_MODEL). "
    "`remember` and `search` work as they are; `help` lists every command.",
    "zh": "聊天需要聊天模型：用 OpenAI 請設定 OPENAI_API_KEY，用自己的伺服器請設定 OPENAI_BASE_URL"
    "（Ollama 是 http://localhost:11434/v1，再加上 MEMORA_CHAT_MODEL）。"
    "`remember` 和 `search` 現在就能用，輸入 `help` 會列出所有指令。",
}


def talk(session: Session, message: str, out: TextIO) -> None:
    """Answer a message; if that fails or is cancelled, the message leaves the conversation."""
    if session.chat is None:
        chinese = any("\u4e00" <= character <= "\u9fff" for character in message)
        print(_NO_CHAT_MODEL["zh" if chinese else "en"], file=out)
        return
    _check(message, session)
    turns = session.conversation.turns
    turns.append(Turn("user", message))
    try:
        _fold(session, session.chat, out)
        reply = _reply(session, session.chat, out)
    except BaseException:
        turns.pop()
        raise
    turns.append(Turn("assistant", reply))
    _remember_facts(session, session.chat, message, out)


def _check(message: str, session: Session) -> None:
    checked_texts([message])
    conversation = session.conversation
    room = conversation.budget - estimated_tokens(conversation.instructions())
    if estimated_tokens(message) > room:
        raise ValueError(
            f"the message is about {estimated_tokens(message)} tokens long, and there is room "
            f"for {room}: say it in parts"
        )


def _fold(session: Session, chat: ChatModel, out: TextIO) -> None:
    turns = session.conversation.to_fold()
    if not turns:
        return
    try:
        reply = chat.answer(SUMMARY_INSTRUCTIONS, session.conversation.summary_request(turns))
    except OpenAIError as error:  # the turns stay, and are tried again with the next message
        print(f"(no summary: {problem(error)})", file=out)
        return
    session.tokens["summary"] += reply.tokens
    if reply.text.strip():
        session.conversation.fold(turns, reply.text.strip())


def _reply(session: Session, chat: ChatModel, out: TextIO) -> str:
    instructions = session.conversation.instructions()
    recent = session.conversation.recent()
    session.context = "\n".join([instructions, *(f"{t.role}: {shown(t.content)}" for t in recent)])
    announce(chat.client, chat.model)  # before the line begins that the answer goes on
    print("Memora: ", end="", file=out, flush=True)
    reply = Reply("", 0)
    try:
        for piece in chat.stream(instructions, [turn._asdict() for turn in recent]):
            if isinstance(piece, Reply):
                reply = piece
            else:
                print(shown(piece), end="", file=out, flush=True)
    finally:
        print(file=out)
    session.tokens["chat"] += reply.tokens
    if not reply.text.strip():
        raise ValueError("the model sent an empty reply: say it in other words, or try again")
    if reply.cut_off:
        print("(The reply was cut off by the server.)", file=out)
    return reply.text


def _remember_facts(session: Session, chat: ChatModel, message: str, out: TextIO) -> None:
    try:
        found = extract(message, chat)
        session.tokens["extraction"] += found.tokens
        numbers = session.remember(found.memories)
    except (OpenAIError, ValueError) as error:  # the answer stands, whatever becomes of this
        session.extraction = f"(nothing extracted) {problem(error)}"
        print("(nothing extracted)", file=out)
        return
    texts = [f"- {shown(text)}" for text in found.memories]
    session.extraction = "\n".join(texts) or f"(nothing extracted) {shown(found.reason)}"
    if found.memories and found.reason:
        session.extraction += f"\n{found.reason}"
    for number in numbers:
        text = session.store.content(number - 1)
        print(f"Memory #{number} added: {shown(text)}", file=out)
