"""What the handout says, in both languages. A line break here is one on the page."""

# ruff: noqa: RUF001  (a multiplication sign is meant)

MEMORIES = {
    "en": [
        "The user wants to improve their travel English.",
        "The user prefers short explanations of grammar.",
        "The user hopes to score 850 on the TOEIC test.",
        "The user likes to learn through example sentences.",
    ],
    "zh-TW": [
        "使用者想加強旅遊英文。",
        "使用者偏好簡短的文法解釋。",
        "使用者希望 TOEIC 達到 850 分。",
        "使用者喜歡透過例句學習。",
    ],
}
QUERY = {
    "en": "I want to practise the English I need at airports and hotels",
    "zh-TW": "我想練習在機場和飯店會用到的英文",
}

ENGLISH = {
    "title": "Semantic search on one page",
    "subtitle": "Find a text by what it means, not by the words it uses.",
    "short": ["travel English", "short grammar", "TOEIC 850", "examples"],
    "query": '"I want to practise\nthe English I need at\nairports and hotels"',
    "query_name": "query",
    "steps": [
        ("Embed memories", "A model turns each text\ninto 512 numbers, once."),
        ("Embed the query", "With the same model:\none text, one request."),
        ("Compare", "The smaller the angle,\nthe higher the score."),
        ("Sort, keep k", "The k best of what there\nis. Here k = 3: one is cut."),
    ],
    "formula": "The score: cosine similarity",
    "formula_read": "Multiply the numbers in pairs and add: that is a ⋅ b.\n"
    "Divide by both lengths. What is left is the direction:",
    "values": [("1", "the same"), ("0", "a right angle"), ("-1", "opposite")],
    "example": "By hand:  a = (3, 4),  b = (4, 3)\n"
    "a ⋅ b = 3×4 + 4×3 = 24,  |a| = |b| = 5\n"
    "cos = 24 / (5 × 5) = 0.96",
    "unit": "Vectors of length 1 need no division:\ntheir dot product is the cosine.",
    "start": "Start",
    "start_read": "In a terminal, in the folder of the course.\n"
    "On Windows, type py in place of python3.",
    "start_commands": [
        ("python3 start.py", "open the course"),
        ("  --lang zh-TW", "lessons in Chinese"),
        ("  --no-browser", "only print the address"),
        ("  --port 8899", "if a port is taken"),
        ("  --offline FOLDER", "set up from a stick"),
        ("python3 start.py --help", "all options"),
    ],
    "notebook": "In the notebook",
    "keys": "Shift+Enter: run a cell, from top to bottom\n"
    "Kernel > Restart Kernel: begin afresh\n"
    "Edit > Clear Outputs of All Cells: guess unseen",
    "pitfalls": "Pitfalls",
    "traps": [
        "Top k always brings k results, good or not.\nLook at the scores as well as at the order.",
        'Opposites score high: a "not" is one word among many.\n'
        "Numbers and names are only words to the model.",
        "No cutoff fits every model. Calibrate it on your data,\n"
        "and test it on questions held apart.",
        "One model for memories and query. After switching,\nembed everything again.",
        "A vector does not say which text it came from:\nkeep the order.",
        "For rare words and names, keywords often do better.",
        "A score does not know what is new, important, true.\n"
        "Keep dates and kinds beside the text.",
        "With a key set, every text leaves the computer.\nMEMORA_PROVIDER=offline keeps it here.",
    ],
    "program": "Memora, the program",
    "program_start": [
        (".venv/bin/memora", "Windows: .venv\\Scripts\\memora"),
        ("  --file NAME", "keep the memories in a file"),
    ],
    "foot": "The numbers in the drawing were computed with the offline model of the course.",
}

CHINESE = {
    "title": "一頁看懂語意搜尋",
    "subtitle": "依意思找出一段文字，不靠相同的字。",
    "short": ["旅遊英文", "簡短文法", "多益 850", "例句"],
    "query": "「我想練習在機場\n和飯店會用到的\n英文」",
    "query_name": "查詢",
    "steps": [
        ("把記憶變成向量", "模型把每段文字變成\n512 個數字，只做一次。"),
        ("把查詢變成向量", "用同一個模型：\n一段文字，一次請求。"),
        ("比較", "夾角越小，\n分數越高。"),
        ("排序，留下 k 筆", "現有的裡面最好的 k 筆。\n這裡 k = 3，第四筆不要。"),
    ],
    "formula": "分數：餘弦相似度",
    "formula_read": "數字兩兩相乘再相加，就是內積 a ⋅ b；\n再除以兩個長度，剩下的就是方向：",
    "values": [("1", "方向相同"), ("0", "直角"), ("-1", "方向相反")],
    "example": "親手算：a = (3, 4)，b = (4, 3)\n"
    "a ⋅ b = 3×4 + 4×3 = 24，|a| = |b| = 5\n"
    "cos = 24 / (5 × 5) = 0.96",
    "unit": "長度是 1 的向量不必除：\n內積就是餘弦。",
    "start": "開始",
    "start_read": "在課程的資料夾開啟終端機。\nWindows 請把 python3 換成 py。",
    "start_commands": [
        ("python3 start.py", "開啟課程"),
        ("  --lang zh-TW", "中文課程"),
        ("  --no-browser", "只印出網址"),
        ("  --port 8899", "連接埠被占用時"),
        ("  --offline FOLDER", "用隨身碟安裝"),
        ("python3 start.py --help", "所有選項"),
    ],
    "notebook": "在筆記本裡",
    "keys": "Shift+Enter：執行一格，由上往下\n"
    "Kernel > Restart Kernel：重新開始\n"
    "Edit > Clear Outputs of All Cells：想先猜再看",
    "pitfalls": "容易踩到的坑",
    "traps": [
        "Top-k 一定給 k 筆，不管好不好。\n除了順序，也要看分數。",
        "意思相反的句子，分數也很高：「不」只是一個字。\n對模型來說，數字和人名都只是詞。",
        "沒有一個門檻適用每個模型。用自己的資料校準，\n再用另外留下的查詢測試。",
        "記憶和查詢要用同一個模型。換了模型，\n全部重新做一次 embedding。",
        "向量身上沒寫自己是哪一句：順序不能亂。",
        "少見的詞和名字，關鍵字搜尋往往比較準。",
        "分數不知道新舊、輕重和真假。\n日期和種類要另外記在文字旁邊。",
        "設定了金鑰，每段文字都會離開電腦。\nMEMORA_PROVIDER=offline 就留在這裡。",
    ],
    "program": "程式：Memora",
    "program_start": [
        (".venv/bin/memora", "Windows：.venv\\Scripts\\memora"),
        ("  --file NAME", "把記憶存進檔案"),
    ],
    "foot": "圖裡的數字，是用課程的離線模型實際算出來的。",
}

TEXTS = {"en": ENGLISH, "zh-TW": CHINESE}

# What the program itself says about its commands is in English.
COMMANDS_IN_CHINESE = {
    "remember": "記住一件事",
    "memories": "列出記憶",
    "vector": "一筆記憶變成的向量",
    "similarity": "兩筆記憶有多像",
    "search": "意思最接近的記憶",
    "top-k": "搜尋要顯示幾筆",
    "extraction": "上一句話說到你的事",
    "history": "對話內容",
    "context": "最近送給聊天模型的內容",
    "summary": "較早的對話的摘要",
    "status": "筆數、模型和 token",
    "help": "列出這些指令",
    "exit": "離開（也可用 quit、Ctrl-D）",
}
