"""A client's connections: each request with its times, and requests whose response is not awaited."""
import json
import re
import socket
import time
from collections import Counter
from dataclasses import dataclass
from random import Random
from typing import NoReturn

from Tests.consistency.fault_injection import FaultInjector
from Tests.harness.client import message
from Tests.harness.errors import Problem

REPLAYED = b"\r\nidempotency-replayed: true"
LENGTH = re.compile(rb"\r\ncontent-length: *([0-9]+)", re.IGNORECASE)

# Why a request with a condition may be rejected for now, with its status: the index is being built or was dropped, or
# too many long queries run.
PASSING = {"INDEX_BUILDING": 503, "NOT_INDEXED": 400, "queries wait": 503}
# Why one with an idempotency key may be: the first one is still in progress. No other request may be rejected.
IN_PROGRESS = {"key in progress": 503}
# Names for what has no cause of its own: `UNAVAILABLE` may also mean that the server is about to stop.
REASONS = {"More long queries are waiting": "queries wait", "Too many of your long queries": "queries wait",
           "A request with this Idempotency-Key is still running": "key in progress"}

# Responses up to this length are remembered unchanged.
REMEMBERED_BYTES = 4096


class Unavailable(Exception):
    """The server rejected a request for now, as it may."""


@dataclass(slots=True)
class Reply:
    """A response with its times; a request with an unknown outcome has status 0 and no `answered`."""
    sent: int
    answered: int | None
    status: int = 0
    body: dict | list | None = None
    is_replay: bool = False
    was_left: bool = False  # it was sent before, so it may take effect although this request was rejected
    length: int = 0  # of the body, in bytes

    def is_repeated_by(self, again: "Reply") -> bool:
        """Whether another response is this one, remembered. In a longer one, records that have changed since have only
        their names, types and tags (Records.md, "Idempotency"). One that was not awaited may have been longer."""
        if (again.status, again.is_replay) != (self.status, True):
            return False
        if again.body == self.body:
            return True
        if not (isinstance(self.body, dict) and isinstance(again.body, dict) and "records" in self.body):
            return False
        records, others = self.body["records"], again.body.get("records", [])
        return ((self.was_left or self.length > REMEMBERED_BYTES)
                and again.body == dict(self.body, records=others) and len(others) == len(records)
                and all(other in (one, outline(one)) for one, other in zip(records, others)))


class Connection:
    """A keep-alive connection. An `injector` changes requests and responses, which the checks must find."""

    def __init__(self, port: int, token: str | None, random: Random, injector: FaultInjector | None = None):
        self.port, self.token, self.random, self.injector = port, token, random, injector
        self.line: socket.socket | None = None
        self.requests = 0
        self.refused: Counter[str] = Counter()  # of these, rejected for now, by the cause

    def ask(self, method: str, path: str, body=None, headers: tuple[str, ...] = (), expect=(200,)) -> Reply:
        """Sends a request and waits for its response; a status that is not expected is a `Problem`."""
        requests = [self.request(method, path, part, headers) for part in self.parts(path, body, headers)]
        self.requests += 1
        sent = time.monotonic_ns()
        responses = [self.exchange(one) for one in requests]
        answered = time.monotonic_ns()
        status, head, content = responses[-1]
        returned = json.loads(content) if content[:1] in (b"{", b"[") else None
        for _, _, other in responses[:-1]:
            returned["records"] = json.loads(other)["records"] + returned["records"]
        if self.injector:
            returned = self.injector.alter(method, path, status, returned)
        if status not in expect:
            self.refuse(method, path, headers, status, content)
        return Reply(sent, answered, status, returned, REPLAYED in head.lower(), length=len(content))

    def refuse(self, method: str, path: str, headers: tuple[str, ...], status: int, content: bytes) -> NoReturn:
        """`Unavailable` if such a request may be rejected for this cause, and had no effect; else a `Problem`."""
        try:
            returned = json.loads(content)
        except ValueError:
            returned = {}
        cause = next((name for words, name in REASONS.items() if returned.get("reason", "").startswith(words)),
                     returned.get("details", {}).get("cause", ""))
        causes = [PASSING] if path.startswith("/query") else []
        causes += [IN_PROGRESS] if any(one.startswith("Idempotency-Key") for one in headers) else []
        if any(one.get(cause) == status for one in causes):
            self.refused[cause] += 1
            raise Unavailable(cause)
        words = content[:400].decode(errors="replace")
        raise Problem(f"{method} {path[:160]} answered {status}: {words}")

    def exchange(self, request: bytes) -> tuple[int, bytes, bytes]:
        """Status, head and body of the response. Python's own client costs more than the server, which would widen the
        times."""
        self.send(request)
        return self.receive()

    def send(self, request: bytes) -> None:
        if self.line is None:
            self.line = socket.create_connection(("127.0.0.1", self.port), 30)
            self.line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.line.sendall(request)

    def receive(self) -> tuple[int, bytes, bytes]:
        received = b""
        while (end := received.find(b"\r\n\r\n")) < 0:
            received += self.more()
        head, content = received[:end], received[end + 4:]
        status, length = int(head[9:12]), LENGTH.search(head)
        if length is None and status not in (204, 304):
            raise Problem(f"a response without a length: {head!r}")
        missing, pieces = (int(length[1]) if length else 0) - len(content), [content]
        while missing > 0:
            pieces.append(self.more())
            missing -= len(pieces[-1])
        if missing < 0:
            raise Problem(f"more came than a response: {head!r} {received[-200:]!r}")
        return status, head, b"".join(pieces)

    def more(self) -> bytes:
        received = self.line.recv(262_144)
        if not received:
            raise ConnectionError("the server hung up")
        return received

    def disconnect(self, method: str, path: str, body=None, headers: tuple[str, ...] = ()) -> Reply:
        """Sends a request over a connection of its own and closes it without waiting for the response."""
        request = self.request(method, path, body, headers)
        self.requests += 1
        sent = time.monotonic_ns()
        with socket.create_connection(("127.0.0.1", self.port), 30) as line:
            line.sendall(request)
            if self.random.random() < 0.5:
                # Sometimes the server already works on it.
                time.sleep(self.random.uniform(0, 0.003))
        return Reply(sent, None)

    def ask_once(self, method: str, path: str, body=None, headers: tuple[str, ...] = (), expect=(200,),
                 disconnects: float = 0.0) -> Reply:
        """A write with an idempotency key, which takes effect once however often it is sent."""
        headers += (f"Idempotency-Key: {self.random.randbytes(12).hex()}",)
        first = None
        while self.random.random() < disconnects:
            left = self.disconnect(method, path, body, headers)
            first = first or left.sent
        reply = self.ask_until_available(method, path, body, headers, expect)
        reply.sent, reply.was_left = first or reply.sent, first is not None
        if reply.status < 300 and self.random.random() < disconnects:
            again = self.ask(method, path, body, headers, expect)
            if not reply.is_repeated_by(again):
                raise Problem(f"{method} {path[:160]} with its key once more answered {again.status} {again.body}, "
                              f"first {reply.status} {reply.body}")
        return reply

    def ask_until_available(self, method: str, path: str, body, headers: tuple[str, ...], expect) -> Reply:
        """A request that was sent before may take effect at any time, so it must not end with a temporary rejection."""
        limit = time.monotonic() + 20
        while True:
            try:
                return self.ask(method, path, body, headers, expect)
            except Unavailable:
                if time.monotonic() > limit:
                    raise
                time.sleep(0.01)

    def parts(self, path: str, body, headers: tuple[str, ...]) -> list:
        return self.injector.parts(path, body, headers) if self.injector else [body]

    def request(self, method: str, path: str, body, headers: tuple[str, ...]) -> bytes:
        if self.injector:
            method, path, body, headers = self.injector.change(method, path, body, headers)
        if method == "POST" and path == "/assets":
            headers += ("Content-Type: application/octet-stream",)
        return message(method, path, self.token, body, headers)

    def close(self) -> None:
        if self.line:
            self.line.close()
            self.line = None


def outline(record: dict) -> dict | None:
    """The part of a repeated response about a record that it no longer shows."""
    if "fields" not in record:
        return None
    return {name: record[name] for name in ("recordName", "recordType", "recordChangeTag")} | {"deleted": False}


def rows_of(records: list[dict]) -> dict[str, tuple[object, str]]:
    """The result of a read: the field `v` and the change tag, by name."""
    found = {}
    for one in records:
        if one["recordName"] in found:
            raise Problem(f"a page shows {one['recordName']} twice")
        found[one["recordName"]] = (value_of(one), one["recordChangeTag"])
    return found


def value_of(record: dict):
    """The field `v`, which identifies the state of a record; of tickets, whose name is their state, the slot."""
    fields = record["fields"]
    return (fields.get("v") or fields.get("slot") or {}).get("value")
