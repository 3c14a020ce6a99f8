"""Clients that write and read under load, remember what they were told, and say later what of it must be there.

Times are positions in the journal (`Clock`). A write whose answer had come before a cut must have survived it; one that
had been sent may have; one that was not yet sent cannot have.
"""
import http.client
import threading
import traceback
from dataclasses import dataclass
from random import Random

from watched import Clock, Problem
from client import Client, message

GONE = None  # the state of a record that does not exist


@dataclass
class Step:
    """One write to one thing: when it was sent and answered, and what is there afterwards."""
    sent: int
    state: object
    answered: int | None = None


class Refused(Problem):
    """The server could not do it: 507 says that nothing was written, any other status leaves that open."""

    def __init__(self, status: int, sentence: str):
        super().__init__(sentence)
        self.status = status


class History:
    """The writes of one client to one thing, one after another."""

    def __init__(self, first=GONE):
        self.steps = [Step(0, first, 0)]
        self.is_closed = False  # nobody knows what is there, so nobody goes on with it

    def begin(self, clock: Clock, state) -> Step:
        step = Step(clock.now(), state)
        self.steps.append(step)
        return step

    def allowed(self, cut: int) -> list:
        """The states that may be there after a cut: the last acknowledged, or the one that was under way."""
        last = max(index for index, one in enumerate(self.steps) if one.answered is not None and one.answered <= cut)
        return [one.state for one in self.steps[last:] if one.sent <= cut or one is self.steps[last]]


class Actor(threading.Thread):
    """A client with a thread of its own, until the server is gone."""

    writes = True  # whether what it counts are writes that were acknowledged

    def __init__(self, name: str, clock: Clock, random: Random):
        super().__init__(name=name, daemon=True)
        self.clock, self.random = clock, random
        self.failure: str | None = None
        self.is_ending = False  # the server is about to be ended: until then it answers, and keeps the connection
        self.was_cut_off = False  # an answer had begun and did not end
        self.end = ""  # how its connection ended
        self.stopping = threading.Event()
        self.client: Client | None = None
        self.count = 0
        self.patience: frozenset[int] = frozenset()  # the refusals after which it goes on
        self.refusals: dict[int, int] = {}
        self.begun: tuple[History, Step] | None = None

    def attach(self, client: Client) -> None:
        self.client = client

    def run(self) -> None:
        try:
            while not self.stopping.is_set():
                self.act_patiently()
        except (OSError, http.client.HTTPException) as error:
            self.end = f"{type(error).__name__}: {error}"
            self.was_cut_off = isinstance(error, http.client.IncompleteRead)
            if not self.is_ending:
                self.failure = f"{self.name}: its connection ended before the server was to end: {self.end}"
        except Problem as problem:
            if not (self.is_ending and isinstance(problem, Refused) and problem.status == 503):
                self.failure = f"{self.name}: {problem}"
        except Exception as error:
            self.failure = f"{self.name}: {last_line(error)}"
        finally:
            if self.client:
                self.client.close()

    def act_patiently(self) -> None:
        try:
            self.begun = None
            self.act()
            self.count += 1
        except Refused as refusal:
            self.refusals[refusal.status] = self.refusals.get(refusal.status, 0) + 1
            if refusal.status not in self.patience:
                raise
            self.refused(refusal.status)
            self.stopping.wait(0.02)

    def act(self) -> None:
        raise NotImplementedError(self.name)

    def begin(self, history: History, state) -> Step:
        step = history.begin(self.clock, state)
        self.begun = history, step
        return step

    def refused(self, status: int) -> None:
        """What was begun is not done, or nobody knows."""
        if self.begun is None:
            return
        history, step = self.begun
        if status == 507:
            history.steps.remove(step)
        else:
            history.is_closed = True

    def complaints(self, cut: int, survivor: "Survivor"):
        """Sentences about what is not as it must be after a cut at `cut`."""
        return []

    def call(self, method: str, path: str, body=None, expect=(200,), headers: tuple[str, ...] = ()):
        request = message(method, path, self.client.token, body)
        if headers:
            line, rest = request.split(b"\r\n", 1)
            request = line + b"\r\n" + "".join(f"{one}\r\n" for one in headers).encode() + rest
        answer = self.client.send(request)
        if answer.status not in expect:
            raise unexpected(f"{method} {path[:120]}", answer, expect)
        return answer

    def text(self) -> str:
        return self.random.randbytes(self.random.choice([4, 40, 400, 4_000, 40_000])).hex()

    def __getstate__(self):
        """What a failed round keeps: the memories, not the thread."""
        kept = {key: value for key, value in self.__dict__.items()
                if not key.startswith("_") and key not in ("client", "stopping", "clock")}
        return kept | {"_name": self._name}

    def __setstate__(self, state):
        threading.Thread.__init__(self, name=state.pop("_name"), daemon=True)
        self.__dict__.update(state)


def last_line(error: Exception) -> str:
    """The last line of its traceback, and where that was."""
    place = traceback.extract_tb(error.__traceback__)[-1]
    what = traceback.format_exception_only(error)[-1].strip()
    return f"{what} ({place.filename.split('/')[-1]}, line {place.lineno})"


def unexpected(request: str, answer, expect) -> Problem:
    text = answer.body[:400].decode(errors="replace")
    sentence = f"{request} answered {answer.status} where {expect} is expected: {text}"
    return Refused(answer.status, sentence) if answer.status in (500, 503, 507) else Problem(sentence)


class Survivor:
    """A server on what a cut left, and what it says of its records."""

    TYPES = ("Item", "Counter", "Part", "Member", "Bundle", "File")

    def __init__(self, client: Client, types=TYPES):
        self.client = client
        self.records = {name: record for kind in types for name, record in self.list(kind)}

    def list(self, kind: str):
        cursor = ""
        while True:
            page = self.client.call("GET", f"/records/{kind}?limit=500{cursor}").json()
            for record in page["records"]:
                yield record["recordName"], record
            if "cursor" not in page:
                return
            cursor = "&cursor=" + http_quote(page["cursor"])

    def fields(self, name: str):
        return values(self.records[name]) if name in self.records else GONE


def http_quote(text: str) -> str:
    from urllib.parse import quote
    return quote(text, safe="")


def values(record: dict) -> dict:
    """The fields of a record as plain values."""
    return {name: field["value"] for name, field in record["fields"].items()}


def short(state) -> str:
    text = repr(state)
    return text if len(text) < 160 else text[:120] + f"… ({len(text)} characters)"
