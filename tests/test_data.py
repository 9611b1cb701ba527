"""data/: the course's labelled set, and the second model's vectors of it."""

import re
import shutil
from collections import Counter
from difflib import SequenceMatcher

import numpy as np
import pytest

from memora_lab.data.e5 import E5_NAME, load_e5_vectors
from memora_lab.data.labelled import (
    COURSE,
    LANGUAGES,
    is_course_data,
    load_memories,
    load_queries,
)

MEMORIES = {language: load_memories(language) for language in LANGUAGES}
QUERIES = {language: load_queries(language) for language in LANGUAGES}
BY_ID = {language: {m.id: m for m in found} for language, found in MEMORIES.items()}

KINDS = {"paraphrase": 20, "keyword": 8, "name": 8, "number": 8, "negation": 8}
KINDS |= {"two-answer": 8, "none": 15}
RARE_WORD = {"keyword", "name", "number"}  # these share their one rare word with the memory

# A query may share a common word or two with a memory, never a phrase.
MOST_WORDS_IN_A_ROW = 3
MOST_SIGNS_IN_A_ROW = 3
MOST_SHARED = 0.5

each_language = pytest.mark.parametrize("language", LANGUAGES)


def units(text):
    """What a text is made of: Chinese signs one by one, words and numbers whole."""
    return re.findall(r"[\u3400-\u9fff]|[^\W_]+", text.lower())


def longest_run(query, memory):
    a, b = units(query), units(memory)
    return SequenceMatcher(None, a, b, autojunk=False).find_longest_match().size


# The set itself


def test_every_memory_has_a_topic_and_a_date_and_every_query_a_kind():
    assert all(memory.topic and memory.date for memory in MEMORIES["en"])
    assert all(query.kind for query in QUERIES["en"])


def test_there_are_about_160_memories_in_at_least_8_topics():
    topics = Counter(memory.topic for memory in MEMORIES["en"])
    assert 150 <= len(MEMORIES["en"]) <= 170
    assert len(topics) >= 8
    assert min(topics.values()) >= 12


def test_there_are_about_80_queries_and_enough_of_each_kind():
    kinds = Counter(query.kind for query in QUERIES["en"])
    assert 75 <= len(QUERIES["en"]) <= 95
    assert kinds.keys() == KINDS.keys()
    assert {kind: n for kind, n in kinds.items() if n < KINDS[kind]} == {}


@pytest.mark.parametrize("loaded", [MEMORIES, QUERIES], ids=["memories", "queries"])
def test_both_languages_have_the_same_rows_and_no_text_twice(loaded):
    english, chinese = loaded["en"], loaded["zh-TW"]
    without_text = {"exclude": {"text"}}
    assert [x.model_dump(**without_text) for x in english] == [
        x.model_dump(**without_text) for x in chinese
    ]
    for items in (english, chinese):
        assert len({item.id for item in items}) == len(items)
        assert len({item.text for item in items}) == len(items)


def test_every_answer_is_a_memory_and_only_the_kind_none_has_no_answer():
    for query in QUERIES["en"]:
        assert set(query.answers) <= BY_ID["en"].keys()
        assert (query.kind == "none") == (not query.answers), query.id
        assert query.kind != "two-answer" or len(query.answers) == 2, query.id


def test_the_english_texts_are_plain_ascii():
    for item in (*MEMORIES["en"], *QUERIES["en"]):
        assert item.text.isascii(), item


def test_the_chinese_texts_are_written_as_in_taiwan():
    for item in (*MEMORIES["zh-TW"], *QUERIES["zh-TW"]):
        # cp950 is Taiwan's code page: it lacks the characters that are Simplified only.
        assert item.text.encode("cp950"), item
        assert len(re.findall(r"[\u4e00-\u9fff]", item.text)) >= 2, item
        assert not re.search(r"[,;:!?()\"'](?!\d)", item.text), item  # half-width punctuation
    assert all(memory.text.endswith("。") for memory in MEMORIES["zh-TW"])


def test_the_check_of_characters_knows_simplified_from_traditional():
    with pytest.raises(UnicodeEncodeError):
        "这个".encode("cp950")


@each_language
def test_no_query_repeats_the_words_of_its_memory(language):
    most = MOST_WORDS_IN_A_ROW if language == "en" else MOST_SIGNS_IN_A_ROW
    for query in QUERIES[language]:
        for answer in query.answers if query.kind not in RARE_WORD else ():
            memory = BY_ID[language][answer]
            assert longest_run(query.text, memory.text) <= most, (query, memory)
            words = set(units(query.text))
            assert len(words & set(units(memory.text))) <= MOST_SHARED * len(words), (query, memory)


@each_language
def test_no_query_is_a_memory_however_rare_its_word(language):
    for query in QUERIES[language]:
        for answer in query.answers:
            memory = BY_ID[language][answer]
            assert longest_run(query.text, memory.text) < 0.6 * len(units(memory.text))


# The second model's vectors


@each_language
def test_the_vectors_are_finite_of_unit_length_and_one_for_each_text(language):
    memories, queries = load_e5_vectors(language)
    assert memories.shape == (len(MEMORIES[language]), 384)
    assert queries.shape == (len(QUERIES[language]), 384)
    for vectors in (memories, queries):
        assert vectors.dtype == np.float32
        assert np.isfinite(vectors).all()
        assert np.allclose(np.linalg.norm(vectors, axis=1), 1, rtol=0, atol=2e-3)


@each_language
def test_the_vectors_are_those_of_the_texts(language):
    memories, queries = load_e5_vectors(language)
    ids = [memory.id for memory in MEMORIES[language]]
    first = [ids[i] for i in (queries @ memories.T).argmax(axis=1)]
    pairs = zip(first, QUERIES[language], strict=True)
    assert sum(found in query.answers for found, query in pairs) > len(queries) / 3


@pytest.fixture
def copy(tmp_path, monkeypatch):
    """The course's set in a folder of its own, which the settings name."""
    folder = tmp_path / "copy"
    folder.mkdir()
    for name in ("memories.tsv", "queries.tsv", E5_NAME):
        shutil.copy(COURSE / name, folder)
    monkeypatch.setenv("MEMORA_DATA", str(folder))
    return folder


def test_vectors_lie_beside_their_texts(copy):
    assert not is_course_data()
    assert load_e5_vectors("en")[0].shape == (len(MEMORIES["en"]), 384)
    (copy / E5_NAME).unlink()
    with pytest.raises(ValueError, match=r"run tools/make_e5_vectors\.py"):
        load_e5_vectors("en")


@pytest.mark.parametrize(
    "name, old, new",
    [
        ("memories.tsv", "m004\t", "m999\t"),  # the answer to no query
        ("memories.tsv", "The user gets carsick", "The user gets tired"),
        ("queries.tsv", "How old is Hsin-yi?", "How young is Hsin-yi?"),
    ],
)
def test_vectors_of_other_texts_are_refused(copy, name, old, new):
    text = (copy / name).read_text("utf-8")
    assert old in text
    (copy / name).write_text(text.replace(old, new), "utf-8")
    with pytest.raises(ValueError, match=r"has not read these texts.*make_e5_vectors\.py"):
        load_e5_vectors("en")


def test_vectors_of_an_unknown_language_are_refused():
    with pytest.raises(ValueError, match="found the language 'fr'"):
        load_e5_vectors("fr")
