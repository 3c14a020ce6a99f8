"""Writes down what a killed process did last and did not come to write down itself.

Doing something and noting it are two steps, and a process may be killed between them. At the end of a journal that is
no matter; but a process that comes after it finds the folder as it is. What it finds must be in the journal first: else
a folder that it opens was made by nobody, and a write that it builds on never was.
"""
import os
from dataclasses import dataclass, field
from pathlib import Path

from journal import HEADER, Journal, Kind, trim
from survivors import THROUGH_MEMORY, Blindness, Disk, File, Folder, is_rebuilt


@dataclass
class Difference:
    """How the real folder differs from the model."""
    new: list[str] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.new or self.gone or self.changed)

    def __str__(self) -> str:
        return f"new {self.new[:5]}, gone {self.gone[:5]}, changed {self.changed[:5]}"


def go_on(log: Path, disk: Disk, real: Path) -> None:
    """Makes a journal that a killed process left ready for the next process; `disk` is the one that it began on."""
    trim(log)
    disk.advance(Journal(log))
    if entries := amends(disk, real):
        with open(log, "ab") as file:
            file.write(entries)


def amends(disk: Disk, real: Path) -> bytes:
    """The entries for the one operation that is missing at the end of the journal; none, if nothing is."""
    found = difference(disk, real)
    match len(found.new), len(found.gone), len(found.changed):
        case 0, 0, 0:
            return b""
        case 1, 0, 0:
            return appeared(disk, real, found.new[0])
        case 1, 1, 0:
            return entry(Kind.RENAMED, first=found.gone[0], second=found.new[0])
        case 0, 1, 0:
            is_folder = isinstance(disk.find(found.gone[0]), Folder)
            return entry(Kind.RMDIR if is_folder else Kind.UNLINKED, first=found.gone[0])
        case 0, 1, 1 if disk.find(found.gone[0]).live() == (real / found.changed[0]).read_bytes():
            return entry(Kind.RENAMED, first=found.gone[0], second=found.changed[0])
        case 0, 0, 1:
            return written(disk, real, found.changed[0])
    raise Blindness(f"a killed process left more than one operation that is not in the journal: {found}")


def unexplained(disk: Disk, real: Path) -> list[str]:
    """What of the real folder is in no journal, though one operation may be missing at its end.

    Empty, if that is all.
    """
    found = disk.differences(real)
    try:
        amends(disk, real)
    except Blindness:
        return found
    # What was written through memory is no operation that could be noted.
    return [one for one in found if one.endswith(THROUGH_MEMORY)]


def difference(disk: Disk, real: Path) -> Difference:
    found, waiting = Difference(), [(disk.root, real, "")]
    while waiting:
        folder, path, shown = waiting.pop()
        names = {one.name for one in path.iterdir()}
        found.new += [shown + name for name in names - set(folder.live)]
        found.gone += [shown + name for name in set(folder.live) - names]
        for name in names & set(folder.live):
            node = folder.live[name]
            if isinstance(node, Folder):
                waiting.append((node, path / name, f"{shown}{name}/"))
            elif not is_rebuilt(name) and not node.mapped and node.live() != (path / name).read_bytes():
                found.changed.append(shown + name)
    return found


def appeared(disk: Disk, real: Path, name: str) -> bytes:
    """A folder or an empty file that was made, or a new name of a file that had none or another one."""
    number = 1 + max(disk.objects, default=0)
    place = real / name
    if place.is_dir():
        return entry(Kind.FOLDER, number, first=name)
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
    raise Blindness(f"{name} was made by nobody, and has {len(content)} bytes")


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
