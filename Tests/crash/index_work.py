"""Whether a cut fell into the build or the drop of an index, and whether that work is completed after a start.

This reads the table of indexes in the database: the API shows a build a moment later, and does not show drops.
"""
import shutil
import sqlite3
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

# As in Sources/RecordStorage/Indexes/IndexDefinitionTable.swift.
STATES = {1: "build", 3: "drop"}
UNFINISHED = "SELECT state, columns FROM index_definition WHERE state IN (1, 3)"


def under_way(disk: Path, kind: str) -> set[str]:
    """The work on indexes of a type that was under way at the cut."""
    for file in disk.rglob("records.sqlite"):
        with copied(file, disk.parent) as database:
            return {STATES[row[0]] for row in database.execute(
                UNFINISHED + " AND type = (SELECT id FROM type WHERE name = ?)", (kind,))}
    return set()


@contextmanager
def copied(file: Path, parent: Path) -> Iterator[sqlite3.Connection]:
    """A copy of a database, in a directory below `parent`: opening changes the WAL."""
    with tempfile.TemporaryDirectory(dir=parent, prefix="look-") as place:
        for name in (file.name, f"{file.name}-wal"):
            if (source := file.with_name(name)).exists():
                shutil.copyfile(source, Path(place) / name)
        with closing(sqlite3.connect(Path(place) / file.name)) as database:
            yield database


def violations(disk: Path, seconds: float = 20):
    """Sentences about builds and drops that are unfinished although a server has run for so many seconds."""
    limit = time.monotonic() + seconds
    for file in disk.rglob("records.sqlite"):
        with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as database:
            while left := database.execute(UNFINISHED).fetchall():
                if time.monotonic() > limit:
                    what = [f"{STATES[state]} of {columns}" for state, columns in left]
                    yield f"{seconds:.0f} s after a start there is left: {', '.join(what)}"
                    break
                time.sleep(0.05)
