"""Reads the journal that powercut.c writes, and runs programs under that library."""
import mmap
import os
import struct
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path

from Tests.harness import tools

HEADER = struct.Struct("<B3xIQQIHH")


class Kind(IntEnum):
    """As in journal.h, which describes the contents of each."""
    STARTED = 1
    NAMED = 2
    CREATED = 3
    DIRECTORY = 4
    WRITTEN = 5
    SIZED = 6
    ALLOCATED = 7
    ZEROED = 8
    RENAMED = 9
    LINKED = 10
    UNLINKED = 11
    RMDIR = 12
    SYNCING = 13
    SYNCED = 14
    MAPPED = 15
    BLIND = 16
    FAILED = 17


@dataclass(slots=True)
class Entry:
    """One operation; `start` and `end` are its place in the journal in bytes."""
    kind: int
    object: int
    offset: int
    number: int
    first: str
    second: str
    data: memoryview
    start: int
    end: int


class Journal:
    """A journal that is complete, or that a killed process left with an entry cut off at its end."""

    def __init__(self, path: Path):
        with open(path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            self._bytes = mmap.mmap(file.fileno(), size, prot=mmap.PROT_READ) if size else b""
        self._view = memoryview(self._bytes)

    def entries(self, start: int = 0):
        """The whole entries from a position on, in order."""
        view, size = self._view, len(self._view)
        while start + HEADER.size <= size:
            kind, number, offset, amount, count, first, second = HEADER.unpack_from(view, start)
            names = start + HEADER.size
            data = names + first + second
            end = data + count
            if end > size:
                return
            yield Entry(kind, number, offset, amount, os.fsdecode(bytes(view[names:names + first])),
                        os.fsdecode(bytes(view[names + first:data])), view[data:end], start, end)
            start = end

    def positions(self) -> list[int]:
        """Where entries end: the moments at which the power can be cut."""
        return [entry.end for entry in self.entries()]


def build(directory: Path) -> Path:
    """Compiles the library into `directory` and returns its path."""
    here = Path(__file__).parent
    return Path(tools.compile_library([here / f"{name}.c" for name in ("powercut", "journal", "faults")], directory))


def environment(library: Path, directory: Path, log: Path, sync_microseconds: int | None = None) -> dict[str, str]:
    """The environment of a process that is watched below `directory`, which must exist."""
    found = {"LD_PRELOAD": str(library), "POWERCUT_DIRECTORY": str(directory), "POWERCUT_LOG": str(log),
             "POWERCUT_OWNER": "0" * 10}
    if sync_microseconds is not None:
        found["POWERCUT_SYNC"] = str(sync_microseconds)
    return found


def trim(path: Path) -> None:
    """Takes off an entry that a killed process did not finish, so that another process can append."""
    end = max(Journal(path).positions(), default=0)
    os.truncate(path, end)
