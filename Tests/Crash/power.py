"""The round that ends with a power cut, with the whole crew."""
import sqlite3
import time
from collections import Counter
from pathlib import Path
from random import Random

import paths  # noqa: F401
import behind
import builds
import crew
import shelf
from actors import GONE, Actor, History, Step, Survivor
from checkpoints import Checkpoints, checkpoints
from journal import Journal
from round import Cut, Round, moments
from shelf import ShelfKeeper
from survivors import Contents, Names
from uploads import TusWriter
from watched import WatchedServer
from writers import RecordWriter


class CrewRound(Round):
    """A round with the crew of this suite in the place of Tests/PowerCut's."""

    kind = "power"

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.place_of_faults = ""
        self.fired: Counter[str] = Counter()  # what failed in truth, where syncs or writes were to fail
        self.shelf: History | None = None  # the indexes of the type with many records, if the round has one
        self.ends: Counter[str] = Counter()  # with such a type: "build", "drop", "build and drop" or "neither"

    def heir(self, target: Path) -> Path | None:
        """What has grown large makes the rounds that go on with it slow, and shows nothing new."""
        size = sum(one.stat().st_size for one in self.disk.rglob("*") if one.is_file())
        return super().heir(target) if size < 40_000_000 else None

    def __getstate__(self):
        return {key: value for key, value in super().__getstate__().items() if key != "faults"}

    def make_actors(self, suffix: str) -> list[Actor]:
        settled = bool(self.continued or self.restarts)
        actors = crew.make(suffix, self.clock, self.random, self.options.writers, self.grace, settled)
        if self.shelf:
            actors += crew.make_for_shelf(suffix, self.clock, self.random, self.shelf, self.restarts)
        return actors

    def work(self, server: WatchedServer, seconds: float, first: bool = False) -> None:
        if self.shelf is None and shelf.is_there(server.client(server.admin)):
            self.shelf = History(None)
        super().work(server, seconds, first)

    def wait(self, seconds: float) -> None:
        """Until so many writes are done, from a few to some thousand, and in every other round until each kind of
        client was answered: on a busy machine time says little, and a password takes seconds."""
        goal, limit = self.acknowledged() + 10 ** self.random.uniform(1.3, 3.5), time.monotonic() + 3 * seconds
        while self.acknowledged() < goal and time.monotonic() < limit:
            time.sleep(0.01)
        if not self.patience and self.random.random() < 0.5:
            self.wait_for_each_kind()
        while not behind.is_ready(self) and time.monotonic() < limit + 20:
            time.sleep(0.01)
        self.wait_for_work()
        behind.strike(self)

    def wait_for_work(self) -> None:
        """Mostly until an index is being built or dropped: the end is to come in the middle of that."""
        keepers = [one for one in self.actors if isinstance(one, ShelfKeeper)]
        if not keepers or self.random.random() > 0.75:
            return
        wanted, limit = self.random.choice(["build", "drop"]), time.monotonic() + 8
        while keepers[-1].doing != wanted and time.monotonic() < limit:
            time.sleep(0.002)
        time.sleep(self.random.uniform(0, 0.03) if wanted == "build" else 0)

    def note_end(self, left: Path) -> None:
        """What was under way at an end that left this folder."""
        if self.shelf:
            self.ends[" and ".join(sorted(builds.under_way(left, shelf.TYPE))) or "neither"] += 1

    def judge_folder(self, left: Path, cut: Cut) -> list[str]:
        self.note_end(left)
        return super().judge_folder(left, cut)

    def token_of(self, actor: Actor, server: WatchedServer, user: str) -> str | None:
        return crew.token_of(actor, server, user)

    def survivor_of(self, server: WatchedServer) -> Survivor:
        return crew.survivor_of(server)

    def further(self, server: WatchedServer, survivor: Survivor) -> list[str]:
        return crew.index_complaints(server, survivor, Random(len(survivor.records)))

    def collects(self, cut: Cut) -> bool:
        return cut.seed % 3 == 0

    def write_on(self, server: WatchedServer) -> None:
        """New writes succeed; making an account for them each time would cost most of a round."""
        client = server.client(server.admin)
        client.call("POST", "/records/Item", {"fields": {"version": 1, "text": "after"}}, expect=(201,))

    def collect(self, left: Path) -> list[str]:
        """Uploads that were broken off and have not expired may be gone on with, so they stay."""
        resumable = set()
        for file in left.rglob("records.sqlite"):
            database = sqlite3.connect(f"file:{file}?mode=ro", uri=True)
            resumable |= {f"{row[0]} is left in uploads" for row in database.execute(
                "SELECT name FROM resumable_upload WHERE claim IS NULL AND expires > ?", (time.time() * 1000,))}
            database.close()
        return [one for one in super().collect(left) if one not in resumable]

    def rest(self) -> None:
        super().rest()
        if self.options.forge == "ack":
            self.forge_acknowledgement()

    def forge_acknowledgement(self) -> None:
        """For tests of this suite: somebody was told of a change that never was."""
        for one in self.actors:
            for history in one.histories.values() if isinstance(one, RecordWriter) else []:
                if (last := history.steps[-1]).state is not GONE and last.answered:
                    history.steps.append(Step(last.answered, last.state | {"version": 10**6}, last.answered))
                    return

    def promises(self):
        yield from super().promises()
        for actor in self.actors:
            for upload in actor.resumables if isinstance(actor, TusWriter) else []:
                yield from upload.promises()

    def refusals(self) -> dict[int, int]:
        found: dict[int, int] = {}
        for one in self.actors:
            for status, count in one.refusals.items():
                found[status] = found.get(status, 0) + count
        return found

    def line(self) -> str:
        """What one round was, in short."""
        slowest = f", slowest start {max(self.starts):.2f} s" if self.starts else ""
        refused = "".join(f", {count} × {status}" for status, count in sorted(self.refusals().items()))
        rash = f", {self.rash} UPLOADS ANSWERED BEFORE THEY WERE SAFE" if self.rash else ""
        base = "continued" if self.continued else "fresh"
        if self.shelf:
            ends = ", ".join(f"{count} × {what}" for what, count in sorted(self.ends.items()))
            base += f", {shelf.RECORDS:,} more records ({ends})"
        return f"{base}, {self.ending}, {self.acknowledged()} writes{refused}{rash}{slowest}"


class PowerRound(CrewRound):
    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.is_copied_often = self.random.random() < 0.5 or self.options.forge == "restart"
        self.checkpoints = Checkpoints()
        self.checkpoint_cuts = 0

    def settings(self, grace: float | None = None) -> dict[str, str]:
        """In half of the rounds the log is copied into the database as often as may be, and begins anew soon."""
        often = {"FOGBASE_DATA_CHECKPOINT_BYTES": "262144"} if self.is_copied_often else {}
        return super().settings(grace) | often

    def choose_cuts(self) -> None:
        """Besides the others, the strictest cut at a moment at which somebody was told something; one while indexes are
        built or dropped, and one just after a checkpoint."""
        super().choose_cuts()
        random, told = self.random, sorted(when for one in self.actors for when in moments(one))
        more = [(random.choice(told), Contents.NONE, Names.STRICT)]
        works = [work for one in self.actors if isinstance(one, ShelfKeeper) for work in one.works]
        if works:
            # Drops are short, and builds so long that other cuts meet them as well.
            drops = [work for work in works if work[2] == "drop"]
            moment = self.within(random.choice(drops or works))
            more.append((moment, random.choice(list(Contents)), random.choice(list(Names))))
        self.checkpoints = checkpoints(Journal(self.log))
        after = self.checkpoints.moments(told)
        if self.options.forge == "restart":
            after = behind.forget_first_commits(self.log, self.checkpoints, told)
        if after:
            # A commit that was told before it was synced is lost if nothing is left that no sync has covered.
            contents = random.choice([Contents.NONE, Contents.NONE, *Contents])
            contents = Contents.NONE if self.options.forge == "restart" else contents
            more.append((random.choice(after), contents, random.choice(list(Names))))
            self.checkpoint_cuts += 1
        self.cuts += [Cut(number, *one, random.randrange(10**9)) for number, one in enumerate(more, len(self.cuts) + 1)]
        self.cuts.sort(key=lambda one: one.position)

    def within(self, work: tuple[int, int, str]) -> int:
        """A moment of the journal between two others, rather an early one: nobody sees when a drop is done."""
        there = [one for one in Journal(self.log).positions() if work[0] <= one <= work[1]] or [work[0]]
        return there[int(len(there) * self.random.random() ** 2)]

    def load(self) -> None:
        super().load()
        self.ending += f", sync {self.sync} µs ({self.slow or 'all alike'}), {len(self.options.settings)} settings"
        self.ending += ", log copied often" if self.is_copied_often else ""
