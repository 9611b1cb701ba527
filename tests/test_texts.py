"""texts.py: what may be embedded, and how much of it at once."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memora_lab.texts import MAX_BYTES, batches, checked_batch_size, checked_texts, is_blank

BLANK = {
    "nothing": "",
    "a space": " ",
    "a line break": "\n",
    "a tab": "\t",
    "a full-width space": "\u3000",
    "a zero-width space": "\u200b",
    "a zero-width joiner": "\u200d",
    "a word joiner": "\u2060",
    "a byte order mark": "\ufeff",
    "a soft hyphen": "\u00ad",
    "a Mongolian separator": "\u180e",
    "a Hangul filler": "\u3164",
    "an empty Braille cell": "\u2800",
    "a variation selector": "\ufe0f",
    "a control character": "\x00",
    "several": " \u3000\u200b\n",
}


@pytest.mark.parametrize("text", BLANK.values(), ids=BLANK.keys())
def test_a_blank_text_is_refused_with_its_position(text):
    assert is_blank(text)
    with pytest.raises(ValueError, match=r"texts\[1\] \(text 2 of 3\) is blank"):
        checked_texts(["tea", text, "rice"])


@pytest.mark.parametrize("text", ["a", "茶", "。", "\u200ba\u200b", "👍️", "0", "é", "\u3000茶"])
def test_a_text_with_something_to_read_is_kept_as_it_is(text):
    assert checked_texts([text]) == [text]


@pytest.mark.parametrize("text", ["abc", b"abc", ""])
def test_a_string_where_a_list_belongs_is_refused(text):
    with pytest.raises(TypeError, match="must be a list of strings, got one string"):
        checked_texts(text)


@pytest.mark.parametrize("texts", [None, 5, 1.5, {"tea": 1}, {"tea"}, frozenset(), {}.keys()])
def test_what_is_no_list_is_refused(texts):
    with pytest.raises(TypeError, match="must be a list of strings"):
        checked_texts(texts)


@pytest.mark.parametrize("text", [None, 1, b"tea", ["tea"]])
def test_an_element_that_is_no_string_is_refused_with_its_position(text):
    with pytest.raises(TypeError, match=r"texts\[1\] .* must be a string"):
        checked_texts(["tea", text])


def test_half_a_character_is_refused_with_its_position():
    with pytest.raises(ValueError, match=r"texts\[1\] .* surrogate"):
        checked_texts(["tea", "a\ud800"])


def test_any_iterable_is_taken():
    assert checked_texts(text for text in "ab") == ["a", "b"]


def test_the_batch_size_is_the_apis_limit_by_default():
    assert checked_batch_size(None) == 2048


def test_the_batch_size_can_be_set_in_the_environment(monkeypatch):
    monkeypatch.setenv("MEMORA_BATCH_SIZE", " 10 ")
    assert checked_batch_size(None) == 10
    assert checked_batch_size(3) == 3


@pytest.mark.parametrize("size", [0, -1, 2049, True, 2.0, "ten", [5]])
def test_a_batch_size_that_is_none_is_refused(size):
    with pytest.raises(ValueError, match="batch_size must be a whole number from 1 to 2048"):
        checked_batch_size(size)


@pytest.mark.parametrize("size", ["0", "-1", "2049", "ten", "1.0", "²", "1_0"])
def test_a_batch_size_that_is_none_in_the_environment_is_refused(monkeypatch, size):
    monkeypatch.setenv("MEMORA_BATCH_SIZE", size)
    with pytest.raises(ValueError, match="MEMORA_BATCH_SIZE must be a whole number"):
        checked_batch_size(None)


@given(st.lists(st.text(max_size=5), max_size=30), st.integers(1, 10))
def test_batches_keep_every_text_in_order(texts, size):
    made = list(batches(texts, size))
    assert [text for batch in made for text in batch] == texts
    assert all(1 <= len(batch) <= size for batch in made)


def test_batches_are_as_full_as_they_may_be():
    assert [len(batch) for batch in batches(["a"] * 25, 10)] == [10, 10, 5]


def test_a_batch_holds_fewer_bytes_than_the_api_takes_tokens():
    texts = ["字" * 20_000] * 12  # 60,000 bytes each
    made = list(batches(texts, 2048))
    assert [len(batch) for batch in made] == [4, 4, 4]
    assert all(len("".join(batch).encode()) <= MAX_BYTES < 300_000 for batch in made)


def test_a_text_over_the_budget_goes_alone():
    long = "a" * (MAX_BYTES + 1)
    assert list(batches(["tea", long, "rice"], 2048)) == [["tea"], [long], ["rice"]]
