"""The round in which syncs or writes fail: the server must not acknowledge what is not durable, and must report it."""
import errno
import time

from Tests.crash.round import FAILURES, Round
from Tests.harness.client import Client
from Tests.harness.errors import Problem
from Tests.harness.rounds import description
from Tests.powercut.disk_model import Contents, Names
from Tests.powercut.faults import ALWAYS, Faults
from Tests.powercut.journal import Journal
from Tests.powercut.traced_server import TracedServer

# Paths whose operations may fail: the WAL, the database, the server's own file, uploads, directories, anything.
TARGETS = ["records.sqlite-wal$", "records.sqlite-wal$", "records.sqlite$", "/server.sqlite", "/assets",
          "/assets/uploads", ""]


class SyncRound(Round):
    kind = "sync"

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.slow = ""
        self.failed_at = 0

    def new_server(self) -> TracedServer:
        server = super().new_server()
        server.environment["POWERCUT_FAULTS"] = str(self.directory / "faults")
        return server

    def load(self) -> None:
        faults = Faults(self.directory / "faults")
        server = self.serve()
        self.work(server, self.options.seconds / 2, first=True)
        self.fail(faults)
        time.sleep(self.random.uniform(0.2, self.options.seconds / 2))
        try:
            self.check_server(server, faults)
            if self.random.random() < 0.3:
                faults.end()
                time.sleep(0.2)
                self.check_server(server, faults)
            if self.random.random() < 0.3 or not (faults.failed_syncs or faults.failed_writes):
                # The database itself is written and synced when the server ends.
                self.ending += ", terminated"
                self.terminate(server)
                self.wait_for_failure(server, faults)
                time.sleep(self.random.uniform(0.2, 1))
        except (OSError, Problem) as error:
            if server.child and server.child.poll() is not None:
                self.problems.append(f"the server ended with {server.child.returncode}: {server.last_words()}")
            else:
                self.problems.append(description(error))
        self.kill(server)
        self.stop_workers()
        self.note_fired(faults)
        if self.random.random() < 0.3:
            self.start_failing(faults)
        self.ending += f", {faults.failed_syncs} syncs and {faults.failed_writes} writes failed"
        faults.end()
        self.tolerated = frozenset()
        if self.random.random() < 0.5:
            # Only the process restarted: data in the system's cache need not be on the disk.
            self.ending += ", restarted"
            self.repair_journal()
            self.restarts += 1
            server = self.serve()
            self.work(server, self.options.seconds / 2)
            self.kill(server)
            self.stop_workers()

    @staticmethod
    def wait_for_failure(server: TracedServer, faults: Faults) -> None:
        """A server that stops makes its last syncs after it has closed its connections."""
        limit = time.monotonic() + 10
        while not (faults.failed_syncs or faults.failed_writes) and time.monotonic() < limit:
            if not faults.is_on or server.child.poll() is not None:
                return
            time.sleep(0.01)

    def tolerate_failures(self) -> None:
        self.tolerated = frozenset({500, 503, 507})
        for one in self.workers:
            one.tolerated = self.tolerated

    def note_fired(self, faults: Faults) -> None:
        """Counts the failures that took place since the last call."""
        for what, count in (("syncs", faults.failed_syncs), ("writes", faults.failed_writes)):
            if more := count - sum(self.fired[one] for one in self.fired if one.startswith(what)):
                self.fired[f"{what} of {self.fault_target or 'anything'}"] += more

    def start_failing(self, faults: Faults) -> None:
        """A start while operations fail. It need not succeed, but a server that starts must not acknowledge lost
        writes."""
        if not faults.is_on:
            self.fault_target = self.random.choice(TARGETS)
            faults.fail_syncs(errno.EIO, self.fault_target, self.random.choice([1, 2, ALWAYS]))
        self.repair_journal()
        self.restarts += 1
        server = self.new_server()
        try:
            server.start(3)
        except FAILURES:
            self.ending += ", did not start while failing"
            self.problems += [crash] if (crash := server.crash()) else []
            server.kill()
        else:
            self.work_while_failing(server)
        self.note_fired(faults)

    def work_while_failing(self, server: TracedServer) -> None:
        self.ending += ", started while failing"
        try:
            self.work(server, 0.5)
        except FAILURES:
            self.ending += ", without work"
        self.kill(server)
        self.stop_workers()

    def fail(self, faults: Faults) -> None:
        random, self.failed_at = self.random, self.clock.now()
        self.tolerate_failures()
        target, count = random.choice(TARGETS), random.choice([1, ALWAYS])
        times = "always" if count == ALWAYS else "once"
        hidden = self.options.plant == "sync"
        self.strictly = False
        if hidden:
            target, count = "records.sqlite-wal$", ALWAYS
        self.fault_target = target
        if hidden or random.random() < 0.65:
            faults.fail_syncs(errno.EIO, target, count, hidden)
            self.strictly = not hidden and (target == "records.sqlite-wal$" or (target == "" and count == ALWAYS))
            self.ending = f"syncs of {target or 'anything'} fail {times}"
        else:
            error, share = random.choice([errno.EIO, errno.ENOSPC]), random.choice([0.02, 0.3, 1])
            faults.fail_writes(error, target, count, share)
            self.ending = (f"writes to {target or 'anything'} fail {times} with {errno.errorcode[error]}, "
                           f"{share:.0%} of them")

    def check_server(self, server: TracedServer, faults: Faults) -> None:
        """Readiness must agree with the results of writes, and reads must work."""
        if self.strictly and faults.failed_syncs:
            limit = time.monotonic() + 2
            while (ready := self.readiness(server)) != 503 and time.monotonic() < limit:
                time.sleep(0.02)
            if ready != 503:
                self.problems.append(f"/health/ready returns {ready} after a sync of the log has failed")
            status = self.write(server)
            if status != 503:
                self.problems.append(f"a write returns {status} after a sync of the log has failed")
        elif not faults.failed_syncs and faults.failed_writes and not faults.is_on:
            # The server checks once per second whether the disk takes writes again.
            limit = time.monotonic() + 5
            while (pair := (self.readiness(server), self.write(server))) == (503, 201) and time.monotonic() < limit:
                time.sleep(0.1)
            ready, status = pair
            if (ready, status) not in ((200, 201), (503, 503)):
                self.problems.append(f"/health/ready returns {ready} and a write {status}, when writes have failed and "
                                     "do not fail now")
        response = server.client().call("GET", "/records/Item?limit=5", expect=(200, 500, 503))
        if response.status != 200:
            self.problems.append(f"a read returns {response.status} while operations fail: {response.body[:200]!r}")

    @staticmethod
    def readiness(server: TracedServer) -> int:
        return Client(server.port).send(b"GET /health/ready HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n").status

    @staticmethod
    def write(server: TracedServer) -> int:
        client = server.client(server.admin)
        return client.call("POST", "/records/Item", {"fields": {"version": 1, "text": "probe"}},
                           expect=(201, 500, 503, 507)).status

    def choose_cuts(self) -> None:
        super().choose_cuts()
        random = self.random
        positions = [one for one in Journal(self.log).positions() if one >= self.failed_at]
        later = [(one, random.choice(list(Contents)), random.choice(list(Names)))
                 for one in random.sample(positions, min(self.options.cuts - 1, len(positions)))]
        if positions:
            # No power cut: the disk as it is, and one with only the synced data.
            later += [(positions[-1], Contents.ALL, Names.ALL), (positions[-1], Contents.NONE, Names.ALL)]
        first = [(one.position, one.contents, one.names) for one in self.cuts[:1]]
        self.set_cuts(first + later)
