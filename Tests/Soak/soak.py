#!/usr/bin/env python3
"""A mixed load for an hour on one server: memory stays as it is, and nothing fails.

    python3 Tests/Soak/soak.py                     # the release build, an hour
    python3 Tests/Soak/soak.py --seconds 600
    python3 Tests/Soak/soak.py --again .soak/soak.jsonl    # judge the samples of an earlier run
"""
import argparse
import json
import shutil
import signal
import sys
import time
from collections import Counter
from pathlib import Path
from random import Random

import paths  # noqa: F401
from actors import Survivor
from file_visitors import GRACE, Photographer, Resumer, Uploader
from gauge import Gauge
from other_visitors import Bird, Guest, Rude
from reading_visitors import Asker, Follower, Gardener, Pager
from record_visitors import COUNTER, Batcher, Keeper, Passer, SetChanger, Teller
from suite import parse, parser_of, server_binary
from verdict import Limits, Sample, demand, describe, judge, left_over, sample_of, settled
from visitor import FAILURES, Town, Visitor
from watched import Problem, WatchedServer, doctor

# How many there are of each.
CAST = {Keeper: 4, Passer: 1, Teller: 2, Batcher: 2, SetChanger: 1, Asker: 3, Pager: 2, Follower: 3, Gardener: 1,
        Uploader: 3, Resumer: 2, Photographer: 1, Guest: 1, Rude: 1, Bird: 1}
TYPES = ("Item", "Part", "Member", "Counter", "File")
# Files that no record has go soon, so that as many go as come.
SETTINGS = {"FOGBASE_ASSETS_UNREFERENCED_TIME": f"{GRACE}s"}
# Records that nobody asks for, in the owner's private database: more pages than the writer's cache holds (8 MB), which
# would else fill for half an hour as the database grows.
BALLAST_BATCHES, BALLAST_RECORDS = 40, 100
# After which the server must have let go of all that the clients held.
REST_SECONDS = 20


def main() -> int:
    options = arguments()
    limits = Limits(options.growth * 1e6, options.log * 1e6)
    if options.again:
        return again(options.again, limits)
    binary = server_binary(options)
    if binary is None:
        return 2
    shutil.rmtree(options.work, ignore_errors=True)
    options.work.mkdir(parents=True)
    (options.work / "disk").mkdir(mode=0o700)
    server = WatchedServer(binary, options.work / "disk", SETTINGS | options.settings)
    print(f"seed {options.seed}: {options.seconds:g} s, pace {options.pace:g}", flush=True)
    try:
        server.start(30)
        with open(options.work / "soak.jsonl", "w") as evidence:
            return Soak(server, options, limits, evidence).run()
    finally:
        server.kill()


class Soak:
    def __init__(self, server: WatchedServer, options, limits: Limits, evidence):
        self.server, self.options, self.limits, self.evidence = server, options, limits, evidence
        self.town = Town(server.port, server.sign_up("soak"), server.admin, options.pace)
        self.town.folder = options.work
        self.samples: list[Sample] = []
        self.gauge = Gauge(server)
        self.visitors: list[Visitor] = []
        self.shown = 0  # failures that were printed

    def run(self) -> int:
        self.furnish()
        # Threads and connections to the database that come with the first need, and stay, are there before it counts.
        self.load(min(5.0, self.options.seconds / 4))
        before = self.write("before", self.rest(None))
        held = self.gauge.held()
        self.gauge.begun, rehearsed = time.monotonic(), Counter(self.town.counts)
        self.load(self.options.seconds, self.samples)
        after = self.write("after", self.rest(before))
        more = self.gauge.held() - held
        served = self.town.counts - rehearsed
        found = judge(self.samples, before, after, self.limits) + demand(served, self.expected()) + self.truth()
        print("\n".join(describe(self.samples, before, after)), flush=True)
        if more:
            print("not there before: " + ", ".join(f"{count} of {name}" for name, count in sorted(more.items())))
        self.server.stop()
        if complaint := doctor(self.server.binary, self.server.data):
            found.append(complaint)
        found += self.town.failures
        counts = dict(sorted(self.town.counts.items()))
        span = settled(self.samples)
        share = (span[-1].cpu_seconds - span[0].cpu_seconds) / (span[-1].seconds - span[0].seconds)
        own = time.process_time() / (time.monotonic() - self.gauge.begun)
        self.say({"what": "verdict", "findings": found, "counts": counts, "served": dict(served),
                  "expected": self.expected(), "cores": round(share, 3)})
        print(", ".join(f"{count} {what.removesuffix(' acts')}" for what, count in counts.items()
                        if what.endswith(" acts")))
        print(f"{self.town.requests} requests, {counts.get('failures', 0)} failed, {counts.get('passing', 0)} put off "
              f"for now, {share:.2f} of a core for the "
              f"server and {own:.2f} for the clients; "
              f"{'flat, and nothing failed' if not found else f'{len(found)} findings'}")
        for sentence in found[:30]:
            print(f"    {sentence[:600]}")
        return 1 if found else 0

    def furnish(self) -> None:
        """What fills the caches, and what visitors find; types first, as who puts a schema must know all of them."""
        client = self.server.client(self.town.token)
        client.call("PUT", f"/records/Counter/{COUNTER}", {"fields": {"count": 0, "marks": ["first"]}}, (201,))
        for kind, fields in (("Item", {"version": 1, "bucket": 1, "owner": "nobody", "text": "", "marks": ["m1"]}),
                             ("Part", {"version": 1, "group": "none", "text": ""}),
                             ("Member", {"version": 1, "group": "none"})):
            client.call("PUT", f"/records/{kind}/first-{kind}", {"fields": fields}, (201,))
            client.call("DELETE", f"/records/{kind}/first-{kind}", expect=(204,))
        random = Random(self.options.seed)
        for _ in range(BALLAST_BATCHES):
            client.call("POST", "/records?database=private", {"operations": [
                {"operationType": "create", "record": {"recordType": "Ballast", "fields": {
                    "text": random.randbytes(2_000).hex()}}} for _ in range(BALLAST_RECORDS)]})
        client.token = self.town.admin
        schema = client.call("GET", "/schema").json()
        schema["types"]["File"] = {"fields": {"file": {"type": "ASSET"}}}
        client.call("PUT", "/schema", schema)
        client.close()

    def load(self, seconds: float, samples: list[Sample] | None = None) -> None:
        self.visitors = self.cast("rehearsal" if samples is None else "soak")
        for one in self.visitors:
            one.start()
        end, minute = time.monotonic() + seconds, time.monotonic() + 60
        try:
            while time.monotonic() < end:
                self.gauge.watch(max(0, min(self.options.interval, end - time.monotonic())))
                if self.server.child.poll() is not None:
                    raise Problem(f"the server ended: {self.server.last_words()}")
                if samples is None:
                    continue
                samples.append(self.write("sample", self.gauge.read(self.town.requests)))
                if time.monotonic() >= minute:
                    minute += 60
                    self.progress(samples)
        finally:
            self.send_home()

    def send_home(self) -> None:
        for one in self.visitors:
            one.stopping.set()
        for one in self.visitors:
            one.join(30)
            if one.is_alive():
                self.town.fail(f"{one.name} does not come to an end")

    def cast(self, name: str) -> list[Visitor]:
        random = Random(f"{self.options.seed} {name}")
        return [kind(self.town, f"{kind.__name__.lower()}{number}-{name}", Random(random.randrange(10**9)))
                for kind, count in CAST.items() for number in range(count)
                if kind is not Photographer or Photographer.PROGRAM]

    def expected(self) -> dict[str, float]:
        """How often the visitors of a kind would act if the server took no time for it."""
        acts = Counter()
        for one in self.visitors:
            acts[one.kind] += one.rate * self.options.pace * self.options.seconds
        return dict(acts)

    def rest(self, before: Sample | None) -> Sample:
        """The server without load, as soon as nothing is left of it, or after some time as it is."""
        limit = time.monotonic() + REST_SECONDS
        # The server closes readers that nobody has used for two seconds.
        time.sleep(3)
        while True:
            time.sleep(0.5)
            found = self.gauge.read(self.town.requests)
            # By the measure of the verdict, so that the last look does not fall on a reader that is just at work.
            is_calm = found.connections <= 1 if before is None else not left_over(before, found, self.limits)
            if is_calm or time.monotonic() > limit:
                return found

    def truth(self) -> list[str]:
        """What the followers have is what is there, and the counter has what was counted."""
        survivor = Survivor(self.server.client(self.server.admin), TYPES)
        found = []
        for one in self.visitors:
            if isinstance(one, Follower):
                one.client = self.server.client(self.town.token)
                try:
                    one.compare(survivor)
                except FAILURES + (Problem,) as problem:
                    found.append(f"{one.name}: {problem}")
        count = survivor.fields(COUNTER)["count"]
        if count != self.town.counts["increments increments"]:
            found.append(f"the counter is {count} after {self.town.counts['increments increments']} increments")
        return found

    def progress(self, samples: list[Sample]) -> None:
        last = samples[-1]
        for sentence in self.town.failures[self.shown:]:
            print(f"    {sentence[:600]}")
        self.shown = len(self.town.failures)
        print(f"{last.seconds / 60:5.1f} min: {last.rss_anon / 1e6:6.2f} MB, {last.threads} threads, "
              f"{last.descriptors} descriptors, "
              f"database {last.database / 1e6:.1f} MB, log {last.log / 1e6:.1f} MB, {last.files} files, "
              f"{last.requests} requests, {self.town.counts['failures']} failed", flush=True)

    def write(self, what: str, sample: Sample) -> Sample:
        self.say({"what": what} | sample.as_dict())
        return sample

    def say(self, values: dict) -> None:
        self.evidence.write(json.dumps(values) + "\n")
        self.evidence.flush()


def again(file: Path, limits: Limits) -> int:
    """Judges the samples of an earlier run."""
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    parts = {what: [sample_of(one) for one in lines if one["what"] == what] for what in ("before", "sample", "after")}
    samples = parts["before"][0], parts["after"][0]
    found = judge(parts["sample"], *samples, limits)
    for one in lines:
        # Runs of older versions do not tell.
        found += demand(one["served"], one["expected"]) if "served" in one else []
    print("\n".join(describe(parts["sample"], *samples) + (found or ["flat"])))
    return 1 if found else 0


def arguments() -> argparse.Namespace:
    parser = parser_of(__doc__, ".soak")
    parser.add_argument("--seconds", type=float, default=3600)
    parser.add_argument("--pace", type=float, default=1, help="a factor to the number of requests per second")
    parser.add_argument("--interval", type=float, default=5, help="seconds from sample to sample")
    parser.add_argument("--growth", type=float, default=2, help="MB by which memory may grow from the first quarter "
                        "after the warm-up to the last (default %(default)s)")
    parser.add_argument("--log", type=float, default=80, help="MB that the log may be long (default %(default)s)")
    parser.add_argument("--again", type=Path, metavar="FILE", help="judge the samples of an earlier run")
    return parse(parser)


if __name__ == "__main__":
    # As an exception, so that the server is ended too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(2))
    sys.exit(main())
