"""The round in which syncs or writes begin to fail: what is not durable is not acknowledged, and the server says so."""
import errno
import time

import paths  # noqa: F401
from client import Client
from faults import FOR_GOOD, Faults
from journal import Journal
from power import CrewRound
from round import FAILURES, Cut
from survivors import Contents, Names
from watched import Problem, WatchedServer

# What may fail: the log, the database, the server's own file, files that are uploaded, folders, anything.
PLACES = ["records.sqlite-wal$", "records.sqlite-wal$", "records.sqlite$", "/server.sqlite", "/assets",
          "/assets/uploads", ""]


class SyncRound(CrewRound):
    kind = "sync"

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.slow = ""
        self.failed_at = 0

    def watched(self) -> WatchedServer:
        server = super().watched()
        server.environment["POWERCUT_FAULTS"] = str(self.faults_path)
        return server

    @property
    def faults_path(self):
        return self.place / "faults"

    def load(self) -> None:
        faults = Faults(self.faults_path)
        server = self.serve()
        self.work(server, self.options.seconds / 2, first=True)
        self.fail(faults)
        time.sleep(self.random.uniform(0.2, self.options.seconds / 2))
        try:
            self.look(server, faults)
            if self.random.random() < 0.3:
                faults.end()
                time.sleep(0.2)
                self.look(server, faults)
            if self.random.random() < 0.3 or not (faults.failed_syncs or faults.failed_writes):
                # The database itself is written and synced when the server ends.
                self.ending += ", terminated"
                self.terminate(server)
                self.wait_for_failure(server, faults)
                time.sleep(self.random.uniform(0.2, 1))
        except (OSError, Problem) as problem:
            if server.child and server.child.poll() is not None:
                self.problems.append(f"the server ended with {server.child.returncode}: {server.last_words()}")
            else:
                self.problems.append(f"{type(problem).__name__}: {problem}")
        self.kill(server)
        self.rest()
        self.note_fired(faults)
        if self.random.random() < 0.3:
            self.start_failing(faults)
        self.ending += f", {faults.failed_syncs} syncs and {faults.failed_writes} writes failed"
        faults.end()
        self.patience = frozenset()
        if self.random.random() < 0.5:
            # Only the process began anew: what it finds in the system's cache need not be on the disk.
            self.ending += ", restarted"
            self.go_on()
            self.restarts += 1
            server = self.serve()
            self.work(server, self.options.seconds / 2)
            self.kill(server)
            self.rest()

    @staticmethod
    def wait_for_failure(server: WatchedServer, faults: Faults) -> None:
        """A server that is to end comes to its last syncs when it has let its clients go."""
        limit = time.monotonic() + 10
        while not (faults.failed_syncs or faults.failed_writes) and time.monotonic() < limit:
            if not faults.is_on or server.child.poll() is not None:
                return
            time.sleep(0.01)

    def be_patient(self) -> None:
        """Until now nothing was to be refused."""
        self.patience = frozenset({500, 503, 507})
        for one in self.actors:
            one.patience = self.patience

    def note_fired(self, faults: Faults) -> None:
        """What has really failed since the last time."""
        for what, count in (("syncs", faults.failed_syncs), ("writes", faults.failed_writes)):
            if more := count - sum(self.fired[one] for one in self.fired if one.startswith(what)):
                self.fired[f"{what} of {self.place_of_faults or 'anything'}"] += more

    def start_failing(self, faults: Faults) -> None:
        """A start during the failures, or that meets one of its own: it need not succeed, but must not make believe."""
        if not faults.is_on:
            self.place_of_faults = self.random.choice(PLACES)
            faults.fail_syncs(errno.EIO, self.place_of_faults, self.random.choice([1, 2, FOR_GOOD]))
        self.go_on()
        self.restarts += 1
        server = self.watched()
        try:
            server.start(3)
        except FAILURES:
            self.ending += ", refused to start while failing"
            self.problems += [crash] if (crash := server.crash()) else []
            server.kill()
        else:
            self.work_while_failing(server)
        self.note_fired(faults)

    def work_while_failing(self, server: WatchedServer) -> None:
        self.ending += ", started while failing"
        try:
            self.work(server, 0.5)
        except FAILURES:
            self.ending += ", without work"
        self.kill(server)
        self.rest()

    def fail(self, faults: Faults) -> None:
        random, self.failed_at = self.random, self.clock.now()
        self.be_patient()
        place, count = random.choice(PLACES), random.choice([1, FOR_GOOD])
        times = "for good" if count == FOR_GOOD else "once"
        hidden = self.options.forge == "sync"
        self.strictly = False
        if hidden:
            place, count = "records.sqlite-wal$", FOR_GOOD
        self.place_of_faults = place
        if hidden or random.random() < 0.65:
            faults.fail_syncs(errno.EIO, place, count, hidden)
            self.strictly = not hidden and (place == "records.sqlite-wal$" or (place == "" and count == FOR_GOOD))
            self.ending = f"syncs of {place or 'anything'} fail {times}"
        else:
            error, share = random.choice([errno.EIO, errno.ENOSPC]), random.choice([0.02, 0.3, 1])
            faults.fail_writes(error, place, count, share)
            self.ending = (f"writes to {place or 'anything'} fail {times} with {errno.errorcode[error]}, "
                           f"{share:.0%} of them")

    def look(self, server: WatchedServer, faults: Faults) -> None:
        """The server says what it can do, and can read in any case."""
        if self.strictly and faults.failed_syncs:
            limit = time.monotonic() + 2
            while (ready := self.readiness(server)) != 503 and time.monotonic() < limit:
                time.sleep(0.02)
            if ready != 503:
                self.problems.append(f"/health/ready answers {ready} after a sync of the log has failed")
            status = self.write(server)
            if status != 503:
                self.problems.append(f"a write answers {status} after a sync of the log has failed")
        elif not faults.failed_syncs and faults.failed_writes and not faults.is_on:
            # A second passes before it looks again whether the disk takes writes.
            limit = time.monotonic() + 5
            while (pair := (self.readiness(server), self.write(server))) == (503, 201) and time.monotonic() < limit:
                time.sleep(0.1)
            ready, status = pair
            if (ready, status) not in ((200, 201), (503, 503)):
                self.problems.append(f"/health/ready answers {ready} and a write {status}, when writes have failed and "
                                     "do not fail now")
        answer = server.client().call("GET", "/records/Item?limit=5", expect=(200, 500, 503))
        if answer.status != 200:
            self.problems.append(f"a read answers {answer.status} while syncs or writes fail: {answer.body[:200]!r}")

    @staticmethod
    def readiness(server: WatchedServer) -> int:
        return Client(server.port).send(b"GET /health/ready HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n").status

    @staticmethod
    def write(server: WatchedServer) -> int:
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
            # No power cut: the folder as it is, and one in which nothing is left but what a sync has covered.
            later += [(positions[-1], Contents.ALL, Names.ALL), (positions[-1], Contents.NONE, Names.ALL)]
        first = [(one.position, one.contents, one.names) for one in self.cuts[:1]]
        self.cuts = [Cut(number, *one, random.randrange(10**9))
                     for number, one in enumerate(sorted(first + later, key=lambda one: one[0]), 1)]
