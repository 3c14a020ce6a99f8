"""Fogbase, as it comes."""
import hashlib
import json
import subprocess
from pathlib import Path
from urllib.parse import quote

from Tests.bench import machine
from Tests.bench.peers.peer import Peer, request
from Tests.bench.peers.posts import DOOMED_THREAD, NEW_THREAD, THREADS, fields
from Tests.harness.client import Client, quoted
from Tests.harness.server import ENVIRONMENT, Server

BATCH = 200
SCHEMA = {"types": {"Post": {
    "fields": {"title": {"type": "STRING"}, "body": {"type": "STRING"}, "author": {"type": "STRING"},
               "likes": {"type": "INT64"}, "rating": {"type": "DOUBLE"}, "thread": {"type": "STRING"},
               "timestamp": {"type": "INT64"}},
    "indexes": [{"fields": ["thread", "-timestamp"]}],
}}}


class FogbasePeer(Peer):
    name = "fogbase"

    def __init__(self, directory: Path, binary: str):
        super().__init__(directory)
        self.server = Server(binary, directory / "data", {})
        self.port, self.token = self.server.port, ""

    def start(self) -> None:
        self.directory.mkdir(parents=True)
        self.server.start()
        self.token = self.server.sign_up()
        self.server.client(self.server.admin).call("PUT", "/schema", SCHEMA)

    def stop(self) -> None:
        try:
            self.server.stop()
        finally:
            self.server.kill()

    def pids(self) -> list[int]:
        return [self.server.pid]

    def facts(self) -> dict:
        binary = Path(self.server.binary)
        done = subprocess.run([str(binary), "--version"], capture_output=True, text=True)
        # Lines of a name and a version, then sentences.
        lines = done.stdout.partition("\n\n")[0].splitlines()
        pairs = [line.split(None, 1) for line in lines]
        named = {pair[0].lower(): pair[1] for pair in pairs if len(pair) == 2}
        named["fogbase"] = f"{named.get('fogbase', 'unknown')} (commit {machine.commit(binary)})"
        return {"versions": named | {"sha256": hashlib.sha256(binary.read_bytes()).hexdigest()[:16]},
                "settings": "defaults, but " + ", ".join(f"{key}={value}" for key, value in ENVIRONMENT.items())
                            + "; compound index on (thread, -timestamp)",
                "commands": [f"{binary} serve --host 127.0.0.1 --port {self.port} --data {self.server.data}"]}

    def add(self, count: int) -> list[str]:
        thread = THREADS if self.made == 0 else [DOOMED_THREAD]
        client, paths = Client(self.port, self.token), []
        for start in range(self.made, self.made + count, BATCH):
            posts = [_operation(fields(number, thread[number % len(thread)]))
                     for number in range(start, min(start + BATCH, self.made + count))]
            paths += [f"/records/Post/{quoted(record['recordName'])}" for record in client.batch(posts)]
        client.close()
        self.made += count
        return paths

    def create(self, number: int) -> bytes:
        return request("POST", "/records/Post", f"Bearer {self.token}", {"fields": fields(number, NEW_THREAD)})

    def update(self, path: str, title: str) -> bytes:
        return request("PATCH", path, f"Bearer {self.token}", {"fields": {"title": title}})

    def delete(self, path: str) -> bytes:
        return request("DELETE", path, f"Bearer {self.token}")

    def page(self, thread: str) -> bytes:
        condition = quote(f'thread == "{thread}"')
        return request("GET", f"/query/Post?where={condition}&sort=-timestamp&limit=50")

    def newest(self, body: bytes) -> list[int]:
        return [record["fields"]["timestamp"]["value"] for record in json.loads(body)["records"]]


def _operation(given: dict) -> dict:
    return {"operationType": "create", "record": {"recordType": "Post", "fields": given}}
