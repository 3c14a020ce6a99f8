"""How soon a large database is ready after `kill -9` in the middle of writes, and of the build of an index.

    python3 -m Tests.crash.large_database                        # 1 GB, five times, and once more in a build
    python3 -m Tests.crash.large_database --bytes 200000000 --times 2

It is filled once and kept in the work directory. Every other start finds none of its files in the system's cache. A
kill counts only if the database was large, each writer had a response, the log was not empty, and nothing had failed.
"""
import argparse
import os
import time
from pathlib import Path
from random import Random

from Tests.crash import index_work
from Tests.crash.client import Worker
from Tests.harness.arguments import make_parser, parse, run_main
from Tests.harness.client import Client
from Tests.harness.errors import Problem
from Tests.powercut.traced_server import TracedServer

TEXT = 1_800  # a record takes about 2 KB
BATCH = 200


def main() -> int:
    options = arguments()
    binary = options.binary
    disk = options.work / "large"
    disk.mkdir(parents=True, exist_ok=True, mode=0o700)
    fill(TracedServer(binary, disk, options.settings), options.bytes)
    slowest, failed = 0.0, 0
    for number in range(1, options.times + 1):
        one = Kill(TracedServer(binary, disk, options.settings), options.bytes, Random(number))
        one.run(options.seconds, is_cold=number % 2 == 0)
        slowest, failed = max(slowest, one.took), failed + bool(one.problems)
        print(f"kill {number}: {one}, {'nothing' if number % 2 == 0 else 'all'} in the cache", flush=True)
        for sentence in one.problems:
            print(f"    {sentence[:1200]}", flush=True)
    build = Build(TracedServer(binary, disk, options.settings), options.bytes, Random(0))
    build.run(options.build_seconds)
    slowest, failed = max(slowest, build.took), failed + bool(build.problems)
    print(f"build: {build}", *(f"    {sentence[:1200]}" for sentence in build.problems), sep="\n", flush=True)
    print(f"ready within {slowest:.2f} s; {options.start_seconds:.0f} s are allowed; {failed} kills with findings")
    return 1 if slowest > options.start_seconds or failed else 0


def size(disk: Path) -> int:
    """Without the log, which is created and removed."""
    return sum(one.stat().st_size for one in disk.rglob("records.sqlite"))


def fill(server: TracedServer, wanted: int) -> None:
    """Writes batches until the database has the size; existing records count."""
    if size(server.disk) >= wanted:
        return
    begun = time.monotonic()
    server.start(60)
    # As an application would have it: records are found and sorted by two of their fields.
    admin = server.client(server.admin)
    admin.call("PUT", "/schema", {"types": {"Large": {"fields": {
        "number": {"type": "INT64", "indexes": ["QUERYABLE", "SORTABLE"]},
        "word": {"type": "STRING", "indexes": ["QUERYABLE"]}, "text": {"type": "STRING"}}}}})
    writers = [Writer(server, f"fill-{number}-{os.getpid()}", Random(number)) for number in range(3)]
    for one in writers:
        one.start()
    while size(server.disk) < wanted and any(one.is_alive() for one in writers):
        time.sleep(0.2)
    failures = stop(writers)
    server.stop()
    if failures:
        raise Problem(f"it could not be filled: {failures[0]}")
    print(f"filled with {sum(one.count for one in writers) * BATCH} records in {time.monotonic() - begun:.0f} s")


def stop(writers: list["Writer"]) -> list[str]:
    """Waits for all of them; returns their errors."""
    for one in writers:
        one.stopping.set()
    for one in writers:
        one.join(60)
    waiting = [f"{one.name} still waits after 60 s" for one in writers if one.is_alive()]
    return waiting + [one.failure for one in writers if one.failure]


class Writer(Worker):
    """Sends atomic batches of new records, one after another."""

    def __init__(self, server: TracedServer, name: str, random: Random):
        super().__init__(name, None, random)
        self.attach(server.client(server.admin))

    def act(self) -> None:
        self.client.batch([self.operation(number) for number in range(BATCH)])

    def operation(self, number: int) -> dict:
        return {"operationType": "create", "record": {
            "recordType": "Large", "recordName": f"{self.name}-{self.count}-{number}",
            "fields": {"number": {"value": self.random.randrange(10**9)},
                       "word": {"value": self.random.randbytes(4).hex()},
                       "text": {"value": self.random.randbytes(TEXT // 2).hex()}}}}


class Kill:
    """`kill -9` of a server with a large database, in the middle of writes, and the start after it."""

    def __init__(self, server: TracedServer, wanted: int, random: Random):
        self.server, self.wanted, self.random = server, wanted, random
        self.took, self.log, self.missing = 0.0, 0, 0
        self.problems: list[str] = []

    def run(self, seconds: float, is_cold: bool) -> None:
        self.server.start(60)
        writers = [Writer(self.server, f"w{number}-{time.time_ns()}", Random(number)) for number in range(4)]
        self.work(writers, seconds)
        self.end(writers)
        if is_cold:
            drop_from_cache(self.server.disk)
        after = TracedServer(self.server.binary, self.server.disk, {})
        self.took = after.start_within(60)
        self.look(after, writers)
        after.kill()

    def work(self, writers: list[Writer], seconds: float) -> None:
        """Until each writer has been answered, and then for any time up to `seconds`."""
        for one in writers:
            one.start()
        limit = time.monotonic() + 60
        while not all(one.count for one in writers) and time.monotonic() < limit:
            time.sleep(0.02)
        time.sleep(self.random.uniform(0.3, seconds))

    def end(self, writers: list[Writer]) -> None:
        for one in writers:
            one.is_ending = True
        if sentence := self.server.kill_living():
            self.problems.append(sentence)
        self.problems += stop(writers)
        self.problems += [f"{one.name} was never answered" for one in writers if not one.count]
        self.log = sum(one.stat().st_size for one in self.server.disk.rglob("records.sqlite-wal"))
        if not self.log:
            self.problems.append("the log was empty when the server was killed")
        if (found := size(self.server.disk)) < self.wanted:
            self.problems.append(f"the database has {found:,} bytes; {self.wanted:,} were asked for")

    def look(self, server: TracedServer, writers: list[Writer]) -> None:
        """One record of each batch that was acknowledged is enough: batches are atomic."""
        client = server.client(server.admin)
        for one in writers:
            for batch in range(one.count):
                name = f"{one.name}-{batch}-{self.random.randrange(BATCH)}"
                response = client.call("GET", f"/records/Large/{name}", expect=(200, 404))
                self.missing += response.status != 200
        if self.missing:
            self.problems.append(f"{self.missing} acknowledged batches are lost")

    def __str__(self) -> str:
        return (f"ready after {self.took:.3f} s with {size(self.server.disk) / 1e9:.2f} GB, {self.log / 1e6:.0f} MB in "
                f"the log at the kill")


class IndexReader(Worker):
    """Reads pages by a ready index while another one is built. It is never rejected."""

    writes = False

    def __init__(self, server: TracedServer, name: str, random: Random):
        super().__init__(name, None, random)
        self.attach(server.client(server.admin))
        self.slowest = 0.0

    def act(self) -> None:
        begun, first = time.monotonic(), self.random.randrange(10**9)
        page = self.call("POST", "/query", {"recordType": "Large", "where": "number >= %@", "args": [first],
                                            "sort": "number", "limit": 20, "fields": ["number"]}).json()
        self.slowest = max(self.slowest, time.monotonic() - begun)
        numbers = [one["fields"]["number"]["value"] for one in page["records"]]
        if numbers != sorted(numbers) or any(one < first for one in numbers):
            raise Problem(f"those from {first} on are {numbers}")


class Build:
    """`kill -9` in the middle of the build of an index of many records, and the start after it, which goes on with it.

    How long a build takes the first one says, which nobody disturbs.
    """

    FIELDS = ["word", "-number"]

    def __init__(self, server: TracedServer, wanted: int, random: Random):
        self.server, self.wanted, self.random = server, wanted, random
        self.took = self.built_in = self.slowest = 0.0
        self.undisturbed = self.killed_after = 0.0
        self.records = self.reads = 0
        self.problems: list[str] = []

    def run(self, seconds: float) -> None:
        self.server.start(60)
        self.begin(seconds)
        if sentence := self.server.kill_living():
            self.problems.append(sentence)
        self.problems += self.missing()
        after = TracedServer(self.server.binary, self.server.disk, {})
        self.took = after.start_within(60)
        readers = [IndexReader(after, f"reader{number}", Random(number)) for number in range(3)]
        for one in readers:
            one.start()
        self.built_in = self.wait(after, seconds)
        self.problems += stop(readers)
        self.reads, self.slowest = sum(one.count for one in readers), max(one.slowest for one in readers)
        self.problems += [f"{one.name} was never answered" for one in readers if not one.count]
        self.look(after)
        after.stop()

    def state(self, server: TracedServer) -> dict | None:
        """The index in the schema."""
        definition = server.client(server.admin).call("GET", "/schema/types/Large").json()
        return next((one for one in definition.get("indexes", []) if one["fields"] == self.FIELDS), None)

    def drop(self) -> None:
        client = self.server.client(self.server.admin)
        schema = client.call("GET", "/schema").json()
        schema["types"]["Large"]["indexes"] = []
        client.call("PUT", "/schema", schema)

    def add(self) -> float:
        """Returns when the build began."""
        client = self.server.client(self.server.admin)
        client.call("POST", "/schema/types/Large/indexes", {"fields": self.FIELDS}, expect=(200, 201))
        return time.monotonic()

    def begin(self, seconds: float) -> None:
        """A build that is done, and one that has come to its middle."""
        self.drop()  # what an earlier run has left
        self.add()
        self.undisturbed = self.wait(self.server, seconds)
        self.drop()
        begun, end = self.add(), self.undisturbed * self.random.uniform(0.3, 0.6)
        while is_building(self.state(self.server)) and time.monotonic() - begun < end:
            time.sleep(0.01)
        self.killed_after = time.monotonic() - begun

    def missing(self) -> list[str]:
        """The properties that this end did not show."""
        found = []
        if "build" not in index_work.under_way(self.server.disk, "Large"):
            found.append("no build was under way when the server was killed")
        if (there := size(self.server.disk)) < self.wanted:
            found.append(f"the database has {there:,} bytes; {self.wanted:,} were asked for")
        return found

    def wait(self, server: TracedServer, seconds: float) -> float:
        """Until the index is ready; returns how long that took."""
        begun = time.monotonic()
        while is_building(state := self.state(server)) and time.monotonic() - begun < seconds:
            time.sleep(0.05)
        if state is None or "state" in state:
            self.problems.append(f"after {seconds:.0f} s the index is {state}")
        return time.monotonic() - begun

    def __str__(self) -> str:
        return (f"killed {self.killed_after:.1f} s after it began, of {self.undisturbed:.1f} s that it takes, ready "
                f"after {self.took:.3f} s with {size(self.server.disk) / 1e9:.2f} GB, all {self.records:,} records in "
                f"it {self.built_in:.1f} s later, {self.reads} reads beside, the slowest {self.slowest:.3f} s")

    def look(self, server: TracedServer) -> None:
        """The index returns the same records as a scan of all, in its order."""
        client = server.client(server.admin)
        truth = sorted(rows(client), key=lambda one: (one[0], -one[1]))
        found = rows(client, sort=",".join(self.FIELDS))
        self.records = len(truth)
        if found != truth:
            self.problems.append(f"the index gives {len(found)} records of {len(truth)}, or in another order")


def is_building(state: dict | None) -> bool:
    return bool(state) and state.get("state") == "building"


def rows(client: Client, **query) -> list[tuple[str, int, str]]:
    """Word, number and name of all records."""
    return [(one["fields"]["word"]["value"], one["fields"]["number"]["value"], one["recordName"])
            for one in client.query("Large", fields=["word", "number"], **query)]


def drop_from_cache(disk: Path) -> None:
    for one in disk.rglob("records.sqlite*"):
        file = os.open(one, os.O_RDONLY)
        os.fsync(file)
        os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(file)


def arguments() -> argparse.Namespace:
    parser = make_parser(__doc__, ".crash")
    parser.add_argument("--bytes", type=int, default=1_000_000_000)
    parser.add_argument("--times", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=3, help="the longest load before a kill")
    parser.add_argument("--start-seconds", type=float, default=2, help="in which the server must be ready")
    parser.add_argument("--build-seconds", type=float, default=120, help="in which an index must be built")
    return parse(parser)


if __name__ == "__main__":
    run_main(main)
