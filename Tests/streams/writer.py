"""The types of both suites, and a client that writes records of them at random."""
import http.client
import random
import threading
import time

from Tests.harness.client import Client, Response
from Tests.harness.errors import Problem
from Tests.harness.server import Server

SCHEMA = {"types": {
    "Post": {"fields": {"good": {"type": "INT64"}, "hidden": {"type": "STRING", "read": ["nobody"]}},
             "grants": {"_world": ["READ"], "_icloud": ["CREATE"], "_creator": ["READ", "WRITE"]}},
    "Club": {"fields": {"good": {"type": "INT64"}, "hidden": {"type": "STRING", "read": ["nobody"]}},
             "grants": {"_icloud": ["CREATE"], "_creator": ["READ", "WRITE"], "editors": ["READ"]}},
}}
CONDITION = "good >= 5"
MOST_ONCE = 15  # records of each writer that are written once
# A writer that may not write, or meets another one, is refused. Faults of the server are findings.
REFUSALS = (*range(200, 500), 503)
LEAST_ACCEPTED = 0.08  # of all writes; 16 to 28 % are usual, as most records belong to others


class Writer(threading.Thread):
    """Writes at random until it is stopped. It ignores refusals: the followers are what is tested.

    Now and then it writes a record that nobody writes again. A follower that misses one change of it has lost it for
    good, while one of the other records would bring itself up to date with its next change.
    """

    def __init__(self, server: Server, token: str, users: list[str], seed: str, records: int = 24):
        super().__init__(daemon=True)
        self.server, self.token, self.users, self.random = server, token, users, random.Random(seed)
        self.records = records
        self.once, self.number = 0, seed.rpartition(" ")[2]
        self.ends, self.writes, self.accepted = threading.Event(), 0, 0
        self.problem: str | None = None

    def run(self) -> None:
        client = Client(self.server.port, self.token, timeout=5)
        while not self.ends.is_set():
            path = f"/records/{self.random.choice(['Post', 'Club'])}/r{self.random.randrange(self.records)}"
            try:
                self.accepted += self.write(client, path).status < 300
                self.writes += 1
            except (OSError, http.client.HTTPException):
                time.sleep(0.01)  # the server is being killed or started
            except Problem as problem:
                self.problem = f"writer {self.number}: {problem}"
                break
        client.close()

    def write(self, client: Client, path: str) -> Response:
        choice = self.random.random()
        if self.once < MOST_ONCE and self.random.random() < 0.05:
            self.once += 1
            path = f"{path.rpartition('/')[0]}/once-{self.number}-{self.once}"
            return client.call("PUT", path, {"fields": {"good": self.random.randrange(10)}}, expect=REFUSALS)
        if choice < 0.5:
            body = {"fields": {"good": self.random.randrange(10), "hidden": "secret"}}
            if self.random.random() < 0.3:
                body["acl"] = self.access()
            return client.call("PUT", path, body, expect=REFUSALS)
        if choice < 0.7:
            change = {"fields": {"good": {"increment": self.random.choice([1, -1])}}}
            return client.call("PATCH", path, change, expect=REFUSALS)
        if choice < 0.85:
            return client.call("PATCH", path, {"acl": self.random.choice([None, self.access()])}, expect=REFUSALS)
        return client.call("DELETE", path, expect=REFUSALS)

    def access(self) -> dict:
        readers = [*self.users, "editors"]
        return {self.random.choice(self.users): ["READ", "WRITE"], self.random.choice(readers): ["READ"]}


def end(writers: list[Writer]) -> list[str]:
    """Stops the writers, and returns sentences about what is wrong with their writes."""
    for one in writers:
        one.ends.set()
    for one in writers:
        one.join(10)
    writes, accepted = sum(one.writes for one in writers), sum(one.accepted for one in writers)
    found = [one.problem for one in writers if one.problem]
    if accepted < LEAST_ACCEPTED * writes or not accepted:
        found.append(f"only {accepted} of {writes} writes were accepted")
    return found
