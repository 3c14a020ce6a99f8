"""One round: a server, processes with clients, a final read, and the checks."""
import multiprocessing
import pickle
import shutil
import sys
import time
from pathlib import Path
from random import Random

from Tests.consistency.batch_clients import GroupClient
from Tests.consistency.checks import check
from Tests.consistency.clients import MIXES, OWNERS, PROCESSES, make_clients
from Tests.consistency.connection import Connection, rows_of
from Tests.consistency.feed_clients import read_page
from Tests.consistency.history import Observations, Run
from Tests.consistency.workload import (
    ACCOUNTS, COUNTERS, CROWD, GRACE, GROUPS, LARGE, MONEY, PARTS, REGISTERS, TOTALS, Workload)
from Tests.harness.client import quoted
from Tests.harness.errors import Problem
from Tests.harness.server import Server

TYPES = ("Crowd", "Ticket", "Register", "Part", "Account", "Counter", "List", "Item", "Bulk", "Order", "Blob", "File")
# Files without a record are collected while clients upload the same ones again.
SETTINGS = {"FOGBASE_ASSETS_UNREFERENCED_TIME": f"{GRACE}s"}


class Round:
    def __init__(self, directory: Path, template: Path, options, random: Random):
        self.directory, self.template, self.options, self.random = directory, template, options, random
        self.observations = Observations()
        self.mix = options.mix or random.choice(MIXES + ("all",) * 4)
        self.threads = options.settings.get("FOGBASE_SERVER_THREADS") or random.choice([1, 2, 2, 4])
        self.history: tuple | None = None
        self.metrics: dict[str, float] = {}

    @property
    def problems(self) -> list[str]:
        return self.observations.problems

    def close(self) -> None:
        """`run` itself ends the server."""

    def run(self) -> list[str]:
        """Returns sentences about inconsistencies."""
        shutil.copytree(self.template, self.directory / "data", dirs_exist_ok=True)
        server = Server(self.options.binary, self.directory / "data", SETTINGS | {
            "FOGBASE_SERVER_THREADS": str(self.threads)} | self.options.settings)
        try:
            server.start()
            workload, initial = self.set_up(server)
            self.work(workload)
            final = self.read_to_end(workload)
            self.metrics = server.metrics()
            server.stop()
        finally:
            server.kill()
        self.history = (self.observations, final, initial)
        return check(*self.history)

    def keep(self) -> None:
        """Writes the files for `--again`."""
        if self.history:
            with open(self.directory / "history.pickle", "wb") as file:
                pickle.dump(self.history, file)

    def set_up(self, server: Server) -> tuple[Workload, dict]:
        """Creates the shared records before the clients start, and returns a sync token after them."""
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
            self.observations.before |= {(one["recordType"], one["recordName"]): one["recordChangeTag"]
                                         for one in page["changes"] if not one.get("deleted")}
            if not page["moreComing"]:
                break
        client.close()
        initial = {name: f"{name}:first" for name in REGISTERS} | {group: "first" for group in GROUPS}
        return Workload(server.port, user, server.admin, 0, since, self.options.fault, self.options.disconnects, OWNERS,
                     self.mix), initial

    # The clients

    def work(self, workload: Workload) -> None:
        seed = self.random.randrange(10**9)
        workload.deadline = time.monotonic_ns() + int(self.options.seconds * 1e9)
        context = multiprocessing.get_context("fork")
        files = [self.directory / f"observations-{number}.pickle" for number in range(PROCESSES)]
        children = [context.Process(target=work_in_process, args=(number, workload, seed, file))
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
                self.observations.merge(pickle.load(stored))
            file.unlink()

    # The end

    def read_to_end(self, workload: Workload) -> dict[str, dict]:
        """Reads every feed to its end, and all records."""
        workload.fault = None
        connection = workload.connect(self.random)
        time.sleep(0.1)  # requests without an awaited response may still be in progress
        for run in self.observations.runs:
            # A run from an old token may have many small pages left.
            while read_page(connection, run, workload.since, 1000 if run.parent else None).more:
                pass
        for limit in (1000, 7):
            self.observations.runs.append(run := Run("a late feed client", limit, from_start=limit > 7))
            while read_page(connection, run, workload.since).more:
                pass
        final = {kind: everything(connection, kind) for kind in TYPES}
        connection.close()
        return final

    def summary(self) -> str:
        counts = self.observations.counts
        writes = sum(count for key, count in counts.items()
                     if key.startswith(("writes", "increments", "appends", "transfers", "orders")))
        return (f"{self.mix}, {self.threads} threads, {self.requests()} requests, {writes} writes, "
                f"{len(self.observations.snapshots)} snapshots, {counts['feed pages']} pages of "
                f"{len(self.observations.runs)} feed clients; "
                f"{self.metric('fogbase_checkpoints_total')} checkpoints, {counts['indexes dropped']} indexes dropped, "
                f"{self.metric('fogbase_index_slices_total')} slices built, "
                f"{self.metric('fogbase_assets_collected_total')} files collected")

    def requests(self) -> int:
        return self.observations.counts["requests"]

    def metric(self, name: str) -> int:
        return int(sum(value for key, value in self.metrics.items() if key.startswith(name)))


def work_in_process(number: int, workload: Workload, seed: int, file: Path) -> None:
    """Runs in each process: a share of the clients, so that they really run in parallel."""
    sys.setswitchinterval(0.0005)  # the threads switch often, so that times are recorded promptly
    observations = Observations()
    clients = make_clients(number, workload, Random(seed + number), observations)
    for one in clients:
        one.start()
    for one in clients:
        one.join()
    with open(file, "wb") as stored:
        pickle.dump(observations, stored)


def create(type: str, name: str, /, **fields) -> dict:
    return {"operationType": "create", "record": {
        "recordType": type, "recordName": name, "fields": {key: {"value": value} for key, value in fields.items()}}}


def everything(connection: Connection, kind: str) -> dict[str, tuple[object, str]]:
    """All records of a type, after the load."""
    rows, cursor = {}, ""
    while True:
        page = connection.ask("GET", f"/records/{kind}?limit=1000{cursor}").body
        rows |= rows_of(page["records"])
        if "cursor" not in page:
            return rows
        cursor = "&cursor=" + quoted(page["cursor"])


def make_template(binary: str, place: Path) -> Path:
    """A data directory with the types that the clients use, one of them large; each round starts with a copy."""
    shutil.rmtree(place, ignore_errors=True)
    server = Server(binary, place, {})
    try:
        server.start()
        client = server.client()
        client.token = server.sign_up("template")
        for start in range(0, LARGE, 200):
            client.batch([create("Bulk", f"still-{number}", v=0, bucket="none", owner="nobody")
                          for number in range(start, start + 200)])
        for part in PARTS:
            for start in range(0, CROWD, 100):
                client.batch([create("Crowd", f"{part}-{number}", v=0, part=part)
                              for number in range(start, start + 100)])
        # A schema must name all types that exist, so no type may be added later.
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
