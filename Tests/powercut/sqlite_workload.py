"""A small database under the power cut, with the syncs that SQLite is configured to make."""
import os
import shutil
import sqlite3
import subprocess
import sys
from enum import Enum
from pathlib import Path
from random import Random

from Tests.powercut.disk_model import Contents, Disk, Names
from Tests.powercut.journal import Journal, environment

# Each line of its output: a number, and how long the journal was when the commit of that number had returned.
PROGRAM = """
import os, sqlite3, sys
database = sqlite3.connect("numbers.sqlite", isolation_level=None)
database.execute("PRAGMA page_size = 1024")
database.execute("PRAGMA journal_mode = " + sys.argv[1])
database.execute("PRAGMA synchronous = " + sys.argv[2])
database.execute("PRAGMA wal_autocheckpoint = 20")
database.execute("CREATE TABLE number (value INTEGER PRIMARY KEY, text TEXT, UNIQUE (text))")
for value in range(60):
    database.execute("INSERT INTO number VALUES (?, ?)", (value, os.urandom(300).hex()))
    print(value, os.stat(os.environ["POWERCUT_LOG"]).st_size, flush=True)
"""


class Loss(Enum):
    ACKNOWLEDGED = "a commit that had returned is gone"
    DAMAGED = "the database is damaged"


def losses(place: Path, library: Path, journal_mode: str, synchronous: str, cuts: int) -> set[Loss]:
    """All problems in `cuts` power cuts."""
    directory, log = place / "directory", place / "journal"
    directory.mkdir(parents=True)
    surroundings = os.environ | environment(library, directory, log, sync_microseconds=0)
    output = subprocess.run([sys.executable, "-c", PROGRAM, journal_mode, synchronous], cwd=directory, env=surroundings,
                            check=True, capture_output=True, text=True).stdout
    acknowledged = [tuple(map(int, line.split())) for line in output.splitlines()]
    journal, random, found = Journal(log), Random(7), set()
    positions = [one for one in journal.positions() if one >= acknowledged[0][1]]
    # The moments at which a commit returns, and others.
    chosen = sorted(random.choice([random.choice(positions), random.choice(acknowledged)[1]]) for _ in range(cuts))
    disk = Disk()
    for cut in chosen:
        disk.advance(journal, cut)
        survivor = place / "survivor"
        disk.survive(survivor, random.choice(list(Contents)), random.choice(list(Names)), random)
        last = max(value for value, end in acknowledged if end <= cut)
        found |= examine(survivor / "numbers.sqlite", last)
        shutil.rmtree(survivor)
    return found


def examine(file: Path, last: int) -> set[Loss]:
    if not file.exists():
        return {Loss.ACKNOWLEDGED}
    database = sqlite3.connect(file)
    try:
        if database.execute("PRAGMA integrity_check").fetchone() != ("ok",):
            return {Loss.DAMAGED}
        values = [row[0] for row in database.execute("SELECT value FROM number ORDER BY value")]
        return set() if values[:last + 1] == list(range(last + 1)) else {Loss.ACKNOWLEDGED}
    except sqlite3.OperationalError as error:
        return {Loss.ACKNOWLEDGED} if "no such table" in str(error) else {Loss.DAMAGED}
    except sqlite3.DatabaseError:
        return {Loss.DAMAGED}
    finally:
        database.close()
