"""The lesson's engine code against a real Milvus server:  python tools/try_milvus_server.py

Fills a folder (Milvus Lite) and a standalone Milvus server from the course's memories, by the
same function with another address, asks both the same, kills the server, starts it again and
asks once more. It needs the package milvus (pip install milvus==2.3.5), a server for Linux on
x86-64 and for macOS 12 and later, about a minute and 600 MB of disk while it runs.

That server has no password and listens on every network of this computer until the script
ends: do not run it where strangers share the network.
"""

import sys
import tempfile
import time
import urllib.request
from pathlib import Path

from memora_lab import MemoryStore, semantic_search
from memora_lab.data.labelled import load_memories
from memora_lab.milvus import MilvusMemories

_QUERY = "Help me talk to people on my trip abroad"
_QUESTIONS = ({}, {"topic": "travel"}, {"since": "2024-01-01", "until": "2024-12-31"})
_PATIENCE = 120  # seconds for a start; the first one unpacks 400 MB


class Server:
    """A standalone Milvus on this computer, its data in a folder; one at a time can run."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._server = None

    def start(self) -> str:
        """Start it, wait until it is well, and return its address."""
        # The package's own way to wait goes through a proxy, and goes on when the server died.
        from milvus import MilvusServer, MilvusServerConfig

        config = MilvusServerConfig()
        # A server started again waits so many seconds for the one that was killed.
        config.set("common.session.ttl", "5")
        self._server = MilvusServer(config, wait_for_started=False, data_dir=str(self._folder))
        self._server.start()
        direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        end = time.monotonic() + _PATIENCE
        while time.monotonic() < end:
            if self._server.server_proc.poll() is not None:
                raise RuntimeError(
                    "the server ended at once: is another Milvus running on this computer? It "
                    f"needs the ports 2379 and 2380. Its words are in {self._folder}/logs"
                )
            try:
                health = f"http://127.0.0.1:{self._server.webservice_port}/healthz"
                with direct.open(health, timeout=5) as answer:
                    if answer.read() == b"OK":
                        return f"http://127.0.0.1:{self._server.listen_port}"
            except OSError:
                pass
            time.sleep(0.2)
        self.stop()
        raise TimeoutError(f"the server was not well after {_PATIENCE} seconds")

    def stop(self) -> None:
        """End it. It does not go when asked, so after a second it is killed."""
        if self._server is not None:
            self._server.stop()


def course_store() -> MemoryStore:
    """The course's memories, embedded, with the topic and the day of each."""
    memories = load_memories("en")
    store = MemoryStore()
    store.add(
        [memory.text for memory in memories],
        metadata=[{"topic": memory.topic, "date": str(memory.date)} for memory in memories],
    )
    return store


def answers(uri: str, store: MemoryStore | None = None) -> list:
    """What is found at an address, after the store's memories were added if there is one."""
    with MilvusMemories(uri) as memories:
        if store is not None:
            memories.add(store)
        return [memories.search(_QUERY, 5, **question)[0] for question in _QUESTIONS]


def main() -> int:
    store, seen = course_store(), []

    def say(where: str, same: bool, as_what: str) -> None:
        seen.append(same)
        print(f"{where}: {'the same as' if same else 'NOT AS'} {as_what}")

    with tempfile.TemporaryDirectory() as folder:
        in_folder = answers(str(Path(folder, "memora.db")), store)
        exact = semantic_search(_QUERY, store, 5)[0]
        say(f"Milvus Lite, {len(store)} memories", in_folder[0] == exact, "semantic_search")
        server = Server(Path(folder, "server"))
        for when in ("filled", "killed and started again"):
            try:
                uri = server.start()
                on_server = answers(uri, store if when == "filled" else None)
            finally:
                server.stop()
            say(f"The server {uri}, {when}", on_server == in_folder, "the folder")
    for question, found in zip(_QUESTIONS, on_server, strict=True):
        print(f"\n{_QUERY} {question or ''}")
        for result in found:
            print(f"  {result.score:.4f}  {result.content}")
    return 0 if all(seen) else 1


if __name__ == "__main__":
    sys.exit(main())
