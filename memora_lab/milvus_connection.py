"""A connection to Milvus: where it is, how it is opened and closed, what its errors mean."""

import logging
import os
import re
import sys
import weakref
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from memora_lab.client import plain_address
from memora_lab.settings import refuse_key

if TYPE_CHECKING:
    from pymilvus import MilvusClient

_PATIENCE = 10  # seconds for a server to answer at all
_open_folders: Counter[str] = Counter()  # one server for each, however often it is opened
_LOOPBACK = re.compile(r"localhost|127(\.\d+){3}|::1")


class Connection:
    """A client of Milvus at a folder ending in .db, or at the address of a server.

    Raises ImportError if Milvus is not installed, ValueError for an address that is none, and
    OSError, with the way out, if there is no opening it.
    """

    def __init__(self, uri: str, token: str = "") -> None:
        self._folder = os.path.abspath(uri) if _is_folder(uri) else None
        self.shown = uri if self._folder else _checked_address(uri)
        self._secrets = [token, token.partition(":")[2], urlsplit(uri).password or ""]
        options = {}
        if self._folder or _LOOPBACK.fullmatch(urlsplit(uri).hostname or ""):
            # A proxy for the network cannot reach this computer's own addresses.
            options["grpc.enable_http_proxy"] = 0
        MilvusClient = _milvus_client()
        if self._folder:
            _prepare(Path(self._folder), uri)
        try:
            with self.told():
                self.client = MilvusClient(
                    self._folder or uri,
                    token=token,
                    timeout=_PATIENCE,
                    dedicated=True,  # a connection of its own, which `close` can end
                    grpc_options=options,
                )
        except ConnectionError:
            if self._folder:
                _say_why_not(self._folder, uri)
            raise
        if not self._folder:
            _announce_once(self.shown)
        _open_folders[self._folder or ""] += 1
        # Also when the last name of it is gone, as in a cell that is run again.
        self._end = weakref.finalize(self, _end, self.client, self._folder)
        self._end.atexit = False  # Milvus sees to that

    def close(self) -> None:
        """End it, and let go of a folder that nothing else in this process has open."""
        self._end()

    @contextmanager
    def told(self) -> Iterator[None]:
        """Tell an error of Milvus as a ConnectionError in plain words, without the token."""
        from grpc import RpcError
        from pymilvus import MilvusException

        if hasattr(self, "_end") and not self._end.alive:
            raise ValueError(f"{self.shown} is closed here: open it again with MilvusMemories(…)")
        try:
            yield
        except (MilvusException, RpcError) as error:
            behind = error.__cause__ or error  # of a failed connection, the cause says more
            told = behind.details() if isinstance(behind, RpcError) else str(error)
            raise ConnectionError(self._in_plain_words(told)) from None

    def _in_plain_words(self, told: str) -> str:
        for secret in filter(None, self._secrets):
            told = told.replace(secret, "[token]")
        told = " ".join(told.split())[:200]
        if self._folder:
            return f"Milvus Lite cannot use the folder {self.shown} ({told})"
        if "auth" in told:
            return (
                f"{self.shown} does not accept the token ({told}): set MEMORA_TOKEN to "
                "user:password, or to the token that its owner gave you"
            )
        return (
            f"{self.shown} does not do as a Milvus server does ({told}). Is it running, and is "
            "MEMORA_URI its address, with the port (19530 by default)?"
        )


def _end(client: "MilvusClient", folder: str | None) -> None:
    client.close()
    _open_folders[folder or ""] -= 1
    if folder and not _open_folders[folder]:
        from milvus_lite.server_manager import server_manager_instance

        # The client's own `close` leaves the folder locked until the process ends.
        server_manager_instance.release_server(folder)


@cache
def _announce_once(address: str) -> None:
    """Say, as for a provider, where texts go that leave this program."""
    print(f"Memora Lab: memories are kept at {address}.", file=sys.stderr)


def _is_folder(uri: str) -> bool:
    return uri.endswith(".db") and "://" not in uri


def _checked_address(uri: str) -> str:
    """The address as it may be shown; ValueError if it is none."""
    shown = refuse_key("MEMORA_URI", uri.rpartition("@")[2])
    with suppress(ValueError):  # of a port that is none
        parts = urlsplit(uri)
        if parts.scheme in ("http", "https") and parts.hostname and parts.port != 0:
            return plain_address(uri)
    raise ValueError(
        f"{shown!r} is no place for memories: give a folder whose name ends in .db, or the "
        "address of a Milvus server, such as http://localhost:19530"
    )


def _milvus_client() -> type:
    """The class MilvusClient, imported here for the first time.

    Its package reads a `.env` into the environment, where a later change of the file would no
    longer count, and logs each refused call with its traceback. Neither is wanted here.
    """
    name = "PYTHON_DOTENV_DISABLED"
    before = os.environ.get(name)
    os.environ[name] = "1"
    try:
        import milvus_lite  # noqa: F401, pymilvus comes without it
        from pymilvus import MilvusClient
    except ImportError as error:
        raise ImportError(
            f'Milvus is not installed ({error}): run pip install "memora-lab[engines]". Windows '
            "on Arm has no build of it: MemoryStore.save keeps memories there"
        ) from None
    finally:
        os.environ.pop(name)
        if before is not None:
            os.environ[name] = before
    for logger in ("pymilvus", "milvus_lite"):
        logging.getLogger(logger).setLevel(logging.CRITICAL + 1)
    return MilvusClient


def _prepare(folder: Path, shown: str) -> None:
    if folder.is_file():
        raise NotADirectoryError(f"{shown} is a file, and Milvus Lite needs a folder: rename it")
    folder.parent.mkdir(parents=True, exist_ok=True)


def _say_why_not(folder: str, shown: str) -> None:
    """Raise the reason why the folder does not open, which Milvus Lite only logs."""
    from milvus_lite.db import MilvusLite
    from milvus_lite.exceptions import DataDirLockedError

    try:
        MilvusLite(folder).close()
    except DataDirLockedError:
        raise BlockingIOError(
            f"{shown} is open in another program, such as the notebook of another lesson: close "
            "it there (or end its kernel), or take another folder. Only a Milvus server serves "
            "several programs at once"
        ) from None
