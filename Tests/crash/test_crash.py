"""Self tests: injected failures occur as demanded, the disk model loses what a failed sync did not cover, and no
finding of a client is lost. FOGBASE names the server.
"""
import fcntl
import http.client
import json
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path
from random import Random
from unittest import mock

from Tests.crash import index_work
from Tests.crash.client import ABSENT, History, RecoveredState, Step, StoreRejection, Worker
from Tests.crash.job_clients import JobClient
from Tests.crash.readers import FeedReader, Reader
from Tests.crash.round import Round
from Tests.crash.stream_clients import Handler, Receiver
from Tests.crash.totals import Totals
from Tests.crash.writers import RecordWriter
from Tests.harness.arguments import ROOT
from Tests.harness.errors import Problem
from Tests.harness.rounds import run_rounds
from Tests.harness.testing import DirectoryTest, run_suite
from Tests.powercut.checkpoints import Checkpoints
from Tests.powercut.disk_model import Contents, Disk, Names
from Tests.powercut.faults import Faults
from Tests.powercut.journal import Journal, build, environment
from Tests.powercut.traced_server import TracedServer

# The start of each program: a file `a` whose first content is safe.
PRELUDE = """
import errno, os
d = os.open('a', os.O_CREAT | os.O_RDWR, 0o600)
os.write(d, b'old'); os.fsync(d)
folder = os.open('.', os.O_RDONLY); os.fsync(folder)
from Tests.powercut.faults import Faults
from pathlib import Path
faults = Faults.__new__(Faults)
faults.attach(Path(os.environ['POWERCUT_FAULTS']))
def fails(call, *arguments):
    try:
        call(*arguments)
    except OSError as error:
        return error.errno
"""

class FaultTests(DirectoryTest):
    def trace(self, program: str) -> tuple[Path, Disk]:
        library = build(self.directory)
        directory, log, faults = self.directory / "folder", self.directory / "journal", self.directory / "faults"
        directory.mkdir()
        Faults(faults)
        surroundings = os.environ | environment(library, directory, log, 0)
        surroundings |= {"POWERCUT_FAULTS": str(faults), "PYTHONPATH": str(ROOT)}
        subprocess.run([sys.executable, "-c", PRELUDE + program], cwd=directory, env=surroundings, check=True)
        disk = Disk()
        disk.advance(Journal(log))
        self.assertEqual(disk.difference(directory).sentences(), [])
        return directory, disk

    def recovered(self, disk: Disk, contents: Contents) -> bytes:
        with tempfile.TemporaryDirectory(dir=self.directory) as parent:
            disk.survive(Path(parent) / "recovered", contents, Names.STRICT, Random(1))
            return (Path(parent) / "recovered/a").read_bytes()

    def test_no_later_sync_covers_the_writes_of_a_failed_sync(self):
        _, disk = self.trace("""
os.pwrite(d, b'n' * 512 * 64, 512)
faults.fail_syncs(errno.EIO, '/a$', 1)
assert fails(os.fsync, d) == errno.EIO
assert fails(os.fsync, d) is None
os.pwrite(d, b'late', 0); os.fsync(d)
assert faults.failed_syncs == 1
""")
        self.assertEqual(disk.failures, 1)
        for contents in (Contents.NONE, Contents.PREFIX):
            left = self.recovered(disk, contents)
            self.assertEqual(left[:4], b"late")
        self.assertEqual(self.recovered(disk, Contents.ALL)[512:], b"n" * 512 * 64)

    def test_a_sync_that_fails_and_says_nothing_loses_all_the_same(self):
        _, disk = self.trace("""
faults.fail_syncs(errno.EIO, '', 1, is_hidden=True)
os.pwrite(d, b'new', 0)
assert fails(os.fsync, d) is None
""")
        self.assertEqual(disk.failures, 1)

    def test_syncs_of_other_paths_succeed(self):
        _, disk = self.trace("""
faults.fail_syncs(errno.EIO, '/b$')
os.pwrite(d, b'new', 0)
assert fails(os.fsync, d) is None
faults.fail_syncs(errno.EIO, '/a$')
assert fails(os.fsync, d) == fails(os.fdatasync, d) == errno.EIO
faults.end()
assert fails(os.fsync, d) is None
""")
        self.assertEqual(self.recovered(disk, Contents.NONE), b"new")

    def test_writes_fail_and_leave_nothing(self):
        directory, _ = self.trace("""
faults.fail_writes(errno.ENOSPC, '', 2)
assert fails(os.pwrite, d, b'new', 0) == fails(os.posix_fallocate, d, 0, 4096) == errno.ENOSPC
assert fails(os.write, d, b'er') is None
faults.fail_writes(errno.EIO, '', share=0.5)
failed = sum(fails(os.pwrite, d, b'older', 0) == errno.EIO for _ in range(400))
assert 100 < failed < 300, failed
assert faults.failed_writes == failed + 2
""")
        self.assertEqual((directory / "a").read_bytes(), b"older")


class FailingWorker(Worker):
    def __init__(self, error: Exception):
        super().__init__("client", None, Random(1))
        self.error = error

    def act(self) -> None:
        raise self.error


class WorkerTests(unittest.TestCase):
    """No error of a client is ignored."""

    def failure(self, error: Exception, is_ending: bool = False) -> str | None:
        one = FailingWorker(error)
        one.is_ending = is_ending
        one.run()
        return one.failure

    def test_a_connection_ends_only_with_the_server(self):
        for error in (ConnectionResetError(), TimeoutError(), http.client.RemoteDisconnected()):
            self.assertIn("ended before the server was to end", self.failure(error))
            self.assertIsNone(self.failure(error, is_ending=True))

    def test_only_a_stopping_server_may_reject_writes(self):
        for status in (500, 503, 507):
            self.assertIn("no", self.failure(StoreRejection(status, "no")))
        self.assertIsNone(self.failure(StoreRejection(503, "no"), is_ending=True))
        self.assertIn("no", self.failure(StoreRejection(507, "no"), is_ending=True))
        self.assertIn("no", self.failure(Problem("no"), is_ending=True))

    def test_any_other_exception_is_a_failure(self):
        for error in (ValueError("no JSON"), KeyError("count"), TypeError("none")):
            found = self.failure(error, is_ending=True)
            self.assertIn(type(error).__name__, found)
            self.assertIn("test_crash.py, line", found)


class EndTests(DirectoryTest):
    """The end of the process under test."""

    def setUp(self):
        super().setUp()
        self.server = TracedServer("sleep", self.directory, {})
        self.addCleanup(self.server.kill)
        self.begin()

    def begin(self) -> None:
        self.server.child = subprocess.Popen(["sleep", "60"])
        # The cleanup of `setUp` comes later, and would let this one wait for a minute.
        self.addCleanup(self.server.child.wait)
        self.addCleanup(self.server.kill)

    def test_a_living_process_is_killed(self):
        self.assertIsNone(self.server.kill_living())
        self.assertIsNone(self.server.child)

    def test_a_process_that_has_just_died_is_found(self):
        for number in (signal.SIGSEGV, signal.SIGKILL):
            self.server.child.send_signal(number)
            os.waitid(os.P_PID, self.server.pid, os.WEXITED | os.WNOWAIT)
            self.assertIn(f"by itself, with status {-number}", self.server.kill_living())
            self.begin()

    def test_a_terminated_process_must_end_with_status_0(self):
        self.server.terminate()
        os.waitid(os.P_PID, self.server.pid, os.WEXITED | os.WNOWAIT)
        self.assertIn("after SIGTERM, with status -15", self.server.kill_living())


class TotalsTests(unittest.TestCase):
    """A run that has shown nothing fails."""

    class Round:
        ending, is_continued, cuts, starts = "", False, [], []

        def __init__(self, kind: str = "sync", fired: int = 0, end: str = "", cuts: int = 0, workers: list = ()):
            self.kind, self.checkpoint_cuts, self.workers = kind, cuts, workers
            self.fired = {"syncs": fired} if fired else {}
            self.ends, self.checkpoints = {end: 1} if end else {}, Checkpoints(3, [1], [1])

        def acknowledged(self) -> int:
            return 1

        def rejections(self) -> dict[int, int]:
            return {}

    def totals(self, count: int, **what) -> Totals:
        totals = Totals(["sync", "full"])
        for number in range(count):
            totals.add(number, 1, self.Round(**what), 1, [])
        return totals

    def gaps(self, count: int, **what) -> list[str]:
        return [one for one in self.totals(count, **what).gaps() if what.get("workers") or "feeds" not in one]

    def test_events_must_occur_in_enough_rounds(self):
        build, drop = (f"of 40 ends with many records none fell into a {work}" for work in ("build", "drop"))
        power = "in 5 rounds of power no cut came just after a checkpoint"
        for count, what, expected in (
                (3, {}, ["in 3 rounds of sync no sync and no write failed"]), (3, {"fired": 1}, []), (2, {}, []),
                (40, {"kind": "kill", "end": "neither"}, [build, drop]), (40, {"kind": "kill", "end": "build"}, [drop]),
                (40, {"kind": "kill", "end": "build and drop"}, []), (39, {"kind": "kill", "end": "neither"}, []),
                (5, {"kind": "power"}, [power]), (5, {"kind": "power", "cuts": 1}, []), (4, {"kind": "power"}, [])):
            self.assertEqual(self.gaps(count, **what), expected, (count, what))

    def test_unproven_properties_of_a_run_are_named(self):
        self.assertIn("not shown: no round of full", self.totals(1).details())
        self.assertIn("not shown: no sync and no write that failed", self.totals(1).details())

    def workers(self, writes: int = 1, deletions: bool = True, **feeds: int) -> list:
        feed, writer = FeedReader("feed", None, None), RecordWriter("item", None, Random(1))
        reader = Reader([], "reader", None, None)
        feed.count, writer.count, reader.count = 1, writes, 1
        feed.feeds.update({name.replace("_", " "): number for name, number in (feeds or {"resumed": 1}).items()})
        if deletions:
            reader.absent["item"] = [(1, 2)]
        return [feed, writer, reader]

    def test_clients_feeds_and_deletions_that_were_never_seen(self):
        for what, expected in (
                ({"writes": 0}, "no RecordWriter ever got a response"),
                ({"deletions": False}, "no reader saw a deletion"), ({"expired": 8}, "too few feeds were resumed"),
                ({"resumed": 1, "expired": 8}, "too few feeds were resumed"),
                ({"resumed": 2, "without_a_token": 3}, "too few feeds were resumed")):
            found = self.gaps(5, fired=1, workers=self.workers(**what))
            self.assertEqual(len(found), 1, found)
            self.assertIn(expected, found[0])
        self.assertEqual(self.gaps(5, fired=1, workers=self.workers(resumed=5, expired=5)), [])

    def test_ends_that_never_fell_into_a_job(self):
        for ends, expected in (
                ({"all": 8, "in a job": 8}, ["of 40 ends none fell into a job that was half done"]),
                ({"all": 8, "half done": 1}, []), ({"all": 5}, [])):
            job = JobClient("job", None, None)
            job.count = 1
            job.ends.update(ends)
            found = self.gaps(5, fired=1, workers=[*self.workers(), job])
            self.assertEqual(found, expected)

    def test_a_short_run_may_lack_clients(self):
        self.assertEqual(self.gaps(4, fired=1, workers=self.workers(writes=0)), [])


class ReaderTests(unittest.TestCase):
    """A read is not undone, a deletion neither; but a name may be used again."""

    CREATED, DELETED = {"version": 1, "text": ""}, ABSENT

    def violations(self, states: list, look: tuple[int, int], now, cut: int = 1_000) -> list[str]:
        """The states were sent at 100, 200 … and answered 10 later, all but the last one."""
        writer, reader = RecordWriter("item", None, Random(1)), Reader([], "reader", None, None)
        history = writer.histories["item-0"] = History()
        history.steps += [Step(100 * number, state, 100 * number + 10) for number, state in enumerate(states, 1)]
        history.steps[-1].answered = None
        reader.writers, reader.seen, reader.absent = [writer], {"item-0": [(150, 1)]}, {"item-0": [look]}
        recovered = RecoveredState.__new__(RecoveredState)
        recovered.records = {} if now is ABSENT else {"item-0": {"fields": {key: {"value": one}
                                                                           for key, one in now.items()}}}
        return list(reader.violations(cut, recovered))

    def test_a_deletion_that_was_seen_stays_done(self):
        for look in ((205, 207), (195, 207), (230, 240)):
            found = self.violations([self.CREATED, self.DELETED], look, self.CREATED)
            self.assertEqual(len(found), 1)
            self.assertIn("a reader had seen that item-0 was gone", found[0])
            self.assertEqual(self.violations([self.CREATED, self.DELETED], look, ABSENT), [])

    def test_one_that_was_seen_after_the_cut_may_be_undone(self):
        self.assertEqual(self.violations([self.CREATED, self.DELETED], (205, 207), self.CREATED, cut=206), [])

    def test_a_name_may_be_used_again(self):
        states = [self.CREATED, self.DELETED, self.CREATED]
        self.assertEqual(self.violations(states, (205, 207), self.CREATED), [])
        self.assertEqual(len(self.violations(states, (205, 207), self.CREATED, cut=299)), 1)

    def test_it_may_be_an_earlier_deletion_that_was_seen(self):
        states = [self.CREATED, self.DELETED, self.CREATED, self.DELETED]
        self.assertEqual(self.violations(states, (305, 405), self.CREATED), [])
        self.assertEqual(len(self.violations(states, (311, 405), self.CREATED)), 1)

    def test_a_record_without_a_deletion_is_not_gone(self):
        self.assertEqual(len(self.violations([self.CREATED, {"version": 2}], (205, 207), self.CREATED)), 1)


class ReceiverTests(unittest.TestCase):
    """The receiver of the webhooks."""

    class Keeper:
        def __init__(self):
            self.bodies = []

        def receive(self, _, body: bytes) -> bool:
            self.bodies.append(body)
            return True

    def test_a_message_that_breaks_off_is_none(self):
        keeper = self.Keeper()
        with Receiver(("127.0.0.1", 0), Handler) as receiver:
            receiver.client = keeper
            threading.Thread(target=receiver.serve_forever, args=(0.01,), daemon=True).start()
            for body, ends in ((b"{}", False), (b"{", True)):
                with socket.create_connection(("127.0.0.1", receiver.server_port)) as connection:
                    connection.sendall(b"POST / HTTP/1.1\r\nContent-Length: 2\r\n\r\n" + body)
                    if ends:
                        connection.shutdown(socket.SHUT_WR)
                    response = connection.recv(1024)
                    self.assertEqual(response == b"", ends, response)
            receiver.shutdown()
        self.assertEqual(keeper.bodies, [b"{}"])


class IndexWorkTests(DirectoryTest):
    """The work on indexes that an end interrupted is read from the disk that it left."""

    def setUp(self):
        super().setUp()
        self.disk = self.directory / "disk"
        self.disk.mkdir()
        self.database = sqlite3.connect(self.disk / "records.sqlite")
        self.addCleanup(self.database.close)
        self.database.executescript("""
PRAGMA journal_mode = WAL;
CREATE TABLE type (id INTEGER, name TEXT);
CREATE TABLE index_definition (type INTEGER, columns TEXT, state INTEGER);
INSERT INTO type VALUES (1, 'Shelf'), (2, 'Item');
INSERT INTO index_definition VALUES (1, 'a', 0), (1, 'b', 2), (2, 'c', 1);
""")

    def test_builds_and_drops_of_the_type_are_found_in_the_log(self):
        self.assertEqual(index_work.under_way(self.disk, "Shelf"), set())
        self.assertEqual(index_work.under_way(self.disk, "Item"), {"build"})
        with self.database:
            self.database.execute("INSERT INTO index_definition VALUES (1, 'd', 3), (1, 'e', 1)")
        before = {one.name: one.read_bytes() for one in self.disk.iterdir()}
        self.assertEqual(index_work.under_way(self.disk, "Shelf"), {"build", "drop"})
        self.assertEqual({one.name: one.read_bytes() for one in self.disk.iterdir()}, before)

    def test_unfinished_work_is_a_problem(self):
        self.assertIn("there is left: build of c", list(index_work.violations(self.disk, 0.1))[0])
        with self.database:
            self.database.execute("DELETE FROM index_definition WHERE state = 1")
        self.assertEqual(list(index_work.violations(self.disk, 0.1)), [])


class RunTests(DirectoryTest):
    def test_a_run_begins_at_a_number_and_writes_a_line_for_each_round(self):
        lines = self.directory / "rounds.jsonl"
        done = run_suite("crash", "--work", str(self.directory), "--from", "8", "--rounds", "2", "--kinds", "stop,kill",
                         "--seed", "5", "--seconds", "0.5", "--start-seconds", "20", "--large-type", "0", "--json",
                         str(lines))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        found = [json.loads(line) for line in lines.read_text().splitlines()]
        self.assertEqual([(one["number"], one["kind"], one["seed"], one["findings"]) for one in found],
                         [(8, "kill", 5, []), (9, "stop", 5, [])])
        for one in found:
            self.assertGreater(one["writes"], 0)
            self.assertGreater(len(one["starts"]), 0)
        writes = sum(one["writes"] for one in found)
        self.assertIn(f"2 rounds: 1 kill, 1 stop; {writes} writes acknowledged", done.stdout)

    def test_two_runs_do_not_use_one_directory(self):
        with open(self.directory / "lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            done = run_suite("crash", "--work", str(self.directory), "--rounds", "1")
            self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
            self.assertIn("--work", done.stdout)

    def test_a_round_that_breaks_off_leaves_no_server_and_no_client(self):
        worker, server = FailingWorker(Problem("unused")), mock.Mock()
        worker.act = lambda: worker.stopping.wait(30)
        options = mock.Mock(plant=None, work=self.directory, sentences=1)

        class Broken(Round):
            def run(self):
                self.servers.append(server)
                self.workers.append(worker)
                worker.start()
                raise Problem("the server did not start.")

        def make(number: int, directory: Path) -> Round:
            return Broken("", directory, directory, options, Random(1), "r1")

        with mock.patch("builtins.print"), mock.patch.object(Broken, "keep"):
            self.assertEqual(run_rounds(options, [1], make), 1)
        server.kill.assert_called()
        self.assertFalse(worker.is_alive())


if __name__ == "__main__":
    unittest.main()
