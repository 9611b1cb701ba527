"""A class's own data: what a spreadsheet saves is read, mistakes are named, lessons run on it."""

import codecs
import csv
import datetime
import re
import shutil
import sys
import tempfile
from io import StringIO
from pathlib import Path

import nbformat
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memora_lab.data.labelled import (
    COURSE,
    data_folder,
    is_course_data,
    load_memories,
    load_queries,
)
from memora_lab.data.sheet import COLUMNS, Sheet

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = ROOT / "docs" / "class_data"
sys.path.insert(0, str(ROOT / "tools"))
from run_notebooks import run  # noqa: E402

# Where the data come from


@pytest.fixture
def folder(tmp_path):
    """A folder of a class, beside the lessons: the tests run in tmp_path."""
    made = tmp_path / "class_data"
    made.mkdir()
    return made


@pytest.fixture
def put(folder):
    """Write a file of the class as it is."""

    def write(content, name="memories.csv"):
        path = folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def test_without_a_folder_the_course_answers():
    assert data_folder() == COURSE and is_course_data()
    assert len(load_memories("en")) == len(load_memories("en", COURSE))


def test_a_folder_beside_the_lessons_is_found_from_within_them(folder, put, monkeypatch):
    put("id,text\nm1,tea")
    lessons = folder.parent / "notebooks" / "en"
    lessons.mkdir(parents=True)
    monkeypatch.chdir(lessons)
    assert data_folder() == folder and not is_course_data()
    assert [memory.text for memory in load_memories("en")] == ["tea"]
    assert len(load_memories("en", COURSE)) > 100


def test_the_setting_wins_over_the_folder(folder, monkeypatch):
    monkeypatch.setenv("MEMORA_DATA", str(COURSE))
    assert is_course_data()
    monkeypatch.setenv("MEMORA_DATA", str(folder.parent / "elsewhere"))
    with pytest.raises(ValueError, match=r"found \(\) in .*elsewhere, expected one file mem"):
        load_memories("en")


@pytest.mark.parametrize("names", [["memories.xlsx"], ["memories.csv", "memories.tsv"]])
def test_a_folder_with_other_files_is_told_what_is_in_it(put, names):
    for name in names:
        put("id,text\nm1,tea", name)
    with pytest.raises(ValueError, match="found " + ", ".join(names)) as raised:
        load_memories("en")
    assert "expected one file memories.csv" in str(raised.value)
    with pytest.raises(ValueError, match=r"應該有一個 memories\.csv：請在試算表選「另存新檔」"):
        load_memories("zh-TW")


# What a spreadsheet saves


def full_width(text):
    """ASCII as a Chinese keyboard may write it."""
    return "".join(chr(ord(character) + 0xFEE0) for character in text)


def saved(rows, separator=",", end="\r\n"):
    text = StringIO(newline="")
    csv.writer(text, delimiter=separator, lineterminator=end).writerows(rows)
    return text.getvalue()


MEMORIES = [
    ["編號", "主題", "日期", "內容", "備註", ""],
    ["m1", "飲食", "2026/3/1", "使用者說：「我只喝茶，不喝咖啡」；每天三杯。", "", ""],
    ["", "", "", "", "", ""],
    ["m2", "", "", '使用者說 "你好"，\n然後笑了。', "a,b;c\td", ""],
    [full_width("m3"), "飲食", full_width("2026") + "年12月31日", "　使用者養了一隻貓　", "", ""],
]
CELLS = [
    ("m1", datetime.date(2026, 3, 1), "使用者說：「我只喝茶，不喝咖啡」；每天三杯。"),
    ("m2", None, '使用者說 "你好"，\n然後笑了。'),
    ("m3", datetime.date(2026, 12, 31), "使用者養了一隻貓"),
]
LONG = [*MEMORIES, *([f"x{n}", "學校", "", "使用者每天騎腳踏車去學校上課", ""] for n in range(3))]


def cells(memories):
    return [(memory.id, memory.date, memory.text) for memory in memories]


@pytest.mark.parametrize("language", ["en", "zh-TW"])
@pytest.mark.parametrize("end", ["\r\n", "\n", "\r"])
@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_every_way_to_save_it_is_the_same_table(put, encoding, separator, end, language):
    put(saved(MEMORIES, separator, end).encode(encoding))
    found = cells(load_memories(language))
    # A spreadsheet that ends rows with \r writes the break within a cell so, too, or as \n.
    assert found == CELLS


def test_big5_is_read_where_there_is_no_doubt(put):
    put(saved(LONG, ";").encode("cp950"))
    assert cells(load_memories("en"))[:3] == CELLS


SENTENCES = {
    "gbk": "用户每天早上都喝一杯咖啡，然后坐火车去上班，晚上学英语。我不喜欢吃香菜。",
    "cp932": "ユーザーは毎朝電車で会社に行きながら英語を勉強しています。私は東京に住んでいます。",
    "euc-jp": "ユーザーは毎朝電車で会社に行きながら英語を勉強しています。私は東京に住んでいます。",
    "euc-kr": "사용자는 매일 아침 기차를 타고 출근하면서 영어를 공부한다. 나는 커피를 좋아하지만",
    "cp1252": "El ni\xf1o est\xe1 aqu\xed; the user\u2019s cat; \xe9\xe8\xe0\xfc\xf6\xe4\xdf",
    "mac-roman": "El ni\xf1o est\xe1 aqu\xed; the user\u2019s cat; \xe9\xe8\xe0\xfc\xf6\xe4\xdf",
    "utf-16-le": "no byte order mark",
}
DOUBTFUL = {name: f"id,text\nm1,{text * 5}".encode(name) for name, text in SENTENCES.items()}
DOUBTFUL["too little Big5 to tell"] = "編號,內容\nm1,使用者不喝茶".encode("cp950")


@pytest.mark.parametrize("content", DOUBTFUL.values(), ids=DOUBTFUL)
def test_other_bytes_are_refused_with_the_way_to_save(put, content):
    path = put(content)
    with pytest.raises(ValueError, match=r"found bytes that are not UTF-8, .*\"CSV UTF-8\"") as it:
        load_memories("en")
    assert str(it.value).startswith(f"{path} needs mending:\n- row ")


CELL = st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z")), min_size=1)


@given(st.lists(st.tuples(CELL, CELL), min_size=1, max_size=4), st.sampled_from(",;\t"))
def test_what_the_csv_writer_writes_is_read_back(rows, separator):
    """By oracle: Python's own writer, with any text in the cells."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "memories.csv")
        path.write_bytes(saved([("id", "text"), *rows], separator).encode())
        read = Sheet(path, "en").rows
    assert [(row["id"], row["text"]) for _, row in read] == rows


@given(st.binary(max_size=60), st.booleans())
def test_whatever_the_bytes_are_they_are_read_or_refused_with_a_reason(raw, with_header):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "memories.csv")
        path.write_bytes(b"id,date,text\n" * with_header + raw)
        try:
            memories = load_memories("zh-TW", folder)
        except ValueError as error:
            assert str(error).startswith(f"{path} 有地方要改：\n- ")
        else:
            assert all(memory.id and memory.text for memory in memories)


def test_a_title_above_the_header_and_comments_are_passed_over(put):
    put("Class 8B,,\n# ours,,\nText,Id,Note\ntea,m1,x\n# later,,\n#2,m2,\n")
    assert [(m.id, m.text) for m in load_memories("en")] == [("m1", "tea"), ("m2", "#2")]


@pytest.mark.parametrize(
    "head, expected",
    [
        ("id,text", "first"),
        ("id,zh-TW", "first"),
        ("id,English", "first"),
        ("id,中文,英文", "second"),
        ("id,EN,zh-TW", "first"),
        ("id,text,zh-TW", "first"),
    ],
)
def test_the_text_is_that_of_the_language_or_else_what_there_is(put, head, expected):
    put(f"{head}\nm1,first,second" if head.count(",") == 2 else f"{head}\nm1,first")
    assert load_memories("en")[0].text == expected


@pytest.mark.parametrize("separator", [",", "，", "、", ";", "；", " ", ", ", "\n"])
def test_answers_may_stand_between_all_kinds_of_commas(put, separator):
    put("id,text\nm1,tea\nm2,rice")
    rows = [
        ["id", "text", "answers"],
        ["q1", "what", f"m1{separator}m2"],
        ["q2", "who", full_width("m2")],
        ["q3", "when", ""],
        ["q4", "why", "　"],
    ]
    put(saved(rows), "queries.csv")
    found = [query.answers for query in load_queries("en")]
    assert found == [("m1", "m2"), ("m2",), (), ()]
    assert {query.kind for query in load_queries("en")} == {""}


# Mistakes, by row and column

WRONG = {
    "American or European day": (
        "id,date,text\nm1,2026-01-02,tea\nm2,03/04/2026,rice",
        "row 3, column B (date): found '03/04/2026', expected the year first",
        "第 3 列、B 欄（date）：找到「03/04/2026」，應該先寫西元年",
    ),
    "a year of the Republic": ("id,日期,text\nm1,115/3/1,tea", "row 2, column B (日期): found", ""),
    "no such day": ("id,date,text\nm1,2026-02-30,tea", "row 2, column B (date): found '2026-", ""),
    "two separators": ("id,date,text\nm1,2026-2/3,tea", "row 2, column B (date): found", ""),
    "a time": ("id,date,text\nm1,2026-02-03 10:00,tea", "row 2, column B (date): found", ""),
    "no text": ("id,text\nm1,", "row 2, column B (text): found nothing", "這一格是空的"),
    "text that nobody sees": ("id,text\nm1,\u200b", "row 2, column B (text): found nothing", ""),
    "a row too short": ("id,topic,text\nm1", "row 2, column C (text): found nothing", ""),
    "no id": ("id,text\n,tea", "row 2, column A (id): found nothing", "這一格是空的"),
    "question marks": (
        "id,text\nm1,??????",
        "row 2, column B (text): found '??????', expected words; if Chinese became",
        "如果中文都變成問號",
    ),
    "an id with a comma": ('id,text\n"m1,2",tea', "row 2, column A (id): found the id 'm1,2'", ""),
    "an id with a space": ("id,text\nm 1,tea", "row 2, column A (id): found the id 'm 1'", ""),
    "a repeated id": (
        f"id,text\nm1,tea\n\n{full_width('m1')},rice",
        f"row 4, column A (id): found the id '{full_width('m1')}', which row 2 has already",
        "在第 2 列用過了",
    ),
    "after a cell of two lines": (
        'id,text\nm1,"a\nb"\nm2,',
        "row 3, column B (text): found nothing",
        "",
    ),
    "more cells than names": (
        "id,text\nm1,tea, with milk",
        "row 2, column C: found 'with milk' beyond the last column",
        "標題列的最後一欄之外還有「with milk」",
    ),
    "an open quote": ('id,text\nm1,tea\nm2,"rice\n', "row 3: found a quote", "雙引號沒有成對"),
    "a quote in quotes": ('id,text\nm1,"a "b" c"', "row 2: found a quote", ""),
    "no id column": (
        "number,text,topic\nm1,tea,x",
        "found no column id / 編號",
        "找不到 id / 編號",
    ),
    "no text column": ("id,topic,memo\nm1,x,tea", "found no column text / 內容", ""),
    "a column twice": ("id,text,ID\nm1,tea,m2", "row 1, column C: found the name 'ID' for a", ""),
    "full-width separators": (
        "編號；內容\nm1；茶",
        "found no header (the first row: '編號；內容')",
        "找不到標題列（第一列是「編號；內容」）",
    ),
    "an empty file": ("", "found no header", "找不到標題列"),
    "nothing but a header": ("id,text\n,\n", "found nothing below the header", "沒有資料"),
}


@pytest.mark.parametrize("content, english, chinese", WRONG.values(), ids=WRONG)
def test_a_mistake_is_named_with_row_and_column(put, content, english, chinese):
    path = put(content)
    for language, expected in (("en", english), ("zh-TW", chinese)):
        with pytest.raises(ValueError) as raised:
            load_memories(language)
        first, *mistakes = str(raised.value).splitlines()
        assert first.startswith(str(path)) and len(mistakes) == 1
        assert expected in mistakes[0]


def test_several_mistakes_are_told_at_once_and_no_more_than_five(put):
    put("id,date,text\n" + "m1,1/2/2026,\n" * 3)
    with pytest.raises(ValueError) as raised:
        load_memories("en")
    _, *mistakes, more = str(raised.value).splitlines()
    assert len(mistakes) == 5 and more == "- and 3 more"  # 3 dates, 3 texts, 2 ids


WRONG_QUERIES = {
    "an unknown answer": ("q1,a,m9", "row 2, column C (answers): found the answer 'm9'"),
    "a word for none": ("q1,a,none", "found the answer 'none', expected the id of a memory, or an"),
    "an answer twice": ('q1,a,"m1,m1"', "found the answer 'm1' twice"),
    "nothing without an answer": (
        "q1,a,m1\nq2,b,m1\nq3,c,\n",
        "found 2 questions with an answer and 1 without one, expected at least 2 of each",
    ),
    "nothing with an answer": ("q1,a,\nq2,b,\n", "found 0 questions with an answer and 2 without"),
}


@pytest.mark.parametrize("rows, message", WRONG_QUERIES.values(), ids=WRONG_QUERIES)
def test_a_mistake_in_the_queries_is_named(put, rows, message):
    put("id,text\nm1,tea")
    path = put("id,text,answers\n" + rows, "queries.csv")
    with pytest.raises(ValueError) as raised:
        load_queries("en")
    assert str(raised.value).startswith(f"{path} needs mending:\n- ")
    assert message in str(raised.value)
    with pytest.raises(ValueError, match="有地方要改"):
        load_queries("zh-TW")


def test_queries_need_a_column_of_answers(put):
    put("id,text\nm1,tea")
    put("id,text\nq1,tea", "queries.csv")
    with pytest.raises(ValueError, match="found no column answers / 答案"):
        load_queries("en")


@pytest.mark.parametrize("load", [load_memories, load_queries])
def test_an_unknown_language_is_refused(load):
    with pytest.raises(ValueError, match=r"found the language 'zh', expected one of \('en', 'zh-"):
        load("zh")


def test_every_column_has_a_name_in_both_languages():
    for names in COLUMNS.values():
        assert names[0].isascii() and not names[-1].isascii()


# The lessons


@pytest.mark.parametrize("language", ["en", "zh-TW"])
def test_the_example_to_start_from_can_be_loaded(language):
    memories = load_memories(language, EXAMPLES / language)
    assert len(memories) == 30 and all(memory.topic and memory.date for memory in memories)
    assert len(load_queries(language, EXAMPLES / language)) == 20


def as_a_teacher_saves_it(source, target):
    """The example again, with what spreadsheets and people do to a file."""
    for name in ("memories", "queries"):
        text = (source / f"{name}.csv").read_text("utf-8-sig")
        rows = [[*row, "", ""] for row in csv.reader(StringIO(text))] + [[""] * 6] * 3
        text = saved(rows, ";").replace("m01、", full_width("m01") + "，")
        text = re.sub(r"2026-0(\d)-0?(\d)", r"2026/\1/\2", text)
        (target / f"{name}.csv").write_bytes(codecs.BOM_UTF8 + text.encode())


# Those that load the labelled data.
RUNS = [("03", "zh-TW"), ("04", "en"), ("04", "zh-TW"), ("06", "en")]


@pytest.mark.parametrize("lesson, language", RUNS)
def test_a_lesson_runs_on_a_class_s_own_file(lesson, language, folder, monkeypatch):
    monkeypatch.setenv("MEMORA_PROVIDER", "offline")
    if language == "en":
        shutil.copytree(EXAMPLES / language, folder, dirs_exist_ok=True)
    else:
        as_a_teacher_saves_it(EXAMPLES / language, folder)
    (path,) = (ROOT / "notebooks" / language).glob(f"{lesson}_*.ipynb")
    fresh = run(nbformat.read(path, as_version=4), folder.parent)
    outputs = [output for cell in fresh.cells for output in cell.get("outputs", [])]
    assert [output for output in outputs if output.get("name") == "stderr"] == []
    shown = "".join(str(output) for output in outputs)
    queries = load_queries(language, EXAMPLES / language)
    assert any(query.text in shown for query in queries)
    assert "Hsin-yi" not in shown and "麻糬" not in shown  # two of the course's own
