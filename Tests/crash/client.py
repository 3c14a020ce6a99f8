"""The base of all clients of this suite: threads that write or read, and record what the server acknowledged.

Times are positions in the journal, or nanoseconds where a round keeps none. A write that was acknowledged before a cut
must have survived it. A write that had been sent may have survived. A later one cannot.
"""
import http.client
import threading
from dataclasses import dataclass
from random import Random

from Tests.harness.client import Client, UnexpectedStatus, values
from Tests.harness.errors import Problem
from Tests.harness.rounds import description

ABSENT = None  # the state of a record that does not exist


@dataclass
class Step:
    """One write to one object: when it was sent and acknowledged, and the state that it leaves."""
    sent: int
    state: object
    answered: int | None = None


class History:
    """The writes of one client to one object, one after another."""

    def __init__(self, first=ABSENT):
        self.steps = [Step(0, first, 0)]
        self.is_closed = False  # a write has an unknown outcome, so no other may follow

    @property
    def state(self):
        """After the last write, whether it was acknowledged or not."""
        return self.steps[-1].state

    def begin(self, clock, state) -> Step:
        step = Step(clock.now(), state)
        self.steps.append(step)
        return step

    def allowed(self, cut: int) -> list:
        """The states that may exist after a cut: the last acknowledged one, or one that had been sent since."""
        last = max(index for index, one in enumerate(self.steps) if one.answered is not None and one.answered <= cut)
        return [one.state for one in self.steps[last:] if one.sent <= cut or one is self.steps[last]]


class Worker(threading.Thread):
    """A client with a thread of its own, until the server is gone."""

    writes = True  # whether `count` counts acknowledged writes

    def __init__(self, name: str, clock, random: Random):
        super().__init__(name=name, daemon=True)
        self.clock, self.random = clock, random
        self.failure: str | None = None
        self.is_ending = False  # the round is about to end the server: from now on connections may break
        self.was_cut_off = False  # a response had begun and did not end
        self.end = ""  # how its connection ended
        self.stopping = threading.Event()
        self.client: Client | None = None
        self.count = 0
        self.tolerated: frozenset[int] = frozenset()  # the statuses after which it continues
        self.rejections: dict[int, int] = {}
        self.histories: dict[str, History] = {}
        self.begun: tuple[History, Step] | None = None

    def attach(self, client: Client) -> None:
        self.client = client

    def run(self) -> None:
        try:
            while not self.stopping.is_set():
                self.act_once()
        except (OSError, http.client.HTTPException) as error:
            self.end = f"{type(error).__name__}: {error}"
            self.was_cut_off = isinstance(error, http.client.IncompleteRead)
            if not self.is_ending:
                self.failure = f"{self.name}: its connection ended before the server was to end: {self.end}"
        except Exception as error:
            if not (self.is_ending and isinstance(error, UnexpectedStatus) and error.status == 503):
                self.failure = f"{self.name}: {description(error)}"
        finally:
            if self.client:
                self.client.close()

    def close(self) -> None:
        """Ends what outlives the servers of a round."""

    def act_once(self) -> None:
        try:
            self.begun = None
            self.act()
            self.count += 1
        except UnexpectedStatus as error:
            self.rejections[error.status] = self.rejections.get(error.status, 0) + 1
            if error.status not in self.tolerated:
                raise
            self.rejected(error.status)
            self.stopping.wait(0.02)

    def act(self) -> None:
        raise NotImplementedError(self.name)

    def begin(self, history: History, state) -> Step:
        step = history.begin(self.clock, state)
        self.begun = history, step
        return step

    def rejected(self, status: int) -> None:
        """507 says that nothing was written. After any other status the outcome is unknown."""
        if self.begun is None:
            return
        history, step = self.begun
        if status == 507:
            history.steps.remove(step)
        else:
            history.is_closed = True

    def violations(self, cut: int, recovered: "RecoveredState"):
        """Sentences about records that are not as they must be after a cut at `cut`."""
        for name, history in self.histories.items():
            found, allowed = recovered.fields(name), history.allowed(cut)
            if found not in allowed:
                yield f"{name} is {short(found)}, must be {' or '.join(map(short, allowed))}"

    def known(self, is_present: bool = False) -> list[str]:
        """The objects whose state is known, or those of them that exist."""
        return [name for name, one in self.histories.items()
                if not one.is_closed and not (is_present and one.state is ABSENT)]

    def new(self) -> str:
        name = f"{self.name}-{len(self.histories)}"
        self.histories[name] = History()
        return name

    def acknowledge(self, step: Step) -> None:
        step.answered = self.clock.now()

    def call(self, method: str, path: str, body=None, expect=(200,), headers: tuple[str, ...] = ()):
        return self.client.call(method, path, body, expect, headers)

    def write(self, name: str, state, *arguments, **options):
        """One request that leaves the object in `state`; returns the response."""
        step = self.begin(self.histories[name], state)
        response = self.call(*arguments, **options)
        self.acknowledge(step)
        return response

    def batch(self, operations: list[dict]) -> list[dict]:
        """An atomic batch, which must succeed. If the store rejected it, the error is in its items."""
        records = self.call("POST", "/records", {"operations": operations, "atomic": True}).json()["records"]
        for record in records:
            if "serverErrorCode" in record:
                raise_for_store(record)
                raise Problem(f"an operation of a batch failed: {short(record)}")
        return records

    def text(self) -> str:
        return self.random.randbytes(self.random.choice([4, 40, 400, 4_000, 40_000])).hex()

    def __getstate__(self):
        """A failed round keeps the recorded histories, not the thread."""
        kept = {key: value for key, value in self.__dict__.items()
                if not key.startswith("_") and key not in ("client", "stopping", "clock")}
        return kept | {"_name": self._name}

    def __setstate__(self, state):
        threading.Thread.__init__(self, name=state.pop("_name"), daemon=True)
        self.__dict__.update(state)


class StoreRejection(UnexpectedStatus):
    """An operation of a batch failed with the equivalent of this status of a single write."""

    def __init__(self, status: int, sentence: str):
        Exception.__init__(self, sentence)
        self.status = status


def raise_for_store(record: dict) -> None:
    """Raises if the item of a batch says that the store could not write it."""
    cause = record.get("details", {}).get("cause")
    other = 500 if record["serverErrorCode"] == "INTERNAL_ERROR" else 0
    if status := {"STORAGE_FULL": 507, "UNAVAILABLE": 503}.get(cause, other):
        raise StoreRejection(status, f"an operation of a batch failed: {short(record)}")


class RecoveredState:
    """A server on the disk that a cut left, and the records that it returns."""

    def __init__(self, client: Client, types: list[str]):
        self.client = client
        self.records = {record["recordName"]: record for kind in types
                        for record in client.pages(f"/records/{kind}?limit=500", "records")}

    def fields(self, name: str):
        return values(self.records[name]) if name in self.records else ABSENT


def short(state) -> str:
    text = repr(state)
    return text if len(text) < 160 else text[:120] + f"… ({len(text)} characters)"
