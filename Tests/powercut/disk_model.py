"""What a disk may hold after a power cut, from a journal of what was done to it.

The model is POSIX's, at its strictest: only a sync makes anything durable. Data and size of a file are safe once an
fsync or fdatasync of that file has succeeded that began after they were written; a name is safe once its directory was
synced likewise. Of all else, a cut may leave anything: see `Contents` and `Names`.
"""
import os
import time
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from random import Random

from Tests.powercut.journal import Entry, Journal, Kind

SECTOR = 512


class Contents(Enum):
    """The remains of writes that no sync has covered."""
    NONE = "none"        # nothing: each file as it was last synced
    ALL = "all"          # everything: the disk was quick
    PREFIX = "prefix"    # the first ones, the last of them torn at a sector
    SECTORS = "sectors"  # any 512-byte sectors, with a size from any moment since the sync; what is missing is zero
    MIXED = "mixed"      # another of these for each file


class Names(Enum):
    """The remains of creations, renames and deletions whose directory was not synced."""
    STRICT = "strict"    # nothing: a file that was synced itself is gone all the same
    PREFIX = "prefix"    # in each directory the first ones
    EXT4 = "ext4"        # of all directories together the first ones, at least those before the last sync of anything
    ALL = "all"          # everything


class ModelError(Exception):
    """The journal shows something that the model cannot follow, so nothing that it builds could be trusted."""


@dataclass(eq=False)
class File:
    durable: bytearray = field(default_factory=bytearray)
    pending: list[Entry] = field(default_factory=list)
    mapped: bool = False
    seen: bytearray | None = None  # as programs see it, once a sync has failed: what was lost still shows

    def write(self, entry: Entry) -> None:
        self.pending.append(entry)
        if self.seen is not None:
            apply(self.seen, entry)

    def failed(self, before: int, random: Random, share: float | None) -> None:
        """A sync that began at `before` has failed. Linux takes the pages for clean then: no later sync writes them, so
        each has reached the disk already or never will."""
        self.seen = self.live()
        count = sum(1 for entry in self.pending if entry.start < before)
        share = random.choice([0, 0, 0.5, 1]) if share is None else share
        for entry in self.pending[:count]:
            if entry.kind != Kind.WRITTEN:
                apply(self.durable, entry)
            else:
                apply_parts(self.durable, entry, [one for one in sectors_of(entry) if random.random() < share])
        del self.pending[:count]

    def synced(self, before: int) -> None:
        """A sync that began at `before` in the journal has succeeded."""
        count = sum(1 for entry in self.pending if entry.start < before)
        for entry in self.pending[:count]:
            apply(self.durable, entry)
        del self.pending[:count]

    def live(self) -> bytearray:
        """The content as programs see it."""
        if self.seen is not None:
            return bytearray(self.seen)
        content = bytearray(self.durable)
        for entry in self.pending:
            apply(content, entry)
        return content

    def survivor(self, contents: Contents, random: Random) -> bytearray:
        if contents == Contents.MIXED:
            contents = random.choice([Contents.NONE, Contents.ALL, Contents.PREFIX, Contents.SECTORS])
        if contents == Contents.ALL:
            return self.live()
        if contents == Contents.NONE or not self.pending:
            return bytearray(self.durable)
        if contents == Contents.PREFIX:
            content, count = bytearray(self.durable), random.randint(0, len(self.pending))
            for entry in self.pending[:count]:
                apply(content, entry)
            if count < len(self.pending) and self.pending[count].kind == Kind.WRITTEN:
                torn = self.pending[count]
                sectors = list(sectors_of(torn))
                apply_parts(content, torn, sectors[:random.randint(0, len(sectors))])
            return content
        return self._sectors(random)

    def _sectors(self, random: Random) -> bytearray:
        # Sizes are metadata and keep their order; data may be ahead of them or late.
        moment, share = random.randint(0, len(self.pending)), random.choice([0.02, 0.3, 0.5, 0.7, 0.98])
        content, size = bytearray(self.durable), len(self.durable)
        for index, entry in enumerate(self.pending):
            if entry.kind == Kind.WRITTEN:
                apply_parts(content, entry, [part for part in sectors_of(entry) if random.random() < share])
                if index < moment:
                    size = max(size, entry.offset + len(entry.data))
            elif index < moment:
                apply(content, entry)
                size = entry.offset if entry.kind == Kind.SIZED else max(size, extent(entry))
        resize(content, size)
        return content


@dataclass(eq=False)
class Directory:
    live: dict[str, "File | Directory"] = field(default_factory=dict)
    durable: dict[str, "File | Directory"] = field(default_factory=dict)


@dataclass(eq=False)
class Change:
    """A change of names: `node` gets the name (`directory`, `name`), or loses it; a rename also removes the old
    name."""
    start: int
    directory: Directory
    name: str
    node: "File | Directory | None"
    source: tuple[Directory, str] | None = None

    def apply(self, entries) -> None:
        """Makes the change in the entries that `entries(directory)` gives."""
        if self.source:
            origin = entries(self.source[0])
            if origin.get(self.source[1]) is self.node:
                del origin[self.source[1]]
        if self.node is None:
            entries(self.directory).pop(self.name, None)
        else:
            entries(self.directory)[self.name] = self.node

    def directories(self) -> list[Directory]:
        return [self.directory] + ([self.source[0]] if self.source else [])


class Disk:
    """A directory as programs see it, and as much of it as is safe, at one moment of a journal."""

    def __init__(self, initial: Path | None = None, share: float | None = None):
        """A disk with a copy of `initial`, all of it safe; without it, an empty directory. Of the data of a failed
        sync, a `share` is there anyway; without it, chance decides."""
        self.share = share
        self.root = Directory()
        self.position = 0
        self.changes: list[Change] = []
        self.objects: dict[int, File | Directory] = {}
        self.last_sync = 0
        self.syncs = 0
        self.failures = 0
        if initial:
            load(self.root, initial)

    def advance(self, journal: Journal, until: int | None = None) -> None:
        """Applies the journal from the present position up to another, or to its end."""
        for entry in journal.entries(self.position):
            if until is not None and entry.end > until:
                break
            self.apply(entry)

    def apply(self, entry: Entry) -> None:
        match entry.kind:
            case Kind.STARTED:
                self.objects = {}
            case Kind.NAMED:
                self.objects[entry.object] = self.find(entry.first)
            case Kind.CREATED | Kind.DIRECTORY:
                node = File() if entry.kind == Kind.CREATED else Directory()
                self.objects[entry.object] = node
                if entry.first:
                    self.change(entry, entry.first, node)
            case Kind.WRITTEN | Kind.SIZED | Kind.ALLOCATED | Kind.ZEROED:
                self.objects[entry.object].write(entry)
            case Kind.RENAMED:
                self.rename(entry)
            case Kind.LINKED:
                self.change(entry, entry.second, self.objects[entry.object])
            case Kind.UNLINKED | Kind.RMDIR:
                self.change(entry, entry.first, None)
            case Kind.SYNCED:
                self.sync(entry)
            case Kind.FAILED:
                self.fail(entry)
            case Kind.MAPPED:
                self.objects[entry.object].mapped = True
            case Kind.BLIND:
                raise ModelError(entry.first)
        self.position = entry.end

    def find(self, path: str) -> "File | Directory":
        node = self.root
        for part in path.split("/") if path else []:
            if not isinstance(node, Directory) or part not in node.live:
                raise ModelError(f"{path} was made by nobody")
            node = node.live[part]
        return node

    def place(self, path: str) -> tuple[Directory, str]:
        parent, _, name = path.rpartition("/")
        return self.find(parent), name

    def change(self, entry: Entry, path: str, node, source=None) -> None:
        change = Change(entry.start, *self.place(path), node, source)
        change.apply(lambda directory: directory.live)
        self.changes.append(change)

    def rename(self, entry: Entry) -> None:
        node, target = self.find(entry.first), self.place(entry.second)
        if target[0].live.get(target[1]) is not node:  # two names of one file: rename does nothing
            self.change(entry, entry.second, node, self.place(entry.first))

    def sync(self, entry: Entry) -> None:
        before = entry.offset
        self.last_sync = max(self.last_sync, before)
        self.syncs += 1
        if entry.object == 0:
            for node in nodes(self.root, lambda directory: directory.live):
                if isinstance(node, File):
                    node.synced(before)
            self.make_durable([one for one in self.changes if one.start < before])
            return
        node = self.objects[entry.object]
        if isinstance(node, File):
            node.synced(before)
        else:
            self.make_durable([one for one in self.changes if one.directory is node and one.start < before])

    def fail(self, entry: Entry) -> None:
        """Data is lost; names wait for a later sync of their directory."""
        self.failures += 1
        node = self.objects.get(entry.object)
        if isinstance(node, File):
            node.failed(entry.offset, Random(entry.start), self.share)

    def make_durable(self, changes: list[Change]) -> None:
        # A rename from another directory is one step: earlier changes of the same file are durable before it.
        moved = {id(one.node): one.start for one in changes if one.source and one.source[0] is not one.directory}
        chosen = {id(one) for one in changes}
        kept = []
        for one in self.changes:
            if id(one) in chosen or (one.node is not None and one.start < moved.get(id(one.node), 0)):
                one.apply(lambda directory: directory.durable)
            else:
                kept.append(one)
        self.changes = kept

    def survive(self, target: Path, contents: Contents, names: Names, random: Random) -> None:
        """Builds in the new directory `target` a state that a power cut at this moment may leave."""
        entries: dict[int, dict] = {}

        def entries_of(directory: Directory) -> dict:
            return entries.setdefault(id(directory), dict(directory.durable))

        for change in self.surviving_changes(names, random):
            change.apply(entries_of)
        target.mkdir(parents=True)
        built: dict[int, Path] = {}
        waiting = [(self.root, target)]
        while waiting:
            directory, path = waiting.pop()
            for name, node in sorted(entries_of(directory).items()):
                place = path / name
                if isinstance(node, Directory):
                    place.mkdir(mode=0o700)
                    waiting.append((node, place))
                elif id(node) in built:
                    place.hardlink_to(built[id(node)])
                elif not is_rebuilt(name) or random.random() < 0.5:
                    built[id(node)] = place
                    rubbish = random.randbytes(32_768) if is_rebuilt(name) else None
                    place.touch(mode=0o600)
                    place.write_bytes(rubbish or node.survivor(contents, random))
                    # A process that starts on this disk finds files that are older than itself.
                    os.utime(place, (time.time() - 60,) * 2)

    def surviving_changes(self, names: Names, random: Random) -> list[Change]:
        if names == Names.ALL:
            return self.changes
        if names == Names.STRICT:
            return []
        if names == Names.EXT4:
            moment = random.randint(self.last_sync, max(self.last_sync, self.position))
            return [one for one in self.changes if one.start < moment]
        survivors, stopped, share = [], set(), random.choice([0.5, 0.8, 0.95])
        for change in self.changes:
            if all(id(directory) not in stopped for directory in change.directories()) and random.random() < share:
                survivors.append(change)
            else:
                stopped.update(id(directory) for directory in change.directories())
        return survivors

    def difference(self, real: Path) -> "Difference":
        """How the directory that programs saw differs from the model."""
        found, waiting = Difference(), [(self.root, real, "")]
        while waiting:
            directory, path, shown = waiting.pop()
            names = {one.name for one in path.iterdir()}
            found.new += [shown + name for name in names - set(directory.live)]
            found.gone += [shown + name for name in set(directory.live) - names]
            for name in sorted(names & set(directory.live)):
                node = directory.live[name]
                if isinstance(node, Directory):
                    waiting.append((node, path / name, f"{shown}{name}/"))
                elif is_rebuilt(name):
                    continue
                elif node.mapped:
                    found.mapped.append(shown + name)
                elif node.live() != (path / name).read_bytes():
                    found.changed.append(shown + name)
        return found


@dataclass
class Difference:
    """The paths that differ between a real directory and the model; none if the journal is complete."""
    new: list[str] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    mapped: list[str] = field(default_factory=list)  # written through memory, which no journal records

    def sentences(self) -> list[str]:
        words = ((self.new, "is missing in the model"), (self.gone, "exists in the model only"),
                 (self.changed, "has another content"), (self.mapped, "was changed through memory"))
        return [f"{name} {what}" for names, what in words for name in names]


def is_rebuilt(name: str) -> bool:
    """SQLite's index of the WAL is shared memory: the first connection builds it again."""
    return name.endswith("-shm")


def load(directory: Directory, path: Path) -> None:
    for one in path.iterdir():
        node = Directory() if one.is_dir() else File(bytearray(one.read_bytes()))
        if isinstance(node, Directory):
            load(node, one)
        directory.live[one.name] = directory.durable[one.name] = node


def nodes(directory: Directory, entries):
    for node in entries(directory).values():
        yield node
        if isinstance(node, Directory):
            yield from nodes(node, entries)


def resize(content: bytearray, size: int) -> None:
    if size < len(content):
        del content[size:]
    else:
        content.extend(bytes(size - len(content)))


def extent(entry: Entry) -> int:
    """How long a file is at least after `entry`."""
    if entry.kind == Kind.WRITTEN:
        return entry.offset + len(entry.data)
    return entry.offset + entry.number if entry.kind == Kind.ALLOCATED else 0


def apply(content: bytearray, entry: Entry) -> None:
    """Applies one operation to a file's content."""
    if entry.kind == Kind.SIZED:
        resize(content, entry.offset)
        return
    if extent(entry) > len(content):
        resize(content, extent(entry))
    if entry.kind == Kind.WRITTEN:
        content[entry.offset:entry.offset + len(entry.data)] = entry.data
    elif entry.kind == Kind.ZEROED:
        end = min(entry.offset + entry.number, len(content))
        if end > entry.offset:
            content[entry.offset:end] = bytes(end - entry.offset)


def sectors_of(entry: Entry):
    """The parts of a write that reach the disk one by one, as (start, end) in the file."""
    start, end = entry.offset, entry.offset + len(entry.data)
    while start < end:
        stop = min(end, (start // SECTOR + 1) * SECTOR)
        yield start, stop
        start = stop


def apply_parts(content: bytearray, entry: Entry, parts) -> None:
    for start, end in parts:
        if end > len(content):
            resize(content, end)
        content[start:end] = entry.data[start - entry.offset:end - entry.offset]
