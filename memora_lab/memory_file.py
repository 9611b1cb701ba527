"""The file of a MemoryStore: what is in it, and how it is written so that no crash breaks it.

    one line of JSON      format, version, model, asked_for, dimensions d, count n, text_bytes,
                          checksum
    text_bytes of JSON    texts and metadata
    n float32             1 / length of each vector
    n * d float32         the vectors, row by row; all numbers little-endian

The numbers lie there as they lie in memory, so reading takes about as long as the disk does.
Nothing in the file can be run. `head -1` shows what a file is.
"""

import json
import os
import shutil
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

import numpy as np
from filelock import FileLock, Timeout
from numpy.typing import NDArray

FORMAT, VERSION = "memora-lab memories", 1
_LONGEST_HEADER = 1 << 16
_PATIENCE = 5  # seconds; another save takes less, another program that keeps the file takes longer


class Contents(NamedTuple):
    """What a store holds. `metadata` is empty or has a dict for each text."""

    texts: list[str]
    metadata: list[dict]
    model: str | None  # as the server named it
    asked_for: str | None  # as it was asked for, if that is another name
    rows: NDArray[np.float32]  # (n, d)
    inverse_norms: NDArray[np.float32]  # (n,)


def write(path: str | os.PathLike, contents: Contents) -> None:
    """Write beside the path and move into place: whoever looks finds the old file or the new one.

    Raises OSError if the folder, the disk or another program that keeps the file does not let
    it, ValueError if something else than memories lies there; it stays as it was.
    """
    target = _resolved(path)
    _check_place(target, path)
    text = _json({"texts": contents.texts, "metadata": contents.metadata})
    numbers = [
        np.ascontiguousarray(part, "<f4") for part in (contents.inverse_norms, contents.rows)
    ]
    header = {
        "format": FORMAT,
        "version": VERSION,
        "model": contents.model,
        "asked_for": contents.asked_for,
        "dimensions": contents.rows.shape[1],
        "count": len(contents.texts),
        "text_bytes": len(text),
    }
    header["checksum"] = _checksum(header, text, *numbers)
    beside = target.with_name(f".{target.name}.new")
    with keep(target):
        try:
            beside.unlink(missing_ok=True)  # what a crash left
            with open(beside, "xb") as file:
                file.write(_json(header) + b"\n" + text)
                for part in numbers:
                    file.write(part.data)
                file.flush()
                os.fsync(file.fileno())  # or a power cut leaves the new name on empty blocks
            if target.exists():
                shutil.copymode(target, beside)
            os.replace(beside, target)
        except BaseException as error:
            with suppress(OSError):
                beside.unlink()
            error.add_note(f"{path} is as it was, and this is not saved.")
            raise
    _sync_folder(target.parent)


def read(path: str | os.PathLike) -> Contents:
    """The contents of a file that `write` made.

    Raises OSError if it cannot be opened, and ValueError, with the reason and the way out, if
    it is of another kind, of a newer format, cut off or damaged.
    """
    with open(path, "rb") as file:
        header = _header(path, file.readline(_LONGEST_HEADER))
        n, d, text_bytes = header["count"], header["dimensions"], header["text_bytes"]
        expected = file.tell() + text_bytes + 4 * n * (1 + d)
        found = os.fstat(file.fileno()).st_size
        if found != expected:
            raise _damaged(path, f"it is {found:,} bytes long, not {expected:,}")
        text = file.read(text_bytes)
        inverse_norms = np.fromfile(file, "<f4", n)
        rows = np.fromfile(file, "<f4", n * d).reshape(n, d)
    if _checksum(header, text, inverse_norms, rows) != header.get("checksum"):
        raise _damaged(path, "its checksum does not fit")
    body = json.loads(text)
    return Contents(
        body["texts"],
        body["metadata"],
        header["model"],
        header["asked_for"],
        rows.astype(np.float32, copy=False),
        inverse_norms.astype(np.float32, copy=False),
    )


@contextmanager
def keep(path: str | os.PathLike, patience: float = _PATIENCE):
    """Keep the file from being written by any other process, as long as the block runs.

    A lock of the operating system on a file `.name.lock` beside it: it ends with the process,
    however that ends. Raises OSError if another process keeps the file for longer than
    `patience` seconds, and for a folder that cannot be written to.
    """
    target = _resolved(path)
    if not target.parent.is_dir():
        raise FileNotFoundError(f"there is no folder {target.parent}: make it first")
    beside = target.with_name(f".{target.name}.lock")
    lock = FileLock(beside, is_singleton=True)  # so that who keeps it may write it
    try:
        lock.acquire(timeout=patience)
    except Timeout:
        raise BlockingIOError(
            f"{path} is open in another program: end that one, or take another file"
        ) from None
    except OSError as error:
        raise PermissionError(
            f"nothing can be saved in {target.parent} ({error.strerror}): copy the file to a "
            "folder of your own"
        ) from None
    try:
        yield
    finally:
        lock.release()


def _resolved(path: str | os.PathLike) -> Path:
    """Where the file itself lies: a link to it must stay a link."""
    target = Path(path).resolve()
    if target.is_dir():
        raise IsADirectoryError(f"{path} is a folder: give the name of a file")
    return target


def _check_place(target: Path, path: str | os.PathLike) -> None:
    """Refuse to write over what is no file of memories, or not to be changed."""
    if not target.exists():
        return
    if not target.is_file():
        raise ValueError(f"{path} is no ordinary file: give the name of one")
    if not os.access(target, os.W_OK):
        raise PermissionError(f"{path} is read-only: allow changes to it, or take another file")
    with open(target, "rb") as file:
        line = file.readline(_LONGEST_HEADER)
    if line and FORMAT.encode() not in line:
        raise ValueError(f"{path} is something else than memories: give another name")


def _header(path: str | os.PathLike, line: bytes) -> dict:
    try:
        header = json.loads(line)
        ours = header["format"] == FORMAT
    except (ValueError, KeyError, TypeError, RecursionError):
        ours = False
    if not ours and FORMAT.encode() in line:
        raise _damaged(path, "it ends within its first line")
    if not ours:
        raise ValueError(f"{path} is no file of memories (MemoryStore.save writes them)")
    version = header.get("version")
    if isinstance(version, int) and version > VERSION:
        raise ValueError(
            f"{path} has format {version}, and this Memora Lab reads up to {VERSION}: "
            "update Memora Lab"
        )
    sizes = [header.get(name) for name in ("count", "dimensions", "text_bytes")]
    # Nothing is read by a size that cannot be right.
    if version != VERSION or not all(type(size) is int and size >= 0 for size in sizes):
        raise _damaged(path, "its first line does not make sense")
    return header


def _json(value: object) -> bytes:
    # Half characters too, which a text may hold, come back as they were.
    return json.dumps(value, ensure_ascii=False, allow_nan=False).encode("utf-8", "surrogatepass")


def _checksum(header: dict, text: bytes, *numbers: NDArray[np.float32]) -> int:
    """All 32-bit words, xor-ed: sees every wrong bit that comes alone, at the speed of memory."""
    told = _json({name: value for name, value in header.items() if name != "checksum"})
    padded = b"".join(part + bytes(-len(part) % 4) for part in (told, text))
    words = [np.frombuffer(padded, "<u4"), *(part.ravel().view("<u4") for part in numbers)]
    return int(np.bitwise_xor.reduce([np.bitwise_xor.reduce(part) for part in words]))


def _damaged(path: str | os.PathLike, reason: str) -> ValueError:
    return ValueError(f"{path} is damaged ({reason}): use a copy, or make the memories again")


def _sync_folder(folder: Path) -> None:
    """Make the new name last, too, where the system can (not on Windows)."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
