"""A client that works at a fixed pace for as long as it takes, and remembers only what is there now."""
import http.client
import threading
import time
import zlib
from collections import Counter
from random import Random

import paths  # noqa: F401
from actors import Actor
from client import Answer, Client, encode
from watched import Problem

# An index was dropped or is being built, or too much is going on: the request has done nothing, and is to be repeated.
PASSING = {"INDEX_BUILDING", "NOT_INDEXED", "UNAVAILABLE", "TRY_AGAIN_LATER"}


class Passing(Exception):
    """The server refused a request for now, as it may."""


class GivenUp(Exception):
    """The visitor itself left off, as it meant to."""


class Town:
    """What all visitors share: the server's port, the tokens, the failures."""

    def __init__(self, port: int, token: str, admin: str, pace: float):
        self.port, self.token, self.admin, self.pace = port, token, admin, pace
        self.failures: list[str] = []
        self.counts: Counter = Counter()
        self.lock = threading.Lock()

    def fail(self, sentence: str) -> None:
        with self.lock:
            self.counts["failures"] += 1
            if len(self.failures) < 200:
                self.failures.append(sentence)

    @property
    def requests(self) -> int:
        return self.counts["requests"]


class Visitor(Actor):
    """Acts about `rate` times a second; `rate` is of the class, and the pace of the town is a factor to it."""

    rate = 1.0
    kind = "visitor"

    def __init__(self, town: Town, name: str, random: Random):
        super().__init__(name, None, random)
        self.town = town

    def begin(self) -> None:
        """What comes before the first act."""

    def end_well(self) -> None:
        """What comes after the last act: what the visitor knows is compared with what is there."""

    def run(self) -> None:
        self.attach(Client(self.town.port, self.town.token))
        self.guarded(self.begin)
        # Not all at once.
        self.stopping.wait(self.random.uniform(0, min(2.0, 1 / self.rate)))
        while not self.stopping.is_set():
            started = time.monotonic()
            self.guarded(self.act, "acts")
            rest = self.random.uniform(0.5, 1.5) / (self.rate * self.town.pace) - (time.monotonic() - started)
            if rest > 0:
                self.stopping.wait(rest)
        self.guarded(self.end_well)
        self.client.close()

    def guarded(self, work, done: str = "") -> None:
        """One thing that goes wrong is written down, and the visitor goes on; `done` counts what went well."""
        try:
            work()
            if done:
                self.tell(done)
        except GivenUp:
            self.tell("given up")
        except Passing:
            self.tell("passing")
        except Exception as problem:  # whatever a client did not reckon with is a finding too
            self.town.fail(f"{self.name}: {type(problem).__name__}: {problem}")
            self.client.close()
            self.stopping.wait(0.2)

    def tell(self, what: str, count: int = 1) -> None:
        with self.town.lock:
            self.town.counts[what] += count
            self.town.counts[f"{self.kind} {what}"] += count

    def send(self, request: bytes, *, client: Client | None = None) -> Answer:
        """A server that closes a connection between two requests may do so: the request is sent once more."""
        self.tell("requests")
        return (client or self.client).send(request)

    def call(self, method: str, path: str, body=None, expect=(200,), headers: tuple[str, ...] = (),
             token: str | None = None) -> Answer:
        answer = self.send(request_of(method, path, token or self.client.token, body, headers))
        if answer.status not in expect:
            words = answer.body[:300].decode(errors="replace")
            if answer.status in (400, 503) and any(one in words for one in PASSING):
                raise Passing(words)
            raise Problem(f"{method} {path[:120]} answered {answer.status}, expected {expect}: {words}")
        return answer

    def require(self, condition: bool, sentence: str) -> None:
        if not condition:
            raise Problem(sentence)


def request_of(method: str, path: str, token: str | None, body=None, headers: tuple[str, ...] = ()) -> bytes:
    """A request whose body is JSON, or bytes as they are with the type that `headers` say."""
    lines = [f"{method} {path} HTTP/1.1", "Host: 127.0.0.1", *headers]
    if token:
        lines.append(f"Authorization: Bearer {token}")
    content = b"" if body is None else body if isinstance(body, bytes) else encode(body)
    if body is not None:
        if not any(one.lower().startswith("content-type:") for one in headers):
            lines.append("Content-Type: application/json")
        lines.append(f"Content-Length: {len(content)}")
    return ("\r\n".join(lines) + "\r\n\r\n").encode() + content


def gzipped(content: bytes) -> bytes:
    squeeze = zlib.compressobj(6, zlib.DEFLATED, 31)
    return squeeze.compress(content) + squeeze.flush()


FAILURES = (OSError, http.client.HTTPException, ValueError)
