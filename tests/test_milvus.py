"""milvus.py: against semantic_search, a filter in plain Python, other processes, a real server."""

import base64
import itertools
import math
import re
import socket
import sys
import traceback
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memora_lab import MemoryStore, rank_memories, semantic_search
from memora_lab.milvus import MilvusMemories
from memora_lab.settings import OFFLINE_MODEL

INSTALL = 'pip install "memora-lab[engines]"'
pytest.importorskip("pymilvus", reason=f"pymilvus is not installed: {INSTALL}")
pytest.importorskip("milvus_lite", reason=f"milvus-lite is not installed: {INSTALL}")
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tools"))
from try_milvus_server import Server  # noqa: E402

TOPICS = [
    "travel",
    "旅行",
    'say "hello"',
    "back\\slash",
    "ends in \\",
    "it's",
    '" or topic != "',
    '\\" or memory_number > 0 or topic == "',
    "%",
    "{topic}",
    "😀",
    "",
]
DAYS = [f"2026-{month:02}-{day:02}" for month in (1, 2, 3) for day in (1, 2, 28)]


def store_of(rows, model="m", metadata=None):
    texts = [f"記憶 {i}" for i in range(1, len(rows) + 1)]
    return MemoryStore.from_vectors(texts, rows, model=model, metadata=metadata)


def labelled_store(n=200, d=8):
    """Few different numbers, so many ties; every third without a day, every fifth without topic."""
    rows = np.random.default_rng(7).integers(-1, 2, (n, d))
    rows[~rows.any(axis=1)] = 1
    metadata = [
        ({"topic": TOPICS[i % len(TOPICS)]} if i % 5 else {})
        | ({"date": DAYS[i % len(DAYS)]} if i % 3 else {})
        for i in range(n)
    ]
    return store_of(rows, metadata=metadata)


def filtered(query, store, top_k, topic=None, since=None, until=None):
    """rank_memories, then a filter in plain Python."""
    kept = []
    for result in rank_memories(query, store, len(store)):
        about = store.metadata(result.memory_number - 1)
        day = about.get("date")
        if topic is not None and about.get("topic", "") != topic:
            continue
        if since is not None and (day is None or day < since):
            continue
        if until is not None and (day is None or day > until):
            continue
        kept.append(result)
    return kept[:top_k]


def assert_the_same(memories, store, queries):
    """All the searches and filters that a folder and a server are tried with."""
    for query in queries:
        for top_k in (1, 10, len(store), 10**6):
            assert memories.rank(query, top_k) == rank_memories(query, store, top_k)
        for wanted in (
            *({"topic": topic} for topic in TOPICS),
            {"topic": "nowhere"},
            {"since": "2026-02-02"},
            {"until": "2026-02-02"},
            {"since": "2026-01-02", "until": "2026-02-28", "topic": "旅行"},
            {"since": "2026-03-01", "until": "2026-01-01"},
        ):
            assert memories.rank(query, 20, **wanted) == filtered(query, store, 20, **wanted)


def assert_sound(memories, store, query, **wanted):
    """What an approximate index gives may have gaps, but order, scores and filter are right."""
    found = memories.rank(query, 20, **wanted)
    everything = filtered(query, store, len(store), **wanted)
    assert found
    assert found == [result for result in everything if result in found]


QUERIES = ([1, 0, 0, 0, 0, 0, 0, 0], [1, 2, -1, 0, 3, 0, 1, -2], [0] * 8)


# A folder: the same as semantic_search

numbers = st.floats(-1e3, 1e3).map(lambda x: 0.0 if abs(x) < 1e-3 else x)
small = st.integers(-1, 1).map(float)
vectors = st.tuples(st.integers(1, 6), st.sampled_from([numbers, small])).flatmap(
    lambda shape: st.tuples(
        st.lists(shape[1], min_size=shape[0], max_size=shape[0]),
        st.lists(
            st.lists(shape[1], min_size=shape[0], max_size=shape[0]).filter(any),
            min_size=1,
            max_size=40,
        ),
    )
)


@pytest.fixture
def memories(tmp_path):
    with MilvusMemories(tmp_path / "not made yet" / "記憶.db") as opened:
        yield opened


@pytest.fixture(scope="module")
def collections(tmp_path_factory):
    """Makes an empty collection, all of them in one folder."""
    folder = tmp_path_factory.mktemp("milvus") / "memora.db"
    names = (f"memories_{number}" for number in itertools.count())
    with MilvusMemories(folder):
        yield lambda: MilvusMemories(folder, collection=next(names))


@settings(max_examples=12)
@given(vectors, st.integers(1, 45))
def test_a_folder_finds_what_the_store_finds(collections, given_vectors, top_k):
    query, rows = given_vectors
    store, memories = store_of(rows), collections()
    memories.add(store)
    assert memories.rank(query, top_k) == rank_memories(query, store, top_k)


def test_a_case_worked_by_hand(memories):
    store = store_of([[0, 1], [1, 1], [2, 0], [-1, 0], [2, 2]])
    memories.add(store)
    results = memories.rank([1, 0], 4)
    assert [result.memory_number for result in results] == [3, 2, 5, 1]
    assert [result.content for result in results] == ["記憶 3", "記憶 2", "記憶 5", "記憶 1"]
    assert [r.score for r in results] == pytest.approx([1, 0.5**0.5, 0.5**0.5, 0], abs=1e-15)
    assert len(memories) == 5


def test_filters_and_ties_are_those_of_plain_python(memories):
    store = labelled_store()
    memories.add(store)
    assert_the_same(memories, store, QUERIES)


def test_an_approximate_index_gives_exact_scores_and_can_be_taken_back(memories):
    store = labelled_store()
    memories.add(store)
    memories.build_index("HNSW")
    for wanted in ({}, {"topic": "旅行"}, {"since": "2026-02-02"}):
        assert_sound(memories, store, QUERIES[1], **wanted)
    memories.build_index("FLAT")
    assert memories.rank(QUERIES[1], 20) == rank_memories(QUERIES[1], store, 20)


def test_an_approximate_index_finds_nearly_all_of_the_nearest(memories):
    rng = np.random.default_rng(3)
    store = store_of(rng.standard_normal((2000, 32)))
    memories.add(store)
    memories.build_index("HNSW")
    found = 0
    for query in rng.standard_normal((20, 32)):
        nearest = {result.memory_number for result in rank_memories(query, store, 10)}
        found += len(nearest & {result.memory_number for result in memories.rank(query, 10)})
    assert found > 0.8 * 200


@pytest.mark.parametrize("d", [2, 64, 512])
def test_rows_that_float32_cannot_tell_apart_are_ranked_like_the_store(memories, d):
    rng = np.random.default_rng(d)
    base = rng.standard_normal(d)
    rows = base * (1 + 1e-7 * rng.standard_normal((300, d)))
    rows[200:] = rows[:100]
    store, query = store_of(rows), base * (1 + 1e-7 * rng.standard_normal(d))
    memories.add(store)
    for top_k in (1, 3, 150, 299):
        assert memories.rank(query, top_k) == rank_memories(query, store, top_k)


@pytest.mark.parametrize("scale", [1e12, 1e-12])
def test_long_and_short_vectors_are_ranked_like_the_store(memories, scale):
    rows = np.random.default_rng(0).standard_normal((30, 4)) * ([[1], [scale], [1 / scale]] * 10)
    store = store_of(rows)
    memories.add(store)
    for query in ([1, 2, 3, 4], [1e200, 0, 0, 1e200], [1e-200, 1e-200, 0, 0]):
        assert memories.rank(query, 30) == rank_memories(query, store, 30)


def test_sentences_are_found_as_semantic_search_finds_them(memories):
    store = MemoryStore()
    store.add(
        ["我想改善旅行英文", "我喜歡烏龍茶", "我不喜歡咖啡", "文法請解釋得簡單一點"],
        metadata=[{"topic": "英文"}, {"topic": "飲料"}, {"topic": "飲料"}, {"topic": "英文"}],
    )
    memories.add(store)
    assert memories.model == OFFLINE_MODEL
    for query in ("請不要把文法解釋得太複雜", "我明天要喝什麼？"):
        assert memories.search(query, 2) == semantic_search(query, store, 2)
    results, tokens = memories.search("我明天要喝什麼？", topic="飲料")
    assert {result.memory_number for result in results} == {2, 3}
    assert tokens == semantic_search("我明天要喝什麼？", store)[1]


# What is in it


def test_adding_again_writes_over_what_is_there(memories):
    store = labelled_store(50)
    memories.add(store)
    memories.add(store)
    assert len(memories) == 50
    more = labelled_store(80)
    memories.add(more)
    assert len(memories) == 80
    assert memories.rank(QUERIES[1], 80) == rank_memories(QUERIES[1], more, 80)
    memories.build_index("HNSW")
    memories.add(store_of(np.eye(8)))
    assert memories.rank(np.eye(8)[4], 1)[0].memory_number == 5


def test_more_than_one_request_brings_all(memories):
    store = store_of(np.random.default_rng(1).standard_normal((1203, 3)))
    memories.add(store)
    assert memories.rank([1, 2, 3], 1203) == rank_memories([1, 2, 3], store, 1203)


def test_without_memories_nothing_is_found_and_no_request_spent(memories, client, server):
    memories.add(MemoryStore())
    assert memories.search("tea", client=client) == ([], 0)
    assert (memories.rank([1, 0]), len(memories), server.requests) == ([], 0, [])
    with pytest.raises(ValueError, match="add memories first"):
        memories.build_index("HNSW")


def test_what_another_adds_is_seen(memories, tmp_path):
    assert memories.rank([1, 0]) == []
    MilvusMemories(tmp_path / "not made yet" / "記憶.db").add(store_of([[1, 0]]))
    assert [result.memory_number for result in memories.rank([1, 0])] == [1]
    assert memories.model == "m"


def test_another_model_or_dimension_or_collection_is_refused_by_name(memories):
    memories.add(store_of([[1, 0]], model="one"))
    with pytest.raises(ValueError, match=r"2 dimensions of one, the store 2 of other: give"):
        memories.add(store_of([[1, 0]], model="other"))
    with pytest.raises(ValueError, match=r"2 dimensions of one, the store 3 of one: give"):
        memories.add(store_of([[1, 0, 0]], model="one"))
    with pytest.raises(ValueError, match="the query has 3 dimensions, the memories have 2"):
        memories.rank([1, 2, 3])
    with pytest.raises(ValueError, match=f"embedded by {OFFLINE_MODEL}, the memories by one"):
        memories.search("tea")
    assert len(memories) == 1


def test_a_collection_of_another_program_is_left_alone(tmp_path):
    with MilvusMemories(tmp_path / "a.db") as memories:
        memories._client.create_collection("theirs", dimension=4)
        with pytest.raises(ValueError, match=r"'theirs' at .* is not Memora's, it has"):
            MilvusMemories(tmp_path / "a.db", collection="theirs")


@pytest.mark.parametrize(
    ("texts", "rows", "metadata", "message"),
    [
        (["a", "字" * 21_846], [[1], [1]], None, "memory 2 has 65,538 bytes of text"),
        (["a", "\ud800"], [[1], [1]], None, "memory 2 holds half a character"),
        (["a", "b"], [[1], [0]], None, "memory 2 is a vector of zeros"),
        (["a"], [[1]], [{"topic": "two\nlines"}], "the topic of memory 1 must be one line"),
        (["a"], [[1]], [{"topic": "字" * 86}], "the topic of memory 1 must be one line"),
        (["a"], [[1]], [{"topic": 7}], "the topic of memory 1 must be one line"),
        (["a"], [[1]], [{"date": "1 March"}], "the date of memory 1 must be a day such as"),
        (["a"], [[1]], [{"date": "20260301"}], "the date of memory 1 must be a day such as"),
        (["a"], [[1]], [{"date": 2026}], "the date of memory 1 must be a day such as"),
    ],
)
def test_what_milvus_cannot_hold_is_refused_before_anything_is_written(
    memories, texts, rows, metadata, message
):
    with pytest.raises(ValueError, match=message):
        memories.add(MemoryStore.from_vectors(texts, rows, metadata=metadata))
    assert len(memories) == 0


def test_the_longest_text_and_any_character_come_back(memories):
    texts = ["字" * 21_845, "\x00 \r\n\t\u2028 \\ \" '", "😀"]
    memories.add(MemoryStore.from_vectors(texts, [[1, 0], [1, 1], [0, 1]]))
    assert [result.content for result in memories.rank([1, 0])] == texts


# What is asked


@pytest.mark.parametrize("blank", ["", " ", "\u3000", "\u200b"])
def test_a_blank_query_is_refused_as_semantic_search_does(memories, blank):
    with pytest.raises(ValueError, match=r"^Search query cannot be empty\.$"):
        memories.search(blank)


@pytest.mark.parametrize("top_k", [0, -1, True, 2.0, None, "3"])
def test_a_top_k_that_is_none_is_refused_as_semantic_search_does(memories, top_k):
    for ask in (lambda: memories.search("tea", top_k), lambda: memories.rank([1], top_k)):
        with pytest.raises(ValueError, match="top_k must be a whole number of at least 1"):
            ask()


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        ({"topic": "a\nb"}, "topic must be one line of text"),
        ({"topic": 3}, "topic must be one line of text"),
        ({"since": "yesterday"}, "since must be a day such as 2026-03-01, got 'yesterday'"),
        ({"until": '2026-03-01" or true'}, "until must be a day such as"),
        ({"until": 20260301}, "until must be a day such as"),
    ],
)
def test_a_filter_that_is_none_is_refused(memories, wanted, message):
    with pytest.raises(ValueError, match=message):
        memories.search("tea", **wanted)


def test_a_query_that_is_no_text_is_refused(memories):
    with pytest.raises(TypeError, match="the search query must be a string, got int"):
        memories.search(3)


def test_an_index_of_another_name_is_refused(memories):
    memories.add(store_of([[1, 0]]))
    with pytest.raises(ValueError, match="one of FLAT, HNSW, got 'IVF'"):
        memories.build_index("IVF")


def test_a_day_may_be_a_date(memories):
    memories.add(store_of([[1, 0]] * 2, metadata=[{"date": "2026-03-01"}, {"date": "2026-03-02"}]))
    found = memories.rank([1, 0], since=date(2026, 3, 2))
    assert [result.memory_number for result in found] == [2]


# The folder and other processes

OPEN = """
from memora_lab.milvus import MilvusMemories
try:
    with MilvusMemories("memora.db") as memories:
        print(len(memories), memories.model, *(r.memory_number for r in memories.rank([1, 0])))
except OSError as error:
    print(type(error).__name__, error)
"""


def test_a_folder_serves_one_program_at_a_time_and_outlives_it(run_python):
    with MilvusMemories("memora.db") as memories:
        memories.add(store_of([[0, 1], [1, 1], [1, 0]]))
        refused = run_python(OPEN)
        assert refused.stdout.startswith("BlockingIOError memora.db is open in another program")
        assert refused.stderr == ""  # no traceback of Milvus' own
    assert run_python(OPEN).stdout == "3 m 3 2 1\n"
    with MilvusMemories("memora.db") as memories:
        assert len(memories) == 3


def test_what_is_closed_says_so(tmp_path):
    memories = MilvusMemories(str(tmp_path / "closed.db") + "/")  # as a shell completes it
    assert len(memories) == 0
    memories.close()
    with pytest.raises(ValueError, match=r"closed\.db is closed here: open it again"):
        memories.search("tea")


def test_a_folder_is_free_when_all_that_have_it_open_are_closed_or_gone(run_python):
    first, second = MilvusMemories("memora.db"), MilvusMemories("memora.db")
    first.add(store_of([[1, 0]]))
    first.close()
    first.close()
    with pytest.raises(ValueError, match="is not Memora's"):
        second._client.create_collection("theirs", dimension=4)
        MilvusMemories("memora.db", collection="theirs")
    assert len(second) == 1
    assert run_python(OPEN).stdout.startswith("BlockingIOError")
    second = None
    assert run_python(OPEN).stdout == "1 m 1\n"
    with pytest.raises(ValueError, match=r"memora\.db is closed here"):
        first.rank([1, 0])


def test_what_was_added_is_there_after_a_kill(run_python):
    killed = run_python("""
import os, signal
from memora_lab import MemoryStore
from memora_lab.milvus import MilvusMemories
MilvusMemories("memora.db").add(MemoryStore.from_vectors(["a", "b"], [[1, 0], [0, 1]], model="m"))
os.kill(os.getpid(), signal.SIGTERM if os.name == "nt" else signal.SIGKILL)
""")
    assert killed.returncode != 0
    assert run_python(OPEN).stdout == "2 m 1 2\n"


def test_only_this_computer_can_reach_the_folders_server(run_python):
    listening = run_python("""
import psutil
from memora_lab.milvus import MilvusMemories
with MilvusMemories("memora.db"):
    for socket in psutil.Process().net_connections():
        if socket.status == psutil.CONN_LISTEN:
            print(socket.laddr.ip.removeprefix("::ffff:"))
""")
    assert listening.stdout.split() == ["127.0.0.1"], listening.stderr


@pytest.mark.parametrize("name", ["http_proxy", "grpc_proxy", "all_proxy", "HTTPS_PROXY"])
def test_a_proxy_is_not_asked_for_this_computer(monkeypatch, name):
    monkeypatch.setenv(name, "http://127.0.0.1:1")
    with MilvusMemories("memora.db") as memories:
        memories.add(store_of([[1, 0]]))
        assert len(memories) == 1


def test_a_file_in_the_place_of_the_folder_is_told(tmp_path):
    (tmp_path / "memora.db").write_text("of an older Milvus Lite")
    with pytest.raises(NotADirectoryError, match=r"memora\.db is a file"):
        MilvusMemories()


# Addresses and settings


def test_the_settings_choose_the_place(monkeypatch, tmp_path):
    monkeypatch.setenv("MEMORA_URI", "elsewhere/other.db")
    with MilvusMemories():
        assert (tmp_path / "elsewhere" / "other.db").is_dir()
    assert not (tmp_path / "memora.db").exists()


def test_the_env_file_stays_where_it_is(tmp_path, run_python):
    """Milvus' package would read it into the environment, where a later change is not seen."""
    (tmp_path / ".env").write_text("OPENAI_API_KEY=sk-of-the-file\nMEMORA_URI=a.db\n", "utf-8")
    done = run_python("""
import os
from memora_lab.milvus import MilvusMemories
with MilvusMemories() as memories:
    print(memories, *(name for name in os.environ if name.endswith(("API_KEY", "DISABLED"))))
""")
    assert done.stdout == "MilvusMemories(a.db, memories, None)\n", done.stderr


@pytest.mark.parametrize(
    "uri",
    [
        "memories",
        "localhost:19530",
        "http://",
        "http://127.0.0.1:99999",
        "ftp://a/b.db",
    ],
)
def test_an_address_that_is_none_is_told(uri):
    with pytest.raises(ValueError, match=r"no place for memories: give a folder whose name ends"):
        MilvusMemories(uri)


def test_an_address_shows_no_password():
    password = "-".join(["hidden", "word"])  # in one piece, it would stand in the traceback
    with pytest.raises(ConnectionError) as caught:
        MilvusMemories(f"http://root:{password}@127.0.0.1:1")
    assert "http://127.0.0.1:1 does not do as a Milvus server does" in str(caught.value)
    assert password not in "".join(traceback.format_exception(caught.value))


def test_a_server_that_says_nothing_is_given_up():
    refused = pytest.raises(ConnectionError, match=r"Deadline Exceeded.*Is it running")
    with socket.create_server(("127.0.0.1", 0)) as silent, refused:
        MilvusMemories(f"http://127.0.0.1:{silent.getsockname()[1]}")


def test_a_token_that_is_refused_is_told_and_not_shown(monkeypatch):
    import grpc

    def refuse(_request, context):
        token = dict(context.invocation_metadata())["authorization"]
        said = f"auth check failure of {base64.b64decode(token).decode()}"
        context.abort(grpc.StatusCode.UNAUTHENTICATED, said)

    class Refusing(grpc.GenericRpcHandler):
        def service(self, _details):
            return grpc.unary_unary_rpc_method_handler(refuse)

    password = "-".join(["hidden", "word"])
    monkeypatch.setenv("MEMORA_TOKEN", f"root:{password}")
    server = grpc.server(ThreadPoolExecutor(1), handlers=[Refusing()])
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        with pytest.raises(ConnectionError, match="does not accept the token") as caught:
            MilvusMemories(f"http://127.0.0.1:{port}")
    finally:
        server.stop(None).wait()
    assert "[token]" in str(caught.value)
    assert password not in "".join(traceback.format_exception(caught.value))


@pytest.mark.parametrize("package", ["pymilvus", "milvus_lite", "grpc"])
def test_a_missing_package_is_told_with_the_command(run_python, package):
    done = run_python(f"""
import sys
sys.modules[{package!r}] = None
from memora_lab.milvus import MilvusMemories
try:
    MilvusMemories()
except ImportError as error:
    print(error)
""")
    assert done.stdout.startswith("Milvus is not installed (")
    assert 'pip install "memora-lab[engines]"' in done.stdout


def test_the_module_loads_milvus_at_the_first_use_only(run_python):
    done = run_python("""
import sys, memora_lab.milvus
print(*(name for name in ("pymilvus", "milvus_lite", "grpc", "faiss") if name in sys.modules))
""")
    assert done.stdout == "\n", done.stderr


# A real server


@pytest.fixture(scope="module")
def milvus_server(tmp_path_factory):
    if find_spec("milvus") is None:
        pytest.skip(
            "the package milvus (a real server; Linux on x86-64, macOS) is not installed: "
            "pip install milvus==2.3.5"
        )
    server = Server(tmp_path_factory.mktemp("server"))
    yield server
    server.stop()


# The package leaves a socket open when it looks for a free port.
@pytest.mark.filterwarnings(
    "ignore:Exception ignored in. <socket:pytest.PytestUnraisableExceptionWarning"
)
def test_a_real_server_answers_the_same_and_keeps_it_over_a_restart(milvus_server):
    """What the folder passed, with nothing but the address changed."""
    store = labelled_store()
    uri = milvus_server.start()
    with MilvusMemories(uri) as memories:
        memories.add(store)
        memories.add(store)
        assert (len(memories), memories.model) == (len(store), "m")
        assert_the_same(memories, store, QUERIES[1:2])
        with pytest.raises(ValueError, match=r"8 dimensions of m, the store 8 of other: give"):
            memories.add(store_of(np.ones((3, 8)), model="other"))
    milvus_server.stop()
    with pytest.raises(ConnectionError, match="Is it running"):
        MilvusMemories(uri)
    with MilvusMemories(milvus_server.start()) as memories:
        assert len(memories) == len(store)
        assert memories.rank(QUERIES[1], 200) == rank_memories(QUERIES[1], store, 200)
        memories.build_index("HNSW")
        assert_sound(memories, store, QUERIES[1], topic="旅行")


# The page on clusters


@pytest.mark.parametrize("name", ["milvus-cluster.md", "milvus-cluster.zh-TW.md"])
def test_the_sums_of_the_page_are_right(name):
    page = Path(__file__).resolve().parent.parent / "docs" / name
    rows = re.findall(r"(?m)^\|.*GB \|$", page.read_text("utf-8"))
    told = [[cell.strip() for cell in row.strip("|").split("|")][1:] for row in rows]
    sums = []
    for n in (10**6, 10**7, 10**9):
        for d in (512, 1536):
            one, stored = n * (4 * d + 128 + 250), n * 1.5 * (8 * d + 128 + 250)
            nodes = [str(2 * math.ceil(one / gives)) for gives in (45e9, 358e9)]
            sizes = (one, 2 * one, stored)
            one, two, stored = (f"{x / 1e9:,.{max(0, 11 - len(str(int(x))))}f} GB" for x in sizes)
            sums.append([f"{d:,}", one, two, *nodes, stored])
    assert told == sums
