"""The round that ends with a power cut, with the whole crew."""
import sqlite3
import time
from collections import Counter
from pathlib import Path
from random import Random

import paths  # noqa: F401
import behind
import crew
from actors import GONE, Actor, Step, Survivor
from round import Cut, Round, moments
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

    def heir(self, target: Path) -> Path | None:
        """What has grown large makes the rounds that go on with it slow, and shows nothing new."""
        size = sum(one.stat().st_size for one in self.disk.rglob("*") if one.is_file())
        return super().heir(target) if size < 40_000_000 else None

    def __getstate__(self):
        return {key: value for key, value in super().__getstate__().items() if key != "faults"}

    def make_actors(self, suffix: str) -> list[Actor]:
        settled = bool(self.continued or self.restarts)
        return crew.make(suffix, self.clock, self.random, self.options.writers, self.grace, settled)

    def wait(self, seconds: float) -> None:
        """Until so many writes are done, from a few to some thousand: on a busy machine time says little."""
        goal, limit = self.acknowledged() + 10 ** self.random.uniform(1.3, 3.5), time.monotonic() + 3 * seconds
        while self.acknowledged() < goal and time.monotonic() < limit:
            time.sleep(0.01)
        while not behind.is_ready(self) and time.monotonic() < limit + 20:
            time.sleep(0.01)
        behind.strike(self)

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
        return f"{base}, {self.ending}, {self.acknowledged()} writes{refused}{rash}{slowest}"


class PowerRound(CrewRound):
    def choose_cuts(self) -> None:
        """Besides the others, the strictest cut at a moment at which somebody was told something."""
        super().choose_cuts()
        told = [when for one in self.actors for when in moments(one)]
        strict = Cut(len(self.cuts) + 1, self.random.choice(told), Contents.NONE, Names.STRICT,
                     self.random.randrange(10**9))
        self.cuts = sorted(self.cuts + [strict], key=lambda one: one.position)

    def load(self) -> None:
        super().load()
        self.ending += f", sync {self.sync} µs ({self.slow or 'all alike'}), {len(self.options.settings)} settings"
