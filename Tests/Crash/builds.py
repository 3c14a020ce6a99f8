"""Whether an end came while an index was being built or dropped, and whether that work is done after a start.

It is read in the database's own table of indexes: what a client sees of it comes a moment later, and of drops nothing.
"""
import shutil
import sqlite3
import tempfile
import time
from pathlib import Path

import paths  # noqa: F401

# As in Sources/RecordStorage/Indexes/IndexDefinitionTable.swift.
STATES = {1: "build", 3: "drop"}
LEFT = "SELECT state, columns FROM index_definition WHERE state IN (1, 3)"


def under_way(disk: Path, kind: str) -> set[str]:
    """What was under way for a type at the end that left this folder. A copy is opened: opening changes the log."""
    for file in disk.rglob("records.sqlite"):
        with tempfile.TemporaryDirectory(dir=disk.parent, prefix="look-") as place:
            for name in ("records.sqlite", "records.sqlite-wal"):
                if (source := file.with_name(name)).exists():
                    shutil.copyfile(source, Path(place) / name)
            return work(Path(place) / file.name, kind)
    return set()


def work(file: Path, kind: str) -> set[str]:
    database = sqlite3.connect(file)
    try:
        return {STATES[row[0]] for row in database.execute(
            "SELECT state FROM index_definition WHERE state IN (1, 3) AND type = "
            "(SELECT id FROM type WHERE name = ?)", (kind,))}
    finally:
        database.close()


def complaints(disk: Path, seconds: float = 20):
    """That there is still something to build or to drop, though a server has had so much time."""
    limit = time.monotonic() + seconds
    for file in disk.rglob("records.sqlite"):
        database = sqlite3.connect(f"file:{file}?mode=ro", uri=True)
        try:
            while left := database.execute(LEFT).fetchall():
                if time.monotonic() > limit:
                    what = [f"{STATES[state]} of {columns}" for state, columns in left]
                    yield f"{seconds:.0f} s after a start there is left: {', '.join(what)}"
                    break
                time.sleep(0.05)
        finally:
            database.close()
