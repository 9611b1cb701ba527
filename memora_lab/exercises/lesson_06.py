"""Lesson 06: write a file whole, score again, measure what an index finds."""

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from memora_lab.exercises.exercise import Exercise


class _Torn(Exception):
    """The lines break off here, as with a power cut."""


def _save_lines_mistake(answer: Callable) -> str:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        file = folder / "notes.txt"
        answer(file, ["one", "兩"])
        if not file.exists():
            return "nothing_written"
        written = file.read_bytes().replace(b"\r\n", b"\n")
        if written == "one兩".encode():
            return "run_together"
        if written.rstrip(b"\n") != "one\n兩".encode():
            return "wrong"
        if [path.name for path in folder.iterdir()] != ["notes.txt"]:
            return "left_behind"
        first = file.stat().st_ino
        answer(file, ["three"])
        if file.read_bytes().split() != [b"three"]:
            return "appended"
        return _after_a_tear(answer, file) or ("in_place" if file.stat().st_ino == first else "")


def _after_a_tear(answer: Callable, file: Path) -> str:
    """What became of the file when the lines broke off in the middle."""
    during = []

    def lines() -> Iterator[str]:
        yield "new " * 5000  # more than a buffer holds
        during.append(file.read_bytes().split() if file.exists() else None)
        raise _Torn

    try:
        answer(file, lines())
    except Exception as stopped:  # a check raises its own, with the learner's as its cause
        if not isinstance(stopped.__cause__ or stopped, _Torn):
            raise
    else:
        return "swallowed"
    return "" if during == [[b"three"]] and file.read_bytes().split() == [b"three"] else "torn"


# Rows of one length, so that the dot product and the cosine rank them alike. Candidates are
# 1, 6, 3 and 4; rows 0 and 2 would be better than each of them.
_ROWS = np.array([[7, 24], [25, 0], [15, 20], [-7, 24], [24, 7], [0, 25], [20, 15]], np.float32)
_QUESTION = np.array([2, 5], np.float32)  # scores: 134, 50, 130, 106, 83, 125, 115


def _rescore_mistake(answer: Callable) -> str:
    rows = _ROWS.copy()
    got = _flat(answer(_QUESTION.copy(), rows, np.array([1, 6, 3, 4]), 2))
    mistakes = {
        (6, 3): "",
        (1, 6): "as_given",
        (0, 2): "all_rows",
        (1, 2): "within",
        (1, 4): "smallest",
        (3, 6): "upwards",
        (115, 106): "scores",
        (6, 3, 4, 1): "all_of_them",
        (7, 4): "from_one",
    }
    mistake = mistakes.get(got, "wrong")
    if mistake:
        return mistake
    if _flat(answer(_QUESTION, rows, np.array([4, 3]), 5)) != (3, 4):
        return "fewer_than_k"
    return "" if np.array_equal(rows, _ROWS) else "changed"


def _recall_of_mistake(answer: Callable) -> str:
    exact = [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]]
    found = [[2, 1, 30, 40], [8, 7, 6, 5], [90, 91, 92, 12]]  # 2, 4 and 1 of 4: 7 / 12
    got = float(answer(found, exact))
    mistakes = {
        7 / 12: "",
        1 / 12: "by_place",
        3 / 3: "hits",
        7.0: "counted",
        7 / 4: "summed",
        7 / 3: "per_query",
        100 * 7 / 12: "percent",
        5 / 12: "missed",
        2 / 4: "first_query",
        1 / 4: "last_query",
        1 / 3: "all_or_nothing",
    }
    mistake = next((kind for value, kind in mistakes.items() if np.isclose(got, value)), "wrong")
    if mistake:
        return mistake
    # An index may come back with too few: here 1 of 2 in a list of one, 1 of 2 in a list of two.
    if not np.isclose(float(answer([[5], [7, 90]], [[5, 6], [7, 8]])), 0.5):
        return "precision"
    if not np.isclose(float(answer([[2], [1]], [[1], [2]])), 0):
        return "pooled"
    if not np.isclose(float(answer([[5], [7]], [[5], [7, 8, 9]])), 2 / 3):
        return "pooled"
    return "" if np.isclose(float(answer(np.array(found), np.array(exact))), 7 / 12) else "wrong"


def _flat(got: object) -> tuple[float, ...]:
    """The numbers of a flat list or array; none for anything else."""
    try:
        return tuple(float(number) for number in got)
    except (TypeError, ValueError):
        return ()


EXERCISES = {
    "save_lines": Exercise(
        _save_lines_mistake,
        {
            "nothing_written": {
                "en": "There is no file at the path afterwards.",
                "zh-TW": "執行完之後，那個路徑上沒有檔案。",
            },
            "run_together": {
                "en": "The lines run together: each ends with a line break.",
                "zh-TW": "每一行都連在一起了：行尾要換行。",
            },
            "left_behind": {
                "en": "The lines are there, and something else was left in the folder.",
                "zh-TW": "內容對了，但資料夾裡還留著別的東西。",
            },
            "appended": {
                "en": "The old lines are still there: the new ones take their place.",
                "zh-TW": "舊的內容還在：新的要取代舊的，不是接在後面。",
            },
            "torn": {
                "en": "The lines broke off in the middle, and the old file was gone already.",
                "zh-TW": "寫到一半中斷，舊檔案卻已經不見了。",
            },
            "in_place": {
                "en": "Written into the old file itself: a crash in the middle leaves half of it.",
                "zh-TW": "直接寫進舊檔案了：寫到一半當掉，就只剩半個檔案。",
            },
            "swallowed": {
                "en": "The lines broke off, and nobody was told: let the error go on.",
                "zh-TW": "寫到一半中斷，卻沒有人知道：錯誤要繼續往外傳。",
            },
            "wrong": {
                "en": "The file does not hold the lines, in UTF-8, one below the other.",
                "zh-TW": "檔案內容不對：應該用 UTF-8，一行一行寫下去。",
            },
        },
        (
            {
                "en": "Hint: write to a second path in the same folder first.",
                "zh-TW": "提示：先寫到同一個資料夾裡的另一個路徑。",
            },
            {
                "en": 'Hint: beside = path.with_name(path.name + ".new"); write there with '
                'open(beside, "w", encoding="utf-8"), then os.replace(beside, path).',
                "zh-TW": '提示：beside = path.with_name(path.name + ".new")；用 '
                'open(beside, "w", encoding="utf-8") 寫進去，再 os.replace(beside, path)。',
            },
        ),
    ),
    "rescore": Exercise(
        _rescore_mistake,
        {
            "as_given": {
                "en": "The candidates came back in the order they were given: score them anew.",
                "zh-TW": "候選照原來的順序回來了：要重新計算分數再排。",
            },
            "all_rows": {
                "en": "All rows were scored; only the candidates are asked for.",
                "zh-TW": "你算了所有的列；只需要算候選的那幾列。",
            },
            "within": {
                "en": "These are places among the candidates; turn them back into places of rows.",
                "zh-TW": "這是在候選裡面的位置，要換回原本列的位置。",
            },
            "smallest": {
                "en": "These candidates have the lowest scores.",
                "zh-TW": "這些是分數最低的候選。",
            },
            "upwards": {
                "en": "The right two, but the lower score leads.",
                "zh-TW": "選對了，但分數低的排在前面。",
            },
            "scores": {
                "en": "These are the scores; asked for are the places of the rows.",
                "zh-TW": "這些是分數；題目要的是列的位置。",
            },
            "all_of_them": {
                "en": "All candidates came back: only the best k are wanted.",
                "zh-TW": "候選全部回來了：只要最好的 k 個。",
            },
            "from_one": {
                "en": "The places are counted from 1; rows count from 0.",
                "zh-TW": "位置從 1 開始數了；列的位置從 0 開始。",
            },
            "fewer_than_k": {
                "en": "With fewer candidates than k, all of them are due, the best first.",
                "zh-TW": "候選不到 k 個時，要全部回傳，最好的在前。",
            },
            "changed": {
                "en": "The places are right, but the rows you were given are changed.",
                "zh-TW": "位置對了，但傳進來的 rows 被改動了。",
            },
            "wrong": {
                "en": "Expected the places of the k candidates with the highest dot product.",
                "zh-TW": "要回傳內積最高的 k 個候選，它們在 rows 裡的位置。",
            },
        },
        (
            {
                "en": "Hint: rows[candidates] @ question gives a score for each candidate.",
                "zh-TW": "提示：rows[candidates] @ question 會得到每個候選的分數。",
            },
            {
                "en": "Hint: order = np.argsort(-scores); candidates[order[:k]]",
                "zh-TW": "提示：order = np.argsort(-scores)；candidates[order[:k]]",
            },
        ),
    ),
    "recall_of": Exercise(
        _recall_of_mistake,
        {
            "by_place": {
                "en": "A place that is found at another rank counts, too: compare as sets.",
                "zh-TW": "名次不同也算找到：請當成集合來比。",
            },
            "hits": {
                "en": "This counts the queries with at least one found: that is the hit rate.",
                "zh-TW": "這是至少找到一個的查詢占多少，也就是命中率。",
            },
            "counted": {
                "en": "This is how many were found; divide by how many there were to find.",
                "zh-TW": "這是找到了幾個；要再除以應該找到的個數。",
            },
            "per_query": {
                "en": "This is how many a query finds on average; divide by how many it should.",
                "zh-TW": "這是平均每個查詢找到幾個；要再除以應該找到的個數。",
            },
            "summed": {
                "en": "The shares are added up: divide by the number of queries.",
                "zh-TW": "這是各個比例的總和：還要除以查詢的個數。",
            },
            "pooled": {
                "en": "All queries are thrown together: take each one's share, then the average.",
                "zh-TW": "所有查詢混在一起算了：先算每個查詢的比例，再取平均。",
            },
            "percent": {
                "en": "A share lies between 0 and 1; this is a percentage.",
                "zh-TW": "比例在 0 和 1 之間；這是百分比。",
            },
            "missed": {
                "en": "This is the share that was missed.",
                "zh-TW": "這是漏掉的比例。",
            },
            "first_query": {
                "en": "This is the recall of the first query alone: average over all.",
                "zh-TW": "這只是第一個查詢的召回率：要取全部的平均。",
            },
            "last_query": {
                "en": "This is the recall of the last query alone: average over all.",
                "zh-TW": "這只是最後一個查詢的召回率：要取全部的平均。",
            },
            "all_or_nothing": {
                "en": "A query counts here only if all of its places are found; a part counts too.",
                "zh-TW": "全部找到才算一次；其實只找到一部分，也要算那一部分。",
            },
            "precision": {
                "en": "With short lists it is wrong: divide by how many there were to find, not by "
                "how many came back.",
                "zh-TW": "清單較短時就不對了：要除以應該找到的個數，不是回來的個數。",
            },
            "wrong": {
                "en": "Expected the share of each query's exact places that was found, averaged.",
                "zh-TW": "要回傳：每個查詢的正確位置中找到的比例，再取平均。",
            },
        },
        (
            {
                "en": "Hint: len(set(one) & set(other)) counts what two lists share.",
                "zh-TW": "提示：len(set(one) & set(other)) 是兩個清單共有的個數。",
            },
            {
                "en": "Hint: for each pair of zip(found, exact) the shared number over "
                "len(of the exact list); then the mean.",
                "zh-TW": "提示：對 zip(found, exact) 的每一對，用共有的個數除以 exact 那份的長度，"
                "再取平均。",
            },
        ),
    ),
}
