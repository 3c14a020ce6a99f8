"""The base of the clients of this suite: they send requests at a fixed pace and remember only the present state."""
import threading
import time
import zlib
from collections import Counter
from random import Random

from Tests.crash.client import Worker
from Tests.harness.client import Response, Client, UnexpectedStatus, message
from Tests.harness.errors import Problem

# Why a request with a condition may be rejected for now, with its status: an index was dropped or is being built, or
# too many long queries run. Nothing else may be rejected.
TEMPORARY = {"INDEX_BUILDING": 503, "NOT_INDEXED": 400, "long queries": 503}


class Unavailable(Exception):
    """The server rejected a request for now, as it may."""


class Cancelled(Exception):
    """The client itself abandoned its request, on purpose."""


class Shared:
    """The shared state of all clients: the server's port, the tokens, the counts and the failures."""

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


class SoakClient(Worker):
    """Acts about `rate` times a second, times the pace that is shared."""

    rate = 1.0
    kind = "client"

    def __init__(self, shared: Shared, name: str, random: Random):
        super().__init__(name, None, random)
        self.shared = shared

    def prepare(self) -> None:
        """Before the first act."""

    def verify(self) -> None:
        """After the last act: compares the client's knowledge with the server's records."""

    def run(self) -> None:
        self.attach(Client(self.shared.port, self.shared.token))
        self.attempt(self.prepare)
        # Not all clients at once.
        self.stopping.wait(self.random.uniform(0, min(2.0, 1 / self.rate)))
        while not self.stopping.is_set():
            started = time.monotonic()
            self.attempt(self.act, "acts")
            rest = self.random.uniform(0.5, 1.5) / (self.rate * self.shared.pace) - (time.monotonic() - started)
            if rest > 0:
                self.stopping.wait(rest)
        self.attempt(self.verify)
        self.client.close()

    def attempt(self, work, done: str = "") -> None:
        """Records a failure and continues; `done` is counted after success."""
        try:
            work()
            if done:
                self.add(done)
        except Cancelled:
            self.add("cancelled")
        except Unavailable:
            self.add("unavailable")
        except Exception as error:  # an error that the client does not expect is a finding too
            self.shared.fail(f"{self.name}: {type(error).__name__}: {error}")
            self.client.close()
            self.stopping.wait(0.2)

    def add(self, what: str, count: int = 1) -> None:
        with self.shared.lock:
            self.shared.counts[what] += count
            self.shared.counts[f"{self.kind} {what}"] += count

    def send(self, request: bytes) -> Response:
        self.add("requests")
        return self.client.send(request)

    def call(self, method: str, path: str, body=None, expect=(200,), headers: tuple[str, ...] = (),
             token: str | None = None) -> Response:
        response = self.send(message(method, path, token or self.client.token, body, headers))
        if response.status in expect:
            return response
        if path.startswith("/query"):
            error = response.json()
            # The server also says UNAVAILABLE when it stops.
            is_long = "long queries" in error["reason"]
            cause = "long queries" if is_long else error.get("details", {}).get("cause")
            if TEMPORARY.get(cause) == response.status:
                self.add(f"rejected {cause}")
                raise Unavailable
        raise UnexpectedStatus(f"{method} {path[:120]}", response, expect)

    def require(self, condition: bool, sentence: str) -> None:
        if not condition:
            raise Problem(sentence)


def gzipped(content: bytes) -> bytes:
    squeeze = zlib.compressobj(6, zlib.DEFLATED, 31)
    return squeeze.compress(content) + squeeze.flush()
