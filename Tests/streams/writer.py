"""The types of both suites, and a client that writes records of them at random."""
import random
import threading
import time

from Tests.harness.client import Client
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


class Writer(threading.Thread):
    """Writes at random until it is stopped. It ignores all refusals: the followers are what is tested.

    Now and then it writes a record that nobody writes again. A follower that misses one change of it has lost it for
    good, while one of the other records would bring itself up to date with its next change.
    """

    def __init__(self, server: Server, token: str, users: list[str], seed: str, records: int = 24):
        super().__init__(daemon=True)
        self.server, self.token, self.users, self.random = server, token, users, random.Random(seed)
        self.records = records
        self.once, self.number = 0, seed.rpartition(" ")[2]
        self.ends, self.writes = threading.Event(), 0

    def run(self) -> None:
        client = Client(self.server.port, self.token, timeout=5)
        while not self.ends.is_set():
            path = f"/records/{self.random.choice(['Post', 'Club'])}/r{self.random.randrange(self.records)}"
            try:
                self.write(client, path)
                self.writes += 1
            except (OSError, Problem):
                time.sleep(0.01)
        client.close()

    def write(self, client: Client, path: str) -> None:
        choice, any_status = self.random.random(), tuple(range(200, 600))
        if self.once < MOST_ONCE and self.random.random() < 0.05:
            self.once += 1
            path = f"{path.rpartition('/')[0]}/once-{self.number}-{self.once}"
            client.call("PUT", path, {"fields": {"good": self.random.randrange(10)}}, expect=any_status)
            return
        if choice < 0.5:
            body = {"fields": {"good": self.random.randrange(10), "hidden": "secret"}}
            if self.random.random() < 0.3:
                body["acl"] = self.access()
            client.call("PUT", path, body, expect=any_status)
        elif choice < 0.7:
            client.call("PATCH", path, {"fields": {"good": {"increment": self.random.choice([1, -1])}}},
                        expect=any_status)
        elif choice < 0.85:
            client.call("PATCH", path, {"acl": self.random.choice([None, self.access()])}, expect=any_status)
        else:
            client.call("DELETE", path, expect=any_status)

    def access(self) -> dict:
        readers = [*self.users, "editors"]
        return {self.random.choice(self.users): ["READ", "WRITE"], self.random.choice(readers): ["READ"]}
