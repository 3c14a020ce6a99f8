"""What the rounds of a run come to, and a line of JSON for each of them."""
import json
from collections import Counter
from pathlib import Path

import paths  # noqa: F401
from power import CrewRound
from shown import Shown

# In so many rounds of a kind that makes something fail, something fails.
ENOUGH = 3
# In so many ends of servers with a type of many records, one comes in the middle of a build and one of a drop: a third
# of them each do; none after SIGTERM, which takes longer than the work.
ENOUGH_ENDS = 40
# In so many rounds of power, half of which copy the log often, some cut comes just after a checkpoint.
ENOUGH_POWER = 5
# What is done to indexes in slices.
WORKS = ("build", "drop")


class Totals:
    def __init__(self, kinds: list[str], file: Path | None = None):
        self.kinds, self.file, self.shown = kinds, file, Shown()
        self.fired: Counter[str] = Counter()  # what failed, by what it was
        self.met: Counter[str] = Counter()  # rounds of a kind in which something did
        self.ways: Counter[str] = Counter()  # how rounds went on with a full disk
        self.works: Counter[str] = Counter()  # ends of servers with many records, by what their indexes were at
        self.checkpoints: Counter[str] = Counter()  # of the log, in rounds of power, and cuts just after one
        self.is_mounted = True
        self.played: dict[str, int] = {}
        self.failed: dict[str, int] = {}
        self.writes = self.cuts = self.starts = 0
        self.seconds = self.slowest = 0.0
        self.refusals: dict[int, int] = {}

    def add(self, number: int, seed: int, one: CrewRound, seconds: float, found: list[str]) -> None:
        self.played[one.kind] = self.played.get(one.kind, 0) + 1
        if found:
            self.failed[one.kind] = self.failed.get(one.kind, 0) + 1
        self.note(one)
        self.writes += one.acknowledged()
        self.cuts += len(one.cuts)
        self.starts += len(one.starts)
        self.seconds += seconds
        self.slowest = max([self.slowest, *one.starts])
        for status, count in one.refusals().items():
            self.refusals[status] = self.refusals.get(status, 0) + count
        if self.file:
            line = {"kind": one.kind, "seed": seed, "number": number, "end": one.ending, "continued": one.continued,
                    "writes": one.acknowledged(), "fired": one.fired, "indexes": one.ends, "refusals": one.refusals(),
                    "cuts": len(one.cuts),
                    "starts": [round(start, 3) for start in one.starts], "seconds": round(seconds, 1),
                    "findings": [sentence[:1200] for sentence in found]}
            with open(self.file, "a") as lines:
                lines.write(json.dumps(line) + "\n")

    def note(self, one: CrewRound) -> None:
        """What a round has shown."""
        self.shown.add(one.actors)
        self.fired.update(one.fired)
        self.met[one.kind] += bool(one.fired)
        self.works.update(one.ends)
        if one.kind == "power":
            self.checkpoints.update({"seen": one.checkpoints.count, "restarts": len(one.checkpoints.restarts),
                                     "cuts": one.checkpoint_cuts})
        if one.kind == "full":
            self.ways[one.way or "none"] += 1
            self.is_mounted = self.is_mounted and one.mounted

    def gaps(self) -> list[str]:
        """What must have been shown by so many rounds, and was not: such a run fails."""
        found = self.shown.gaps()
        if self.played.get("sync", 0) >= ENOUGH and not self.met["sync"]:
            found.append(f"in {self.played['sync']} rounds of sync no sync and no write failed")
        ended = sum(self.works.values())
        for work in WORKS if ended >= ENOUGH_ENDS else ():
            if not self.ends_in(work):
                found.append(f"of {ended} ends with many records none fell into a {work}")
        if self.played.get("power", 0) >= ENOUGH_POWER and not self.checkpoints["cuts"]:
            found.append(f"in {self.played['power']} rounds of power no cut came just after a checkpoint")
        return found

    def ends_in(self, work: str) -> int:
        """An end may fall into a build and a drop."""
        return sum(count for what, count in self.works.items() if work in what)

    def left_out(self) -> list[str]:
        """What a run of this length, on this machine, has not shown."""
        found = [f"no round of {kind}" for kind in self.kinds if kind not in self.played]
        if self.played.get("sync") and not self.met["sync"]:
            found.append("no sync and no write that failed")
        if set(self.played) - {"full"}:
            found += [f"no end in the middle of a {work} of an index" for work in WORKS if not self.ends_in(work)]
        if self.played.get("power") and not self.checkpoints["cuts"]:
            found.append("no cut just after a checkpoint")
        if not self.is_mounted:
            found.append("no disk that was really full (nothing could be mounted): no start and no stop on such a one")
        return found

    def details(self) -> list[str]:
        """What the rounds were about, in lines for the end of a run."""
        failed = ", ".join(f"{count} {what}" for what, count in sorted(self.fired.items())) or "none"
        lines = [f"{self.shown}; failed on purpose in {sum(self.met.values())} rounds: {failed}"]
        if self.ways:
            lines.append("full disks: " + ", ".join(f"{count} × {way}" for way, count in sorted(self.ways.items())))
        if ended := sum(self.works.values()):
            found = [(work, self.ends_in(work)) for work in WORKS]
            parts = ", ".join(f"{count} in a {work} ({count / ended:.0%})" for work, count in found)
            lines.append(f"{ended} ends of servers with many records: {parts}")
        if "power" in self.played:
            found = self.checkpoints
            lines.append(f"{found['seen']} checkpoints in journals, {found['restarts']} times the log began anew, "
                         f"{found['cuts']} cuts just after one")
        lines += [f"not shown: {one}" for one in self.left_out()]
        return lines + [f"FAILED: {one}" for one in self.gaps()]

    def __str__(self) -> str:
        kinds = ", ".join(f"{count} {kind}" + (f" ({self.failed[kind]} failed)" if kind in self.failed else "")
                          for kind, count in self.played.items())
        refused = "".join(f", {count} answered {status}" for status, count in sorted(self.refusals.items()))
        return (f"{sum(self.played.values())} rounds: {kinds}; {self.writes} writes acknowledged{refused}; {self.cuts} "
                f"ends judged, {self.starts} starts, the slowest {self.slowest:.2f} s; {self.seconds / 60:.1f} min; "
                f"{sum(self.failed.values())} rounds failed")
