"""The playground, driven in process: its controls are set as a browser sets them."""

import pytest

from memora_lab import MemoryStore, create_embeddings, rank_memories
from memora_lab import playground as module
from memora_lab.playground import Playground

TEXTS = {
    "en": ["The user likes coffee.", "The user lives in Taipei.", "The user has a <b>cat</b>."],
    "zh-TW": ["使用者喜歡喝咖啡。", "使用者住在台北。", "使用者養了一隻貓。"],
}


@pytest.fixture(scope="module")
def stores():
    made = {language: MemoryStore() for language in TEXTS}
    for language, texts in TEXTS.items():
        made[language].add(texts)
    return made


def numbers(playground):
    return [result.memory_number for result in playground.shown]


def test_it_opens_with_the_results_of_the_search(stores):
    playground = Playground(stores, query="Where is home?", k=2)
    vectors, _ = create_embeddings(["Where is home?"])
    assert playground.shown == rank_memories(vectors[0], stores["en"], 2)
    assert "lives in Taipei" in playground.results.value


def test_a_new_question_is_searched_at_once(stores):
    playground = Playground(stores, query="Where is home?", k=1)
    playground.query.value = "What pet is there?"
    assert numbers(playground) == [3]
    assert "pet" not in playground.results.value


def test_k_changes_how_many_are_shown(stores):
    playground = Playground(stores, query="coffee", k=1)
    for k in (2, 3, 1, 20):
        playground.k.value = k
        assert len(playground.shown) == min(k, 3)
        assert playground.results.value.count("rgba") == min(k, 3)


def test_the_cutoff_greys_what_lies_below_and_says_how_many_reach_it(stores):
    playground = Playground(stores, query="coffee", k=3, cutoff=0.0)
    best, second, last = [result.score for result in playground.shown]
    playground.cutoff.value = round((second + last) / 2, 2)
    assert f"cutoff of {playground.cutoff.value:.2f}: 2." in playground.results.value
    playground.cutoff.value = round((best + second) / 2, 2)
    assert f"cutoff of {playground.cutoff.value:.2f}: 1." in playground.results.value
    assert playground.results.value.count("✓") == 1
    assert len(playground.shown) == 3
    playground.cutoff.value = 1.0
    assert "Nothing reaches the cutoff of 1.00. The closest 3" in playground.results.value
    assert "✓" not in playground.results.value


def test_the_language_changes_the_memories_and_not_the_labels(stores):
    playground = Playground(stores, query="coffee", k=1)
    playground.language.value = "zh-TW"
    assert playground.shown[0].content == TEXTS["zh-TW"][0]
    assert playground.query.description == "Question"
    assert "The closest 1;" in playground.results.value


def test_the_labels_are_in_the_language_asked_for(stores):
    playground = Playground(stores, "zh-TW", query="咖啡", k=1)
    controls = (playground.query, playground.k, playground.cutoff, playground.language)
    assert [control.description for control in controls] == ["查詢", "k", "門檻", "記憶"]
    assert "最接近的 1 筆" in playground.results.value
    assert repr(playground) == "遊樂場：執行這一格就會打開。"


@pytest.mark.parametrize("blank", ["", "   ", "\u3000"])
def test_a_blank_question_is_asked_for(stores, blank):
    playground = Playground(stores, query="coffee")
    playground.query.value = blank
    assert playground.shown == []
    assert "Ask something" in playground.results.value


def test_what_a_memory_says_is_text_and_no_markup(stores):
    playground = Playground(stores, query="cat", k=1)
    assert "&lt;b&gt;cat&lt;/b&gt;" in playground.results.value


def test_a_question_is_embedded_once_whatever_else_is_moved(stores, monkeypatch):
    asked = []

    def counting(texts):
        asked.extend(texts)
        return create_embeddings(texts)

    monkeypatch.setattr(module, "create_embeddings", counting)
    playground = Playground(stores, query="coffee")
    playground.k.value, playground.cutoff.value = 5, 0.5
    playground.language.value = "zh-TW"
    playground.query.value = "tea"
    playground.query.value = "coffee"
    assert asked == ["coffee", "tea"]


def test_what_goes_wrong_is_told_in_place_of_the_bars_and_is_mended_by_the_next_change(
    stores, monkeypatch
):
    def fail(texts):
        raise ValueError("the server <is> away")

    playground = Playground(stores, query="coffee")
    monkeypatch.setattr(module, "create_embeddings", fail)
    playground.query.value = "tea"
    assert "ValueError: the server &lt;is&gt; away" in playground.results.value
    assert playground.shown == []
    monkeypatch.undo()
    playground.query.value = "tea "
    assert len(playground.shown) == 3


def test_the_offline_model_answers_every_key_and_a_server_at_enter(stores, monkeypatch):
    assert Playground(stores, query="").query.continuous_update
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test-0123456789")
    assert not Playground(stores, query="").query.continuous_update


def test_one_language_is_enough_and_another_is_refused(stores):
    only = {"zh-TW": stores["zh-TW"]}
    assert len(Playground(only, "zh-TW", query="咖啡").language.options) == 1
    with pytest.raises(ValueError, match="no memories in 'en': there are zh-TW"):
        Playground(only, "en")


def test_a_page_without_widgets_shows_one_line(stores):
    assert repr(Playground(stores, query="tea")) == "The playground: run this cell to open it."


def test_without_ipywidgets_the_import_says_what_to_do(run_python):
    result = run_python(
        "import sys; sys.modules['ipywidgets'] = None; import memora_lab.playground"
    )
    assert result.returncode == 1
    assert "pip install ipywidgets" in result.stderr
    assert "plain cell below" in result.stderr
