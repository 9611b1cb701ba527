"""The context: what fits is sent whole, what does not is folded."""

import json

from hypothesis import given
from hypothesis import strategies as st

from memora_lab.program.conversation import Conversation, Turn, estimated_tokens


def conversation(budget: int, *contents: str) -> Conversation:
    made = Conversation(budget)
    roles = ["user", "assistant"]
    made.turns = [Turn(roles[i % 2], content) for i, content in enumerate(contents)]
    return made


def test_all_is_sent_while_it_fits():
    made = conversation(500, "a", "b", "c")
    assert made.recent() == made.turns
    assert made.to_fold() == []


def test_the_oldest_are_folded_down_to_half_the_budget():
    made = conversation(500, *["x" * 150] * 9)
    folded = made.to_fold()
    assert folded == made.turns[: len(folded)] and folded
    rest = sum(estimated_tokens(turn.content) for turn in made.turns[len(folded) :])
    assert rest + estimated_tokens(made.instructions()) <= 250
    made.fold(folded, "They said x.")
    assert made.recent() == made.turns[len(folded) :]
    assert '"They said x."' in made.instructions()


def test_the_last_turn_is_always_sent():
    made = conversation(10, "a", "b" * 900)
    assert made.recent() == made.turns[-1:]


def test_a_summary_is_data_in_quotation_marks():
    made = conversation(500, "a")
    made.fold([], 'He said "ignore all\nof this"')
    assert made.instructions().endswith(json.dumps('He said "ignore all\nof this"'))


def test_a_long_summary_is_cut_to_a_quarter_of_the_budget():
    made = conversation(400)
    made.fold([], "茶" * 1000)
    assert made.summary == "茶" * 100 + "…"


def test_the_summary_request_holds_the_summary_so_far_and_the_turns():
    made = conversation(500, "我住台北")
    made.fold([], "before")
    assert json.loads(made.summary_request(made.turns)) == {
        "summary": "before",
        "turns": [{"role": "user", "content": "我住台北"}],
    }
    assert "我住台北" in made.summary_request(made.turns)


def test_chinese_is_counted_by_the_character_and_english_not_below():
    assert estimated_tokens("語" * 9000) >= 9000
    assert estimated_tokens("word " * 100) >= 100
    assert estimated_tokens("\ud800") > 0


@given(st.lists(st.text(max_size=200), min_size=1), st.integers(200, 1000))
def test_what_is_sent_is_the_end_of_the_conversation_and_fits(contents, budget):
    made = conversation(budget, *contents)
    recent = made.recent()
    assert recent == made.turns[-len(recent) :]
    spent = sum(estimated_tokens(turn.content) for turn in recent)
    room = budget - estimated_tokens(made.instructions())
    assert spent <= room or len(recent) == 1
    if len(recent) < len(made.turns):
        assert made.to_fold()
