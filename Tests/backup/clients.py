"""The clients that write during a backup, and one that reads the change feed."""
import http.client
import os
import random
import threading
import time
from dataclasses import dataclass

from Tests.harness.client import check_batch, quoted
from Tests.harness.rounds import description
from Tests.harness.server import Server

RECORDS_PER_WRITER = 6
ONCE = 10  # each n-th version of a writer is a record that nobody writes again
TOTAL = 1_000


@dataclass
class Write:
    """An acknowledged write: the version of the record, the times of request and response."""
    record: str
    version: int
    sent: float
    answered: float
    asset: bytes | None = None


def record_of(writer: int, version: int) -> str:
    """The name of the record that a writer of single records writes as its n-th write.

    A copy that lost a change of a record which is written again shows the next change instead; one that lost the only
    change of a record lacks it for good.
    """
    return f"w{writer}-once-{version}" if version % ONCE == 3 else f"w{writer}-{version % RECORDS_PER_WRITER}"


class Worker(threading.Thread):
    """Works until `ends` is set. Its requests fail only if its server is killed, which `is_killed` says before."""

    def __init__(self, server: Server, name: str):
        super().__init__(name=name, daemon=True)
        self.server, self.ends, self.is_killed = server, threading.Event(), threading.Event()
        self.problem: str | None = None

    def run(self) -> None:
        client = self.server.client(self.server.admin)
        try:
            self.work(client)
        except (OSError, http.client.HTTPException) as error:
            if not self.is_killed.is_set():
                self.problem = f"{self.name}: {description(error)}"
        except Exception as error:
            self.problem = f"{self.name}: {description(error)}"
        finally:
            client.close()

    def work(self, client) -> None:
        raise NotImplementedError(self.name)


class Writer(Worker):
    def __init__(self, server: Server, number: int, seed: int):
        super().__init__(server, f"writer {number}")
        self.number, self.random = number, random.Random(f"{seed} {number}")
        self.writes: list[Write] = []
        self.pending: Write | None = None

    def work(self, client) -> None:
        if self.number % 8 == 0:
            self.move(client)
        else:
            self.write(client)

    def write(self, client) -> None:
        version, made = 0, set()
        while not self.ends.is_set():
            version += 1
            name = record_of(self.number, version)
            text = "x" * self.random.choice([10, 300, 9_000])
            fields: dict = {"version": version, "writer": self.number, "text": text}
            content = None
            if self.number % 4 == 1 and version % 5 == 3:  # also of records that are written once
                content = os.urandom(self.random.choice([50, 20_000, 200_000]))
                fields["file"] = client.call("POST", "/assets", content, expect=(201,)).json()["asset"]
            self.pending = Write(name, version, time.monotonic(), 0, content)
            client.call("PUT", f"/records/Item/{name}", {"fields": fields}, expect=(200 if name in made else 201,))
            made.add(name)
            self.pending.answered = time.monotonic()
            self.writes.append(self.pending)
            self.pending = None

    def move(self, client) -> None:
        """Writes two records in one batch; the sum of their amounts is always the same."""
        version = 0
        while not self.ends.is_set():
            version += 1
            amount = self.random.randrange(TOTAL)
            body = {"atomic": True, "operations": [
                {"operationType": "forceReplace", "record": {
                    "recordType": "Item", "recordName": f"w{self.number}-{side}",
                    "fields": {"version": version, "writer": self.number, "amount": value}}}
                for side, value in (("left", amount), ("right", TOTAL - amount))]}
            self.pending = Write(f"w{self.number}-left", version, time.monotonic(), 0)
            check_batch(client.call("POST", "/records", body).json()["records"], 2)
            self.pending.answered = time.monotonic()
            self.writes.append(self.pending)
            self.pending = None


class FeedReader(Worker):
    """Reads the feed continuously, and keeps each token with the versions known at that point."""

    def __init__(self, server: Server):
        super().__init__(server, "the feed reader")
        self.known: dict[str, int] = {}
        self.steps: list[tuple[str, dict[str, int]]] = []

    def work(self, client) -> None:
        since = None
        while not self.ends.is_set():
            rest = f"&since={quoted(since)}" if since else ""
            page = client.call("GET", f"/changes?limit=50&fields=version{rest}").json()
            for change in page["changes"]:
                if change["recordType"] == "Item":
                    self.known[change["recordName"]] = change["fields"]["version"]["value"]
            since = page["token"]
            self.steps.append((since, dict(self.known)))
