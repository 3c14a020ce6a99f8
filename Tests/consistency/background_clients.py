"""Clients that disturb the others: large writes cause checkpoints, indexes are added and dropped, files are collected.
"""
import base64
import hashlib
import time
from random import Random

from Tests.consistency.client import Worker
from Tests.consistency.workload import GRACE
from Tests.harness.errors import Problem

INDEXED = ("Item", "Bulk", "Part", "Register", "Counter", "Account", "Order")


class WALClient(Worker):
    """Writes large records, so that the WAL grows."""

    def begin(self) -> None:
        self.written = 0

    def act(self) -> None:
        self.written += 1
        text = self.random.randbytes(self.random.choice([50_000, 200_000, 400_000])).hex()
        self.main.ask("PUT", f"/records/Blob/{self.name}-{self.written % 5}", {"fields": {"text": text}},
                      expect=(200, 201))
        self.pause(self.random.uniform(0, 0.1))


class IndexClient(Worker):
    """Adds and drops indexes."""

    def begin(self) -> None:
        self.main = self.connect(self.workload.admin)

    def act(self) -> None:
        kind = self.random.choice(INDEXED)
        if self.random.random() < 0.5:
            fields = self.random.choice([["v"], ["v", "-createdTimestamp"]] + (
                [["bucket"], ["bucket", "-v"], ["owner", "bucket"]] if kind in ("Item", "Bulk") else []))
            self.main.ask("POST", f"/schema/types/{kind}/indexes", {"fields": fields}, expect=(200, 201))
            self.observations.counts["indexes added"] += 1
        else:
            schema = self.main.ask("GET", "/schema").body
            definition = schema["types"][kind]
            definition["indexes"] = []
            for field in definition["fields"].values():
                field["indexes"] = []
            self.main.ask("PUT", "/schema", schema)
            self.observations.counts["indexes dropped"] += 1
        self.pause(self.random.uniform(0.02, 0.6))


class AssetClient(Worker):
    """Uploads, links, reads and removes files, while files without a record are collected."""

    def begin(self) -> None:
        shared = Random(1)  # all clients have the same few contents
        self.contents = [shared.randbytes(size) for size in (10, 3_000, 90_000, 300_000)]
        self.linked: dict[str, str] = {}

    def act(self) -> None:
        name = f"{self.name}-{self.random.randrange(4)}"
        choice = self.random.random()
        if choice < 0.5:
            self.link(name)
        elif choice < 0.65 and name in self.linked:
            self.main.ask("PATCH", f"/records/File/{name}", {"fields": {"file": None}})
            del self.linked[name]
        elif choice < 0.75 and name in self.linked:
            self.main.ask("DELETE", f"/records/File/{name}", expect=(204,))
            del self.linked[name]
        self.examine(name)
        self.pause(self.random.uniform(0, 0.05))

    def link(self, name: str) -> None:
        content = self.random.choice(self.contents + [self.random.randbytes(self.random.choice([1_000, 50_000]))])
        begun = time.monotonic()
        asset = self.upload(content)
        if self.random.random() < 0.1:
            return  # not linked, so it is collected
        reply = self.main.ask("PUT", f"/records/File/{name}", {"fields": {"file": asset}}, expect=(200, 201, 400))
        self.observations.counts["uploads"] += 1
        if reply.status == 400:
            # On a busy machine the upload token expires before it is used.
            if time.monotonic() - begun < GRACE - 0.5 or "or it has expired" not in reply.body["reason"]:
                raise Problem(f"a receipt was refused: {reply.body}")
            self.observations.counts["uploads expired"] += 1
            return
        self.linked[name] = asset["fileChecksum"]

    def upload(self, content: bytes) -> dict:
        return self.main.ask("POST", "/assets", content, expect=(201,)).body["asset"]

    def examine(self, name: str) -> None:
        """Over another connection, the file exists as it was linked, or not at all after it was removed."""
        expected = 200 if name in self.linked else 404
        status, _, content = self.other.exchange(self.other.request("GET", f"/records/File/{name}/file", None, ()))
        self.other.requests += 1
        found = base64.b64encode(hashlib.sha256(content).digest()).decode()
        if status != expected or expected == 200 and found != self.linked[name]:
            self.observations.problems.append(f"{self.name}: the file of {name} answered {status} with the hash "
                                          f"{found}, must be {expected} with {self.linked.get(name)}")
        self.observations.counts["files read"] += 1
