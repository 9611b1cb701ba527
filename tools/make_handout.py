"""Make the handout, a printed page in each language:  python tools/make_handout.py [folder]

A4, at least 9 points, readable in grey. The scores drawn are computed with the offline model.
Glyphs are embedded as Type 3: the font has PostScript outlines, which many readers do not show
when they are embedded as Type 42. Nothing in the file tells when it was made, so that the same
content gives the same bytes.
"""

import math
import os
import sys
from pathlib import Path

import matplotlib as mpl
import numpy as np
from handout_texts import COMMANDS_IN_CHINESE, MEMORIES, QUERY, TEXTS
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Arc, Circle, FancyArrowPatch, FancyBboxPatch, Rectangle

from memora_lab import (
    MemoryCandidate,
    create_embeddings,
    embed_memory_candidates,
    semantic_search,
    use_chinese_font,
)
from memora_lab.program.commands import COMMANDS

DOCS = Path(__file__).resolve().parent.parent / "docs"
FILES = {"en": "handout.pdf", "zh-TW": "handout.zh-TW.pdf"}
WIDTH, HEIGHT = 210, 297  # millimetres; all places below are in them, y from the top
LEFT, MIDDLE, RIGHT = 14, 103, 196
COLUMN = MIDDLE - 8  # where the left one ends
LEADING, ROW = 4.9, 5.2  # from line to line, in text and in a table
INK, GREY, PALE = "#1a1a1a", "#5a5a5a", "#ececec"
TOP_K, DIMENSIONS = 3, 512


def page() -> tuple[Figure, Axes]:
    figure = Figure(figsize=(WIDTH / 25.4, HEIGHT / 25.4))
    ax = figure.add_axes((0, 0, 1, 1))
    ax.set(xlim=(0, WIDTH), ylim=(HEIGHT, 0))
    ax.axis("off")
    return figure, ax


def write(ax: Axes, x: float, y: float, text: str, size: float = 9.5, **style) -> None:
    """Text whose first line stands on y. A line at a time: as one, tall letters would push it."""
    for line in text.split("\n"):
        ax.text(x, y, line, fontsize=size, **{"color": INK, **style})
        y += LEADING


def write_code(ax: Axes, x: float, y: float, text: str) -> None:
    write(ax, x, y, text, 9, family=["DejaVu Sans Mono", *mpl.rcParams["font.family"]])


def heading(ax: Axes, x: float, y: float, text: str, end: float) -> None:
    write(ax, x, y, text, 13)
    ax.plot([x, end], [y + 2.4] * 2, color=INK, linewidth=1.2)


def box(ax: Axes, x: float, y: float, width: float, height: float, color: str = PALE) -> None:
    style = "round,pad=0,rounding_size=1.6"
    ax.add_patch(FancyBboxPatch((x, y), width, height, boxstyle=style, color=color, linewidth=0))


def arrow(ax: Axes, start: tuple, end: tuple, color: str = INK) -> None:
    style = {"arrowstyle": "-|>", "mutation_scale": 10, "shrinkA": 0, "shrinkB": 0}
    ax.add_patch(FancyArrowPatch(start, end, linewidth=2, color=color, **style))


def strip(ax: Axes, x: float, y: float, numbers: np.ndarray) -> None:
    """The first numbers of a vector as cells, dark for high, and how many there are."""
    for i, number in enumerate(numbers):
        shade = str(round(float(np.clip(0.55 - 4 * number, 0.1, 0.95)), 1))
        ax.add_patch(Rectangle((x + 2.6 * i, y), 2.6, 4, facecolor=shade, edgecolor="white"))
    write(ax, x + 2.6 * len(numbers) + 1.5, y + 3.2, f"... {DIMENSIONS}", 9, color=GREY)


def searched(language: str) -> tuple[np.ndarray, np.ndarray, list[tuple[int, float]]]:
    """The first numbers of the memories and of the query, and (number, score), the best first."""
    candidates = [MemoryCandidate(content=text) for text in MEMORIES[language]]
    memories, _ = embed_memory_candidates(candidates)
    results, _ = semantic_search(QUERY[language], memories, top_k=len(memories))
    vectors = np.array([memory.embedding for memory in memories])
    query = np.array(create_embeddings([QUERY[language]])[0][0])
    ranked = [(result.memory_number, round(result.score, 2)) for result in results]
    return vectors[:, :6], query[:6], ranked


def draw_steps(ax: Axes, top: float, words: dict, language: str) -> None:
    vectors, query, ranked = searched(language)
    width, gap = 42.5, 4
    lefts = [LEFT + i * (width + gap) for i in range(4)]
    for number, (x, (name, caption)) in enumerate(zip(lefts, words["steps"], strict=True), 1):
        box(ax, x, top, width, 66)
        ax.add_patch(Circle((x + 5.6, top + 6.4), 3.4, color=INK))
        write(ax, x + 5.6, top + 7.8, str(number), 11, color="white", ha="center")
        write(ax, x + 10.6, top + 7.8, name, 10.5)
        write(ax, x + 3, top + 57, caption, 9)
        if number < 4:
            arrow(ax, (x + width - 0.2, top + 32), (x + width + gap + 0.4, top + 32))
    draw_memories(ax, lefts[0] + 3, top + 18, words["short"], vectors)
    draw_query(ax, lefts[1] + 3, top + 18, words["query"], query)
    draw_angles(ax, lefts[2] + 4, top + 49, words, ranked)
    draw_ranking(ax, lefts[3] + 3, top + 18, words["short"], ranked)


def draw_memories(ax: Axes, x: float, y: float, names: list[str], vectors: np.ndarray) -> None:
    for number, (name, numbers) in enumerate(zip(names, vectors, strict=True), 1):
        write(ax, x, y, f"{number}  {name}", 9)
        strip(ax, x, y + 1.4, numbers)
        y += 9.4


def draw_query(ax: Axes, x: float, y: float, text: str, numbers: np.ndarray) -> None:
    write(ax, x, y, text, 9)
    arrow(ax, (x + 8, y + 14), (x + 8, y + 22))
    strip(ax, x, y + 24, numbers)


def draw_angles(ax: Axes, x: float, y: float, words: dict, ranked: list) -> None:
    """The query flat, the best and the last memory at their true angles from it."""
    arrow(ax, (x, y), (x + 26, y))
    write(ax, x + 27, y + 1.2, words["query_name"], 9)
    for (number, score), length, color in ((ranked[0], 26, INK), (ranked[-1], 32, GREY)):
        angle = math.acos(score)
        tip = (x + length * math.cos(angle), y - length * math.sin(angle))
        arrow(ax, (x, y), tip, color)
        write(ax, tip[0] + 1.5, tip[1] + 2, words["short"][number - 1], 9, color=color)
    degrees = math.degrees(math.acos(ranked[0][1]))
    ax.add_patch(Arc((x, y), 16, 16, theta1=-degrees, theta2=0, color=INK))
    write(ax, x + 9, y - 7.4, f"{degrees:.0f}°\ncos {ranked[0][1]:.2f}", 9)


def draw_ranking(ax: Axes, x: float, y: float, names: list[str], ranked: list) -> None:
    for place, (number, score) in enumerate(ranked):
        if place == TOP_K:
            style = {"color": INK, "linewidth": 0.8, "linestyle": (0, (3, 2))}
            ax.plot([x, x + 36], [y - 3.7] * 2, **style)
        fill = INK if place == 0 else GREY if place < TOP_K else "white"
        write(ax, x, y, names[number - 1], 9, color=INK if place < TOP_K else GREY)
        bar = Rectangle((x, y + 1.4), 58 * score, 3, facecolor=fill, edgecolor=GREY)
        ax.add_patch(bar)
        write(ax, x + 58 * score + 1.2, y + 4.2, f"{score:.2f}", 9)
        y += 9.4


def draw_formula(ax: Axes, y: float, words: dict) -> None:
    heading(ax, LEFT, y, words["formula"], COLUMN)
    write(ax, LEFT, y + 14.5, r"$\cos(a, b) = \frac{a \cdot b}{|a|\,|b|}$", 21)
    write(ax, LEFT, y + 25.5, words["formula_read"])
    for x, (value, meaning) in zip((0, 27, 59), words["values"], strict=True):
        write(ax, LEFT + x, y + 37, value, 12)
        write(ax, LEFT + x + 6, y + 37, meaning)
    box(ax, LEFT, y + 41, COLUMN - LEFT, 18)
    write(ax, LEFT + 3, y + 46.4, words["example"])
    write(ax, LEFT, y + 65.5, words["unit"])


def table(ax: Axes, x: float, y: float, rows: list[tuple[str, str]], column: float) -> None:
    for code, meaning in rows:
        write_code(ax, x, y, code)
        write(ax, x + column, y, meaning, 9)
        y += ROW


def draw_left(ax: Axes, y: float, words: dict) -> None:
    draw_formula(ax, y, words)
    heading(ax, LEFT, y + 84, words["start"], COLUMN)
    write(ax, LEFT, y + 92.5, words["start_read"])
    table(ax, LEFT, y + 103.5, words["start_commands"], 48)
    y += 113 + ROW * len(words["start_commands"])
    heading(ax, LEFT, y, words["notebook"], COLUMN)
    write(ax, LEFT, y + 8.5, words["keys"])


def draw_right(ax: Axes, y: float, words: dict, language: str) -> None:
    heading(ax, MIDDLE, y, words["pitfalls"], RIGHT)
    y += 8.5
    for trap in words["traps"]:
        ax.add_patch(Rectangle((MIDDLE, y - 2.3), 2, 2, color=INK))
        write(ax, MIDDLE + 4.5, y, trap)
        y += LEADING * len(trap.split("\n")) + 0.9
    y += 5.5
    heading(ax, MIDDLE, y, words["program"], RIGHT)
    table(ax, MIDDLE, y + 8.5, words["program_start"], 37)
    y += 10.5 + ROW * len(words["program_start"])
    rows = [(f"{word} {COMMANDS[word].argument}", about(word, language)) for word in COMMANDS]
    table(ax, MIDDLE, y, rows, 37)


def about(word: str, language: str) -> str:
    return COMMANDS[word].about if language == "en" else COMMANDS_IN_CHINESE[word]


def handout(language: str) -> Figure:
    words = TEXTS[language]
    figure, ax = page()
    ax.add_patch(Rectangle((0, 0), WIDTH, 23, color=INK))
    write(ax, LEFT, 12, words["title"], 22, color="white")
    write(ax, LEFT, 19, words["subtitle"], 10.5, color="white")
    write(ax, RIGHT, 12, "Memora Lab", 13, color="white", ha="right")
    draw_steps(ax, 28, words, language)
    draw_left(ax, 104, words)
    draw_right(ax, 104, words, language)
    write(ax, LEFT, 288, words["foot"], 9, color=GREY)
    return figure


def make(folder: Path) -> list[Path]:
    """Write both pages into the folder."""
    with mpl.rc_context():
        use_chinese_font()
        mpl.rcParams["pdf.fonttype"] = 3
        made = []
        for language, name in FILES.items():
            metadata = {"Title": TEXTS[language]["title"], "CreationDate": None}
            handout(language).savefig(folder / name, metadata=metadata)
            made.append(folder / name)
    return made


if __name__ == "__main__":
    os.environ["MEMORA_PROVIDER"] = "offline"
    for made in make(Path(sys.argv[1]) if sys.argv[1:] else DOCS):
        print(made)
