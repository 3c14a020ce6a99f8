#!/usr/bin/env python3
"""Tests of the instrument: that syncs and writes fail as they are told to, that the model loses what a failed sync did
not cover, and that each kind of round finds a loss that was forged.

    python3 Tests/Crash/test_crash.py [BINARY]
"""
import fcntl
import http.client
import json
import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from random import Random

from paths import ROOT
import builds
from actors import GONE, Actor, History, Refused, Step, Survivor
from checkpoints import Checkpoints
from faults import Faults
from journal import Journal, build, environment
from readers import Follower, Reader
from shown import Shown
from survivors import Contents, Disk, Names
from totals import Totals
from watched import Problem, WatchedServer
from writers import RecordWriter

BINARY = str(ROOT / ".build/release/fogbase")

# What each program begins with: a file `a` whose first content is safe.
PRELUDE = """
import errno, os
d = os.open('a', os.O_CREAT | os.O_RDWR, 0o600)
os.write(d, b'old'); os.fsync(d)
folder = os.open('.', os.O_RDONLY); os.fsync(folder)
from faults import Faults
from pathlib import Path
faults = Faults.__new__(Faults)
faults.attach(Path(os.environ['POWERCUT_FAULTS']))
def fails(call, *arguments):
    try:
        call(*arguments)
    except OSError as error:
        return error.errno
"""

# (kind, what is forged, words of which one must be among the findings)
FORGERIES = [
    ("kill", "ack", ["must be"]),
    ("kill", "record", ["must be"]),
    ("kill", "index", ["doctor", "found", "sorted by"]),
    ("kill", "key", ["is good with"]),
    ("kill", "session", ["the sessions"]),
    ("kill", "password", ["signs in with"]),
    ("kill", "feed", ["by a feed"]),
    ("kill", "undone", ["by a feed that goes on"]),
    ("kill", "file", ["is gone: "]),
    ("kill", "bytes", ["has the hash"]),
    ("kill", "batch", ["is not whole"]),
    ("kill", "mixed", ["the mixed batch of"]),
    ("kill", "family", ["of the families of"]),
    ("kill", "unbuilt", ["Shelf sorted by"]),
    ("kill", "seen", ["a reader had seen version"]),
    ("kill", "deletion", ["a reader had seen that"]),
    ("kill", "die", ["the server ended by itself, with status -11"]),
    ("power", "die", ["the server ended by itself, with status -11"]),
    ("sync", "die", ["the server ended"]),
    ("full", "die", ["its connection ended before the server was to end"]),
    ("stop", "die", ["the server ended by itself, before SIGTERM"]),
    ("stop", "log", ["the log has"]),
    ("power", "forget", ["must be", "gone", "is now", "feed", "doctor", "not ready", "did not answer", "instrument"]),
    ("power", "ack", ["must be"]),
    ("power", "restart", ["must be", "is gone", "a reader had seen"]),
    ("sync", "sync", ["must be", "gone", "is now", "feed"]),
    ("sync", "forget", ["must be", "gone", "is now", "feed", "doctor", "did not answer"]),
    ("full", "ack", ["must be"]),
    ("full", "record", ["must be"]),
    ("full", "index", ["doctor", "found", "sorted by"]),
    ("stop", "ack", ["must be"]),
    ("stop", "record", ["must be"]),
    ("stop", "index", ["doctor", "found", "sorted by"]),
]


def crash(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, str(ROOT / "Tests/Crash/crash.py"), "--binary", BINARY, *arguments],
                          capture_output=True, text=True)


class FaultTests(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory(prefix="crash-")
        self.place = Path(self.temporary.name)
        self.library = build(self.place)

    def tearDown(self):
        self.temporary.cleanup()

    def play(self, program: str) -> tuple[Path, Disk]:
        folder, log, faults = self.place / "folder", self.place / "journal", self.place / "faults"
        folder.mkdir()
        Faults(faults)
        surroundings = os.environ | environment(self.library, folder, log, 0)
        surroundings |= {"POWERCUT_FAULTS": str(faults), "PYTHONPATH": str(ROOT / "Tests/PowerCut")}
        subprocess.run([sys.executable, "-c", PRELUDE + program], cwd=folder, env=surroundings, check=True)
        disk = Disk()
        disk.advance(Journal(log))
        self.assertEqual(disk.differences(folder), [])
        return folder, disk

    def survivor(self, disk: Disk, contents: Contents) -> bytes:
        with tempfile.TemporaryDirectory(dir=self.place) as parent:
            disk.survive(Path(parent) / "survivor", contents, Names.STRICT, Random(1))
            return (Path(parent) / "survivor/a").read_bytes()

    def test_what_a_failed_sync_should_have_covered_no_later_sync_covers(self):
        _, disk = self.play("""
os.pwrite(d, b'n' * 512 * 64, 512)
faults.fail_syncs(errno.EIO, '/a$', 1)
assert fails(os.fsync, d) == errno.EIO
assert fails(os.fsync, d) is None
os.pwrite(d, b'late', 0); os.fsync(d)
assert faults.failed_syncs == 1
""")
        self.assertEqual(disk.failures, 1)
        for contents in (Contents.NONE, Contents.PREFIX):
            left = self.survivor(disk, contents)
            self.assertEqual(left[:4], b"late")
        self.assertEqual(self.survivor(disk, Contents.ALL)[512:], b"n" * 512 * 64)

    def test_a_sync_that_fails_and_says_nothing_loses_all_the_same(self):
        _, disk = self.play("""
faults.fail_syncs(errno.EIO, '', 1, is_hidden=True)
os.pwrite(d, b'new', 0)
assert fails(os.fsync, d) is None
""")
        self.assertEqual(disk.failures, 1)

    def test_syncs_of_other_paths_succeed(self):
        _, disk = self.play("""
faults.fail_syncs(errno.EIO, '/b$')
os.pwrite(d, b'new', 0)
assert fails(os.fsync, d) is None
faults.fail_syncs(errno.EIO, '/a$')
assert fails(os.fsync, d) == fails(os.fdatasync, d) == errno.EIO
faults.end()
assert fails(os.fsync, d) is None
""")
        self.assertEqual(self.survivor(disk, Contents.NONE), b"new")

    def test_writes_fail_and_leave_nothing(self):
        folder, _ = self.play("""
faults.fail_writes(errno.ENOSPC, '', 2)
assert fails(os.pwrite, d, b'new', 0) == fails(os.posix_fallocate, d, 0, 4096) == errno.ENOSPC
assert fails(os.write, d, b'er') is None
faults.fail_writes(errno.EIO, '', share=0.5)
failed = sum(fails(os.pwrite, d, b'older', 0) == errno.EIO for _ in range(400))
assert 100 < failed < 300, failed
assert faults.failed_writes == failed + 2
""")
        self.assertEqual((folder / "a").read_bytes(), b"older")


class ForgeryTests(unittest.TestCase):
    """Each kind of round must find what is missing."""

    def test_forgeries_are_found(self):
        for kind, forgery, words in FORGERIES:
            with self.subTest(kind=kind, forgery=forgery), tempfile.TemporaryDirectory(prefix="crash-") as work:
                done = crash("--work", work, "--rounds", "1", "--kinds", kind, "--forge", forgery, "--seed", "5",
                             "--seconds", "1.5", "--sentences", "200", "--start-seconds", "20",
                             "--shelf", "1" if forgery == "unbuilt" else "0")
                subprocess.run(["umount", "-q", f"{work}/round-1/disk"], capture_output=True)
                self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
                findings = [line for line in done.stdout.splitlines() if line.startswith("    ")]
                self.assertTrue(any(word in line for word in words for line in findings), done.stdout + done.stderr)


class Client(Actor):
    """Meets something, once."""

    def __init__(self, error: Exception):
        super().__init__("client", None, Random(1))
        self.error = error

    def act(self) -> None:
        raise self.error


class ClientTests(unittest.TestCase):
    """Nothing that a client meets is passed over."""

    def failure(self, error: Exception, is_ending: bool = False) -> str | None:
        one = Client(error)
        one.is_ending = is_ending
        one.run()
        return one.failure

    def test_a_connection_ends_only_with_the_server(self):
        for error in (ConnectionResetError(), TimeoutError(), http.client.RemoteDisconnected()):
            self.assertIn("ended before the server was to end", self.failure(error))
            self.assertIsNone(self.failure(error, is_ending=True))

    def test_only_a_server_that_ends_may_refuse(self):
        for status in (500, 503, 507):
            self.assertIn("no", self.failure(Refused(status, "no")))
        self.assertIsNone(self.failure(Refused(503, "no"), is_ending=True))
        self.assertIn("no", self.failure(Refused(507, "no"), is_ending=True))
        self.assertIn("no", self.failure(Problem("no"), is_ending=True))

    def test_what_else_is_raised_is_told(self):
        for error in (ValueError("no JSON"), KeyError("count"), TypeError("none")):
            found = self.failure(error, is_ending=True)
            self.assertIn(type(error).__name__, found)
            self.assertIn("test_crash.py, line", found)


class EndTests(unittest.TestCase):
    """Of the process under test."""

    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory(prefix="crash-")
        self.server = WatchedServer("sleep", Path(self.temporary.name), {})
        self.begin()

    def begin(self) -> None:
        self.server.child = subprocess.Popen(["sleep", "60"])
        self.addCleanup(self.server.child.wait)

    def tearDown(self):
        self.server.kill()
        self.temporary.cleanup()

    def test_one_that_lives_is_killed(self):
        self.assertIsNone(self.server.kill_living())
        self.assertIsNone(self.server.child)

    def test_one_that_has_just_died_is_found(self):
        for number in (signal.SIGSEGV, signal.SIGKILL):
            self.server.child.send_signal(number)
            os.waitid(os.P_PID, self.server.pid, os.WEXITED | os.WNOWAIT)
            self.assertIn(f"by itself, with status {-number}", self.server.kill_living())
            self.begin()

    def test_one_that_was_asked_may_end_with_status_0_only(self):
        self.server.terminate()
        os.waitid(os.P_PID, self.server.pid, os.WEXITED | os.WNOWAIT)
        self.assertIn("after SIGTERM, with status -15", self.server.kill_living())


class TotalsTests(unittest.TestCase):
    """A run that has shown nothing fails."""

    class Round:
        ending, continued, cuts, starts = "", False, [], []

        def __init__(self, fired: dict[str, int], kind: str = "sync", end: str | None = None, cuts: int = 0):
            self.fired, self.kind, self.checkpoint_cuts, self.actors = fired, kind, cuts, []
            self.ends, self.checkpoints = {end: 1} if end else {}, Checkpoints(3, [1], [1])

        def acknowledged(self) -> int:
            return 1

        def refusals(self) -> dict[int, int]:
            return {}

    def totals(self, *fired: dict[str, int]) -> Totals:
        totals = Totals(["sync", "full"])
        for number, one in enumerate(fired):
            totals.add(number, 1, self.Round(one), 1, [])
        return totals

    def test_rounds_in_which_nothing_failed_are_not_enough(self):
        self.assertIn("in 3 rounds of sync no sync and no write failed", self.totals({}, {}, {}).gaps())
        self.assertEqual(self.totals({}, {}, {"syncs of anything": 1}).gaps(), [])
        self.assertEqual(self.totals({}, {}).gaps(), [])

    def gaps(self, count: int, **what) -> list[str]:
        totals = Totals(["power"])
        for number in range(count):
            totals.add(number, 1, self.Round({}, **what), 1, [])
        return [one for one in totals.gaps() if "feeds" not in one]

    def test_ends_of_which_none_fell_into_a_build_or_a_drop_are_not_enough(self):
        build, drop = (f"of 40 ends with many records none fell into a {work}" for work in ("build", "drop"))
        self.assertEqual(self.gaps(40, kind="kill", end="neither"), [build, drop])
        self.assertEqual(self.gaps(40, kind="kill", end="build"), [drop])
        self.assertEqual(self.gaps(40, kind="kill", end="build and drop"), [])
        self.assertEqual(self.gaps(39, kind="kill", end="neither"), [])

    def test_power_rounds_without_a_cut_after_a_checkpoint_are_not_enough(self):
        self.assertEqual(self.gaps(5, kind="power"), ["in 5 rounds of power no cut came just after a checkpoint"])
        self.assertEqual(self.gaps(5, kind="power", cuts=1), [])
        self.assertEqual(self.gaps(4, kind="power"), [])

    def test_kinds_without_a_round_are_named(self):
        self.assertIn("not shown: no round of full", self.totals({}).details())
        self.assertIn("not shown: no sync and no write that failed", self.totals({}).details())

    def shown(self, count: int, **feeds: int) -> list[str]:
        follower, writer, shown = Follower("feed", None, None), RecordWriter("item", None, None), Shown()
        follower.count, writer.count = 1, count
        follower.feeds.update({name.replace("_", " "): number for name, number in feeds.items()})
        for _ in range(5):
            shown.add([follower, writer])
        return shown.gaps()

    def test_clients_who_were_never_answered_are_named(self):
        self.assertEqual(self.shown(0, gone_on_with=1), ["no RecordWriter was ever answered"])

    def test_feeds_of_which_few_were_gone_on_with_are_not_enough(self):
        self.assertEqual(self.shown(1, gone_on_with=5, expired=5), [])
        for feeds in ({"expired": 8}, {"gone_on_with": 1, "expired": 8}, {"gone_on_with": 2, "without_a_token": 3}):
            self.assertIn("too few feeds were gone on with", self.shown(1, **feeds)[0])

    def test_readers_who_saw_no_deletion_show_none(self):
        reader, shown = Reader([], "reader", None, None), Shown()
        reader.count = 1
        for _ in range(5):
            shown.add([reader])
        self.assertIn("no reader saw a deletion", shown.gaps())
        reader.gone["item"] = [(1, 2)]
        shown.add([reader])
        self.assertNotIn("no reader saw a deletion", shown.gaps())


class ReaderTests(unittest.TestCase):
    """What a reader saw is not undone, a deletion neither; but a name may be used again."""

    CREATED, DELETED = {"version": 1, "text": ""}, GONE

    def complaints(self, states: list, look: tuple[int, int], now, cut: int = 1_000) -> list[str]:
        """The states were sent at 100, 200 … and answered 10 later, all but the last one."""
        writer, reader = RecordWriter("item", None, None), Reader([], "reader", None, None)
        history = writer.histories["item-0"] = History()
        history.steps += [Step(100 * number, state, 100 * number + 10) for number, state in enumerate(states, 1)]
        history.steps[-1].answered = None
        reader.writers, reader.seen, reader.gone = [writer], {"item-0": [(150, 1)]}, {"item-0": [look]}
        survivor = Survivor.__new__(Survivor)
        survivor.records = {} if now is GONE else {"item-0": {"fields": {key: {"value": one}
                                                                           for key, one in now.items()}}}
        return list(reader.complaints(cut, survivor))

    def test_a_deletion_that_was_seen_stays_done(self):
        for look in ((205, 207), (195, 207), (230, 240)):
            found = self.complaints([self.CREATED, self.DELETED], look, self.CREATED)
            self.assertEqual(len(found), 1)
            self.assertIn("a reader had seen that item-0 was gone", found[0])
            self.assertEqual(self.complaints([self.CREATED, self.DELETED], look, GONE), [])

    def test_one_that_was_seen_after_the_cut_may_be_undone(self):
        self.assertEqual(self.complaints([self.CREATED, self.DELETED], (205, 207), self.CREATED, cut=206), [])

    def test_a_name_may_be_used_again(self):
        states = [self.CREATED, self.DELETED, self.CREATED]
        self.assertEqual(self.complaints(states, (205, 207), self.CREATED), [])
        self.assertEqual(len(self.complaints(states, (205, 207), self.CREATED, cut=299)), 1)

    def test_it_may_be_an_earlier_deletion_that_was_seen(self):
        states = [self.CREATED, self.DELETED, self.CREATED, self.DELETED]
        self.assertEqual(self.complaints(states, (305, 405), self.CREATED), [])
        self.assertEqual(len(self.complaints(states, (311, 405), self.CREATED)), 1)

    def test_what_nobody_has_deleted_is_not_gone(self):
        self.assertEqual(len(self.complaints([self.CREATED, {"version": 2}], (205, 207), self.CREATED)), 1)


class BuildTests(unittest.TestCase):
    """What was under way on indexes is read in the folder that an end left, of one type, or of all."""

    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory(prefix="crash-")
        self.disk = Path(self.temporary.name) / "disk"
        self.disk.mkdir()
        self.database = sqlite3.connect(self.disk / "records.sqlite")
        self.database.executescript("""
PRAGMA journal_mode = WAL;
CREATE TABLE type (id INTEGER, name TEXT);
CREATE TABLE index_definition (type INTEGER, columns TEXT, state INTEGER);
INSERT INTO type VALUES (1, 'Shelf'), (2, 'Item');
INSERT INTO index_definition VALUES (1, 'a', 0), (1, 'b', 2), (2, 'c', 1);
""")

    def tearDown(self):
        self.database.close()
        self.temporary.cleanup()

    def test_builds_and_drops_of_the_type_are_found_in_the_log(self):
        self.assertEqual(builds.under_way(self.disk, "Shelf"), set())
        self.assertEqual(builds.under_way(self.disk, "Item"), {"build"})
        with self.database:
            self.database.execute("INSERT INTO index_definition VALUES (1, 'd', 3), (1, 'e', 1)")
        before = {one.name: one.read_bytes() for one in self.disk.iterdir()}
        self.assertEqual(builds.under_way(self.disk, "Shelf"), {"build", "drop"})
        self.assertEqual({one.name: one.read_bytes() for one in self.disk.iterdir()}, before)

    def test_what_is_left_to_do_is_a_complaint(self):
        self.assertIn("there is left: build of c", list(builds.complaints(self.disk, 0.1))[0])
        with self.database:
            self.database.execute("DELETE FROM index_definition WHERE state = 1")
        self.assertEqual(list(builds.complaints(self.disk, 0.1)), [])


class RunTests(unittest.TestCase):
    """Of `crash.py` itself."""

    def test_a_run_begins_where_it_is_told_to_and_leaves_a_line_for_each_round(self):
        with tempfile.TemporaryDirectory(prefix="crash-") as work:
            lines = Path(work) / "rounds.jsonl"
            done = crash("--work", work, "--from", "8", "--rounds", "2", "--kinds", "stop,kill", "--seed", "5",
                         "--seconds", "0.5", "--start-seconds", "20", "--json", str(lines))
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            found = [json.loads(line) for line in lines.read_text().splitlines()]
            self.assertEqual([(one["number"], one["kind"], one["seed"], one["findings"]) for one in found],
                             [(8, "kill", 5, []), (9, "stop", 5, [])])
            for one in found:
                self.assertGreater(one["writes"], 0)
                self.assertGreater(len(one["starts"]), 0)
            writes = sum(one["writes"] for one in found)
            self.assertIn(f"2 rounds: 1 kill, 1 stop; {writes} writes acknowledged", done.stdout)

    def test_two_runs_do_not_work_in_one_folder(self):
        with tempfile.TemporaryDirectory(prefix="crash-") as work, open(Path(work) / "lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            done = crash("--work", work, "--rounds", "1")
            self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
            self.assertIn("--work", done.stdout)


if __name__ == "__main__":
    if len(sys.argv) > 1 and not sys.argv[1].startswith("-"):
        BINARY = str(Path(sys.argv.pop(1)).resolve())
    unittest.main()
