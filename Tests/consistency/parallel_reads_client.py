"""A client that reads over several connections at once, with requests that were prepared before."""
import json
import time

from Tests.consistency.client import Worker, condition
from Tests.consistency.connection import Connection, Unavailable, rows_of
from Tests.consistency.history import Snapshot, Step
from Tests.harness.errors import Problem


class ParallelReadsClient(Worker):
    """Writes one record. Its readers send when the write is acknowledged, or as soon as one of them has seen it."""

    def begin(self) -> None:
        # Several connections, so that some belong to other event loops than the writer's.
        self.readers = [self.connect() for _ in range(5)]
        self.record = f"{self.name}-Item-0"
        self.bucket = f"{self.name}-0"
        self.index = -1
        body = {"recordName": self.record, "fields": {"v": 0, "bucket": self.bucket, "owner": self.name}}
        reply = self.main.ask("POST", "/records/Item", body, expect=(201,))
        self.step(reply.sent, reply.answered)

    def act(self) -> None:
        before, self.bucket = self.bucket, f"{self.name}-{self.index % 3}"
        body = {"fields": {"v": {"increment": 1}, "bucket": self.bucket}}
        write = self.main.request("PATCH", f"/records/Item/{self.record}", body, ())
        scopes = [("names", (self.record,)), ("is", "bucket", self.bucket), ("is", "bucket", before),
                  ("is", "owner", self.name), ("names", (self.record,))]
        requests = [self.read(scope) for scope in scopes]
        sent = time.monotonic_ns()
        self.main.send(write)
        early = []
        if self.random.random() < 0.5:
            early = self.watch(requests[0])
            asked = self.ask_all(requests[1:], self.readers[1:])
            status, _, content = self.main.receive()
            answered = time.monotonic_ns()
        else:
            status, _, content = self.main.receive()
            answered = time.monotonic_ns()
            asked = self.ask_all(requests, self.readers)
        if status != 200 or json.loads(content)["fields"]["v"]["value"] != self.index + 1:
            raise Problem(f"a write of {self.record} answered {status}: {content[:300]!r}")
        self.step(sent, answered)
        self.observations.snapshots += early
        for scope, reader, when in zip(scopes[-len(asked):], self.readers[-len(asked):], asked, strict=True):
            self.observations.snapshots += self.returned(scope, when, reader.receive(), reader)
        self.main.requests += 1 + len(asked) + len(early)

    def watch(self, request: bytes) -> list[Snapshot]:
        """Reads until the write is seen, which may be before it is acknowledged; records the last reads."""
        found: list[Snapshot] = []
        limit = time.monotonic() + 30
        while time.monotonic() < limit:
            sent = time.monotonic_ns()
            response = self.readers[0].exchange(request)
            found = found[-2:] + self.returned(("names", (self.record,)), sent, response, self.readers[0])
            if found[-1].rows[self.record][0] > self.index:
                return found
        raise Problem(f"a write of {self.record} was not seen in 30 s")

    @staticmethod
    def ask_all(requests: list[bytes], readers: list[Connection]) -> list[int]:
        asked = []
        for request, reader in zip(requests, readers, strict=True):
            asked.append(time.monotonic_ns())
            reader.send(request)
        return asked

    def path(self, scope: tuple) -> str:
        return f"/records/Item/{self.record}" if scope[0] == "names" else f"/query/Item?count=true{condition(scope)}"

    def read(self, scope: tuple) -> bytes:
        return self.main.request("GET", self.path(scope), None, ())

    def returned(self, scope: tuple, sent: int, response: tuple[int, bytes, bytes],
                 reader: Connection) -> list[Snapshot]:
        answered = time.monotonic_ns()
        status, _, content = response
        if status != 200:
            try:
                self.main.refuse("GET", self.path(scope), (), status, content)
            except Unavailable:
                return []
        returned = json.loads(content)
        if reader.injector:
            returned = reader.injector.alter("GET", self.path(scope), status, returned)
        rows = rows_of(returned.get("records", [returned]))
        source = "sharp get" if scope[0] == "names" else "sharp query"
        return [Snapshot(self.name, source, "Item", scope, sent, answered, rows, returned.get("count"))]

    def step(self, sent: int, answered: int) -> None:
        self.index += 1
        self.observations.steps.append(Step("Item", self.record, self.index, sent, answered, True, self.bucket))
        self.observations.counts["writes Item"] += 1
