"""Reading what a model sends for facts, and what of it is not kept."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memora_lab.program.extraction import _only_asks, read_extraction, same_script


@pytest.mark.parametrize(
    ("text", "should", "contents"),
    [
        ('{"should_remember": true, "memories": [{"content": "A"}]}', True, ["A"]),
        ('{"memories": ["A", {"content": "B"}]}', True, ["A", "B"]),
        ('{"should_remember": false}', False, []),
        ("[]", False, []),
        ('["A"]', True, ["A"]),
        ('[null, "A", ""]', True, ["A"]),
        ('See [1]: {"memories": ["A"]} as in {1}.', True, ["A"]),
        ('```\n{"should_remember": null, "memories": ["A"]}\n```', True, ["A"]),
        ('{"should_remember": true, "memories": null, "extra": 1}', True, []),
    ],
)
def test_what_is_understood(text, should, contents):
    result = read_extraction(text)
    assert result.should_remember is should
    assert [memory.content for memory in result.memories] == contents


@pytest.mark.parametrize(
    "text",
    [
        "",
        "nothing",
        "null",
        "7",
        "{}",
        '{"content": "A"}',
        '{"memories": [{"content": 1}]}',
        '{"memories": 3}',
        '{"should_remember": true, "memories": [{"content": "A"}, {"cont',
        "[" * 5000,
    ],
)
def test_what_is_not_the_json_asked_for(text):
    assert read_extraction(text) is None


@given(st.text())
def test_any_text_is_read_or_refused(text):
    result = read_extraction(text)
    assert result is None or result.memories is not None


@pytest.mark.parametrize(
    ("memory", "message"),
    [
        ("使用者住在台北，喜歡烏龍茶。", "我住台北，喜歡烏龍茶"),
        ("使用者住在台北，喜欢乌龙茶。", "我住台北，喜欢乌龙茶"),
        ("使用者住在台北。", "我住台北"),
        ("使用者為素食者。", "我吃素"),
        ("The user's name is 陳怡君.", "My name is 陳怡君, I work in Taipei"),
        ("The user works in Taipei.", "My name is 陳怡君, I work in Taipei"),
        ("使用者喜歡 Python。", "我喜歡 Python"),
        ("El usuario vive en Taipéi.", "Vivo en Taipéi"),
    ],
)
def test_the_same_language_and_script_is_kept(memory, message):
    assert same_script(memory, message)


@pytest.mark.parametrize(
    ("memory", "message"),
    [
        ("The user likes Python.", "我喜歡 Python"),
        ("使用者喜欢乌龙茶。", "我喜歡烏龍茶"),
        ("使用者喜歡烏龍茶。", "我喜欢乌龙茶"),
        ("使用者住在台北。", "I live in Taipei"),
    ],
)
def test_another_language_or_script_is_not(memory, message):
    assert not same_script(memory, message)


@pytest.mark.parametrize(
    ("message", "asks"),
    [
        ("What is your name?", True),
        ("你叫什麼名字？", True),
        ("Really? Why??", True),
        ("I live in Taipei. What should I eat?", False),
        ("我住台北。要吃什麼？", False),
        ("Tell me a story", False),
    ],
)
def test_a_message_only_asks_if_every_sentence_does(message, asks):
    assert _only_asks(message) is asks
