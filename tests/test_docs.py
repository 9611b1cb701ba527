"""The teacher's pages: plans add up, what they say of the lessons is so, the handout is fresh."""

import importlib.metadata
import re
import subprocess
import sys
import zlib
from pathlib import Path

import nbformat
import pytest

from memora_lab.exercises import checks

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
sys.path.insert(0, str(ROOT / "tools"))
import handout_texts  # noqa: E402
import make_handout  # noqa: E402

GUIDES = {"en": DOCS / "teaching.md", "zh-TW": DOCS / "teaching.zh-TW.md"}
GLOSSARIES = {"en": DOCS / "glossary.md", "zh-TW": DOCS / "glossary.zh-TW.md"}


def read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def sections(text: str, level: int) -> dict[str, str]:
    """What stands under each heading of a level, as far as the next one of it or above."""
    pieces = re.split(rf"(?m)^(#{{1,{level}}}) (.*)$", text)[1:]
    found = zip(pieces[::3], pieces[1::3], pieces[2::3], strict=True)
    return {title: body for marks, title, body in found if len(marks) == level}


def rows(text: str) -> list[list[str]]:
    """The cells of every table row but the heads and the lines beneath them."""
    table = re.findall(r"(?m)^\|(.*)\|$", re.sub(r"(?m)^\|.*\n\|[-|]+\|$", "", text))
    return [[cell.strip() for cell in row.split("|")] for row in table]


def lesson(language: str, number: int) -> list[nbformat.NotebookNode]:
    (path,) = (ROOT / "notebooks" / language).glob(f"{number:02}_*.ipynb")
    return nbformat.read(path, as_version=4).cells


def said(cells: list[nbformat.NotebookNode]) -> str:
    """All that a lesson shows: its text, its code and its outputs."""
    shown = [cell.source for cell in cells]
    for cell in cells:
        for output in cell.get("outputs", []):
            shown += [output.get("text", ""), output.get("data", {}).get("text/plain", "")]
    return "\n".join(shown)


def guide_of_lesson(language: str, number: int) -> str:
    title = {"en": f"Lesson {number}", "zh-TW": f"第 {number} 課"}[language]
    return sections(read(GUIDES[language]), 3)[title]


def plans(language: str) -> dict[str, list[list[str]]]:
    titles = {"en": "Plans", "zh-TW": "教案"}
    text = read(GUIDES[language]).split(f"\n## {titles[language]}\n")[1].split("\n## ")[0]
    return {title: rows(body) for title, body in sections(text, 3).items()}


def minutes(clock: str) -> int:
    hours, _, rest = clock.rpartition(":")
    return 60 * int(hours or 0) + int(rest)


@pytest.mark.parametrize("language", GUIDES)
def test_the_minutes_of_each_plan_add_up(language):
    found = plans(language)
    assert len(found) == 3
    for title, plan in found.items():
        starts = [minutes(row[0]) for row in plan]
        lengths = [int(row[1]) for row in plan]
        ends = [start + length for start, length in zip(starts, lengths, strict=True)]
        assert ends[:-1] == starts[1:], title
        promised = re.match(r"\d+", title)
        if promised:
            assert sum(lengths) == int(promised[0])


@pytest.mark.parametrize("language", GUIDES)
def test_the_full_day_gives_each_lesson_the_time_it_states(language):
    day = list(plans(language).values())[-1]
    given = {}
    for row in day:
        link = re.fullmatch(r"\[[^]]*\]\(\.\./notebooks/[^/]*/0(\d)_\w+\.ipynb\)", row[2])
        if link:
            given[int(link[1])] = int(row[1])
    stated = {}
    for number in range(7):
        title = lesson(language, number)[0].source
        stated[number] = int(re.search(r"\*\*(?:Time|時間)\*\* (\d+)", title)[1])
    assert given == stated


@pytest.mark.parametrize("language", GUIDES)
def test_sections_named_in_the_plans_are_in_the_lesson_linked(language):
    quoted = {"en": r'"([^"]+)"', "zh-TW": r"「([^」]+)」"}[language]
    named = [
        (int(number), section)
        for plan in plans(language).values()
        for row in plan
        for number in re.findall(r"/0(\d)_\w+\.ipynb", row[2])[:1]
        for section in re.findall(quoted, row[2])
    ]
    assert len(named) > 15
    for number, section in named:
        prose = "\n".join(cell.source for cell in lesson(language, number))
        assert section in re.findall(r"(?m)^##+ (.*)$", prose), (number, section)


@pytest.mark.parametrize("number", range(7))
@pytest.mark.parametrize("language", GUIDES)
def test_names_and_numbers_in_the_guide_are_those_of_the_lesson(language, number):
    text, shown = guide_of_lesson(language, number), said(lesson(language, number))
    names = [name for row in rows(text) for name in re.findall(r"^`(\w+)`$", row[0])]
    assert names
    assert [name for name in names if not re.search(rf"\b{name}\b", shown)] == []
    last = "\n".join(row[-1] for row in rows(text))  # the wrong answers stand before it
    printed = [float(figure) for figure in re.findall(r"-?\d+\.\d+", shown)]
    for figure in re.findall(r"\d+\.\d+", last):
        places = len(figure.partition(".")[2])
        assert any(f"{abs(value):.{places}f}" == figure for value in printed), figure
    for share in re.findall(r"\d+%", last):
        assert share in shown, share


@pytest.mark.parametrize("language", GUIDES)
def test_what_the_check_says_is_what_it_says(language):
    exercises = checks._all_exercises()
    told = [
        (row[0].strip("`"), row[2])
        for number in range(1, 7)
        for row in rows(guide_of_lesson(language, number))
        if len(row) == 3
    ]
    assert {exercise for exercise, _ in told} == set(exercises)
    for exercise, message in told:
        assert message in [text[language] for text in exercises[exercise].mistakes.values()]


def test_both_guides_have_the_same_shape():
    shapes = [
        [len(rows(body)) for body in re.split(r"(?m)^##+ ", read(path))] for path in GUIDES.values()
    ]
    assert shapes[0] == shapes[1]


def anchors(text: str) -> set[str]:
    """The names that GitHub gives to the headings."""
    titles = re.findall(r"(?m)^#+ (.*)$", text)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("path", sorted(DOCS.glob("*.md")), ids=lambda path: path.name)
def test_links_lead_to_a_file_and_a_heading(path):
    targets = [target for target in re.findall(r"\]\(([^)\s]+)\)", read(path)) if ":" not in target]
    assert targets
    for target in targets:
        name, _, anchor = target.partition("#")
        file = path.parent / name if name else path
        assert file.is_file(), target
        assert not anchor or anchor in anchors(read(file)), target


@pytest.mark.parametrize("path", sorted(DOCS.glob("*.md")), ids=lambda path: path.name)
def test_prose_is_calm(path):
    assert not re.search(r"[!！]|\bsimply\b", read(path))


def test_commands_named_are_in_the_help_of_start():
    texts = [read(path) for path in GUIDES.values()]
    texts += [code for words in handout_texts.TEXTS.values() for code, _ in words["start_commands"]]
    named = {
        word
        for text in texts
        for call in re.findall(r"(?m)start\.py ([^`\n]+)|^  (--.*)", text)
        for word in " ".join(call).split()
        if word.startswith("--") or (word.isalpha() and word.islower())
    }
    assert {"--lang", "--port", "--help"} <= named
    command = [sys.executable, ROOT / "start.py", "--help"]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=True)
    assert {word for word in named if not re.search(rf"(?<!\w){word}\b", done.stdout)} == set()


def glossary(language: str) -> dict[str, str]:
    """The text of each term."""
    return sections(read(GLOSSARIES[language]), 2)


def test_both_glossaries_have_the_same_terms_and_none_twice():
    titles = [re.findall(r"(?m)^## (.*)$", read(path)) for path in GLOSSARIES.values()]
    assert titles[0] == titles[1] == sorted(set(titles[0]))
    # A heading of this form has the same name on GitHub, in JupyterLab and on the site.
    assert all(re.fullmatch(r"[a-z0-9]+([ -][a-z0-9]+)*", term) for term in titles[0])


def test_each_term_has_its_sentence_and_its_chinese_name():
    english, chinese = glossary("en"), glossary("zh-TW")
    for term in english:
        sentence, name = re.fullmatch(r"(.+)\n\nIn Chinese: (.+)", english[term].strip()).groups()
        assert re.fullmatch(r"[A-Z].*(\.|\.\*)", sentence) and sentence.isascii(), term
        bold, sentence = re.fullmatch(r"\*\*(.+)\*\*\u3000(.+)", chinese[term].strip()).groups()
        assert re.fullmatch(r".*(。|。」)", sentence), term
        assert name == bold


@pytest.mark.parametrize("language", GLOSSARIES)
def test_the_index_of_a_glossary_has_each_term_once(language):
    linked = re.findall(r"\]\(#([^)]+)\)", read(GLOSSARIES[language]))
    assert sorted(linked) == sorted(term.replace(" ", "-") for term in glossary(language))


def linked_terms(language: str, number: int) -> list[str]:
    """The terms that a lesson links to the glossary of its language; it knows no other."""
    cells = lesson(language, number)
    prose = "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    name = re.escape(GLOSSARIES[language].name)
    linked = re.findall(rf"\]\(\.\./\.\./docs/{name}#([^)]*)\)", prose)
    assert prose.count("docs/glossary") == len(linked)
    return linked


@pytest.mark.parametrize("number", range(7))
def test_a_lesson_links_a_term_once_and_the_same_in_both_languages(number):
    english, chinese = linked_terms("en", number), linked_terms("zh-TW", number)
    assert sorted(english) == sorted(set(chinese)) and len(english) == len(chinese)
    assert set(english) <= {term.replace(" ", "-") for term in glossary("en")}
    assert english


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> list[bytes]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MEMORA_PROVIDER", "offline")
        return [path.read_bytes() for path in make_handout.make(tmp_path_factory.mktemp("a"))]


def test_the_handout_is_the_same_bytes_each_time(made, tmp_path):
    assert [path.read_bytes() for path in make_handout.make(tmp_path)] == made


def streams(pdf: bytes) -> list[bytes]:
    """What is drawn and embedded, unpacked: the packing differs with the zlib of a Python."""
    packed = re.findall(rb"(?s)stream\n(.*?)\nendstream", pdf)
    return [zlib.decompress(piece) if piece[:1] == b"x" else piece for piece in packed]


def test_the_handout_kept_is_the_one_that_the_command_makes(made):
    pins = dict(re.findall(r"(?m)^([\w-]+)==([\w.]+)$", read(ROOT / "requirements.txt")))
    for name in ("matplotlib", "fonttools", "pylopdf-fonts-zh-tw"):
        if importlib.metadata.version(name) != pins[name]:
            pytest.skip(f"{name} is not {pins[name]}, with which the handout was made")
    for fresh, name in zip(made, make_handout.FILES.values(), strict=True):
        kept = (DOCS / name).read_bytes()
        assert streams(fresh) == streams(kept), f"run tools/make_handout.py: {name} is old"


def test_the_handout_is_one_page_of_a4_whose_text_can_be_searched(made):
    for pdf, language in zip(made, make_handout.FILES, strict=True):
        assert len(re.findall(rb"/Type /Page\b", pdf)) == 1
        box = re.search(rb"/MediaBox \[ 0 0 ([\d.]+) ([\d.]+) \]", pdf)
        assert [round(float(side) / 72 * 25.4) for side in box.groups()] == [210, 297]
        maps = b"".join(stream for stream in streams(pdf) if b"begincmap" in stream)
        known = set(re.findall(rb"<([0-9a-fA-F]{4})>", maps))
        written = set("".join(handout_texts.TEXTS[language]["traps"])) - set("\n")
        assert {c for c in written if f"{ord(c):04x}".encode() not in known} == set()


@pytest.mark.parametrize("language", make_handout.FILES)
def test_nothing_on_the_handout_is_small_cut_or_overlaps(language, monkeypatch, ax):
    monkeypatch.setenv("MEMORA_PROVIDER", "offline")
    figure = make_handout.handout(language)
    page = figure.bbox
    texts = [text for text in figure.axes[0].texts if text.get_text().strip()]
    boxes = [text.get_window_extent() for text in texts]
    assert min(text.get_fontsize() for text in texts) >= 9
    margin = 10 / make_handout.WIDTH * page.width
    for text, box in zip(texts, boxes, strict=True):
        assert margin <= box.x0 and box.x1 <= page.width - margin, text.get_text()
        assert box.y0 >= 0.6 * margin, text.get_text()
    for i, box in enumerate(boxes):
        hit = [
            texts[j].get_text() for j in range(i) if box.padded(-1).overlaps(boxes[j].padded(-1))
        ]
        assert hit == [], texts[i].get_text()


@pytest.mark.parametrize("language", make_handout.FILES)
def test_the_handout_searches_what_lesson_3_searches(language):
    code = "\n".join(cell.source for cell in lesson(language, 3) if cell.cell_type == "code")
    for text in [*handout_texts.MEMORIES[language], handout_texts.QUERY[language]]:
        assert f'"{text}"' in code


def test_every_command_of_the_program_is_told_in_chinese():
    assert list(handout_texts.COMMANDS_IN_CHINESE) == list(make_handout.COMMANDS)
