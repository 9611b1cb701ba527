"""data/: the labelled data set, its loaders, and the second model's vectors."""

import re
from collections import Counter
from difflib import SequenceMatcher

import numpy as np
import pytest

from memora_lab.data import e5
from memora_lab.data.labelled import LANGUAGES, load_memories, load_queries

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


# The loaders

HEAD = "id\ttopic\tdate\ten\tzh-TW\n"
TEA = "m001\tfood\t2024-05-01\tThe user drinks tea.\t使用者喝茶。\n"
RICE = "m002\tfood\t2025-05-01\tThe user likes rice.\t使用者喜歡吃飯。\n"
QUERY_HEAD = "id\tkind\tanswers\ten\tzh-TW\n"


@pytest.fixture
def file(tmp_path):
    """Write what a teacher might: text in UTF-8, or bytes as they are."""

    def write(content):
        path = tmp_path / "own.tsv"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


WRONG_MEMORIES = {
    "too few columns": (HEAD + TEA + "m002\tfood\n", 3, "found 2 columns, expected 5"),
    "too many columns": (HEAD + TEA[:-1] + "\tmore\n", 2, "found 6 columns, expected 5"),
    "no text": (HEAD + TEA.replace("The user drinks tea.", " "), 2, "nothing in the column 'en'"),
    "no id": (HEAD + TEA.replace("m001", ""), 2, "nothing in the column 'id'"),
    "no topic": (HEAD + TEA.replace("food", "\u200b"), 2, "nothing in the column 'topic'"),
    "another order of the date": (
        HEAD + TEA + RICE.replace("2025-05-01", "01/05/2025"),
        3,
        "found the date '01/05/2025', expected a day as YYYY-MM-DD",
    ),
    "no such day": (HEAD + TEA.replace("05-01", "02-30"), 2, "found the date '2024-02-30'"),
    "a repeated id": (HEAD + TEA + "\n# more\n" + TEA, 5, "found the id 'm001' once more"),
    "a column missing": (HEAD.replace("date", "day") + TEA, 1, "expected one column 'date'"),
    "a language missing": (HEAD.replace("en", "fr") + TEA, 1, "expected one column 'en'"),
    "a column twice": (HEAD.replace("zh-TW", "en") + TEA, 1, "expected one column 'en'"),
    "the header after a comment": ("# mine\nid\ten\n", 2, "expected one column 'topic'"),
    "no header": ("", 1, "found no header, expected the columns id, topic, date, en"),
    "an open quote": (
        HEAD + TEA + 'm002\tfood\t2025-05-01\t"Rice\t飯\n',
        3,
        "found a cell with a quote",
    ),
    "an inner quote": (HEAD + TEA.replace("The", '"The"'), 2, "found a cell with a quote"),
    "Big5": ((HEAD + TEA).encode("cp950"), 2, "found bytes that are not UTF-8, expected UTF-8"),
    "UTF-16": ((HEAD + TEA).encode("utf-16"), 1, "found bytes that are not UTF-8"),
}


@pytest.mark.parametrize("content, line, message", WRONG_MEMORIES.values(), ids=WRONG_MEMORIES)
def test_a_wrong_line_of_memories_is_named(file, content, line, message):
    path = file(content)
    with pytest.raises(ValueError) as raised:
        load_memories("en", path)
    assert str(raised.value).startswith(f"{path}, line {line}: ")
    assert message in str(raised.value)


WRONG_QUERIES = {
    "an unknown answer": ("q1\tname\tm001, m9\tWho\t誰\n", "found the answer 'm9', expected ids"),
    "an answer twice": ("q1\tname\tm001,m001\tWho\t誰\n", "found the answer 'm001', expected ids"),
    "no kind": ("q1\t\tm001\tWho\t誰\n", "nothing in the column 'kind'"),
    "no text": ("q1\tname\tm001\t\t誰\n", "nothing in the column 'en'"),
    "a column missing": ("q1\tname\tm001\tWho\n", "found 4 columns, expected 5"),
}


@pytest.mark.parametrize("row, message", WRONG_QUERIES.values(), ids=WRONG_QUERIES)
def test_a_wrong_line_of_queries_is_named(file, row, message):
    path = file(QUERY_HEAD + "# mine\n" + row)
    with pytest.raises(ValueError) as raised:
        load_queries("en", path)
    assert str(raised.value).startswith(f"{path}, line 3: ")
    assert message in str(raised.value)


@pytest.mark.parametrize("load", [load_memories, load_queries])
def test_an_unknown_language_is_refused(load):
    with pytest.raises(ValueError, match=r"found the language 'zh', expected one of \('en', 'zh-"):
        load("zh")


def test_what_a_spreadsheet_saves_is_read(file):
    rows = [
        '"# notes, with a quote: ""x"""\t\t\t\t',
        "id\ttopic\tdate\ten\tzh-TW",
        "\t\t\t\t",
        'm001\tfood\t2024-05-01\t"The user says ""tea"" and\nmeans tea."\t使用者喝茶。',
        " m002 \tfood\t2025-05-01\tThe user likes rice. \t使用者喜歡吃飯。",
    ]
    path = file(b"\xef\xbb\xbf" + "\r\n".join(rows).encode())
    first, second = load_memories("en", path)
    assert first.text == 'The user says "tea" and\nmeans tea.'
    assert (second.id, second.text, second.date.year) == ("m002", "The user likes rice.", 2025)


def test_the_line_is_right_after_a_cell_of_two_lines(file):
    path = file(HEAD + TEA.replace("The user drinks tea.", '"The user\ndrinks tea."') + "m002\n")
    with pytest.raises(ValueError, match="line 4: found 1 columns"):
        load_memories("en", path)


def test_a_file_needs_only_the_language_asked_for(file):
    path = file("note\ten\tdate\tid\ttopic\n\tThe user drinks tea.\t2024-05-01\tm1\tfood\n")
    [memory] = load_memories("en", path)
    assert (memory.id, memory.topic, memory.text) == ("m1", "food", "The user drinks tea.")


def test_answers_are_looked_up_among_the_memories_given(file):
    own = load_memories("zh-TW", file(HEAD + TEA.replace("m001", "a")))
    path = file(QUERY_HEAD + "q1\tname\t a ,\tWhat\t我喝什麼？\nq2\tnone\t\tWho\t誰？\n")
    assert [query.answers for query in load_queries("zh-TW", path, own)] == [("a",), ()]
    with pytest.raises(ValueError, match="line 2: found the answer 'a'"):
        load_queries("zh-TW", path)


# The second model's vectors


@each_language
def test_the_vectors_are_finite_of_unit_length_and_one_for_each_text(language):
    memories, queries = e5.load_e5_vectors(language)
    assert memories.shape == (len(MEMORIES[language]), 384)
    assert queries.shape == (len(QUERIES[language]), 384)
    for vectors in (memories, queries):
        assert vectors.dtype == np.float32
        assert np.isfinite(vectors).all()
        assert np.allclose(np.linalg.norm(vectors, axis=1), 1, rtol=0, atol=2e-3)


@each_language
def test_the_vectors_are_those_of_the_texts(language):
    memories, queries = e5.load_e5_vectors(language)
    ids = [memory.id for memory in MEMORIES[language]]
    first = [ids[i] for i in (queries @ memories.T).argmax(axis=1)]
    pairs = zip(first, QUERIES[language], strict=True)
    assert sum(found in query.answers for found, query in pairs) > len(queries) / 3


@pytest.mark.parametrize("change", [{"id": "m999"}, {"text": "The user drinks cocoa."}])
def test_vectors_of_other_texts_are_refused(monkeypatch, change):
    memories = MEMORIES["en"]
    changed = [memories[0].model_copy(update=change), *memories[1:]]  # answers no query
    monkeypatch.setattr(e5, "load_memories", lambda language: changed)
    with pytest.raises(ValueError, match=r"another memories\.tsv: run tools/make_e5_vectors\.py"):
        e5.load_e5_vectors("en")


def test_vectors_of_an_unknown_language_are_refused():
    with pytest.raises(ValueError, match="found the language 'fr'"):
        e5.load_e5_vectors("fr")
