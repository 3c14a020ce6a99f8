"""One round: a server, processes full of clients, a quiet end, and what the checkers say of it."""
import multiprocessing
import pickle
import shutil
import sys
import time
from pathlib import Path
from random import Random

from batch_clients import GroupClient
from cast import MIXES, OWNERS, PROCESSES, cast
from connection import Connection, Problem, quoted, rows_of
from followers import read_page
from history import Evidence, Run
from judge import judge
from world import ACCOUNTS, BULK, COUNTERS, CROWD, GRACE, GROUPS, MONEY, PARTS, REGISTERS, TOTALS, World

from server import Server  # from Tests/Bench

TYPES = ("Crowd", "Ticket", "Register", "Part", "Account", "Counter", "List", "Item", "Bulk", "Order", "Blob", "File")
# Files that no record has are collected while clients upload the same ones again.
SETTINGS = {"FOGBASE_ASSETS_UNREFERENCED_TIME": f"{GRACE}s"}


class Round:
    def __init__(self, binary: str, place: Path, template: Path, options, random: Random):
        self.binary, self.place, self.template, self.options, self.random = binary, place, template, options, random
        self.evidence = Evidence()
        self.mix = options.mix or random.choice(MIXES + ("all",) * 4)
        self.threads = options.settings.get("FOGBASE_SERVER_THREADS") or random.choice([1, 2, 2, 4])
        self.history: tuple | None = None
        self.metrics: dict[str, float] = {}

    def play(self) -> list[str]:
        """Returns sentences about what was inconsistent."""
        shutil.copytree(self.template, self.place / "data", dirs_exist_ok=True)
        server = Server(self.binary, self.place / "data", SETTINGS | {
            "FOGBASE_SERVER_THREADS": str(self.threads)} | self.options.settings)
        try:
            server.start()
            world, initial = self.furnish(server)
            self.work(world)
            final = self.quiet_down(world)
            self.metrics = server.metrics()
            server.stop()
        finally:
            server.kill()
        self.history = (self.evidence, final, initial)
        return judge(*self.history)

    def keep(self) -> None:
        """Writes down what `--again` needs."""
        if self.history:
            with open(self.place / "history.pickle", "wb") as file:
                pickle.dump(self.history, file)

    def furnish(self, server: Server) -> tuple[World, dict]:
        """Makes what the clients share: before they come, and not to be seen by them as changes."""
        user, client = server.sign_up("consistency"), server.client()
        client.token = user
        operations = [create("Account", name, v=MONEY) for name in ACCOUNTS]
        operations += [create("Counter", name, v=0, kind="one") for name in COUNTERS]
        operations += [create("Counter", name, v=0, kind="total") for name in TOTALS]
        operations += [create("Register", name, v=f"{name}:first") for name in REGISTERS]
        operations += [GroupClient.replacement(group, name, "first")
                       for group, names in GROUPS.items() for name in names]
        client.batch(operations)
        since = ""
        while True:
            page = client.call("GET", f"/changes?limit=1000&since={quoted(since)}").json()
            since = page["token"]
            if not page["moreComing"]:
                break
        client.close()
        initial = {name: f"{name}:first" for name in REGISTERS} | {group: "first" for group in GROUPS}
        return World(server.port, user, server.admin, 0, since, self.options.lie, self.options.breaks, OWNERS,
                     self.mix), initial

    # The clients

    def work(self, world: World) -> None:
        seed = self.random.randrange(10**9)
        world.deadline = time.monotonic_ns() + int(self.options.seconds * 1e9)
        context = multiprocessing.get_context("fork")
        files = [self.place / f"evidence-{number}.pickle" for number in range(PROCESSES)]
        children = [context.Process(target=work_in_process, args=(number, world, seed, file))
                    for number, file in enumerate(files)]
        for one in children:
            one.start()
        for one in children:
            one.join(self.options.seconds + 60)
            if one.is_alive():
                one.kill()
                raise Problem("clients did not come to an end within 60 s of their time")
        for file in files:
            with open(file, "rb") as stored:
                self.evidence.merge(pickle.load(stored))
            file.unlink()

    # The end

    def quiet_down(self, world: World) -> dict[str, dict]:
        """Lets every follower read to the end, and reads everything."""
        world.lie = None
        connection = world.connect(self.random)
        time.sleep(0.1)  # what clients sent and did not wait for may still be under way
        for run in self.evidence.runs:
            # Whoever went back to an old token may have far to go with small pages.
            while read_page(connection, run, world.since, 1000 if run.parent else None).more:
                pass
        for limit in (1000, 7):
            self.evidence.runs.append(run := Run("a late follower", limit, from_start=limit > 7))
            while read_page(connection, run, world.since).more:
                pass
        final = {kind: everything(connection, kind) for kind in TYPES}
        connection.close()
        return final

    def summary(self) -> str:
        counts = self.evidence.counts
        writes = sum(count for key, count in counts.items()
                     if key.startswith(("writes", "increments", "appends", "transfers", "orders")))
        return (f"{self.mix}, {self.threads} threads, {self.requests()} requests, {writes} writes, "
                f"{len(self.evidence.snapshots)} snapshots, {counts['feed pages']} pages of {len(self.evidence.runs)} "
                f"followers; "
                f"{self.metric('fogbase_checkpoints_total')} checkpoints, {counts['indexes dropped']} indexes dropped, "
                f"{self.metric('fogbase_index_slices_total')} slices built, "
                f"{self.metric('fogbase_assets_collected_total')} files collected")

    def requests(self) -> int:
        return self.evidence.counts["requests"]

    def metric(self, name: str) -> int:
        return int(sum(value for key, value in self.metrics.items() if key.startswith(name)))


def work_in_process(number: int, world: World, seed: int, file: Path) -> None:
    """What each of the processes does: each has its share of all clients, so that they really run at one time."""
    sys.setswitchinterval(0.0005)  # the threads take turns quickly, so that times are noted when they are
    evidence = Evidence()
    clients = cast(number, world, Random(seed + number), evidence)
    for one in clients:
        one.start()
    for one in clients:
        one.join()
    with open(file, "wb") as stored:
        pickle.dump(evidence, stored)


def create(type: str, name: str, /, **fields) -> dict:
    return {"operationType": "create", "record": {
        "recordType": type, "recordName": name, "fields": {key: {"value": value} for key, value in fields.items()}}}


def everything(connection: Connection, kind: str) -> dict[str, tuple[object, str]]:
    """All records of a type while nobody writes."""
    rows, cursor = {}, ""
    while True:
        page = connection.ask("GET", f"/records/{kind}?limit=1000{cursor}").body
        rows |= rows_of(page["records"])
        if "cursor" not in page:
            return rows
        cursor = "&cursor=" + quoted(page["cursor"])


def make_template(binary: str, place: Path) -> Path:
    """A data folder with the types that clients use, one of them large; each round begins on a copy."""
    shutil.rmtree(place, ignore_errors=True)
    server = Server(binary, place, {})
    try:
        server.start()
        client = server.client()
        client.token = server.sign_up("template")
        for start in range(0, BULK, 200):
            client.batch([create("Bulk", f"still-{number}", v=0, bucket="none", owner="nobody")
                          for number in range(start, start + 200)])
        for part in PARTS:
            for start in range(0, CROWD, 100):
                client.batch([create("Crowd", f"{part}-{number}", v=0, part=part)
                              for number in range(start, start + 100)])
        # A schema that is put must know all types that there are, so none may appear later.
        client.batch([create("Item", "item", v=0, bucket="none", owner="nobody"), create("Order", "order", v="first"),
                      create("Blob", "blob", text=""), create("List", "list", v=["first"])])
        client.batch([{"operationType": "forceDelete", "record": {"recordType": kind, "recordName": kind.lower()}}
                      for kind in ("Item", "Order", "Blob", "List")])
        client.token = server.admin
        client.call("PUT", "/grants/Crowd", {"grants": {"_world": ["READ"], "_icloud": ["CREATE", "WRITE"]}})
        schema = client.call("GET", "/schema").json()
        schema["types"]["File"] = {"fields": {"file": {"type": "ASSET"}}}
        schema["types"]["Ticket"] = {"fields": {"slot": {"type": "STRING"}},
                                     "indexes": [{"fields": ["slot"], "unique": True}]}
        client.call("PUT", "/schema", schema)
        client.close()
        server.stop()
    finally:
        server.kill()
    return place
