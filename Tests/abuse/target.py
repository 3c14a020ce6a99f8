"""A server with some data for one attack, and the values that can be observed from outside."""
import itertools
import os
import secrets
import shutil
import time
from pathlib import Path

from Tests.harness import process
from Tests.harness.client import Client
from Tests.harness.server import Server

# The server's defaults instead of the harness's. Rate limits stay off: see README.md.
SETTINGS = {"FOGBASE_LIMITS_CONNECTIONS_PER_ADDRESS": "1024", "FOGBASE_LOG_ACCESS": ""}
SCHEMA = {"types": {
    "Post": {"fields": {"title": {"type": "STRING", "indexes": ["QUERYABLE", "SORTABLE"]},
                        "likes": {"type": "INT64", "indexes": ["QUERYABLE", "SORTABLE"]},
                        "rating": {"type": "DOUBLE", "indexes": ["QUERYABLE", "SORTABLE"]},
                        "author": {"type": "STRING", "indexes": ["QUERYABLE", "SORTABLE"]},
                        "text": {"type": "STRING"},
                        "tags": {"type": "STRING_LIST", "indexes": ["QUERYABLE"]}}},
    "Note": {"fields": {"text": {"type": "STRING"}, "number": {"type": "INT64"},
                        "numbers": {"type": "INT64_LIST"}}},
}}
POSTS = 2000
# Words in the log of a server that crashed.
CRASH = ("Fatal error", "fatal error", "Crash", "crashed", "Backtrace", "Precondition", "Segmentation",
         "AddressSanitizer")


class Target:
    def __init__(self, binary: str, directory: Path, settings: dict[str, str]):
        self.directory, self.data = directory, directory / f"data-{secrets.token_hex(4)}"
        named = {f"FOGBASE_{key.upper().replace('.', '_')}": value for key, value in settings.items()}
        self.server = Server(binary, self.data, SETTINGS | named)
        self.server.start()
        self.started = time.monotonic()
        self.token = self.server.sign_up("good")
        # The attacker has an account of its own, as sign-up is open.
        self.attacker = self.server.sign_up("evil")
        self.server.client(self.server.admin).call("PUT", "/schema", SCHEMA)
        self.records = self._fill()

    def _fill(self) -> list[str]:
        client, names = self.server.client(self.token), []
        for start in range(0, POSTS, 200):
            operations = [{"operationType": "create", "record": {"recordType": "Post", "fields": {
                "title": f"post {number:05}", "likes": number, "rating": number % 50 / 10,
                "author": f"writer-{number % 100:03}", "text": f"{number:05} " * 600, "tags": [f"t{number % 7}", "all"],
            }}} for number in range(start, start + 200)]
            names += [record["recordName"] for record in client.batch(operations)]
        # Threads, connections and caches that are created on demand exist before the measurement.
        for path in ("/records/Post?limit=1000", "/query/Post?where=title%20%21%3D%20%27x%27&sort=-title&limit=1000"):
            client.call("GET", path)
        client.close()
        return names

    @property
    def port(self) -> int:
        return self.server.port

    def client(self, token: str | None = None) -> Client:
        return self.server.client(token)

    def asset(self, size: int) -> str:
        """Uploads a file and returns its public download path."""
        headers = ("Content-Type: application/octet-stream",)
        response = self.client(self.token).call("POST", "/assets?filename=large.bin", os.urandom(size), (201,), headers)
        return response.json()["asset"]["downloadURL"]

    def rss_mb(self) -> float:
        return self.server.rss_anon()

    def descriptors(self) -> tuple[int, int]:
        """The numbers of sockets and of all other descriptors."""
        found = process.descriptors(self.server.pid)
        return found["socket"], found.total() - found["socket"]

    def threads(self) -> dict[int, str]:
        return process.threads(self.server.pid)

    def cpu_seconds(self) -> float:
        return process.cpu_seconds(self.server.pid)

    def is_alive(self) -> bool:
        return self.server.child is not None and self.server.child.poll() is None

    def crashes_in_log(self) -> list[str]:
        if not self.server.log.exists():
            return []
        # The access log of a flood is long.
        with open(self.server.log, errors="replace") as lines:
            found = (f"the log says: {line[:200].strip()}" for line in lines if any(word in line for word in CRASH))
            return list(itertools.islice(found, 5))

    def failures_in_metrics(self) -> list[str]:
        """Responses with 500, to any client."""
        return [f"{name} is {value:.0f}" for name, value in self.server.metrics().items()
                if 'status="500"' in name and value > 0]

    def remove(self) -> None:
        shutil.rmtree(self.data, ignore_errors=True)
