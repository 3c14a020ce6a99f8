"""The clients that the server itself tells what has changed: an event stream, and a webhook.

What the server has sent to them must not be undone, and it sends all that it has acknowledged to others.
"""
import base64
import contextlib
import hashlib
import hmac
import http.server
import json
import socket
import threading
import time
from dataclasses import dataclass

from Tests.crash.client import RecoveredState, Worker
from Tests.crash.readers import FIELDS, FeedReader, merge
from Tests.harness.client import Response, UnexpectedStatus, message
from Tests.harness.errors import Problem

TYPES = list(FIELDS)
# The receivers of webhooks are on this machine.
SETTINGS = {"FOGBASE_WEBHOOKS_ALLOW_PRIVATE": "127.0.0.1"}
# Seconds in which a webhook must have sent all changes after a start.
MOST_SECONDS = 20


class StreamReader(FeedReader):
    """Keeps a copy of all records by one event stream after the other. It continues with the last id."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self._stream: socket.socket | None = None
        self._received = self._text = b""
        self._ends = 0.0

    def run(self) -> None:
        try:
            super().run()
        finally:
            self._close()

    def act(self) -> None:
        if not self._stream:
            self._open()
        if time.monotonic() > self._ends:
            return self._close()
        with contextlib.suppress(TimeoutError):
            self._received += self._receive()
        while chunk := self._chunk():
            self._text += chunk
            *blocks, self._text = self._text.split(b"\n\n")
            for block in blocks:
                self._take(dict(line.partition(":")[::2] for line in block.decode().split("\n") if line))

    def _open(self) -> None:
        since = self.pages[-1][1] if self.pages else None
        headers = ("Accept: text/event-stream", *([f"Last-Event-ID: {since}"] if since else []))
        self._stream = socket.create_connection(("127.0.0.1", self.client.port), 10)
        self._stream.sendall(message("GET", "/changes", headers=headers))
        head = b""
        while b"\r\n\r\n" not in head:
            head += self._receive()
        head, _, self._received = head.partition(b"\r\n\r\n")
        self._text, self._ends = b"", time.monotonic() + self.random.uniform(0.1, 2)
        status = int(head.split()[1])
        if status != 200:
            self._close()
            raise UnexpectedStatus("the stream", Response(status, None, self._received, 0), (200,))
        self._stream.settimeout(0.05)

    def _receive(self) -> bytes:
        if not self._stream:
            raise ConnectionError("the stream is closed")
        if piece := self._stream.recv(65536):
            return piece
        raise ConnectionResetError("the server closed the stream")

    def _chunk(self) -> bytes:
        """The next whole chunk; empty at the end of what was received."""
        length, line, rest = self._received.partition(b"\r\n")
        if not line or len(rest) < int(length, 16) + 2:
            return b""
        size = int(length, 16)
        if size == 0:
            raise ConnectionResetError("the server ended the stream")
        self._received = rest[size + 2:]
        return rest[:size]

    def _take(self, event: dict[str, str]) -> None:
        kind, data = event.get("event", "").strip(), event.get("data", "").strip()
        if kind == "reset":
            if not (reason := json.loads(data)["reason"]).startswith(self.causes):
                raise Problem(f"a stream was reset without a cause: {reason}")
            self.pages = []
        if kind == "end":
            raise ConnectionResetError(f"the server ended the stream: {data}")
        if token := event.get("id", "").strip():
            changes = []
            if kind == "change" and (record := json.loads(data))["recordType"] != "Users":
                changes.append((record["recordName"], None if record.get("deleted") else record["recordChangeTag"]))
            self.pages.append((self.clock.now(), token, changes))

    def _close(self) -> None:
        if self._stream:
            self._stream.close()
            self._stream = None


class WebhookClient(Worker):
    """Makes a webhook, and receives its messages, also those of the servers that follow on the disk."""

    writes = False

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.id = self.secret = ""
        self.port = 0
        self.made: int | None = None
        self.messages: list[tuple[int, Message]] = []  # with the times at which they were acknowledged
        self.wrong: list[str] = []
        self._known: list[Message] | None = None  # in a check: what came before the end, and since

    def act(self) -> None:
        if self.made is None:
            self.make()
        self.stopping.wait(0.05)

    def make(self) -> None:
        self.listen()
        mark = self.name.split("-")[0].rstrip("b")
        # Rounds that continue with a disk bring the webhooks of others, whose receivers are gone.
        for one in self.call("GET", "/webhooks").json()["webhooks"]:
            if one["description"] != mark:
                self.call("DELETE", f"/webhooks/{one['id']}", expect=(204,))
        body = {"url": f"http://127.0.0.1:{self.port}/", "types": TYPES, "since": "beginning", "description": mark}
        found = self.call("POST", "/webhooks", body, expect=(201,)).json()
        self.id, self.secret, self.made = found["id"], found["secret"], self.clock.now()

    def listen(self) -> None:
        self._receiver = Receiver(("127.0.0.1", self.port), Handler)
        self._receiver.client = self
        self.port = self._receiver.server_port
        threading.Thread(target=self._receiver.serve_forever, args=(0.1,), daemon=True).start()

    def close(self) -> None:
        if receiver := getattr(self, "_receiver", None):
            receiver.shutdown()
            receiver.server_close()

    def receive(self, fields, body: bytes) -> bool:
        """Keeps a message. Returns whether it is acknowledged: the first one may come before the secret is known."""
        if not self.secret:
            return False
        content = f"{fields['webhook-id']}.{fields['webhook-timestamp']}.".encode() + body
        key = base64.b64decode(self.secret.removeprefix("whsec_"))
        signature = "v1," + base64.b64encode(hmac.digest(key, content, hashlib.sha256)).decode()
        if signature not in fields["webhook-signature"].split(" "):
            self.wrong.append(f"{self.name}: a message with a wrong signature: {body[:200]!r}")
        found = json.loads(body)
        records = [one["record"] for one in found["data"].get("events", [])]
        one = Message(found["type"] == "feed.reset", [
            (record["recordName"], None if record.get("deleted") else record["recordChangeTag"]) for record in records])
        if self._known is None:
            self.messages.append((self.clock.now(), one))
        else:
            self._known.append(one)
        self.count += 1
        return True

    def begin_check(self, cut: int) -> None:
        """From now on messages come from a server on the disk that `cut` left. Those since the cut never happened."""
        if self.made is not None and not hasattr(self, "_receiver"):
            self.listen()  # a kept round is checked again
        self._known = [one for when, one in self.messages if when <= cut]

    def violations(self, cut: int, recovered: RecoveredState):
        yield from self.wrong
        if self.made is None or self.made > cut:
            return
        # A webhook on a copied disk is paused. An attempt that failed when the server was killed is repeated at once.
        response = recovered.client.call("POST", f"/webhooks/{self.id}/resume", expect=(200, 404),
                                         token=recovered.admin)
        if response.status == 404:
            yield f"the webhook {self.id} is gone"
            return
        expected = {name: record["recordChangeTag"] for name, record in recovered.records.items()
                    if record["recordType"] in TYPES}
        limit = time.monotonic() + MOST_SECONDS
        while self.copy() != expected and time.monotonic() < limit:
            time.sleep(0.02)
        yield from FeedReader.differences("of a webhook", self.copy(), expected)

    def copy(self) -> dict[str, str]:
        """The records by all messages."""
        found: dict[str, str] = {}
        for one in list(self._known or []):
            if one.is_reset:
                found.clear()
            merge(found, one.changes)
        return found


@dataclass
class Message:
    is_reset: bool
    changes: list[tuple[str, str | None]]


class Receiver(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_) -> None:
        """A connection breaks when its server is killed."""


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        length = int(self.headers["Content-Length"])
        body = self.rfile.read(length)
        if len(body) < length:
            raise ConnectionResetError("the server was killed while it sent a message")
        limit = time.monotonic() + 5
        while not (is_kept := self.server.client.receive(self.headers, body)) and time.monotonic() < limit:
            time.sleep(0.01)
        self.send_response(204 if is_kept else 500)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_) -> None:
        pass
