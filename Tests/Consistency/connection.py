"""A client's connections to the server: each request with its times, and requests whose answer nobody waits for."""
import json
import re
import socket
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from random import Random
from urllib.parse import quote

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "Bench"))

from client import message  # noqa: E402
from liar import Liar  # noqa: E402
from problem import Problem  # noqa: E402

__all__ = ["FAILURES", "Connection", "Problem", "Reply", "Unavailable", "quoted", "rows_of", "value_of"]

REPLAYED = b"\r\nidempotency-replayed: true"
LENGTH = re.compile(rb"\r\ncontent-length: *([0-9]+)", re.IGNORECASE)

# An index that is being built or was dropped, too many long queries, a key whose first request is still at work: all
# are to be asked again, and have done nothing.
PASSING = {"INDEX_BUILDING", "NOT_INDEXED", "UNAVAILABLE", "TRY_AGAIN_LATER"}

# What a broken connection or a strange answer raises.
FAILURES = (OSError, ValueError, KeyError)


# Answers up to this length are remembered as they were.
REMEMBERED_BYTES = 4096


class Unavailable(Exception):
    """The server refused a request for now, as it may."""


@dataclass(slots=True)
class Reply:
    """An answer with its times; a request without a known outcome has status 0 and no `answered`."""
    sent: int
    answered: int | None
    status: int = 0
    body: dict | list | None = None
    is_replay: bool = False
    was_left: bool = False  # it was sent before, and may be refused here and still be performed there
    length: int = 0  # of the body, in bytes

    def is_repeated_by(self, again: "Reply") -> bool:
        """Whether another answer is this one, remembered. Of a longer one, records that were changed or deleted since
        have their names, types and tags alone (Interface.md, "Repeating"); one that was left may have been longer.
        """
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
    """A keep-alive connection. With a `liar`, what it asks or is told is not true: the checkers must notice."""

    def __init__(self, port: int, token: str | None, random: Random, liar: Liar | None = None):
        self.port, self.token, self.random, self.liar = port, token, random, liar
        self.line: socket.socket | None = None
        self.requests = 0
        self.refused = 0  # of these, for now

    def ask(self, method: str, path: str, body=None, headers: tuple[str, ...] = (), expect=(200,)) -> Reply:
        """Sends a request and waits for its answer; a status that is not expected is a `Problem`."""
        requests = [self.request(method, path, part, headers) for part in self.parts(path, body, headers)]
        self.requests += 1
        sent = time.monotonic_ns()
        answers = [self.exchange(one) for one in requests]
        answered = time.monotonic_ns()
        status, head, content = answers[-1]
        told = json.loads(content) if content[:1] in (b"{", b"[") else None
        for _, _, other in answers[:-1]:
            told["records"] = json.loads(other)["records"] + told["records"]
        if self.liar:
            told = self.liar.twist(method, path, status, told)
        if status not in expect:
            cause = (told or {}).get("details", {}).get("cause") or (told or {}).get("serverErrorCode")
            if cause in PASSING:
                self.refused += 1
                raise Unavailable(cause)
            words = content[:400].decode(errors="replace")
            raise Problem(f"{method} {path[:160]} answered {status}, expected {expect}: {words}")
        return Reply(sent, answered, status, told, REPLAYED in head.lower(), length=len(content))

    def exchange(self, request: bytes) -> tuple[int, bytes, bytes]:
        """Status, head and content of the answer. Python's own client costs more than the server, and times with it."""
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
            raise Problem(f"an answer without a length: {head!r}")
        missing, pieces = (int(length[1]) if length else 0) - len(content), [content]
        while missing > 0:
            pieces.append(self.more())
            missing -= len(pieces[-1])
        if missing < 0:
            raise Problem(f"more came than an answer: {head!r} {received[-200:]!r}")
        return status, head, b"".join(pieces)

    def more(self) -> bytes:
        received = self.line.recv(262_144)
        if not received:
            raise ConnectionError("the server hung up")
        return received

    def leave(self, method: str, path: str, body=None, headers: tuple[str, ...] = ()) -> Reply:
        """Sends a request over a connection of its own and hangs up without waiting for the answer."""
        request = self.request(method, path, body, headers)
        self.requests += 1
        sent = time.monotonic_ns()
        with socket.create_connection(("127.0.0.1", self.port), 30) as line:
            line.sendall(request)
            if self.random.random() < 0.5:
                # Some hang up while the server is at work on it.
                time.sleep(self.random.uniform(0, 0.003))
        return Reply(sent, None)

    def ask_once(self, method: str, path: str, body=None, headers: tuple[str, ...] = (), expect=(200,),
                 breaks: float = 0.0) -> Reply:
        """A write that happens once, however often it is sent: with an idempotency key, sometimes after hanging up."""
        headers += (f"Idempotency-Key: {self.random.randbytes(12).hex()}",)
        first = None
        while self.random.random() < breaks:
            left = self.leave(method, path, body, headers)
            first = first or left.sent
        reply = self.ask_until_available(method, path, body, headers, expect)
        reply.sent, reply.was_left = first or reply.sent, first is not None
        if reply.status < 300 and self.random.random() < breaks:
            again = self.ask(method, path, body, headers, expect)
            if not reply.is_repeated_by(again):
                raise Problem(f"{method} {path[:160]} with its key once more answered {again.status} {again.body}, "
                              f"first {reply.status} {reply.body}")
        return reply

    def ask_until_available(self, method: str, path: str, body, headers: tuple[str, ...], expect) -> Reply:
        """What was sent before may be performed any time, so a write must not end with a refusal for now."""
        limit = time.monotonic() + 20
        while True:
            try:
                return self.ask(method, path, body, headers, expect)
            except Unavailable:
                if time.monotonic() > limit:
                    raise
                time.sleep(0.01)

    def parts(self, path: str, body, headers: tuple[str, ...]) -> list:
        return self.liar.parts(path, body, headers) if self.liar else [body]

    def request(self, method: str, path: str, body, headers: tuple[str, ...]) -> bytes:
        if self.liar:
            method, path, body, headers = self.liar.change(method, path, body, headers)
        request = message(method, path, self.token, body)
        if method == "POST" and path == "/assets":
            request = request.replace(b"application/json", b"application/octet-stream", 1)
        if headers:
            line, rest = request.split(b"\r\n", 1)
            request = line + b"\r\n" + "".join(f"{one}\r\n" for one in headers).encode() + rest
        return request

    def close(self) -> None:
        if self.line:
            self.line.close()
            self.line = None


def outline(record: dict) -> dict | None:
    """What is said of a record that an answer shows no more."""
    if "fields" not in record:
        return None
    return {name: record[name] for name in ("recordName", "recordType", "recordChangeTag")} | {"deleted": False}


def quoted(text: str) -> str:
    return quote(text, safe="")


def rows_of(records: list[dict]) -> dict[str, tuple[object, str]]:
    """What a read showed: the field `v` and the change tag, by name."""
    found = {}
    for one in records:
        if one["recordName"] in found:
            raise Problem(f"a page shows {one['recordName']} twice")
        found[one["recordName"]] = (value_of(one), one["recordChangeTag"])
    return found


def value_of(record: dict):
    """The field `v`, which tells the state of a record; of tickets, whose names are their states, what they hold."""
    fields = record["fields"]
    return (fields.get("v") or fields.get("slot") or {}).get("value")
