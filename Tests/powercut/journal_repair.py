"""Adds to a journal the last operation of a killed process, if the process died before it recorded it.

An operation and its entry are two steps. At the end of a run a missing entry does not matter. But before another
process uses the directory, the journal must be complete: otherwise that process would open files that nobody has
created.
"""
import os
from pathlib import Path

from Tests.powercut.disk_model import Disk, File, Directory, ModelError, is_rebuilt
from Tests.powercut.journal import HEADER, Journal, Kind, trim


def repair(log: Path, disk: Disk, real: Path) -> None:
    """Completes the journal of a killed process. `disk` is the one on which the journal began."""
    trim(log)
    disk.advance(Journal(log))
    if entries := missing_entries(disk, real):
        with open(log, "ab") as file:
            file.write(entries)


def missing_entries(disk: Disk, real: Path) -> bytes:
    """The entries for the one operation that is missing at the end of the journal; none, if nothing is."""
    found = disk.difference(real)
    match len(found.new), len(found.gone), len(found.changed):
        case 0, 0, 0:
            return b""
        case 1, 0, 0:
            return appeared(disk, real, found.new[0])
        case 1, 1, 0:
            return entry(Kind.RENAMED, first=found.gone[0], second=found.new[0])
        case 0, 1, 0:
            is_directory = isinstance(disk.find(found.gone[0]), Directory)
            return entry(Kind.RMDIR if is_directory else Kind.UNLINKED, first=found.gone[0])
        case 0, 1, 1 if disk.find(found.gone[0]).live() == (real / found.changed[0]).read_bytes():
            return entry(Kind.RENAMED, first=found.gone[0], second=found.changed[0])
        case 0, 0, 1:
            return written(disk, real, found.changed[0])
    raise ModelError(f"more than one operation of a killed process is not in the journal: {found.sentences()[:9]}")


def unexplained(disk: Disk, real: Path) -> list[str]:
    """Differences between the real directory and the model, unless one missing operation explains all of them."""
    found = disk.difference(real)
    try:
        missing_entries(disk, real)
    except ModelError:
        return found.sentences()
    return [f"{name} was changed through memory" for name in found.mapped]


def appeared(disk: Disk, real: Path, name: str) -> bytes:
    """A directory or an empty file that was made, or a new name of a file that had none or another one."""
    number = 1 + max(disk.objects, default=0)
    place = real / name
    if place.is_dir():
        return entry(Kind.DIRECTORY, number, first=name)
    content = place.read_bytes()
    if not content or is_rebuilt(name):
        return entry(Kind.CREATED, number, first=name)
    status = place.stat()
    for other in real.rglob("*") if status.st_nlink > 1 else []:
        if other != place and other.samefile(place):
            return (entry(Kind.NAMED, number, first=str(other.relative_to(real)))
                    + entry(Kind.LINKED, number, second=name))
    # One that was open and had no name. Numbers of the killed process are good until the next one begins.
    for known, node in disk.objects.items():
        if isinstance(node, File) and node.live() == content:
            return entry(Kind.LINKED, known, second=name)
    raise ModelError(f"{name} was made by nobody, and has {len(content)} bytes")


def written(disk: Disk, real: Path, name: str) -> bytes:
    """Bytes that were written, or another size."""
    number, content = 1 + max(disk.objects, default=0), (real / name).read_bytes()
    before = disk.find(name).live()
    found = entry(Kind.NAMED, number, first=name)
    if len(content) < len(before):
        return found + entry(Kind.SIZED, number, offset=len(content))
    before.extend(bytes(len(content) - len(before)))
    if before == content:
        return found + entry(Kind.SIZED, number, offset=len(content))
    start = len(os.path.commonprefix([bytes(before), content]))
    end = len(content) - len(os.path.commonprefix([bytes(before[::-1]), content[::-1]]))
    return found + entry(Kind.WRITTEN, number, offset=start, data=content[start:end])


def entry(kind: Kind, number: int = 0, offset: int = 0, first: str = "", second: str = "", data: bytes = b"") -> bytes:
    names = os.fsencode(first), os.fsencode(second)
    return HEADER.pack(kind, number, offset, 0, len(data), *map(len, names)) + b"".join(names) + data
