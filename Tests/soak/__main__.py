"""A mixed load for an hour on one server: memory must not grow, and no request may fail.

    python3 -m Tests.soak                              # the release build, an hour
    python3 -m Tests.soak --seconds 600
    python3 -m Tests.soak --again .soak/soak.jsonl     # check the samples of an earlier run
"""
import argparse
import json
import shutil
import time
from collections import Counter
from pathlib import Path
from random import Random

from Tests.crash.client import RecoveredState
from Tests.harness.arguments import make_parser, parse, run_main
from Tests.harness.errors import Problem
from Tests.harness.server import Server, doctor
from Tests.soak.checks import Limits, Sample, check, demand, describe, left_over, sample_of, settled
from Tests.soak.client import Shared, SoakClient
from Tests.soak.file_clients import GRACE, ResumableUploadClient, ThumbnailClient, UploadClient
from Tests.soak.other_clients import AccountClient, ConnectionClient, InvalidRequestClient
from Tests.soak.reading_clients import FeedClient, IndexClient, PagingClient, QueryClient
from Tests.soak.record_clients import COUNTER, BatchClient, BulkClient, CounterClient, RecordClient, UnnamedRecordClient
from Tests.soak.sampler import Sampler

# How many clients of each kind.
CLIENTS = {RecordClient: 4, UnnamedRecordClient: 1, CounterClient: 2, BatchClient: 2, BulkClient: 1, QueryClient: 3,
           PagingClient: 2, FeedClient: 3, IndexClient: 1, UploadClient: 3, ResumableUploadClient: 2,
           ThumbnailClient: 1, AccountClient: 1, InvalidRequestClient: 1, ConnectionClient: 1}
TYPES = ("Item", "Part", "Member", "Counter", "File")
# Files without a record are collected soon, so that their number stays the same.
SETTINGS = {"FOGBASE_ASSETS_UNREFERENCED_TIME": f"{GRACE}s"}
# Records in a private database that no client reads: more pages than the writer's cache holds (8 MB). Without them the
# cache would fill for half an hour as the database grows.
BALLAST_BATCHES, BALLAST_RECORDS = 40, 100
# In which the server must free all that the clients used.
REST_SECONDS = 20


def main() -> int:
    options = arguments()
    limits = Limits(options.growth * 1e6, options.log * 1e6)
    if options.again:
        return again(options.again, limits)
    shutil.rmtree(options.work, ignore_errors=True)
    options.work.mkdir(parents=True)
    print(f"seed {options.seed}: {options.seconds:g} s, pace {options.pace:g}", flush=True)
    with (Server(options.binary, options.work / "data", SETTINGS | options.settings) as server,
          open(options.work / "soak.jsonl", "w") as samples):
        return Soak(server, options, limits, samples).run()


class Soak:
    def __init__(self, server: Server, options, limits: Limits, file):
        self.server, self.options, self.limits, self.file = server, options, limits, file
        self.shared = Shared(server.port, server.sign_up("soak"), server.admin, options.pace)
        self.shared.directory = options.work
        self.samples: list[Sample] = []
        self.sampler = Sampler(server)
        self.clients: list[SoakClient] = []
        self.shown = 0  # failures that were printed

    def run(self) -> int:
        self.prepare()
        # Threads and database connections that are created on demand exist before the measurement begins.
        self.load(min(5.0, self.options.seconds / 4))
        before = self.write("before", self.rest(None))
        resources = self.sampler.resources()
        self.sampler.begun, rehearsed = time.monotonic(), Counter(self.shared.counts)
        self.load(self.options.seconds, self.samples)
        after = self.write("after", self.rest(before))
        more = self.sampler.resources() - resources
        served = self.shared.counts - rehearsed
        found = check(self.samples, before, after, self.limits) + demand(served, self.expected()) + self.compare()
        print("\n".join(describe(self.samples, before, after)), flush=True)
        if more:
            print("not there before: " + ", ".join(f"{count} of {name}" for name, count in sorted(more.items())))
        self.server.stop()
        if sentence := doctor(self.server.binary, self.server.data):
            found.append(sentence)
        found += self.shared.failures
        counts = dict(sorted(self.shared.counts.items()))
        span = settled(self.samples)
        share = (span[-1].cpu_seconds - span[0].cpu_seconds) / (span[-1].seconds - span[0].seconds)
        own = time.process_time() / (time.monotonic() - self.sampler.begun)
        self.say({"what": "result", "findings": found, "counts": counts, "served": dict(served),
                  "expected": self.expected(), "cores": round(share, 3)})
        print(", ".join(f"{count} {what.removesuffix(' acts')}" for what, count in counts.items()
                        if what.endswith(" acts")))
        rejected = [f"{count} {what}" for what, count in counts.items() if what.startswith("rejected ")]
        print(f"{self.shared.requests} requests, {counts.get('failures', 0)} failed, {counts.get('unavailable', 0)} "
              f"acts rejected for now ({', '.join(rejected) or 'none'}; {counts.get('expired uploads', 0)} expired "
              f"uploads), "
              f"{counts.get('resets', 0)} large requests reset, "
              f"{share:.2f} of a core for the server and {own:.2f} for the clients; "
              f"{'flat, and nothing failed' if not found else f'{len(found)} findings'}")
        for sentence in found[:30]:
            print(f"    {sentence[:600]}")
        return 1 if found else 0

    def prepare(self) -> None:
        """Fills the caches and creates all types: a client that puts a schema must name every type."""
        client = self.server.client(self.shared.token)
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
        client.token = self.shared.admin
        schema = client.call("GET", "/schema").json()
        schema["types"]["File"] = {"fields": {"file": {"type": "ASSET"}}}
        client.call("PUT", "/schema", schema)

    def load(self, seconds: float, samples: list[Sample] | None = None) -> None:
        self.clients = self.make_clients("rehearsal" if samples is None else "soak")
        for one in self.clients:
            one.start()
        end, minute = time.monotonic() + seconds, time.monotonic() + 60
        try:
            while time.monotonic() < end:
                self.sampler.watch(max(0, min(self.options.interval, end - time.monotonic())))
                if self.server.child.poll() is not None:
                    raise Problem(f"the server ended: {self.server.last_words()}")
                if samples is None:
                    continue
                samples.append(self.write("sample", self.sampler.read(self.shared.requests)))
                if time.monotonic() >= minute:
                    minute += 60
                    self.progress(samples)
        finally:
            self.stop_clients()

    def stop_clients(self) -> None:
        for one in self.clients:
            one.stopping.set()
        for one in self.clients:
            one.join(30)
            if one.is_alive():
                self.shared.fail(f"{one.name} does not stop")

    def make_clients(self, name: str) -> list[SoakClient]:
        if name == "soak" and not ThumbnailClient.PROGRAM:
            print("without thumbnails: vipsthumbnail is not installed (apt-get install libvips-tools)")
        random = Random(f"{self.options.seed} {name}")
        return [kind(self.shared, f"{kind.__name__.lower()}{number}-{name}", Random(random.randrange(10**9)))
                for kind, count in CLIENTS.items() for number in range(count)
                if kind is not ThumbnailClient or ThumbnailClient.PROGRAM]

    def expected(self) -> dict[str, float]:
        """How often the clients of a kind would act if responses took no time."""
        acts = Counter()
        for one in self.clients:
            acts[one.kind] += one.rate * self.options.pace * self.options.seconds
        return dict(acts)

    def rest(self, before: Sample | None) -> Sample:
        """A sample without load, once the server has freed everything, or after REST_SECONDS."""
        limit = time.monotonic() + REST_SECONDS
        # The server closes readers that are unused for two seconds.
        time.sleep(3)
        while True:
            time.sleep(0.5)
            found = self.sampler.read(self.shared.requests)
            # By the measure of the check, so that the last sample does not meet a reader that is just at work.
            is_calm = found.connections <= 1 if before is None else not left_over(before, found, self.limits)
            if is_calm or time.monotonic() > limit:
                return found

    def compare(self) -> list[str]:
        """The copies of the feed clients equal the records, and the counter equals the increments."""
        recovered = RecoveredState(self.server.client(self.server.admin), TYPES)
        found = []
        for one in self.clients:
            if isinstance(one, FeedClient):
                one.client = self.server.client(self.shared.token)
                try:
                    one.compare(recovered)
                except (Problem, OSError, ValueError) as error:
                    found.append(f"{one.name}: {error}")
        count = recovered.fields(COUNTER)["count"]
        if count != self.shared.counts["increments increments"]:
            found.append(f"the counter is {count} after {self.shared.counts['increments increments']} increments")
        return found

    def progress(self, samples: list[Sample]) -> None:
        last = samples[-1]
        for sentence in self.shared.failures[self.shown:]:
            print(f"    {sentence[:600]}")
        self.shown = len(self.shared.failures)
        print(f"{last.seconds / 60:5.1f} min: {last.rss_anon / 1e6:6.2f} MB, {last.threads} threads, "
              f"{last.descriptors} descriptors, "
              f"database {last.database / 1e6:.1f} MB, log {last.log / 1e6:.1f} MB, {last.files} files, "
              f"{last.requests} requests, {self.shared.counts['failures']} failed", flush=True)

    def write(self, what: str, sample: Sample) -> Sample:
        self.say({"what": what} | sample.as_dict())
        return sample

    def say(self, values: dict) -> None:
        self.file.write(json.dumps(values) + "\n")
        self.file.flush()


def again(file: Path, limits: Limits) -> int:
    """Checks the samples of an earlier run."""
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    parts = {what: [sample_of(one) for one in lines if one["what"] == what] for what in ("before", "sample", "after")}
    samples = parts["before"][0], parts["after"][0]
    found = check(parts["sample"], *samples, limits)
    for one in lines:
        # Runs of older versions do not add.
        found += demand(one["served"], one["expected"]) if "served" in one else []
    print("\n".join(describe(parts["sample"], *samples) + (found or ["flat"])))
    return 1 if found else 0


def arguments() -> argparse.Namespace:
    parser = make_parser(__doc__, ".soak")
    parser.add_argument("--seconds", type=float, default=3600)
    parser.add_argument("--pace", type=float, default=1, help="a factor to the number of requests per second")
    parser.add_argument("--interval", type=float, default=5, help="seconds from sample to sample")
    parser.add_argument("--growth", type=float, default=2, help="MB by which memory may grow from the first quarter "
                        "after the warm-up to the last (default %(default)s)")
    parser.add_argument("--log", type=float, default=80, help="MB that the log may be long (default %(default)s)")
    parser.add_argument("--again", type=Path, metavar="FILE", help="check the samples of an earlier run")
    return parse(parser)


if __name__ == "__main__":
    run_main(main)
