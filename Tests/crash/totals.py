"""What the rounds of a run add up to: the figures, a line of JSON per round, and what must not be missing.

A run without findings proves nothing about a situation that never occurred. So a run fails if, over enough rounds, a
kind of client never got a response, no injected failure took place, or no cut fell into a build.
"""
import json
from collections import Counter
from pathlib import Path

from Tests.crash.job_clients import JobClient
from Tests.crash.readers import BaselineReader, FeedReader, Reader
from Tests.crash.round import Round

# In so many rounds each kind of client gets a response.
ENOUGH_ROUNDS = 5
# Of all feeds that are checked, nine of ten are usually resumed. Tokens expire when permissions may have changed, and
# some ends come before a feed was read.
LEAST_FEEDS = 0.45
# In so many rounds of sync, an injected failure takes place.
ENOUGH_SYNC = 3
# Of so many ends of servers with many records, one falls into a build and one into a drop: usually a third each, and
# none after SIGTERM, which takes longer than the work.
ENOUGH_ENDS = 40
# In so many rounds of power, half of which have frequent checkpoints, a cut comes just after a checkpoint.
ENOUGH_POWER = 5
# Of so many ends, one falls into a job that has changed some of its records.
ENOUGH_JOB_ENDS = 40
WORKS = ("build", "drop")


class Totals:
    def __init__(self, kinds: list[str], file: Path | None = None):
        self.kinds, self.file = kinds, file
        self.counts: Counter[str] = Counter()
        self.responses: Counter[str] = Counter()  # by kind of client
        self.feeds: Counter[str] = Counter()
        self.fired: Counter[str] = Counter()  # injected failures that took place, by what failed
        self.fired_rounds: Counter[str] = Counter()
        self.ways: Counter[str] = Counter()  # how rounds continued with a full disk
        self.works: Counter[str] = Counter()  # ends of servers with many records, by the work on their indexes
        self.jobs: Counter[str] = Counter()  # ends: all, in a job, and in a job that was half done
        self.run: Counter[str] = Counter()
        self.failed: Counter[str] = Counter()
        self.rejections: Counter[int] = Counter()
        self.is_mounted = True
        self.seconds = self.slowest = 0.0

    def add(self, number: int, seed: int, one: Round, seconds: float, found: list[str]) -> None:
        self.run[one.kind] += 1
        self.failed[one.kind] += bool(found)
        self.counts.update({"writes": one.acknowledged(), "cuts": len(one.cuts), "starts": len(one.starts)})
        self.seconds += seconds
        self.slowest = max([self.slowest, *one.starts])
        self.rejections.update(one.rejections())
        self.fired.update(one.fired)
        self.fired_rounds[one.kind] += bool(one.fired)
        self.works.update(one.ends)
        self.add_clients(one.workers)
        if one.kind == "power":
            self.counts.update({"checkpoints": one.checkpoints.count, "WAL restarts": len(one.checkpoints.restarts),
                                "checkpoint cuts": one.checkpoint_cuts})
        if one.kind == "full":
            self.ways[one.way or "none"] += 1
            self.is_mounted = self.is_mounted and one.mounted
        if self.file:
            line = {"kind": one.kind, "seed": seed, "number": number, "end": one.ending, "continued": one.is_continued,
                    "writes": one.acknowledged(), "fired": one.fired, "indexes": one.ends,
                    "rejections": one.rejections(), "cuts": len(one.cuts),
                    "starts": [round(start, 3) for start in one.starts], "seconds": round(seconds, 1),
                    "findings": [sentence[:1200] for sentence in found]}
            with open(self.file, "a") as lines:
                lines.write(json.dumps(line) + "\n")

    def add_clients(self, workers: list) -> None:
        for one in workers:
            if not isinstance(one, BaselineReader):
                self.responses[type(one).__name__] += one.count
            if isinstance(one, FeedReader):
                self.feeds.update(one.feeds)
            if isinstance(one, JobClient):
                self.jobs.update(one.ends)
            if isinstance(one, Reader):
                self.counts["deletions"] += len(one.absent)

    def gaps(self) -> list[str]:
        """Events that must have occurred in this many rounds and did not: such a run fails."""
        found = []
        if self.run.total() >= ENOUGH_ROUNDS:
            found += [f"no {name} ever got a response" for name, count in self.responses.items() if not count]
            if self.resumed < LEAST_FEEDS:
                found.append(f"too few feeds were resumed, {LEAST_FEEDS:.0%} must be: {self.feed_words()}")
            if "Reader" in self.responses and not self.counts["deletions"]:
                found.append("no reader saw a deletion")
        if self.run["sync"] >= ENOUGH_SYNC and not self.fired_rounds["sync"]:
            found.append(f"in {self.run['sync']} rounds of sync no sync and no write failed")
        for work in WORKS if self.works.total() >= ENOUGH_ENDS else ():
            if not self.ends_in(work):
                found.append(f"of {self.works.total()} ends with many records none fell into a {work}")
        if self.jobs["all"] >= ENOUGH_JOB_ENDS and not self.jobs["half done"]:
            found.append(f"of {self.jobs['all']} ends none fell into a job that was half done")
        if self.run["power"] >= ENOUGH_POWER and not self.counts["checkpoint cuts"]:
            found.append(f"in {self.run['power']} rounds of power no cut came just after a checkpoint")
        return found

    @property
    def resumed(self) -> float:
        """The share of the checked feeds that could be resumed from an earlier token."""
        return self.feeds["resumed"] / max(1, self.feeds.total())

    def feed_words(self) -> str:
        words = ", ".join(f"{self.feeds[one]} {one}" for one in ("resumed", "expired", "without a token"))
        return f"feeds {words} ({self.resumed:.0%} resumed); readers saw {self.counts['deletions']} deletions"

    def ends_in(self, work: str) -> int:
        """An end may fall into a build and a drop."""
        return sum(count for what, count in self.works.items() if work in what)

    def not_shown(self) -> list[str]:
        """Properties that a run of this length, on this machine, has not shown."""
        found = [f"no round of {kind}" for kind in self.kinds if not self.run[kind]]
        if self.run["sync"] and not self.fired_rounds["sync"]:
            found.append("no sync and no write that failed")
        if any(count for kind, count in self.run.items() if kind != "full"):
            found += [f"no end in the middle of a {work} of an index" for work in WORKS if not self.ends_in(work)]
        if self.run["power"] and not self.counts["checkpoint cuts"]:
            found.append("no cut just after a checkpoint")
        if not self.is_mounted:
            found.append("no really full disk, as nothing could be mounted: no start and no stop on such a disk")
        return found

    def details(self) -> list[str]:
        """Lines for the end of a run."""
        fired = ", ".join(f"{count} {what}" for what, count in sorted(self.fired.items())) or "none"
        lines = [f"{self.feed_words()}; failures injected in {self.fired_rounds.total()} rounds: {fired}"]
        if self.ways:
            lines.append("full disks: " + ", ".join(f"{count} × {way}" for way, count in sorted(self.ways.items())))
        if ended := self.works.total():
            parts = ", ".join(f"{self.ends_in(work)} in a {work}" for work in WORKS)
            lines.append(f"{ended} ends of servers with many records: {parts}")
        if self.jobs:
            lines.append(f"{self.jobs['in a job']} of {self.jobs['all']} ends in a job, "
                         f"{self.jobs['half done']} when it was half done")
        if self.run["power"]:
            lines.append(f"{self.counts['checkpoints']} checkpoints, {self.counts['WAL restarts']} WAL restarts, "
                         f"{self.counts['checkpoint cuts']} cuts just after one")
        lines += [f"not shown: {one}" for one in self.not_shown()]
        return lines + [f"FAILED: {one}" for one in self.gaps()]

    def __str__(self) -> str:
        kinds = ", ".join(f"{count} {kind}" + (f" ({self.failed[kind]} failed)" if self.failed[kind] else "")
                          for kind, count in self.run.items() if count)
        rejected = "".join(f", {count} × {status}" for status, count in sorted(self.rejections.items()))
        return (f"{self.run.total()} rounds: {kinds}; {self.counts['writes']} writes acknowledged{rejected}; "
                f"{self.counts['cuts']} ends checked, {self.counts['starts']} starts, the slowest {self.slowest:.2f} "
                f"s; {self.seconds / 60:.1f} min; {self.failed.total()} rounds failed")
