"""One round: a server under load, its end, and what several power cuts would have left of its disk."""
import http.client
import pickle
import shutil
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random

from watched import Clock, Problem, WatchedServer, doctor
from actors import Actor, Survivor
from amends import go_on, unexplained
from assets import AssetWriter, Wardrobe, is_offered, is_safe, linked_files, strays
from batches import FamilyWriter, MixedBatchWriter
from journal import Journal, Kind
from readers import Follower, Reader, Settled
from survivors import Blindness, Contents, Disk, Names
from writers import BatchWriter, Counter, Incrementer, RecordWriter, SetWriter, SignUp

# What a server on a damaged disk may do to its clients, and what the model cannot follow; ValueError is JSON's.
FAILURES = (Problem, Blindness, OSError, http.client.HTTPException, ValueError)


@dataclass
class Cut:
    """A moment in the journal, and what the disk does with all that was not synced."""
    number: int
    position: int
    contents: Contents
    names: Names
    seed: int

    def __str__(self) -> str:
        return (f"cut {self.number} at byte {self.position}, contents {self.contents.value}, names {self.names.value}, "
                f"seed {self.seed}")


class Round:
    def __init__(self, binary: str, place: Path, library: Path, options, random: Random, name: str,
                 initial: Path | None = None):
        """A round in the folder `place`, on a copy of the disk `initial`, or on an empty one."""
        self.binary, self.place, self.library, self.options = binary, place, library, options
        self.random, self.name, self.continued = random, name, initial is not None
        self.log = place / "journal"
        self.clock = Clock(self.log)
        self.sync = random.choice([0, 200, 1_000, 5_000])
        # Nothing says how long a sync takes; what others do meanwhile must not rest on it.
        self.slow = random.choice(["", "/assets", "/uploads", "/development", "-wal", "records.sqlite"])
        self.restarts, self.stumbles, self.ending = 0, 0, "killed"
        # With a short grace, receipts end and files are collected while clients upload the same again.
        self.grace = random.choice([None, None, 2.0])
        self.has_assets, self.rash = False, 0
        self.cuts: list[Cut] = []
        self.actors: list[Actor] = []
        self.servers: list[WatchedServer] = []
        self.patience: frozenset[int] = frozenset()
        self.starts: list[float] = []
        self.problems: list[str] = []
        self.disk.mkdir(parents=True, mode=0o700)
        if initial:
            shutil.copytree(initial, self.disk, dirs_exist_ok=True)
            shutil.copytree(initial, place / "initial")

    @property
    def disk(self) -> Path:
        return self.place / "disk"

    def play(self) -> list[str]:
        """Returns sentences about what went wrong."""
        self.load()
        self.problems += self.compare()
        self.choose_cuts()
        return self.findings() + self.judge(self.cuts)

    def findings(self) -> list[str]:
        """What went wrong before anything was judged."""
        idle = [] if self.acknowledged() or not self.actors else ["no write was acknowledged"]
        return self.problems + [one.failure for one in self.actors if one.failure] + idle

    def acknowledged(self) -> int:
        """Writes that were answered."""
        return sum(one.count for one in self.actors if one.writes)

    # The load

    def load(self) -> None:
        if self.random.random() < self.options.stumbles:
            self.stumble()
        server = self.serve()
        if self.random.random() < 0.25:
            # Only the process dies. What the next one finds and shows must be as safe as if it were its own.
            self.work(server, self.options.seconds / 2, first=True)
            self.kill(server)
            self.rest()
            self.go_on()
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
        self.rest()

    def kill(self, server: WatchedServer) -> None:
        """The end that the round intends: until then the server must have lived."""
        self.let_go()
        if complaint := server.kill_living():
            self.problems.append(complaint)

    def terminate(self, server: WatchedServer) -> None:
        self.let_go()
        server.terminate()

    def let_go(self) -> None:
        """From now on connections may end."""
        for one in self.actors:
            one.is_ending = True

    def stumble(self) -> None:
        """Starts that are broken off: the next one must not take for safe what it finds half made."""
        for _ in range(self.random.randint(1, 3)):
            server = self.watched()
            server.spawn()
            time.sleep(self.random.uniform(0, 0.03 + 10 * self.sync / 1e6))
            self.kill(server)
            self.stumbles += 1
            self.go_on()

    def go_on(self) -> None:
        """After a kill, before another process: what was done is in the journal, to the last operation."""
        if self.log.exists():
            go_on(self.log, self.start_of_disk(), self.disk)

    def watched(self) -> WatchedServer:
        settings = self.settings() | {"POWERCUT_SLOW": self.slow}
        self.servers.append(WatchedServer(self.binary, self.disk, settings, self.library, self.log, self.sync))
        return self.servers[-1]

    def close(self) -> None:
        """Ends what still runs, whatever went wrong."""
        for server in self.servers:
            server.kill()
        self.rest()

    def settings(self, grace: float | None = None) -> dict[str, str]:
        grace = grace or self.grace
        extra = {"FOGBASE_ASSETS_UNREFERENCED_TIME": f"{grace:.0f}s"} if grace and self.options.assets else {}
        return self.options.settings | extra

    def serve(self) -> WatchedServer:
        server = self.watched()
        server.start(30)
        return server

    def work(self, server: WatchedServer, seconds: float, first: bool = False) -> None:
        suffix = self.name if first else self.name + "b" * self.restarts
        self.has_assets = self.options.assets and is_offered(server.client())
        actors = self.make_actors(suffix)
        for one in actors:
            if isinstance(one, Settled):
                one.attach(server.client())
                one.look(is_safe=first)
        token = server.sign_up("power")
        server.client(token).call("PUT", f"/records/Counter/{suffix}-counter", {"fields": {"count": 0}}, expect=(201,))
        for one in actors:
            one.attach(server.client(self.token_of(one, server, token)))
            one.patience = self.patience
            one.start()
            self.actors.append(one)
        self.wait(seconds)
        self.expect_writes([one for one in actors if one.writes])

    def expect_writes(self, writers: list[Actor]) -> None:
        """A load in which nobody was answered shows nothing."""
        if not writers or self.patience:
            return
        limit = time.monotonic() + 10
        while not any(one.count for one in writers):
            if time.monotonic() > limit:
                self.problems.append(f"none of {len(writers)} writers was answered")
                return
            time.sleep(0.01)

    def wait(self, seconds: float) -> None:
        """Lets the clients work, for any time up to `seconds`; mostly until there is an acknowledged write of each kind
        too: on a busy machine an account alone takes a second."""
        time.sleep(self.random.uniform(0.3, max(seconds, 0.4)))
        if self.random.random() < 0.7:
            self.wait_for_each_kind()

    def wait_for_each_kind(self) -> None:
        kinds, limit = {type(one) for one in self.actors if one.writes}, time.monotonic() + 10
        while kinds - {type(one) for one in self.actors if one.count} and time.monotonic() < limit:
            time.sleep(0.01)

    def token_of(self, actor: Actor, server: WatchedServer, user: str) -> str | None:
        """Whose rights a client has."""
        return None if isinstance(actor, (Reader, Follower, Settled)) else user

    def make_actors(self, suffix: str) -> list[Actor]:
        def arguments(kind: str, number: int = 0):
            return f"{suffix}-{kind}{number}", self.clock, Random(self.random.randrange(10**9))

        clients, counter = range(self.options.clients), Counter(f"{suffix}-counter")
        writers = [RecordWriter(*arguments("item", number)) for number in clients]
        actors: list[Actor] = list(writers)
        actors += [BatchWriter(*arguments("batch", number)) for number in clients]
        actors += [Incrementer(counter, *arguments("increment", number)) for number in clients]
        if self.has_assets:
            wardrobe = Wardrobe(self.random)
            actors += [AssetWriter(wardrobe, self.grace, *arguments("asset", number))
                       for number in range(self.options.uploaders)]
        if writers:
            actors += [SetWriter(*arguments("set")), MixedBatchWriter(*arguments("mixed")),
                       FamilyWriter(*arguments("family")), SignUp(*arguments("user")),
                       Reader(writers, *arguments("reader"))]
        actors.append(Follower(*arguments("feed")))
        if self.continued or self.restarts:
            actors.append(Settled(*arguments("settled")))
        return actors

    def rest(self) -> None:
        for one in self.actors:
            one.stopping.set()
        limit = time.monotonic() + 30
        for one in self.actors:
            one.join(max(0, limit - time.monotonic()))
            if one.is_alive():
                self.problems.append(f"{one.name} still waits, 30 s after the end of the server")

    # The cuts

    def start_of_disk(self) -> Disk:
        return Disk(self.place / "initial" if self.continued else None)

    def compare(self) -> list[str]:
        """Whether the journal has everything: else nothing that is built from it could be trusted."""
        disk = self.start_of_disk()
        disk.advance(Journal(self.log))
        return [f"the instrument is blind: {one}" for one in unexplained(disk, self.disk)]

    def choose_cuts(self) -> None:
        random, positions = self.random, Journal(self.log).positions()
        syncs = [entry.end for entry in Journal(self.log).entries() if entry.kind == Kind.SYNCED]
        steps = sorted(when for one in self.actors for when in moments(one))
        chosen = [positions[-1]]
        while len(chosen) < self.options.cuts:
            # A write that is acknowledged too early is lost in the moments that follow; names matter at the start.
            kind = random.random()
            some = (steps if kind < 0.4 else syncs if kind < 0.6 else positions[:400] if kind < 0.65 else positions)
            chosen.append(random.choice(some or positions))
        kinds = [(one, random.choice(list(Contents)), random.choice(list(Names))) for one in chosen]
        kinds += [(one, Contents.NONE, Names.STRICT) for one in self.rash_answers()[:2]]
        self.cuts = [Cut(number, *kind, random.randrange(10**9))
                     for number, kind in enumerate(sorted(kinds, key=lambda kind: kind[0]), 1)]

    def rash_answers(self) -> list[int]:
        """When somebody was told of a file that was not yet safe. Few cuts would meet such a moment by chance."""
        disk, journal, found = self.start_of_disk(), Journal(self.log), []
        promises = sorted(self.promises(), key=lambda one: one[0]) if self.grace is None else []
        for answered, is_kept in promises:
            disk.advance(journal, answered)
            if not is_kept(disk):
                found.append(answered)
        self.rash = len(found)
        return found

    def promises(self) -> Iterator[tuple[int, Callable[[Disk], bool]]]:
        """When somebody was told of a file, and whether a disk would keep it for certain."""
        for actor in self.actors:
            for upload in actor.uploads if isinstance(actor, AssetWriter) else []:
                yield upload.answered, partial(is_safe, upload=upload)

    def judge(self, cuts: list[Cut]) -> list[str]:
        problems, disk, journal = [], self.start_of_disk(), Journal(self.log)
        for cut in cuts:
            disk.advance(journal, cut.position)
            found = self.judge_one(disk, cut)
            problems += [f"{cut}: {one}" for one in found]
        return problems

    def judge_one(self, disk: Disk, cut: Cut) -> list[str]:
        folder = self.place / f"cut-{cut.number}"
        shutil.rmtree(folder, ignore_errors=True)
        left = folder / "disk"
        disk.survive(left, cut.contents, cut.names, Random(cut.seed))
        left.chmod(0o700)
        found = self.judge_folder(left, cut)
        if not found:
            shutil.rmtree(folder)
        return found

    def judge_folder(self, left: Path, cut: Cut) -> list[str]:
        """What is wrong with a folder after the end that is called `cut`; new writes are made in it."""
        # Receipts must still be good for those who link now what they had uploaded.
        server = WatchedServer(self.binary, left, self.options.settings)
        found: list[str] = []
        try:
            self.starts.append(server.start_within(self.options.start_seconds))
            survivor = self.survivor_of(server)
            found += self.further(server, survivor)
            # Those of files link what is left, which others would wonder at.
            for actor in sorted(self.actors, key=lambda one: isinstance(one, AssetWriter)):
                found += self.ask(actor, cut, survivor)
            self.write_on(server)
            server.stop()
        except FAILURES as problem:
            found.append(f"{type(problem).__name__}: {problem}")
        finally:
            server.kill()
        if self.has_assets and not found and self.collects(cut):
            found = self.collect(left)
        complaint = doctor(self.binary, left / "data")
        if complaint:
            found.append(complaint)
        return found

    def survivor_of(self, server: WatchedServer) -> Survivor:
        return Survivor(server.client())

    def further(self, server: WatchedServer, survivor: Survivor) -> list[str]:
        """What else a kind of round looks at."""
        return []

    def collects(self, cut: Cut) -> bool:
        """Whether the time of grace is waited for after this cut."""
        return True

    def collect(self, left: Path) -> list[str]:
        """When the grace is over, there is no file that no record has."""
        server = WatchedServer(self.binary, left, self.settings(grace=1))
        try:
            server.start_within(self.options.start_seconds)
            linked = linked_files(Survivor(server.client()))
            limit = time.monotonic() + 10
            while (found := strays(server.data, linked)) and time.monotonic() < limit:
                time.sleep(0.2)
            server.stop()
            return found
        except FAILURES as problem:
            return [f"{type(problem).__name__}: {problem}"]
        finally:
            server.kill()

    @staticmethod
    def ask(actor: Actor, cut: Cut, survivor: Survivor) -> list[str]:
        try:
            return list(actor.complaints(cut.position, survivor))
        except FAILURES as problem:
            return [f"{actor.name}: {type(problem).__name__}: {problem}"]

    def write_on(self, server: WatchedServer) -> None:
        """The survivor must also take new accounts and writes."""
        client = server.client(server.sign_up("after"))
        client.call("POST", "/records/Item", {"fields": {"version": 1}}, expect=(201,))

    # Afterwards

    def heir(self, target: Path) -> Path | None:
        """What the last of the cuts or another left, for the next round to go on with; `None` to begin anew."""
        shutil.rmtree(target, ignore_errors=True)
        if not self.cuts or self.random.random() < 0.4:
            return None
        cut, disk = self.random.choice(self.cuts), self.start_of_disk()
        disk.advance(Journal(self.log), cut.position)
        disk.survive(target, cut.contents, cut.names, Random(cut.seed))
        return target

    def keep(self) -> None:
        """Writes down what `--again` needs."""
        with open(self.place / "round.pickle", "wb") as file:
            pickle.dump(self, file)

    def __getstate__(self):
        return {key: value for key, value in self.__dict__.items() if key not in ("options", "clock", "servers")}

    def summary(self) -> str:
        counts: dict[str, int] = {}
        for one in self.actors:
            counts[type(one).__name__] = counts.get(type(one).__name__, 0) + one.count
        text = ", ".join(f"{count} {name}" for name, count in counts.items())
        files = f", grace {self.grace or 'long'}" if self.has_assets else ""
        files += f", {self.rash} UPLOADS ANSWERED BEFORE THEY WERE SAFE" if self.rash else ""
        size = self.log.stat().st_size / 1e6 if self.log.exists() else 0
        base = "continued" if self.continued else "fresh"
        slowest = f", slowest start {max(self.starts):.2f} s" if self.starts else ""
        return (f"{base}, {self.ending}, {self.stumbles} broken starts, {self.restarts} restarts, "
                f"sync {self.sync} µs ({self.slow}){files}, {size:.0f} MB of journal, {text}{slowest}")


def moments(actor: Actor):
    """When an actor was told something."""
    yield from (one.answered for one in getattr(actor, "uploads", []))
    yield from (when for one in getattr(actor, "resumables", []) for when, _ in one.offsets)
    for history in getattr(actor, "histories", {}).values():
        yield from (one.answered for one in history.steps if one.answered)
    for _, history in getattr(actor, "groups", []) if actor.__class__ is BatchWriter else []:
        yield from (one.answered for one in history.steps if one.answered)
    yield from (page[0] for page in getattr(actor, "pages", []))
