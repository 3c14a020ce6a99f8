"""One round: a server under load, its end, and the disk as several power cuts would have left it."""
import http.client
import pickle
import shutil
import sqlite3
import time
from collections import Counter
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from random import Random

from Tests.crash import clients, index_work, job_clients, large_type, planted_faults
from Tests.crash.asset_clients import AssetWriter, linked_files, unreferenced_files
from Tests.crash.client import History, RecoveredState, Worker
from Tests.crash.large_type import IndexClient
from Tests.crash.readers import BaselineReader
from Tests.harness.errors import Problem
from Tests.harness.rounds import description
from Tests.harness.server import doctor
from Tests.powercut.disk_model import Contents, Disk, ModelError, Names
from Tests.powercut.journal import Journal, Kind
from Tests.powercut.journal_repair import repair, unexplained
from Tests.powercut.traced_server import JournalClock, TracedServer

# Permitted errors of a server on a damaged disk, and limits of the model; ValueError is JSON's.
FAILURES = (Problem, ModelError, OSError, http.client.HTTPException, ValueError)


@dataclass
class Cut:
    """A position in the journal, and the fate of all unsynced writes."""
    number: int
    position: int
    contents: Contents
    names: Names
    seed: int

    def __str__(self) -> str:
        return (f"cut {self.number} at byte {self.position}, contents {self.contents.value}, names {self.names.value}, "
                f"seed {self.seed}")


class Round:
    kind = ""

    def __init__(self, binary: str, directory: Path, library: Path, options, random: Random, name: str,
                 initial: Path | None = None):
        """A round in `directory`, on a copy of the disk `initial`, or on an empty one."""
        self.binary, self.directory, self.library, self.options = binary, directory, library, options
        self.random, self.name, self.is_continued = random, name, initial is not None
        self.log = directory / "journal"
        self.clock = JournalClock(self.log)
        self.sync = random.choice([0, 200, 1_000, 5_000])
        # The syncs of one kind of file are slower: nothing may depend on how long a sync takes.
        self.slow = random.choice(["", "/assets", "/uploads", "/development", "-wal", "records.sqlite"])
        self.restarts, self.broken_starts, self.ending = 0, 0, "killed"
        # With a short grace time, tokens expire and files are collected while clients upload the same again.
        self.grace = random.choice([None, None, 2.0])
        self.cuts: list[Cut] = []
        self.workers: list[Worker] = []
        self.servers: list[TracedServer] = []
        self.tolerated: frozenset[int] = frozenset()
        self.starts: list[float] = []
        self.problems: list[str] = []
        self.unsafe = 0  # acknowledgements of files that were not yet durable
        self.fault_target = ""
        self.fired: Counter[str] = Counter()  # the injected failures that took place, by what failed
        self.large_type: History | None = None  # the indexes of the type with many records, if the disk has it
        self.ends: Counter[str] = Counter()  # with such a type: "build", "drop", "build and drop" or "neither"
        self.disk.mkdir(parents=True, mode=0o700)
        if initial:
            shutil.copytree(initial, self.disk, dirs_exist_ok=True)
            shutil.copytree(initial, directory / "initial")

    @property
    def disk(self) -> Path:
        return self.directory / "disk"

    def run(self) -> list[str]:
        """Returns sentences about problems."""
        self.load()
        self.problems += self.compare()
        self.choose_cuts()
        return self.findings() + self.check_cuts(self.cuts)

    def findings(self) -> list[str]:
        """Problems before any cut was checked."""
        idle = [] if self.acknowledged() or not self.workers else ["no write was acknowledged"]
        return self.problems + [one.failure for one in self.workers if one.failure] + idle

    def acknowledged(self) -> int:
        return sum(one.count for one in self.workers if one.writes)

    # The load

    def load(self) -> None:
        if self.random.random() < self.options.broken_starts:
            self.break_starts()
        server = self.serve()
        if self.random.random() < 0.25:
            # Only the process dies. All data that the next one finds and returns must be as durable as its own writes.
            self.work(server, self.options.seconds / 2, first=True)
            self.kill(server)
            self.stop_workers()
            self.repair_journal()
            self.restarts += 1
            server = self.serve()
            self.work(server, self.options.seconds / 2)
        else:
            self.work(server, self.options.seconds, first=True)
        if self.random.random() < 0.2:
            self.ending = "terminated"
            self.terminate(server)
            time.sleep(self.random.uniform(0, 0.3))
        self.kill(server)
        self.stop_workers()

    def kill(self, server: TracedServer) -> None:
        """The end that the round intends. Until then the server must have lived."""
        self.allow_disconnects()
        if sentence := server.kill_living():
            self.problems.append(sentence)

    def terminate(self, server: TracedServer) -> None:
        self.allow_disconnects()
        server.terminate()

    def allow_disconnects(self) -> None:
        for one in self.workers:
            one.is_ending = True

    def break_starts(self) -> None:
        """Starts that are killed: the next one must not treat their incomplete work as durable."""
        for _ in range(self.random.randint(1, 3)):
            server = self.new_server()
            server.spawn()
            time.sleep(self.random.uniform(0, 0.03 + 10 * self.sync / 1e6))
            self.kill(server)
            self.broken_starts += 1
            self.repair_journal()

    def repair_journal(self) -> None:
        """After a kill and before another process: adds the last operation to the journal if it is missing."""
        if self.log.exists():
            repair(self.log, self.initial_disk(), self.disk)

    def new_server(self) -> TracedServer:
        settings = self.settings() | {"POWERCUT_SLOW": self.slow}
        self.servers.append(TracedServer(self.binary, self.disk, settings, self.library, self.log, self.sync))
        return self.servers[-1]

    def close(self) -> None:
        """Ends all running processes, whatever failed."""
        for server in self.servers:
            server.kill()
        self.stop_workers()
        for one in self.workers:
            one.close()

    def settings(self, grace: float | None = None) -> dict[str, str]:
        grace = grace or self.grace
        return self.options.settings | ({"FOGBASE_ASSETS_UNREFERENCED_TIME": f"{grace:.0f}s"} if grace else {})

    def serve(self) -> TracedServer:
        return self.new_server().start(30)

    def work(self, server: TracedServer, seconds: float, first: bool = False) -> None:
        if self.large_type is None and large_type.exists(server.client(server.admin)):
            self.large_type = History(None)
        suffix = self.name if first else self.name + "b" * self.restarts
        workers = self.make_workers(suffix)
        for one in workers:
            if isinstance(one, BaselineReader):
                one.attach(server.client())
                # Clients of this round change the records of the large type, and jobs of the last process continue.
                one.look(first, sorted(clients.types_of(server).keys() - {large_type.TYPE, job_clients.TYPE}))
        token = server.sign_up("power")
        server.client(token).call("PUT", f"/records/Counter/{suffix}-counter", {"fields": {"count": 0}}, expect=(201,))
        for one in workers:
            one.attach(server.client(clients.token_of(one, server, token)))
            one.tolerated = self.tolerated
            one.start()
            self.workers.append(one)
        self.wait(seconds)
        self.expect_writes([one for one in workers if one.writes])

    def make_workers(self, suffix: str) -> list[Worker]:
        has_baseline = bool(self.is_continued or self.restarts)
        workers = clients.make(suffix, self.clock, self.random, self.options.writers, self.grace, has_baseline)
        if self.large_type:
            workers += clients.make_for_large_type(suffix, self.clock, self.random, self.large_type, self.restarts)
        return workers

    def expect_writes(self, writers: list[Worker]) -> None:
        """A load in which no write was acknowledged proves nothing."""
        limit = time.monotonic() + 10
        while not self.tolerated and not any(one.count for one in writers):
            if time.monotonic() > limit:
                self.problems.append(f"none of {len(writers)} writers got a response")
                return
            time.sleep(0.01)

    def wait(self, seconds: float) -> None:
        """Until a random number of writes is done, from twenty to three thousand. In half of the rounds also until each
        kind of client got a response: on a busy machine a password alone takes seconds."""
        goal, limit = self.acknowledged() + 10 ** self.random.uniform(1.3, 3.5), time.monotonic() + 3 * seconds
        while self.acknowledged() < goal and time.monotonic() < limit:
            time.sleep(0.01)
        if not self.tolerated and self.random.random() < 0.5:
            kinds, end = {type(one) for one in self.workers if one.writes}, time.monotonic() + 10
            while kinds - {type(one) for one in self.workers if one.count} and time.monotonic() < end:
                time.sleep(0.01)
        while not planted_faults.is_ready(self) and time.monotonic() < limit + 20:
            time.sleep(0.01)
        self.wait_for_index_work()
        planted_faults.crash_server(self)

    def wait_for_index_work(self) -> None:
        """Usually until an index is being built or dropped, so that the end falls into that."""
        index_clients = [one for one in self.workers if isinstance(one, IndexClient)]
        if not index_clients or self.random.random() > 0.75:
            return
        wanted, limit = self.random.choice(["build", "drop"]), time.monotonic() + 8
        while index_clients[-1].doing != wanted and time.monotonic() < limit:
            time.sleep(0.002)
        time.sleep(self.random.uniform(0, 0.03) if wanted == "build" else 0)

    def stop_workers(self) -> None:
        for one in self.workers:
            one.stopping.set()
        limit = time.monotonic() + 30
        for one in self.workers:
            one.join(max(0, limit - time.monotonic()))
            if one.is_alive():
                self.problems.append(f"{one.name} still waits, 30 s after the end of the server")
        if self.options.plant == "ack":
            planted_faults.invent_acknowledgement(self)

    # The cuts

    def initial_disk(self) -> Disk:
        return Disk(self.directory / "initial" if self.is_continued else None)

    def compare(self) -> list[str]:
        """Whether the journal is complete. Otherwise no disk built from it could be trusted."""
        disk = self.initial_disk()
        disk.advance(Journal(self.log))
        return [f"the journal is incomplete: {one}" for one in unexplained(disk, self.disk)]

    def choose_cuts(self) -> None:
        random, positions = self.random, Journal(self.log).positions()
        syncs = [entry.end for entry in Journal(self.log).entries() if entry.kind == Kind.SYNCED]
        acknowledged = self.moments()
        chosen = [positions[-1]]
        while len(chosen) < self.options.cuts:
            # A write that is acknowledged too early is lost in the moments after that; names matter at the start.
            kind = random.random()
            some = (acknowledged if kind < 0.4 else syncs if kind < 0.6 else positions[:400] if kind < 0.65
                    else positions)
            chosen.append(random.choice(some or positions))
        kinds = [(one, random.choice(list(Contents)), random.choice(list(Names))) for one in chosen]
        self.set_cuts(kinds + [(one, Contents.NONE, Names.STRICT) for one in self.unsafe_acknowledgements()[:2]])

    def set_cuts(self, kinds: list[tuple[int, Contents, Names]]) -> None:
        self.cuts = [Cut(number, *kind, self.random.randrange(10**9))
                     for number, kind in enumerate(sorted(kinds, key=lambda kind: kind[0]), 1)]

    def moments(self) -> list[int]:
        """When a client received a response."""
        found = []
        for one in self.workers:
            found += [step.answered for history in one.histories.values() for step in history.steps if step.answered]
            found += [upload.answered for upload in getattr(one, "uploads", [])]
            found += [when for upload in getattr(one, "resumables", []) for when, _ in upload.offsets]
            found += [page[0] for page in getattr(one, "pages", [])]
        return sorted(found)

    def unsafe_acknowledgements(self) -> list[int]:
        """When a file was acknowledged that was not yet durable. Few random cuts would meet such a moment."""
        disk, journal, found = self.initial_disk(), Journal(self.log), []
        promises = [one for worker in self.workers if isinstance(worker, AssetWriter) for one in worker.promises()]
        for answered, is_kept in sorted(promises, key=lambda one: one[0]) if self.grace is None else ():
            disk.advance(journal, answered)
            if not is_kept(disk):
                found.append(answered)
        self.unsafe = len(found)
        return found

    # The checks

    def check_cuts(self, cuts: list[Cut]) -> list[str]:
        problems, disk, journal = [], self.initial_disk(), Journal(self.log)
        for cut in cuts:
            disk.advance(journal, cut.position)
            problems += [f"{cut}: {one}" for one in self.check_cut(disk, cut)]
        return problems

    def check_cut(self, disk: Disk, cut: Cut) -> list[str]:
        directory = self.directory / f"cut-{cut.number}"
        shutil.rmtree(directory, ignore_errors=True)
        left = directory / "disk"
        disk.survive(left, cut.contents, cut.names, Random(cut.seed))
        left.chmod(0o700)
        found = self.check_disk(left, cut)
        if not found:
            shutil.rmtree(directory)
        return found

    def check_disk(self, left: Path, cut: Cut) -> list[str]:
        """Problems of a disk after `cut`. New writes are made on it."""
        self.note_end(left)
        # With the usual grace time: tokens must still be valid for uploads that are linked only now.
        server = TracedServer(self.binary, left, self.options.settings)
        found: list[str] = []
        clients.begin_checks(self.workers, cut.position, left)
        try:
            self.starts.append(server.start_within(self.options.start_seconds))
            found += clients.job_violations(self.workers, cut.position, server)
            recovered = clients.recovered_state(server)
            found += clients.index_violations(server, recovered, Random(len(recovered.records)))
            # Asset clients link files now, which would be unknown records to the others.
            for worker in sorted(self.workers, key=lambda one: isinstance(one, AssetWriter)):
                found += self.ask(worker, cut, recovered)
            client = server.client(server.admin)
            client.call("POST", "/records/Item", {"fields": {"version": 1, "text": "after"}}, expect=(201,))
            server.stop()
        except FAILURES as error:
            found.append(description(error))
        finally:
            server.kill()
        if not found and cut.seed % 3 == 0:
            found = self.collect(left)
        if sentence := doctor(self.binary, left / "data"):
            found.append(sentence)
        return found

    def note_end(self, left: Path) -> None:
        """Records the index work that was under way at the end that left this disk."""
        if self.large_type:
            self.ends[" and ".join(sorted(index_work.under_way(left, large_type.TYPE))) or "neither"] += 1

    def collect(self, left: Path) -> list[str]:
        """After the grace time, no file is left that no record refers to. Unfinished uploads stay until they expire."""
        server = TracedServer(self.binary, left, self.settings(grace=1))
        try:
            server.start_within(self.options.start_seconds)
            linked = linked_files(RecoveredState(server.client(), ["File"]))
            limit = time.monotonic() + 10
            while (found := unreferenced_files(server.data, linked)) and time.monotonic() < limit:
                time.sleep(0.2)
            server.stop()
        except FAILURES as error:
            return [description(error)]
        finally:
            server.kill()
        unfinished = set()
        for file in left.rglob("records.sqlite"):
            with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as database:
                unfinished |= {f"{row[0]} is left in uploads" for row in database.execute(
                    "SELECT name FROM resumable_upload WHERE claim IS NULL AND expires > ?", (time.time() * 1000,))}
        return [one for one in found if one not in unfinished]

    def ask(self, worker: Worker, cut: Cut, recovered: RecoveredState) -> list[str]:
        try:
            return list(worker.violations(cut.position, recovered))
        except FAILURES as error:
            return [f"{worker.name}: {description(error)}"]

    # Afterwards

    def next_disk(self, target: Path) -> Path | None:
        """The disk that one of the cuts left, for the next round; `None` to begin with an empty disk. A large disk
        makes the following rounds slow and proves nothing more."""
        shutil.rmtree(target, ignore_errors=True)
        size = sum(one.stat().st_size for one in self.disk.rglob("*") if one.is_file())
        if size >= 40_000_000 or not self.cuts or self.random.random() < 0.4:
            return None
        cut, disk = self.random.choice(self.cuts), self.initial_disk()
        disk.advance(Journal(self.log), cut.position)
        disk.survive(target, cut.contents, cut.names, Random(cut.seed))
        return target

    def keep(self) -> None:
        """Writes the files for `--again`."""
        with open(self.directory / "round.pickle", "wb") as file:
            pickle.dump(self, file)

    def __getstate__(self):
        left_out = ("options", "clock", "servers", "faults")
        return {key: value for key, value in self.__dict__.items() if key not in left_out}

    def rejections(self) -> dict[int, int]:
        return dict(sum((Counter(one.rejections) for one in self.workers), Counter()))

    def summary(self) -> str:
        slowest = f", slowest start {max(self.starts):.2f} s" if self.starts else ""
        rejected = "".join(f", {count} × {status}" for status, count in sorted(self.rejections().items()))
        unsafe = f", {self.unsafe} UPLOADS ACKNOWLEDGED BEFORE THEY WERE DURABLE" if self.unsafe else ""
        base = "continued" if self.is_continued else "fresh"
        if self.large_type:
            ends = ", ".join(f"{count} × {what}" for what, count in sorted(self.ends.items()))
            base += f", {large_type.RECORDS:,} more records ({ends})"
        return f"{self.kind}, {base}, {self.ending}, {self.acknowledged()} writes{rejected}{unsafe}{slowest}"
