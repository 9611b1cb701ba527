"""A key is shown nowhere, JupyterLab keeps its door shut, and no file that is read can run code."""

import ast
import importlib.util
import io
import json
import os
import pickle
import re
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import nbformat
import numpy as np
import psutil
import pytest
from chat_server import response
from nbclient.exceptions import CellExecutionError
from server import Reply, good_body

from memora_lab import MemoryStore
from memora_lab.data.e5 import E5_NAME, load_e5_vectors
from memora_lab.data.labelled import COURSE
from memora_lab.offline import offline_http_client

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))
from run_notebooks import run as run_notebook  # noqa: E402

SECRET = "sk-proj-Geheim0Wort1Geheim2Wort3Geheim4"
PART = re.compile("eheim|Wort")  # what a piece of it would hold

# Everything that asks, with every log turned on, and all that can be seen of an error.
PROGRAM = """
import logging, sys, traceback
logging.basicConfig(level=logging.DEBUG)
from memora_lab import MemoryStore, create_embeddings, current_endpoint, get_client, semantic_search
from memora_lab.checkup import check_up

def tried(act):
    try:
        print(act())
    except Exception as error:
        traceback.print_exc()
        print(vars(error))
        while error is not None:
            print(repr(error), error, getattr(error, "__notes__", ""))
            error = error.__cause__ or error.__context__

store = MemoryStore()
tried(current_endpoint)
tried(get_client)
tried(lambda: get_client().base_url)
for text in sys.argv[1:]:
    tried(lambda: create_embeddings([text]))
tried(lambda: store.add(["a good day"]))
tried(lambda: semantic_search("a good day", store))
tried(lambda: store.save("store.memora"))
tried(check_up)
from memora_lab.program.terminal import main

sys.argv[1:] = []
print("at the end", main())
"""
COMMANDS = ["remember a good day", "search good", "status", "context", "I like tea.", "extraction"]

# What the server answers to a text; {key}: it repeats the key it got.
MOODS = {
    "a wrong key": ({"error": {"message": "Bad key {key}", "code": "{key}"}}, 401),
    "a page": ("<html>{key}</html>", 200),
    "an error with 200": ({"error": {"message": "see {key}"}}, 200),
    "a fault": ("{key}", 500),
    "an index": ({"data": [{"index": "{key}", "embedding": [1.0]}]}, 200),
}


def talks_back(server):
    """Answer each mood as it says, and every request but embeddings with the key."""

    def answer(request):
        key = server.headers[-1]["authorization"].removeprefix("Bearer ")
        said = request.get("input") if "messages" not in request else None
        if isinstance(said, list) and isinstance(said[0], dict):
            return response("Hello.", stream=True)
        if isinstance(said, list) and said[0] not in MOODS:
            return Reply(good_body(said))
        body, status = MOODS[said[0] if isinstance(said, list) else "a wrong key"]
        body = json.dumps(body) if isinstance(body, dict) else body
        return Reply(body.replace("{key}", key).encode(), status, {"retry-after-ms": "1"})

    server.always(answer)


PLACES = {
    "the environment": {"OPENAI_API_KEY": SECRET},
    "the environment, offline": {"OPENAI_API_KEY": SECRET, "MEMORA_PROVIDER": "offline"},
    "with a line break": {"OPENAI_API_KEY": f"{SECRET}\n{SECRET}"},
    "a password": {"OPENAI_BASE_URL": f"USER:{SECRET}@"},
    "a query": {"OPENAI_BASE_URL": f"?key={SECRET}"},
    "the model": {"MEMORA_EMBEDDING_MODEL": SECRET},
    "the chat model": {"MEMORA_CHAT_MODEL": SECRET},
    "the provider": {"MEMORA_PROVIDER": SECRET},
    "the batch size": {"MEMORA_BATCH_SIZE": SECRET},
    "the SDK's own": {
        "OPENAI_ADMIN_KEY": SECRET,
        "OPENAI_WEBHOOK_SECRET": SECRET,
        "OPENAI_CUSTOM_HEADERS": f"Authorization: Bearer {SECRET}",
    },
    "a proxy": {"ALL_PROXY": f"http://user:{SECRET}@127.0.0.1:9"},
}


def at_place(place, url):
    """The settings, the server's address among them unless the key itself stands for it."""
    variables = {"OPENAI_BASE_URL": url} | PLACES[place]
    given = variables["OPENAI_BASE_URL"]
    if given.startswith("USER"):
        variables["OPENAI_BASE_URL"] = url.replace("//", f"//{given}")
    if given.startswith("?"):
        variables["OPENAI_BASE_URL"] = url + given
    return variables


def run_here(command, variables, text=""):
    done = subprocess.run(
        [sys.executable, "-X", "utf8", *command],
        env={**os.environ, "PYTHONPATH": str(ROOT), **variables},
        input=text,
        capture_output=True,
        encoding="utf-8",
        timeout=120,
    )
    return done.stdout + done.stderr


@pytest.mark.parametrize(
    ("by", "place"),
    [*(("environment", place) for place in PLACES), ("file", "the environment"),
     ("file", "a password"), ("file", "the model")],
)  # fmt: skip
def test_a_key_in_any_place_is_in_no_output_no_error_no_log_and_no_file(
    server, tmp_path, by, place
):
    talks_back(server)
    variables = at_place(place, server.url)
    if by == "file":
        lines = [f"{name}={value}\n" for name, value in variables.items()]
        (tmp_path / ".env").write_text("".join(lines), encoding="utf-8")
        variables = {}
    printed = run_here(["-c", PROGRAM, *MOODS], variables, "\n".join(COMMANDS))
    assert "at the end" in printed, printed
    assert [line for line in printed.splitlines() if PART.search(line)] == []
    for path in tmp_path.iterdir():
        if path.name != ".env":
            assert SECRET.encode() not in path.read_bytes()


def test_what_the_test_above_looks_for_is_there_to_be_found(server):
    talks_back(server)
    variables = at_place("the environment", server.url)
    printed = run_here(["-c", PROGRAM, *MOODS], variables, "\n".join(COMMANDS))
    assert "Memora: Hello." in printed and "at the end 0" in printed
    assert server.headers[0]["authorization"] == f"Bearer {SECRET}"
    assert "HTTP Request: POST" in printed  # the logs are on
    assert printed.count("[key]") >= len(MOODS)  # and the server did repeat it


# Lessons


def offline_answer(request):
    with offline_http_client() as http_client:
        reply = http_client.post("http://offline.invalid/v1/embeddings", json=request)
    return Reply(reply.content, reply.status_code)


@pytest.fixture
def lesson(tmp_path, monkeypatch, server):
    """The first lesson, with a key in the environment and a server that has the course's model."""
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    server.always(offline_answer)
    return nbformat.read(ROOT / "notebooks" / "en" / "00_start_here.ipynb", as_version=4)


def test_a_key_is_in_no_notebook_that_was_run_with_it(lesson, server):
    fresh = run_notebook(lesson, ROOT / "notebooks" / "en")
    assert server.headers[0]["authorization"] == f"Bearer {SECRET}"
    assert not PART.search(nbformat.writes(fresh))


def test_a_key_is_in_no_notebook_that_stopped_with_an_error(lesson, server):
    server.always(Reply({"error": {"message": f"Bad key {SECRET}"}}, 401))
    with pytest.raises(CellExecutionError) as caught:
        run_notebook(lesson, ROOT / "notebooks" / "en")
    assert "AuthenticationError" in str(caught.value)
    assert not PART.search(str(caught.value))
    assert not PART.search(nbformat.writes(lesson))


# JupyterLab

spec = importlib.util.spec_from_file_location("start", ROOT / "start.py")
start = importlib.util.module_from_spec(spec)
spec.loader.exec_module(start)


def test_jupyterlab_asks_for_its_token_and_listens_to_this_machine_alone(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    lesson = start.first_lesson(ROOT, "en")
    options = start.jupyter_options(ROOT, lesson, str(port))
    told = " ".join(options)
    assert not re.search(r"token|password|\bip\b|allow_origin|allow_remote|xsrf|auth", told, re.I)
    # A configuration of the machine or its user is theirs; here there is none.
    folders = ("HOME", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR")
    environment = {**os.environ, **dict.fromkeys(folders, str(tmp_path))}
    environment.pop("JUPYTER_TOKEN", None)
    server = subprocess.Popen(
        [sys.executable, "-m", "jupyterlab", *options, "--no-browser"],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )

    def status(path):
        try:
            return urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=10).status
        except urllib.error.HTTPError as error:
            return error.code
        except OSError:
            return None

    try:
        deadline = time.monotonic() + 60
        while status("/login") is None and time.monotonic() < deadline:
            time.sleep(0.1)
        for path in ("/api/status", "/api/contents", "/api/kernels", "/api/contents/.env"):
            assert status(path) == 403
            assert status(f"{path}?token=") == 403
        connections = psutil.Process(server.pid).net_connections()
        listening = {c.laddr.ip for c in connections if c.status == psutil.CONN_LISTEN}
        assert listening and listening <= {"127.0.0.1", "::1"}
    finally:
        server.kill()
        server.wait()


# Pickles

SOURCES = [
    path
    for folder in ("memora_lab", "tools", "benchmarks", "notebooks")
    for suffix in ("py", "ipynb")
    for path in sorted((ROOT / folder).rglob(f"*.{suffix}"))
    if ".ipynb_checkpoints" not in path.parts
] + [ROOT / "start.py"]


def code_of(path):
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        return text
    cells = [cell for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"]
    lines = [line for cell in cells for line in "".join(cell["source"]).splitlines()]
    return "\n".join("pass" if line.startswith(("%", "!")) else line for line in lines)


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_source_reads_what_could_run_code(path):
    runs_code = {"pickle", "cPickle", "dill", "cloudpickle", "joblib", "marshal", "shelve", "torch"}
    for node in ast.walk(ast.parse(code_of(path))):
        if isinstance(node, ast.Import):
            assert not runs_code & {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert (node.module or "").split(".")[0] not in runs_code
        elif isinstance(node, ast.Call):
            name = ast.unparse(node.func)
            allowed = [k.value for k in node.keywords if k.arg == "allow_pickle"]
            assert name not in ("eval", "exec", "pd.read_pickle", "yaml.load")
            assert all(isinstance(v, ast.Constant) and v.value is False for v in allowed)
            if name in ("np.load", "numpy.load"):
                assert allowed


class Trap:
    """What runs code when it is unpickled: it makes a file."""

    def __reduce__(self):
        return (open, ("sprung", "w"))


def trapped_array():
    array = np.empty(1, object)
    array[0] = Trap()
    return array


def trapped_files():
    npy, npz = io.BytesIO(), io.BytesIO()
    np.save(npy, trapped_array(), allow_pickle=True)
    names = ("memories_en", "memories_ids", "memories_en_digest", "queries_en", "queries_ids",
             "queries_en_digest")  # fmt: skip
    np.savez(npz, allow_pickle=True, **dict.fromkeys(names, trapped_array()))
    return {"npy": npy.getvalue(), "npz": npz.getvalue(), "pickle": pickle.dumps(Trap())}


@pytest.mark.parametrize(("kind", "content"), trapped_files().items())
def test_no_loader_springs_a_trap(tmp_path, monkeypatch, kind, content):
    memories, data = tmp_path / "my.memora", tmp_path / "data"
    memories.write_bytes(content)
    data.mkdir()
    for name in ("memories.tsv", "queries.tsv"):
        (data / name).write_bytes((COURSE / name).read_bytes())
    (data / E5_NAME).write_bytes(content)
    monkeypatch.setenv("MEMORA_DATA", str(data))
    with pytest.raises(ValueError):
        MemoryStore.load(memories)
    with pytest.raises((ValueError, KeyError)):
        load_e5_vectors("en")
    talked = run_here(["-m", "memora_lab", "--file", str(memories)], {}, "memories\n")
    assert "no file of memories" in talked
    assert not list(tmp_path.rglob("sprung")), kind


def test_the_trap_is_one(tmp_path):
    with pickle.loads(pickle.dumps(Trap())):
        assert (tmp_path / "sprung").exists()
