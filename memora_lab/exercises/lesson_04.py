"""Lesson 04: recall at k, the reciprocal rank, a cutoff that keeps a share of the answers."""

import math
from collections.abc import Callable, Sequence

from memora_lab.exercises.exercise import Exercise

# ranked ids, the ids that answer, k
_RECALL_CASES = (
    (["m7", "m2", "m9", "m4", "m5"], ("m2", "m9"), 2),
    (["m7", "m2", "m9", "m4", "m5"], ("m5", "m7"), 5),
    (["m7", "m2", "m9", "m4", "m5"], ("m2", "m8"), 3),
    (["m7", "m2", "m9", "m4", "m5"], ("m3",), 4),
    (["m7", "m2", "m9", "m4", "m5"], ("m9", "m4", "m5"), 2),
    (["m7", "m2", "m9", "m4", "m5"], ("m7", "m4", "m9"), 1),
)
_RECALL = {
    (1 / 2, 1, 1 / 2, 0, 0, 1 / 3): "",
    (1 / 2, 2 / 5, 1 / 3, 0, 0, 1): "divided_by_k",
    (1 / 2, 1, 1 / 2, 0, 0, 1): "divided_by_less",
    (1, 1, 1, 0, 0, 1): "hit",
    (1, 2, 1, 0, 0, 1): "count",
    (1, 1, 1 / 2, 0, 1, 1): "no_k",
    (0, 1 / 2, 1 / 2, 0, 0, 0): "one_less",
    (1, 1, 1 / 2, 0, 1 / 3, 1 / 3): "one_more",
}

_RANKED = ["m7", "m2", "m9", "m4"]
_RECIPROCAL_CASES = (("m9",), ("m4", "m2"), ("m3",), ("m7",), ("m3", "m9"))
_RECIPROCAL = {
    (1 / 3, 1 / 2, 0, 1, 1 / 3): "",
    (3, 2, 0, 1, 3): "not_inverted",
    (1 / 3, 1 / 4, 0, 1, 1 / 3): "not_the_first",
    (1 / 3, 3 / 8, 0, 1, 1 / 6): "not_the_first",
    (1 / 3, 3 / 4, 0, 1, 1 / 3): "not_the_first",
    (1 / 3, 1 / 4, 0, 1, 0): "first_answer",
    (1 / 3, 1 / 2, 0, 1, 0): "first_answer",
    (0, 0, 0, 1, 0): "gave_up",
    (1 / 3, 1 / 2, 1 / 4, 1, 1 / 3): "none_found",
    (1 / 3, 1 / 2, 1 / 5, 1, 1 / 3): "none_found",
    (1 / 3, 1 / 2, 1, 1, 1 / 3): "none_found",
}

# Four of the seven pairs are answers: at 0.9068, 0.7035, 0.5013 and 0.3047. No score has two
# digits only, so that steps of 0.01 meet none of them.
_SCORES = [0.3047, 0.8021, 0.5013, 0.9068, 0.4082, 0.7035, 0.6056]
_IS_ANSWER = [True, False, True, True, False, True, False]
_SHARES = (0.75, 0.6, 1.0)
_CUTOFF = {
    (0.5013, 0.5013, 0.3047): "",
    (0.3047, 0.3047, 0.3047): "lowest",
    (0.4082, 0.5013, 0.3047): "all_pairs",
    (0.9068, 0.9068, 0.9068): "precision",
    (0.7035, 0.7035, 0.5013): "one_too_few",
    (0.5013, 0.7035, 0.3047): "one_too_few",
    (0.3047, 0.5013, 0.3047): "one_too_many",
}


def _recall_mistake(answer: Callable) -> str:
    # One at a time: who divides by the answers present is told so before there are none.
    got = []
    for case in _RECALL_CASES:
        got.append(answer(*case))
        if len(got) == 3 and _near(got, (1 / 2, 1, 1)):
            return "only_ranked"
    return _match(got, _RECALL)


def _reciprocal_mistake(answer: Callable) -> str:
    # One at a time: who counts from 0 is told so before the first place divides by zero.
    got = []
    for answers in _RECIPROCAL_CASES:
        got.append(answer(_RANKED, answers))
        if got[0] is not None and math.isclose(got[0], 1 / 2):
            return "from_zero"
    if got[2] is None and got[0] is not None:
        return "none_found"
    return _match(got, _RECIPROCAL)


def _cutoff_mistake(answer: Callable) -> str:
    got = [answer(list(_SCORES), list(_IS_ANSWER), share) for share in _SHARES]
    if got[-1] is None and got[0] is not None:  # none is left where every answer must stay
        return "strict"
    if not all(any(_near([cutoff], [score], 1e-6) for score in _SCORES) for cutoff in got):
        return "between"
    return _match(got, _CUTOFF)


def _match(got: list, known: dict[tuple, str]) -> str:
    """What a list of numbers, also rounded to two digits, tells; "wrong" if none of the known."""
    return next((mistake for numbers, mistake in known.items() if _near(got, numbers)), "wrong")


def _near(got: Sequence, numbers: Sequence, tolerance: float = 6e-3) -> bool:
    return all(math.isclose(a, b, abs_tol=tolerance) for a, b in zip(got, numbers, strict=True))


EXERCISES = {
    "recall": Exercise(
        _recall_mistake,
        {
            "divided_by_k": {
                "en": "Divided by k; recall divides by how many answers there are.",
                "zh-TW": "除以 k 了；召回率要除以答案的總數。",
            },
            "divided_by_less": {
                "en": "With 3 answers and k = 1, one found is 1/3: divide by all the answers, even "
                "where k has no room for them.",
                "zh-TW": "有 3 筆答案、k = 1 時，找到一筆是 1/3：k 裝不下，也要除以總數。",
            },
            "only_ranked": {
                "en": "Divided by the answers that are in ranked; an answer missing there counts, "
                "too.",
                "zh-TW": "只除以 ranked 裡有的答案；不在裡面的答案也要算進總數。",
            },
            "hit": {
                "en": "1 as soon as one answer is found: that is a hit. Recall counts how many.",
                "zh-TW": "找到一筆就算 1，那是命中。召回率要看找到了幾筆。",
            },
            "count": {
                "en": "This is how many answers were found; recall is their share of all answers.",
                "zh-TW": "這是找到的筆數；召回率是找到的筆數占全部答案的比例。",
            },
            "no_k": {
                "en": "All places were searched: only the first k count.",
                "zh-TW": "整份排名都算進去了：只有前 k 名才算。",
            },
            "one_less": {
                "en": "Place k itself is missing: the first k are ranked[:k].",
                "zh-TW": "少算了第 k 名：前 k 名是 ranked[:k]。",
            },
            "one_more": {
                "en": "One place too many: the first k are ranked[:k].",
                "zh-TW": "多算了一名：前 k 名是 ranked[:k]。",
            },
            "wrong": {
                "en": "For ranked m7, m2, m9, answers m2 and m9, and k = 2 the recall is 0.5.",
                "zh-TW": "排名是 m7、m2、m9，答案是 m2 和 m9，k = 2 時，召回率是 0.5。",
            },
        },
        (
            {
                "en": "Hint: count the answers that stand in the first k, then divide.",
                "zh-TW": "提示：先數前 k 名裡有幾筆答案，再做除法。",
            },
            {
                "en": "Hint: found = set(ranked[:k]) & set(answers), then len(found) / len(…)",
                "zh-TW": "提示：found = set(ranked[:k]) & set(answers)，再算 len(found) / len(…)",
            },
        ),
    ),
    "reciprocal_rank": Exercise(
        _reciprocal_mistake,
        {
            "from_zero": {
                "en": "The places are counted from 0; the first place is 1.",
                "zh-TW": "名次從 0 開始算了；第一名是 1。",
            },
            "not_inverted": {
                "en": "This is the rank; asked for is 1 divided by it.",
                "zh-TW": "這是名次；題目要的是 1 除以名次。",
            },
            "not_the_first": {
                "en": "With two answers, only the one that stands higher in ranked counts.",
                "zh-TW": "有兩筆答案時，只看 ranked 裡排得比較前面的那一筆。",
            },
            "first_answer": {
                "en": "Any of the answers counts: where one is not in ranked, another may be.",
                "zh-TW": "每一筆答案都算：其中一筆不在 ranked 裡，另一筆可能在。",
            },
            "gave_up": {
                "en": "The search ended at first place: `return 0` in the loop does not wait for "
                "the second.",
                "zh-TW": "看完第一名就結束了：`return 0` 寫在迴圈裡，就輪不到第二名。",
            },
            "none_found": {
                "en": "If no answer is in the ranking, the reciprocal rank is 0.",
                "zh-TW": "排名裡一筆答案都沒有時，倒數排名是 0。",
            },
            "wrong": {
                "en": "For ranked m7, m2, m9 and the answer m9 it is 1/3.",
                "zh-TW": "排名是 m7、m2、m9，答案是 m9 時，結果是 1/3。",
            },
        },
        (
            {
                "en": "Hint: walk down ranked and stop at the first answer.",
                "zh-TW": "提示：從 ranked 的第一名往下走，遇到第一筆答案就停。",
            },
            {
                "en": "Hint: for rank, name in enumerate(ranked, start=1): if … return 1 / rank",
                "zh-TW": "提示：for rank, name in enumerate(ranked, start=1): if … return 1 / rank",
            },
        ),
        {
            "not_inverted": (
                {
                    "en": "Hint: the places are right; one division is missing.",
                    "zh-TW": "提示：名次是對的，只差一個除法。",
                },
                {"en": "Hint: return 1 / rank", "zh-TW": "提示：return 1 / rank"},
            ),
            "first_answer": (
                {
                    "en": "Hint: for each place ask whether its id is one of the answers.",
                    "zh-TW": "提示：每走到一個名次，就問這個 id 是不是答案之一。",
                },
                {"en": "Hint: if memory_id in answers", "zh-TW": "提示：if memory_id in answers"},
            ),
            "gave_up": (
                {
                    "en": "Hint: only after the last place is it certain that no answer is there.",
                    "zh-TW": "提示：走完最後一名，才知道真的沒有答案。",
                },
                {
                    "en": "Hint: no else; return 0 after the loop, as far left as the for.",
                    "zh-TW": "提示：不用 else；return 0 放在迴圈之後，縮排和 for 對齊。",
                },
            ),
            "none_found": (
                {
                    "en": "Hint: what does your function do when the loop ends without an answer?",
                    "zh-TW": "提示：迴圈走完都沒遇到答案時，你的函式會做什麼？",
                },
                {
                    "en": "Hint: return 0 after the loop, as far left as the for.",
                    "zh-TW": "提示：迴圈之後加上 return 0，縮排和 for 對齊。",
                },
            ),
        },
    ),
    "choose_cutoff": Exercise(
        _cutoff_mistake,
        {
            "lowest": {
                "en": "This keeps every answer: a higher cutoff still keeps the share asked for.",
                "zh-TW": "這樣每筆答案都留下了：門檻可以再高一點，仍然留得住要求的比例。",
            },
            "all_pairs": {
                "en": "The share is of the answers, not of all pairs: leave the others out first.",
                "zh-TW": "比例是對答案算的，不是對全部配對：先把不是答案的拿掉。",
            },
            "precision": {
                "en": "This makes sure that what is shown is right; the task is to keep answers.",
                "zh-TW": "這樣保證的是顯示出來的都對；題目要的是留得住答案。",
            },
            "one_too_few": {
                "en": "Too few answers stay. Count again, and remember that a score equal to the "
                "cutoff is shown.",
                "zh-TW": "留下的答案不夠，再數一次；分數剛好等於門檻也會顯示。",
            },
            "one_too_many": {
                "en": "One answer more than needed stays: exactly the share asked for is enough.",
                "zh-TW": "多留了一筆答案：剛好達到要求的比例就夠了。",
            },
            "strict": {
                "en": "Where every answer must stay, None came back: exactly the share asked for "
                "is enough (`>=`, not `>`).",
                "zh-TW": "要留下全部答案時，回傳了 None：剛好達到比例就夠了（用 `>=`，不是 `>`）。",
            },
            "between": {
                "en": "The highest such cutoff is exactly the score of an answer: not rounded, and "
                "not the nearest step of 0.01.",
                "zh-TW": "最高的門檻剛好就是某一筆答案的分數：不要四捨五入，也不要一格一格找。",
            },
            "wrong": {
                "en": "With answers at 0.9, 0.7, 0.5 and 0.3, three quarters of them stay at 0.5.",
                "zh-TW": "答案的分數是 0.9、0.7、0.5、0.3 時，門檻 0.5 留得住四分之三。",
            },
        },
        (
            {
                "en": "Hint: sort the scores of the answers from high to low. How many must stay?",
                "zh-TW": "提示：把答案的分數由高排到低。至少要留下幾筆？",
            },
            {
                "en": "Hint: go down from the highest; stop when kept / len(…) >= least_share.",
                "zh-TW": "提示：從最高分往下走，kept / len(…) >= least_share 時就停。",
            },
        ),
    ),
}
