"""Tests of the disk model: the library records all file operations, the model keeps what was synced and may lose
everything else, and a database that omits its syncs is found.

    python3 -m unittest Tests.powercut.test_disk_model
"""
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from random import Random

from Tests.powercut.checkpoints import checkpoints
from Tests.powercut.disk_model import Contents, Disk, ModelError, Names
from Tests.powercut.journal import Journal, Kind, build, environment, trim
from Tests.powercut.journal_repair import repair, unexplained
from Tests.powercut.sqlite_workload import Loss, losses

# The start of each program. `sync` syncs a file or directory by its path.
PRELUDE = """
import os, sys
def sync(path, call=os.fsync):
    descriptor = os.open(path, os.O_RDONLY); call(descriptor); os.close(descriptor)
def put(path, data, flags=os.O_CREAT | os.O_WRONLY | os.O_TRUNC):
    descriptor = os.open(path, flags, 0o600); os.write(descriptor, data); return descriptor
"""

# (the property, the program, contents, names, every state that may be left)
TABLE = [
    ("a write without a sync is lost", "put('a', b'new')", Contents.NONE, Names.ALL, [{"a": b""}]),
    ("a write without a sync may survive", "put('a', b'new')", Contents.ALL, Names.ALL, [{"a": b"new"}]),
    ("a synced write is kept", "os.fsync(put('a', b'new')); sync('.')", Contents.NONE, Names.STRICT, [{"a": b"new"}]),
    ("fdatasync keeps data and size", "os.fdatasync(put('a', b'new')); sync('.')", Contents.NONE, Names.STRICT,
     [{"a": b"new"}]),
    ("a write behind the sync is lost", "d = put('a', b'new'); os.fsync(d); os.write(d, b'er'); sync('.')",
     Contents.NONE, Names.STRICT, [{"a": b"new"}]),
    ("a synced file goes with its name", "os.fsync(put('a', b'new'))", Contents.NONE, Names.STRICT, [{}]),
    ("a synced file's name may survive", "os.fsync(put('a', b'new'))", Contents.NONE, Names.PREFIX,
     [{}, {"a": b"new"}]),
    ("ext4 keeps the name of a synced file", "os.fsync(put('a', b'new'))", Contents.NONE, Names.EXT4, [{"a": b"new"}]),
    ("a rename without a sync of the directory is undone or not",
     "os.fsync(put('a', b'old')); sync('.'); os.fsync(put('b', b'new')); os.rename('b', 'a')", Contents.NONE,
     Names.PREFIX, [{"a": b"old"}, {"a": b"old", "b": b"new"}, {"a": b"new"}]),
    ("a rename without a sync of the directory is undone",
     "os.fsync(put('a', b'old')); sync('.'); os.fsync(put('b', b'new')); os.rename('b', 'a')", Contents.NONE,
     Names.STRICT, [{"a": b"old"}]),
    ("a rename with a sync of the directory is kept",
     "os.fsync(put('a', b'old')); os.fsync(put('b', b'new')); os.rename('b', 'a'); sync('.')", Contents.NONE,
     Names.STRICT, [{"a": b"new"}]),
    ("a rename before the file's sync may leave it empty", "put('b', b'new'); os.rename('b', 'a'); sync('.')",
     Contents.NONE, Names.STRICT, [{"a": b""}]),
    ("a deletion without a sync may be undone", "os.fsync(put('a', b'old')); sync('.'); os.unlink('a')",
     Contents.NONE, Names.PREFIX, [{}, {"a": b"old"}]),
    ("a synced deletion is kept", "os.fsync(put('a', b'old')); sync('.'); os.unlink('a'); sync('.')", Contents.ALL,
     Names.STRICT, [{}]),
    ("names of one directory keep their order", "[put(name, b'') for name in 'abc']", Contents.NONE, Names.PREFIX,
     [{}, {"a": b""}, {"a": b"", "b": b""}, {"a": b"", "b": b"", "c": b""}]),
    ("a directory's sync is not its own name's", "os.mkdir('d'); os.fsync(put('d/a', b'new')); sync('d')",
     Contents.NONE, Names.STRICT, [{}]),
    ("a directory and its parent synced keep the file",
     "os.mkdir('d'); os.fsync(put('d/a', b'new')); sync('d'); sync('.')", Contents.NONE, Names.STRICT,
     [{"d/a": b"new"}]),
    ("a move to another directory needs the sync of that one",
     "os.mkdir('d'); sync('.'); os.fsync(put('a', b'new')); os.rename('a', 'd/a'); sync('d')", Contents.NONE,
     Names.STRICT, [{"d/a": b"new"}]),
    ("a move is all or nothing", "os.mkdir('d'); os.fsync(put('a', b'new')); sync('.'); os.rename('a', 'd/a')",
     Contents.NONE, Names.PREFIX, [{"a": b"new"}, {"d/a": b"new"}]),
    ("a link is a name of its own", "os.fsync(put('a', b'new')); sync('.'); os.link('a', 'b')", Contents.NONE,
     Names.PREFIX, [{"a": b"new"}, {"a": b"new", "b": b"new"}]),
    ("rmdir needs a sync", "os.mkdir('d'); put('a', b''); sync('.'); os.unlink('a'); os.rmdir('d'); put('e', b''); "
     "sync('.')", Contents.NONE, Names.STRICT, [{"e": b""}]),
    ("truncation is old or new", "d = put('a', b'longer'); os.fsync(d); sync('.'); os.ftruncate(d, 4)", Contents.PREFIX,
     Names.STRICT, [{"a": b"longer"}, {"a": b"long"}]),
    ("opening with O_TRUNC truncates", "os.fsync(put('a', b'old')); sync('.'); os.fsync(put('a', b''))", Contents.NONE,
     Names.STRICT, [{"a": b""}]),
    ("sectors survive one by one, holes are zero",
     "d = put('a', b'x' * 1024); os.fsync(d); sync('.'); os.pwrite(d, b'y' * 1024, 0)", Contents.SECTORS, Names.STRICT,
     [{"a": one * 512 + two * 512} for one in (b"x", b"y") for two in (b"x", b"y")]),
    ("a size may survive without its data", "put('a', b'y' * 700); sync('.')", Contents.SECTORS, Names.STRICT,
     [{"a": b""}] + [{"a": one * 512 + two * 188} for one in (b"\0", b"y") for two in (b"\0", b"y")]),
    ("a torn append ends at a sector", "put('a', b'y' * 700); sync('.')", Contents.PREFIX, Names.STRICT,
     [{"a": b"y" * size} for size in (0, 512, 700)]),
    ("fallocate makes a file longer", "d = put('a', b'x'); os.posix_fallocate(d, 0, 3); os.fsync(d); sync('.')",
     Contents.NONE, Names.STRICT, [{"a": b"x\0\0"}]),
    ("O_DSYNC makes each write safe", "put('a', b'new', os.O_CREAT | os.O_WRONLY | os.O_DSYNC); sync('.')",
     Contents.NONE, Names.STRICT, [{"a": b"new"}]),
    ("writev and pwritev are seen",
     "d = put('a', b''); os.writev(d, [b'ab', b'cd']); os.pwritev(d, [b'X', b'Y'], 1); os.fsync(d); sync('.')",
     Contents.NONE, Names.STRICT, [{"a": b"aXYd"}]),
    ("copies in the kernel are seen",
     "d = put('a', b'source'); e = put('b', b''); s = os.open('a', os.O_RDONLY); os.copy_file_range(s, e, 3); "
     "os.sendfile(e, s, 3, 2); os.fsync(d); os.fsync(e); sync('.')", Contents.NONE, Names.STRICT,
     [{"a": b"source", "b": b"sourc"}]),
    ("an appending descriptor writes at the end",
     "os.fsync(put('a', b'ab')); d = put('a', b'cd', os.O_WRONLY | os.O_APPEND); os.fsync(d); sync('.')",
     Contents.NONE, Names.STRICT, [{"a": b"abcd"}]),
    ("a copy of a descriptor is the same file", "d = os.dup(put('a', b'a')); os.write(d, b'b'); os.fsync(d); sync('.')",
     Contents.NONE, Names.STRICT, [{"a": b"ab"}]),
    ("a new file with an old one's inode is another file",
     "os.fsync(put('a', b'old')); sync('.'); os.unlink('a'); put('b', b'new'); sync('.')", Contents.NONE, Names.STRICT,
     [{"b": b""}]),
    ("a deleted file can still be written", "d = put('a', b'old'); sync('.'); os.unlink('a'); os.write(d, b'er'); "
     "os.fsync(d)", Contents.NONE, Names.STRICT, [{"a": b"older"}]),
    ("sync keeps everything", "put('a', b'new'); os.sync()", Contents.NONE, Names.STRICT, [{"a": b"new"}]),
    ("a relative directory descriptor is followed",
     "os.mkdir('d'); f = os.open('d', os.O_RDONLY); d = os.open('a', os.O_CREAT | os.O_WRONLY, 0o600, dir_fd=f); "
     "os.write(d, b'new'); os.fsync(d); os.fsync(f); sync('.')", Contents.NONE, Names.STRICT, [{"d/a": b"new"}]),
    ("what was there before is safe", "pass", Contents.NONE, Names.STRICT, [{}]),
]

# (the last action of a process before it is killed, the programs before and after)
LAST_OPERATIONS = [
    ("making a directory", "os.mkdir('d'); sync('.'); os.mkdir('d/b5')",
     "sync('d/b5'); put('d/b5/a', b'new'); sync('d')"),
    ("making a file", "put('a', b'')", "os.write(os.open('a', os.O_WRONLY), b'new')"),
    ("writing", "d = put('a', b'x' * 4096); os.pwrite(d, b'new', 700)", "sync('a')"),
    ("appending", "d = put('a', b'old'); os.write(d, b'er')", "sync('a')"),
    ("making shorter", "d = put('a', b'older'); os.ftruncate(d, 3)", "sync('a')"),
    ("making longer", "d = put('a', b'old'); os.ftruncate(d, 5000)", "sync('a')"),
    ("renaming", "put('a', b'new'); os.rename('a', 'b')", "sync('b')"),
    ("renaming over another", "put('a', b'new'); put('b', b'old'); os.rename('a', 'b')", "sync('b')"),
    ("renaming a directory", "os.mkdir('d'); put('d/a', b'a'); os.rename('d', 'e')", "sync('e/a')"),
    ("deleting", "put('a', b'new'); os.unlink('a')", "put('a', b'other')"),
    ("deleting a directory", "os.mkdir('d'); os.rmdir('d')", "os.mkdir('d'); sync('d')"),
    ("linking", "os.mkdir('d'); put('a', b'new'); put('c', b'new'); os.link('a', 'd/b')",
     "sync('d/b'); os.unlink('a')"),
    ("linking what had no name", "d = os.open('.', os.O_TMPFILE | os.O_WRONLY, 0o600); os.write(d, b'new'); "
     "os.link(f'/proc/self/fd/{d}', 'a', src_dir_fd=os.open('/', os.O_RDONLY))", "sync('a')"),
]


class Workshop(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory(prefix="powercut-")
        cls.place = Path(cls.temporary.name)
        cls.library = build(cls.place)

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def watch(self, name: str, program: str, directory: Path | None = None, sync: int = 0) -> tuple[Path, Path]:
        """Runs a program in a directory, each sync of which takes `sync` microseconds; returns it and the journal."""
        directory = directory or self.place / name
        directory.mkdir(exist_ok=True)
        log = self.place / f"{name}.journal"
        surroundings = os.environ | environment(self.library, directory, log, sync)
        subprocess.run([sys.executable, "-c", PRELUDE + program], cwd=directory, env=surroundings, check=True)
        return directory, log

    def survivor(self, disk: Disk, contents: Contents, names: Names, seed: int) -> dict[str, bytes]:
        with tempfile.TemporaryDirectory(dir=self.place) as parent:
            target = Path(parent) / "survivor"
            disk.survive(target, contents, names, Random(seed))
            return {str(one.relative_to(target)): one.read_bytes() for one in target.rglob("*") if one.is_file()}


class ModelTests(Workshop):
    def test_table(self):
        for index, (what, program, contents, names, expected) in enumerate(TABLE):
            with self.subTest(what):
                directory, log = self.watch(f"table-{index}", program)
                disk = Disk()
                disk.advance(Journal(log))
                self.assertEqual(disk.difference(directory).sentences(), [])
                seeds = range(60 if len(expected) > 1 else 3)
                found = [self.survivor(disk, contents, names, seed) for seed in seeds]
                for one in found:
                    self.assertIn(one, expected)
                for one in expected:
                    self.assertIn(one, found, "a state that is possible never comes")

    def test_existing_files_are_safe(self):
        directory = self.place / "before"
        directory.mkdir()
        (directory / "a").write_bytes(b"old")
        disk = Disk(directory)
        _, log = self.watch("before", "put('a', b'NEW', os.O_WRONLY)", directory)
        disk.advance(Journal(log))
        self.assertEqual(disk.difference(directory).sentences(), [])
        self.assertEqual(self.survivor(disk, Contents.NONE, Names.STRICT, 1), {"a": b"old"})

    def test_a_cut_before_a_sync_ends_is_before_it(self):
        _, log = self.watch("moment", "os.fsync(put('a', b'new')); sync('.')")
        journal, found = Journal(log), []
        for position in journal.positions():
            disk = Disk()
            disk.advance(journal, position)
            found.append(self.survivor(disk, Contents.NONE, Names.STRICT, 1))
        self.assertEqual(found[-2:], [{}, {"a": b"new"}])

    def test_a_write_during_a_sync_is_not_covered(self):
        program = """
import threading
d = put('a', b'old'); os.fsync(d); sync('.')
os.write(d, b'er')
slow = threading.Thread(target=os.fsync, args=(d,)); slow.start()
import time; time.sleep(0.1)
os.pwrite(d, b'O', 0)
slow.join()
"""
        _, log = self.watch("during", program, sync=300_000)
        disk = Disk()
        disk.advance(Journal(log))
        self.assertEqual(self.survivor(disk, Contents.NONE, Names.STRICT, 1), {"a": b"older"})

    def test_a_second_process_continues_the_journal(self):
        directory, log = self.watch("second", "put('a', b'old')")
        with open(log, "ab") as file:
            file.write(b"\x05\0\0")  # the first was killed in the middle of an entry
        trim(log)
        self.watch("second", "os.fsync(put('a', b'er', os.O_WRONLY | os.O_APPEND)); sync('.')", directory)
        disk = Disk()
        disk.advance(Journal(log))
        self.assertEqual(disk.difference(directory).sentences(), [])
        self.assertEqual(self.survivor(disk, Contents.NONE, Names.STRICT, 1), {"a": b"older"})

    def test_the_unrecorded_last_operation_of_a_killed_process_is_added(self):
        for index, (what, before, after) in enumerate(LAST_OPERATIONS):
            with self.subTest(what):
                directory, log = self.watch(f"last-{index}", before)
                positions = Journal(log).positions()
                os.truncate(log, positions[-2] + 5 * (index % 2))  # nothing of its entry is left, or a part
                repair(log, Disk(), directory)
                self.watch(f"last-{index}", after, directory)
                disk = Disk()
                disk.advance(Journal(log))
                self.assertEqual(disk.difference(directory).sentences(), [])

    def test_the_last_operation_of_a_killed_process_does_not_blind_the_model(self):
        for index, (what, before, _) in enumerate(LAST_OPERATIONS):
            with self.subTest(what):
                directory, log = self.watch(f"seeing-{index}", before)
                os.truncate(log, Journal(log).positions()[-2])
                disk = Disk()
                disk.advance(Journal(log))
                self.assertNotEqual(disk.difference(directory).sentences(), [])
                self.assertEqual(unexplained(disk, directory), [])

    def test_a_journal_that_lacks_nothing_stays(self):
        directory, log = self.watch("whole", "os.mkdir('d'); put('d/a', b'new'); os.rename('d/a', 'd/b')")
        before = log.read_bytes()
        repair(log, Disk(), directory)
        self.assertEqual(log.read_bytes(), before)

    def test_a_file_that_was_synced_before_its_last_operation_stays_safe(self):
        directory, log = self.watch("safe", "os.fsync(put('a', b'new')); sync('.'); os.rename('a', 'b')")
        os.truncate(log, Journal(log).positions()[-2])
        repair(log, Disk(), directory)
        self.watch("safe", "sync('.')", directory)
        disk = Disk()
        disk.advance(Journal(log))
        self.assertEqual(self.survivor(disk, Contents.NONE, Names.STRICT, 1), {"b": b"new"})

    def test_more_than_one_operation_that_is_not_noted_is_an_error(self):
        directory, log = self.watch("more", "put('a', b''); put('b', b''); os.mkdir('c')")
        os.truncate(log, Journal(log).positions()[-3])
        disk = Disk()
        disk.advance(Journal(log))
        self.assertEqual(len(unexplained(disk, directory)), 2)
        with self.assertRaises(ModelError):
            repair(log, Disk(), directory)

    def test_changes_through_memory_are_noticed(self):
        directory, log = self.watch(
            "memory", "import mmap; d = os.open('a', os.O_RDWR | os.O_CREAT); os.write(d, b'x'); "
            "m = mmap.mmap(d, 1); m[0:1] = b'y'")
        disk = Disk()
        disk.advance(Journal(log))
        self.assertEqual(disk.difference(directory).sentences(), ["a was changed through memory"])
        self.assertEqual(unexplained(disk, directory), ["a was changed through memory"])

    def test_an_operation_that_is_not_followed_is_an_error(self):
        _, log = self.watch("blind", "os.symlink('b', 'a')")
        with self.assertRaises(ModelError):
            Disk().advance(Journal(log))


class CheckpointTests(Workshop):
    def test_the_first_sync_of_the_log_after_a_checkpoint_and_the_restart_of_the_log_are_found(self):
        _, log = self.watch("checkpoint", """
d, w = put('records.sqlite', b''), put('records.sqlite-wal', b'')
os.fsync(d)                                             # nothing was written: no checkpoint
os.write(w, b'header'); os.fsync(w)
os.write(w, b'frame'); os.fsync(w)
os.pwrite(d, b'page', 0); os.fsync(d)                   # the first
os.write(w, b'frame'); os.fsync(w); os.fsync(w)
os.pwrite(d, b'page', 0); os.fsync(d)                   # the second
os.pwrite(w, b'header', 0); os.pwrite(w, b'frame', 6); os.fsync(w)
""")
        entries = [entry for entry in Journal(log).entries()]
        found = checkpoints(Journal(log))
        self.assertEqual(found.count, 2)
        syncs = [one.end for one in entries if one.kind == Kind.SYNCED]
        self.assertEqual(found.syncs, [syncs[4], syncs[7]])
        self.assertEqual(found.restarts, [entries[-4].end])
        told = [found.restarts[0] + number for number in range(1, 40)]
        self.assertEqual(set(found.moments([1, *told])), {syncs[4], syncs[7], *told[:30]})

    def test_sqlite_restarts_its_log(self):
        found = checkpoints(self.journal_of_sqlite())
        self.assertGreater(found.count, 3)
        self.assertGreater(len(found.restarts), 2)
        self.assertGreaterEqual(len(found.syncs), len(found.restarts))

    def journal_of_sqlite(self) -> Journal:
        _, log = self.watch("sqlite", """
import sqlite3
database = sqlite3.connect("records.sqlite", isolation_level=None)
database.execute("PRAGMA journal_mode = WAL"); database.execute("PRAGMA synchronous = FULL")
database.execute("PRAGMA wal_autocheckpoint = 5")
database.execute("CREATE TABLE number (value INTEGER PRIMARY KEY)")
for value in range(40): database.execute("INSERT INTO number VALUES (?)", (value,))
""")
        return Journal(log)


class DatabaseTests(Workshop):
    """SQLite, whose promises are known: the instrument must see each that is broken, and none that is kept."""

    def check(self, journal_mode: str, synchronous: str, expected: set[Loss]):
        found = losses(self.place / f"{journal_mode}-{synchronous}", self.library, journal_mode, synchronous, cuts=150)
        self.assertEqual(found, expected)

    def test_full_with_a_log_loses_nothing(self):
        self.check("WAL", "FULL", set())

    def test_normal_with_a_log_loses_acknowledged_commits(self):
        self.check("WAL", "NORMAL", {Loss.ACKNOWLEDGED})

    def test_off_loses_and_damages(self):
        self.check("WAL", "OFF", {Loss.ACKNOWLEDGED, Loss.DAMAGED})

    def test_a_log_whose_syncs_are_forgotten_loses(self):
        os.environ["POWERCUT_FORGET"] = "-wal"
        try:
            found = losses(self.place / "forgotten", self.library, "WAL", "FULL", cuts=150)
        finally:
            del os.environ["POWERCUT_FORGET"]
        self.assertIn(Loss.ACKNOWLEDGED, found)

    def test_full_with_a_rollback_journal_forgets_the_directory(self):
        # SQLite's documentation of synchronous=EXTRA: with FULL the journal may come back, and undo the transaction.
        self.check("DELETE", "FULL", {Loss.ACKNOWLEDGED})

    def test_extra_with_a_rollback_journal_loses_nothing(self):
        self.check("DELETE", "EXTRA", set())


if __name__ == "__main__":
    unittest.main()
