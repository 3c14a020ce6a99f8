"""A client that follows the change feed by event streams alone, and keeps what they have told."""
import json
import random
import socket
import threading
import time

from Tests.harness.client import RIGHTS_CHANGED, message, quoted
from Tests.harness.errors import Problem


class Follower(threading.Thread):
    """Follows as one caller until `stop`, and drops its connection at random. It continues with the last id.

    The client is as simple as a browser's EventSource: a status other than 200 ends it for good, which is a failure. It
    starts again only where the stream says so, and each such reset needs its cause.
    """

    def __init__(self, port: int, name: str, token: str | None, types: list[str], condition: str, seed: str,
                 may_read_all: bool):
        super().__init__(name=name, daemon=True)
        self.port, self.token, self.types, self.condition = port, token, types, condition
        self.random, self.may_read_all = random.Random(seed), may_read_all
        self.caller = ""
        self.records: dict[tuple[str, str], str] = {}  # the change tags by type and name
        self.last_id: str | None = None
        self.ends, self.is_calm = threading.Event(), threading.Event()
        self.problem: str | None = None
        self.connections = self.resets = self.events = self.retries = 0

    @property
    def query(self) -> str:
        words = [f"type={one}" for one in self.types]
        return "&".join(words + ([f"where={quoted(self.condition)}"] if self.condition else []))

    def run(self) -> None:
        try:
            while not self.ends.is_set():
                try:
                    self.follow()
                except OSError:
                    time.sleep(0.01)  # the server is being killed or started
        except Exception as error:
            self.problem = f"{self.name}: {error if isinstance(error, Problem) else repr(error)}"

    def follow(self) -> None:
        """One connection."""
        headers = ["Accept: text/event-stream"] + ([f"Last-Event-ID: {self.last_id}"] if self.last_id else [])
        with socket.create_connection(("127.0.0.1", self.port), 5) as connection:
            connection.sendall(message("GET", f"/changes?{self.query}", self.token, headers=tuple(headers)))
            head = b""
            while b"\r\n\r\n" not in head:
                head += self.receive(connection)
            head, _, body = head.partition(b"\r\n\r\n")
            status = int(head.split()[1])
            if status != 200:
                raise Problem(f"a stream answered {status}: {body[:300]!r}")
            self.connections += 1
            if b"\r\nTransfer-Encoding:" in head:
                self.read(body, connection)
            else:  # the server cannot serve the stream now, and says when to come again
                self.retries += 1
                time.sleep(0.02)

    def read(self, received: bytes, connection: socket.socket) -> None:
        """The chunks of one response. A connection that breaks off leaves a part of an event, which does not count."""
        leaves = time.monotonic() + self.random.uniform(0.02, 0.6)
        connection.settimeout(0.05)
        text = b""
        while not self.ends.is_set() and (self.is_calm.is_set() or time.monotonic() < leaves):
            length, line, rest = received.partition(b"\r\n")
            if line and len(rest) >= int(length, 16) + 2:
                size = int(length, 16)
                if size == 0:
                    return
                text, received = text + rest[:size], rest[size + 2:]
                *blocks, text = text.split(b"\n\n")
                for block in blocks:
                    self.take([one for one in block.decode().split("\n") if one])
                continue
            try:
                received += self.receive(connection)
            except TimeoutError:
                continue

    @staticmethod
    def receive(connection: socket.socket) -> bytes:
        piece = connection.recv(65536)
        if not piece:
            raise ConnectionResetError("the server closed the connection")
        return piece

    def take(self, block: list[str]) -> None:
        values = dict(line.partition(":")[::2] for line in block)
        event, data = values.get("event", "").strip(), values.get("data", "").strip()
        if data:
            self.events += 1
            self.apply(event, json.loads(data))
        # The id counts only with its whole event.
        if "id" in values:
            self.last_id = values["id"].strip()
            if not self.last_id:
                raise Problem(f"an empty id, which no browser sends back: {block}")

    def apply(self, event: str, data: dict) -> None:
        if event == "reset":
            if not data["reason"].startswith(RIGHTS_CHANGED):
                raise Problem(f"a reset without a cause: {data['reason']}")
            self.records.clear()
            self.resets += 1
        elif event == "leave" or (event == "change" and data.get("deleted")):
            self.records.pop((data["recordType"], data["recordName"]), None)
        elif event == "change":
            if "hidden" in data.get("fields", {}) and not self.may_read_all:
                raise Problem(f"an event shows a field that nobody may read: {data}")
            self.records[data["recordType"], data["recordName"]] = data["recordChangeTag"]
        elif event not in ("caughtup", "end"):
            raise Problem(f"an event of the kind {event!r}")

    def stop(self) -> None:
        self.ends.set()
        self.join(10)
