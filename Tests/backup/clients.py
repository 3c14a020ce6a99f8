"""The clients that write during a backup, and one that reads the change feed."""
import http.client
import os
import random
import threading
import time
from dataclasses import dataclass

from Tests.harness.client import quoted
from Tests.harness.errors import Problem
from Tests.harness.server import Server

RECORDS_PER_WRITER = 6
TOTAL = 1_000


@dataclass
class Write:
    """An acknowledged write: the version of the record, the times of request and response."""
    record: str
    version: int
    sent: float
    answered: float
    asset: bytes | None = None


class Writer(threading.Thread):
    def __init__(self, server: Server, number: int, seed: int):
        super().__init__(daemon=True)
        self.server, self.number, self.random = server, number, random.Random(f"{seed} {number}")
        self.writes: list[Write] = []
        self.pending: Write | None = None
        self.ends = threading.Event()
        self.problem: str | None = None

    def run(self) -> None:
        client = self.server.client(self.server.admin)
        try:
            if self.number % 8 == 0:
                self.move(client)
            else:
                self.write(client)
        except (OSError, http.client.HTTPException, Problem, KeyError, ValueError) as problem:
            if not self.ends.is_set():
                self.problem = f"writer {self.number}: {type(problem).__name__}: {problem}"
        finally:
            client.close()

    def write(self, client) -> None:
        version = 0
        while not self.ends.is_set():
            version += 1
            name = f"w{self.number}-{version % RECORDS_PER_WRITER}"
            text = "x" * self.random.choice([10, 300, 9_000])
            fields: dict = {"version": version, "writer": self.number, "text": text}
            content = None
            if self.number % 4 == 1 and version % 5 == 0:
                content = os.urandom(self.random.choice([50, 20_000, 200_000]))
                fields["file"] = client.call("POST", "/assets", content, expect=(201,)).json()["asset"]
            self.pending = Write(name, version, time.monotonic(), 0, content)
            client.call("PUT", f"/records/Item/{name}", {"fields": fields}, expect=(200, 201))
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
            client.call("POST", "/records", body, expect=(200,))
            self.pending.answered = time.monotonic()
            self.writes.append(self.pending)
            self.pending = None


class FeedReader(threading.Thread):
    """Reads the feed continuously, and keeps each token with the versions known at that point."""

    def __init__(self, server: Server):
        super().__init__(daemon=True)
        self.server, self.ends = server, threading.Event()
        self.known: dict[str, int] = {}
        self.steps: list[tuple[str, dict[str, int]]] = []
        self.problem: str | None = None

    def run(self) -> None:
        client, since = self.server.client(self.server.admin), None
        try:
            while not self.ends.is_set():
                rest = f"&since={quoted(since)}" if since else ""
                page = client.call("GET", f"/changes?limit=50&fields=version{rest}").json()
                for change in page["changes"]:
                    if change["recordType"] == "Item":
                        self.known[change["recordName"]] = change["fields"]["version"]["value"]
                since = page["token"]
                self.steps.append((since, dict(self.known)))
        except (OSError, http.client.HTTPException, Problem, KeyError) as problem:
            if not self.ends.is_set():
                self.problem = f"the feed reader: {type(problem).__name__}: {problem}"
        finally:
            client.close()
