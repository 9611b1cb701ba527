"""MemoryStore.save and load: the same store comes back, and no crash leaves half a file."""

import json
import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from server import MODEL

from memora_lab import MemoryStore, rank_memories, semantic_search
from memora_lab.memory_file import keep

PROJECT = Path(__file__).parent.parent
posix = pytest.mark.skipif(os.name == "nt", reason="needs POSIX signals and limits")

scalars = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
)
any_text = st.text(st.characters(exclude_categories=()))  # half characters too


@st.composite
def stores(draw):
    n, d = draw(st.integers(0, 6)), draw(st.integers(1, 5))
    numbers = st.floats(width=32, allow_nan=False, allow_infinity=False)
    matrix = draw(arrays(np.float32, (n, d), elements=numbers))
    texts = draw(st.lists(any_text, min_size=n, max_size=n))
    known = st.dictionaries(any_text, scalars | any_text, max_size=2)
    metadata = draw(st.none() | st.lists(known, min_size=n, max_size=n))
    model = draw(st.none() | st.text(min_size=1))
    return MemoryStore.from_vectors(texts, matrix, model=model, metadata=metadata)


def small(texts=("tea", "coffee"), model=MODEL, factor=1.0):
    matrix = factor * np.arange(1, 3 * len(texts) + 1, dtype=float).reshape(len(texts), 3)
    return MemoryStore.from_vectors(texts, matrix, model=model)


def state_of(store):
    """All that a store holds, to the bit."""
    n = len(store)
    return (
        [store.content(i) for i in range(n)],
        [store.metadata(i) for i in range(n)],
        store.model,
        store._asked_for,
        store.dimensions,
        store.matrix.tobytes(),
        store.inverse_norms.tobytes(),
    )


@pytest.fixture
def path(tmp_path):
    return tmp_path / "茶 memories.memora"


# The same store comes back


@given(store=stores())
@settings(deadline=None)
def test_what_is_saved_is_loaded_bit_for_bit(tmp_path_factory, store):
    path = tmp_path_factory.getbasetemp() / "property.memora"
    store.save(path)
    loaded = MemoryStore.load(path, model=store.model)
    assert state_of(loaded) == state_of(store)
    if len(store):
        query = np.linspace(-1, 1, store.dimensions)
        assert rank_memories(query, loaded, 3) == rank_memories(query, store, 3)
    loaded.save(path)
    assert state_of(MemoryStore.load(path, model=store.model)) == state_of(store)


def test_a_loaded_store_is_searched_and_grows(client, path):
    store = MemoryStore()
    store.add(["ab", "c"], metadata=[{"topic": "tea"}, {}])
    store.save(path)
    loaded = MemoryStore.load(path)
    assert semantic_search("ab", loaded) == semantic_search("ab", store)
    loaded.add(["b"], metadata=[{"topic": "milk"}])
    assert [memory.content for memory in loaded] == ["ab", "c", "b"]
    assert [loaded.metadata(i) for i in range(3)] == [{"topic": "tea"}, {}, {"topic": "milk"}]
    assert loaded.model == MODEL


def test_a_server_that_answers_under_another_name_is_the_same_model(client, path, monkeypatch):
    store = MemoryStore()
    store.add(["ab"])  # asked for as text-embedding-3-small
    assert store.model == MODEL
    store.save(path)
    assert len(MemoryStore.load(path)) == 1
    assert len(MemoryStore.load(path, model=MODEL)) == 1
    monkeypatch.setenv("MEMORA_EMBEDDING_MODEL", "bge-m3")
    assert "the search uses bge-m3" in refusal(path)


def test_the_first_line_tells_what_the_file_is(path):
    small().save(path)
    header = json.loads(path.read_bytes().splitlines()[0])
    del header["checksum"], header["text_bytes"]
    assert header == {
        "format": "memora-lab memories",
        "version": 1,
        "model": MODEL,
        "asked_for": None,
        "dimensions": 3,
        "count": 2,
    }


def test_the_numbers_lie_at_the_end_as_little_endian_float32(path):
    store = small()
    store.save(path)
    raw = path.read_bytes()
    assert raw.endswith(store.inverse_norms.astype("<f4").tobytes() + store.matrix.tobytes())


def test_an_empty_store_is_a_file_too(path):
    MemoryStore().save(path)
    loaded = MemoryStore.load(path)
    assert len(loaded) == 0 and loaded.model is None and loaded.dimensions is None


@posix
def test_a_link_stays_a_link_and_the_file_as_private_as_it_was(path, tmp_path):
    link = tmp_path / "link"
    small().save(path)
    path.chmod(0o600)
    link.symlink_to(path)
    small(["other", "tea", "x"]).save(link)
    assert link.is_symlink()
    assert len(MemoryStore.load(path, model=MODEL)) == 3
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


# What is refused


def refusal(path, **arguments):
    with pytest.raises(ValueError) as refused:
        MemoryStore.load(path, **arguments)
    assert str(path) in str(refused.value)
    return str(refused.value)


def test_a_file_cut_off_anywhere_is_refused(path):
    small().save(path)
    whole = path.read_bytes()
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        told = refusal(path, model=MODEL)
        if length > 40:
            assert "damaged" in told and "use a copy" in told


def test_a_file_with_more_behind_its_end_is_refused(path):
    small().save(path)
    path.write_bytes(path.read_bytes() + b"\0")
    assert "bytes long, not" in refusal(path, model=MODEL)


def test_a_file_with_one_wrong_bit_is_refused(path):
    small().save(path)
    whole = bytearray(path.read_bytes())
    for place in range(len(whole)):
        for bit in (1, 64):
            whole[place] ^= bit
            path.write_bytes(whole)
            refusal(path, model=MODEL)
            whole[place] ^= bit


def pickled_array():
    import io

    file = io.BytesIO()
    np.save(file, np.array([{"a": 1}], dtype=object), allow_pickle=True)
    return file.getvalue()


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\n",
        b"\x89PNG\r\n\x1a\n" + bytes(100),
        b"[1, 2]\n",
        b"{}\n",
        b'{"format": "another", "version": 1}\n',
        b"[" * 100_000 + b"\n",
        "使用者喜歡烏龍茶。\n".encode("cp950"),
        pickled_array(),
    ],
)
def test_a_file_of_another_kind_is_refused(path, content):
    path.write_bytes(content)
    assert "no file of memories" in refusal(path)


def test_a_newer_format_says_to_update(path):
    path.write_bytes(b'{"format": "memora-lab memories", "version": 2, "more": []}\nnew')
    assert "has format 2" in refusal(path) and "update Memora Lab" in refusal(path)


@pytest.mark.parametrize("change", [{"count": -1}, {"count": 1e9}, {"dimensions": None},
                                    {"text_bytes": "9"}, {"count": True}, {"version": "1"},
                                    {"count": 10**30}])  # fmt: skip
def test_a_size_that_cannot_be_right_is_refused_before_it_is_read(path, change):
    small().save(path)
    line, rest = path.read_bytes().split(b"\n", 1)
    path.write_bytes(json.dumps({**json.loads(line), **change}).encode() + b"\n" + rest)
    assert "damaged" in refusal(path, model=MODEL)


def test_memories_of_another_model_are_refused_with_the_way_out(path):
    small(model="bge-m3").save(path)
    told = refusal(path)
    assert "set MEMORA_EMBEDDING_MODEL=bge-m3 and OPENAI_BASE_URL to a server that has it" in told
    told = refusal(path, model="other")
    assert "the search uses other: give model='bge-m3'" in told
    assert len(MemoryStore.load(path, model="bge-m3")) == 2


def test_memories_of_the_offline_model_say_how_to_stay_offline(path, client):
    small(model="universal-sentence-encoder-multilingual-v3").save(path)
    assert "set MEMORA_PROVIDER=offline" in refusal(path)


def test_a_missing_file_and_a_folder_are_told_by_the_system(path, tmp_path):
    with pytest.raises(FileNotFoundError):
        MemoryStore.load(path)
    with pytest.raises(OSError):
        MemoryStore.load(tmp_path)


def test_where_nothing_can_be_written_the_reason_is_told(tmp_path):
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        small().save(tmp_path / "no" / "x.memora")
    with pytest.raises(IsADirectoryError, match="is a folder"):
        small().save(tmp_path)


@pytest.mark.parametrize("there", [b"my notes", b"\x00" * 100, b'{"other": 1}\n'])
def test_what_is_no_file_of_memories_is_not_written_over(path, there):
    path.write_bytes(there)
    with pytest.raises(ValueError, match="something else than memories"):
        small().save(path)
    assert path.read_bytes() == there


def test_a_damaged_file_and_an_empty_one_may_be_written_over(path):
    small().save(path)
    path.write_bytes(path.read_bytes()[:-1])
    small().save(path)
    assert len(MemoryStore.load(path, model=MODEL)) == 2
    path.write_bytes(b"")
    small().save(path)
    assert len(MemoryStore.load(path, model=MODEL)) == 2


@posix
def test_a_device_or_a_pipe_is_left_alone(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ValueError, match="no ordinary file"):
        small().save(tmp_path / "pipe")
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)


@posix
def test_a_link_in_the_way_is_not_followed(path, tmp_path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_text("mine")
    path.with_name(f".{path.name}.new").symlink_to(elsewhere)
    small().save(path)
    assert elsewhere.read_text() == "mine" and not path.is_symlink()


def test_nothing_else_in_the_folder_is_touched(path, tmp_path):
    small().save(path.with_name(path.name + ".new"))
    small(["a"]).save(path)
    assert len(MemoryStore.load(path.with_name(path.name + ".new"), model=MODEL)) == 2
    shown = {file.name for file in tmp_path.iterdir() if file.name[0] != "."}
    assert shown == {path.name, path.name + ".new"}


# Whole or not at all

SAVER = """
import os, random, signal, sys, time
from pathlib import Path
import numpy as np
from memora_lab import MemoryStore
path, kills = Path(sys.argv[1]), int(sys.argv[2])
beside = path.with_name(f".{path.name}.new")
stores = [MemoryStore.from_vectors([t] * n, np.full((n, 64), i + 1.0), model="m")
          for i, (t, n) in enumerate([("old", 3000), ("new", 2000)])]
random.seed(1)
stores[0].save(path)
seen, half = set(), 0
for _ in range(kills):
    child = os.fork()
    if not child:
        while True:
            for store in stores:
                store.save(path)
    time.sleep(random.uniform(0, 0.02))
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    half += beside.exists()
    found = MemoryStore.load(path, model="m")
    first = found.content(0)
    assert len(found) == {"old": 3000, "new": 2000}[first]
    assert (found.matrix == {"old": 1, "new": 2}[first]).all()
    seen.add(first)
stores[1].save(path)
assert MemoryStore.load(path, model="m").content(0) == "new"
assert not beside.exists()
print(sorted(seen), half)
"""


@posix
def test_200_kills_leave_the_old_file_or_the_new_one(path):
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", SAVER, str(path), "200"],
        env={**os.environ, "PYTHONPATH": str(PROJECT), "OPENBLAS_NUM_THREADS": "1"},
        capture_output=True,
        encoding="utf-8",
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("['new', 'old']"), done.stdout


FULL = """
import resource, sys
from pathlib import Path
import numpy as np
from memora_lab import MemoryStore
path = Path(sys.argv[1])
whole = path.read_bytes()
for room in (0, 1, 200, 4096, 100_000):
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, resource.RLIM_INFINITY))
    try:
        MemoryStore.from_vectors(["x"] * 1000, np.ones((1000, 64)), model="m").save(path)
    except OSError as error:
        assert error.errno, error
        assert error.__notes__ == [f"{path} is as it was, and this is not saved."]
    else:
        raise AssertionError(room)
    assert path.read_bytes() == whole
    assert not path.with_name(f".{path.name}.new").exists()
"""


@posix
def test_a_full_disk_leaves_the_old_file(path):
    small(model="m").save(path)
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", FULL, str(path)],
        env={**os.environ, "PYTHONPATH": str(PROJECT)},
        capture_output=True,
        encoding="utf-8",
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert len(MemoryStore.load(path, model="m")) == 2


KEEPER = """
import sys
from memora_lab.memory_file import keep
with keep(sys.argv[1]):
    print("kept", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def keeper(path):
    """Another process that keeps the file."""
    process = subprocess.Popen(
        [sys.executable, "-c", KEEPER, str(path)],
        env={**os.environ, "PYTHONPATH": str(PROJECT)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert process.stdout.readline().strip() == b"kept"
    yield process
    process.kill()
    process.communicate()


def test_a_file_kept_by_another_process_is_not_written(path, keeper):
    with pytest.raises(BlockingIOError, match="open in another program"), keep(path, patience=0):
        pass
    with pytest.raises(BlockingIOError, match="end that one, or take another file"):
        small().save(path)
    assert not path.exists()


def test_a_keeper_that_is_killed_keeps_nothing(path, keeper):
    if os.name == "nt":
        keeper.kill()
    else:
        keeper.send_signal(signal.SIGKILL)
    keeper.wait()
    small().save(path)
    assert len(MemoryStore.load(path, model=MODEL)) == 2


def test_who_keeps_a_file_may_write_it(path):
    with keep(path, patience=0):
        small().save(path)
        small(["a"]).save(path)
    small(["a", "b", "c"]).save(path)
    assert len(MemoryStore.load(path, model=MODEL)) == 3


# Metadata


def test_metadata_belongs_to_its_memory_and_is_a_copy(client):
    store = MemoryStore()
    notes = [{"topic": "tea", "weight": 2}, {}]
    store.add(["ab", "c"], metadata=notes)
    notes[0]["topic"] = "changed"
    store.metadata(0)["topic"] = "changed"
    assert store.metadata(0) == {"topic": "tea", "weight": 2}
    assert store.metadata(1) == {}
    store.add(["b"])
    assert store.metadata(2) == {}


@pytest.mark.parametrize(
    ("metadata", "told"),
    [
        ([{}], "2 texts, but metadata for 1"),
        ([{}, "tea"], "text 2 must be a dict, got str"),
        ([{"day": float("nan")}, {}], "text 1 holds 'day': nan"),
        ([{}, {"tags": ["a"]}], r"text 2 holds 'tags': \['a'\]"),
        ([{1: "a"}, {}], "text 1 holds 1: 'a'"),
        ([{"n": np.float32(1)}, {}], "text 1 holds 'n'"),
    ],
)
def test_metadata_that_no_file_could_hold_is_refused_before_a_request(
    client, server, metadata, told
):
    store = MemoryStore()
    with pytest.raises((TypeError, ValueError), match=told):
        store.add(["ab", "c"], metadata=metadata)
    with pytest.raises((TypeError, ValueError), match=told):
        MemoryStore.from_vectors(["ab", "c"], np.eye(2), metadata=metadata)
    assert len(store) == 0 and not server.requests


def test_what_was_just_added_can_be_let_go(client):
    store = MemoryStore()
    store.add(["ab", "c"])
    before = state_of(store)
    store.add(["b", "a"], metadata=[{"x": 1}, {}])
    store.keep_first(2)
    assert state_of(store) == before
    store.add(["b"])
    assert store.metadata(2) == {} and [m.content for m in store] == ["ab", "c", "b"]
    store.keep_first(0)
    assert len(store) == 0 and store.model is None
