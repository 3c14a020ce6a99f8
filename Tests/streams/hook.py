"""One webhook as its receiver sees it: what its messages have told, and what is wrong with them."""
import base64
import hashlib
import hmac
import json
import math
import select
import socket
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

# The clocks of sender and receiver are one. A message on a busy machine may wait so long.
MOST_SECONDS_OLD = 60
PLANTS = {"lose": "lacks", "order": "not in the order", "signature": "the signature", "repeat": "sent again",
          "content": "other content", "pause": "stands still"}


@dataclass
class Arrival:
    """A message that was received, with the moments at which its records were changed."""
    id: str
    kind: str
    timestamp: int
    connection: socket.socket
    token: str | None = None
    events: list[dict] = field(default_factory=list)
    # Somebody has changed the webhook meanwhile: the message may come again, whatever the receiver says.
    is_disturbed: bool = False

    @property
    def is_given_up(self) -> bool:
        """Whether the sender has closed the connection, or has died."""
        try:
            poll = select.poll()
            poll.register(self.connection, select.POLLIN)
            return bool(poll.poll(0)) and not self.connection.recv(1, socket.MSG_PEEK)
        except (OSError, ValueError):
            return True

    @property
    def times(self) -> list[int]:
        return [one["record"]["modified"]["timestamp"] for one in self.events if "modified" in one["record"]]

    @property
    def contents(self) -> set[tuple]:
        """The states of records in the message. A name may have a tombstone of an earlier type too."""
        return {(one["record"]["recordType"], one["record"]["recordName"], one["event"],
                 one["record"].get("deleted", False), one["record"].get("recordChangeTag", "")) for one in self.events}


class Versions:
    """Values of a setting of the webhook that replaced each other. The newest `count` of them are valid.

    A replaced value is right in a message that the server made before the newer values were valid for sure: the message
    may arrive much later. Moments are milliseconds since 1970.
    """

    def __init__(self, count: int):
        self._count = count
        self._values: list[tuple[str, float]] = []  # with the moment since which each was valid for sure

    def add(self, value: str, known: float = math.inf) -> None:
        """Adds the newest value. Without `known`, the request that sets it is on its way."""
        self._values.append((value, known))

    def confirm(self, known: float) -> None:
        """The response about the newest value has arrived."""
        self._values[-1] = self._values[-1][0], known

    def valid(self, moment: float) -> list[str]:
        """The values that may have been valid at some time since a moment."""
        values = list(self._values)
        return [value for number, (value, _) in enumerate(values)
                if number + self._count >= len(values) or values[number + self._count][1] >= moment]


class Hook:
    """A webhook's receiver. It keeps a copy of the records by the messages that it has acknowledged.

    The events must come in the order of the commits. Only a message that the receiver did not acknowledge for sure may
    come again, and with it all after its beginning: `is_settled` says whether it did.
    """

    def __init__(self, name: str, token: str, types: list[str], condition: str = "", fields: list[str] | None = None):
        self.name, self.token, self.types, self.condition, self.fields = name, token, types, condition, fields
        self.path = f"/hooks/{name}"
        self.id = ""
        # The previous one signs too: the response with a new one may arrive after the first message that it signs.
        self.secrets = Versions(2)
        self.queries = Versions(1)  # of the URL
        self.queries.add("", 0)
        self.records: dict[tuple[str, str], str] = {}  # the change tags by type and name
        self.problems: list[str] = []
        self.failures = 0  # in a row
        self.tokens: list[tuple[str, int]] = []  # of processed messages, with their timestamps, for replays
        self.rights_changed = 0  # when the rights of its caller have last changed: the tokens until then may have ended
        # What may not be in a message after a moment, in milliseconds since 1970.
        self.forbidden: dict[str, int] = {}  # types
        self.ended: int | None = None  # no message at all
        self.messages = self.events = self.repeats = self.resets = 0
        self.causes = 0  # of resets: how often the rights of its caller have changed
        self.plant: str | None = None
        self.lock = threading.Lock()
        self.is_known = threading.Event()  # the webhook has an id and a secret
        self._is_settled = True
        self._changes = 0  # under way
        self._changed = 0  # when the last one ended, in milliseconds since 1970
        self._started = self._ended = 0  # the first moment of the last message, and the last one of all
        self._ids: dict[str, Arrival] = {}
        self._reset_ids: set[str] = set()
        # The last message is a reset: only the next one shows that the server knows of its acknowledgement.
        self._is_reset_open = False
        self._renames: list[float] = []  # the ends of those that have not yet given a reset another id
        self._under_way: Arrival | None = None

    # What happens to the webhook

    def disturb(self) -> None:
        """Its server was killed: its last message may come again."""
        with self.lock:
            self._is_settled = False

    @contextmanager
    def changing(self, replays: bool = False, renames: bool = False) -> Iterator[None]:
        """Somebody changes the webhook, or with `replays` sets it to an earlier position. With `renames`, the message
        on its way gets another id."""
        self._change(1, replays)
        if renames:
            with self.lock:
                self._renames.append(math.inf)
                if self._is_reset_open:
                    self._rename_reset(now())
        try:
            yield
        finally:
            self._change(-1, replays)
            if renames:
                with self.lock:
                    self._renames = [min(one, now()) for one in self._renames]

    def _rename_reset(self, timestamp: int) -> None:
        """A reset of this moment may come again with another id after each rename that had not ended then."""
        self.causes += sum(one >= timestamp for one in self._renames)
        self._renames = [one for one in self._renames if one < timestamp]

    def _change(self, more: int, replays: bool) -> None:
        with self.lock:
            self._changes += more
            self._is_settled = False
            self._changed = now()
            if self._under_way:
                self._under_way.is_disturbed = True
            if replays:
                self._started = 0

    # Messages

    def begin(self, fields: Mapping[str, str], body: bytes, query: str, connection: socket.socket) -> Arrival:
        """Checks a message that arrives."""
        self.is_known.wait(10)
        with self.lock:
            content = json.loads(body)
            found = Arrival(fields["webhook-id"], content["type"], content["timestamp"], connection,
                            content["data"].get("token"), content["data"].get("events", []))
            self._check_signature(fields, body, found.timestamp)
            if content["data"]["webhook"] != self.id:
                self._report(f"a message is of the webhook {content['data']['webhook']}")
            if found.kind == "webhook.test":
                return found
            self.messages += 1
            self.events += len(found.events)
            self._is_reset_open = found.kind == "feed.reset"
            if self._is_reset_open:
                self._rename_reset(found.timestamp)
            other, self._under_way = self._under_way, found
            if other:
                # Without a response, the sender may send it again at once, over another connection.
                self._is_settled = False
                if not other.is_given_up and not found.is_given_up:
                    self._report(f"{found.id} came while {other.id} was under way")
            found.is_disturbed = self._changes > 0 or found.timestamp <= self._changed
            if self.plant == "order":
                found.events.reverse()
            self._check_selection(found, query)
            self._check_order(found)
            return found

    def finish(self, found: Arrival, is_processed: bool, is_settled: bool) -> None:
        """The receiver has decided what to do with a message. Call it before the response."""
        with self.lock:
            if found is not self._under_way:
                return  # given up, and followed by another
            self._under_way = None
            self._is_settled = is_settled and not (found.is_disturbed or found.is_given_up)
            self.failures = 0 if is_settled else self.failures + 1
            if not is_processed:
                return
            if self.plant == "lose":  # what is not written again
                found.events = [one for one in found.events if not one["record"]["recordName"].startswith("once-")]
            if self.plant == "repeat":
                self._check_order(found)
            if self.plant == "content" and found.events:
                changed = [one | {"record": one["record"] | {"recordChangeTag": "another"}} for one in found.events]
                self._check_content(Arrival(found.id, found.kind, 0, found.connection, None, changed), found)
            self._apply(found)

    def _apply(self, found: Arrival) -> None:
        if found.token:
            self.tokens = [*self.tokens[-20:], (found.token, found.timestamp)]
        if found.kind == "feed.reset":
            self.records.clear()
            self.resets += 1
            self._reset_ids.add(found.id)
            if len(self._reset_ids) > self.causes:
                self._report(f"{found.id} resets for the time {len(self._reset_ids)}, but {self.causes} have a cause")
        for one in found.events:
            record = one["record"]
            name = record["recordType"], record["recordName"]
            if one["event"] == "leave" or record.get("deleted"):
                self.records.pop(name, None)
            else:
                self.records[name] = record["recordChangeTag"]

    # Checks

    def _report(self, sentence: str) -> None:
        self.problems.append(f"{self.name}: {sentence}")

    def _check_signature(self, fields: Mapping[str, str], body: bytes, timestamp: int) -> None:
        if self.plant == "signature":
            body = body.replace(b"}", b" }", 1)
        if abs(time.time() - int(fields["webhook-timestamp"])) > MOST_SECONDS_OLD:
            self._report(f"the timestamp of {fields['webhook-id']} is {fields['webhook-timestamp']}")
        message = f"{fields['webhook-id']}.{fields['webhook-timestamp']}.".encode() + body
        given = fields["webhook-signature"].split(" ")
        # The server reads which secrets are valid after it has begun to compose the message, and immediately before it
        # signs: a second is more than it takes on a busy machine.
        moment = max(timestamp, (int(fields["webhook-timestamp"]) - 1) * 1000)
        if not any(signature(one, message) in given for one in self.secrets.valid(moment)):
            self._report(f"the signature of {fields['webhook-id']} is wrong")

    def _check_selection(self, found: Arrival, query: str) -> None:
        for one in found.events:
            record = one["record"]
            limit = self.forbidden.get(record["recordType"])
            if record["recordType"] not in self.types or limit is not None and found.timestamp > limit:
                self._report(f"a message of {found.timestamp} shows {record['recordType']}, forbidden since {limit}")
                break
            if self.fields is not None and record.get("fields", {}).keys() - set(self.fields):
                self._report(f"a message shows fields that were not asked for: {list(record['fields'])}")
                break
        if self.ended is not None and found.timestamp > self.ended:
            self._report(f"a message of {found.timestamp} was sent after the end at {self.ended}")
        if query not in self.queries.valid(found.timestamp):
            self._report(f"a message of {found.timestamp} went to the query '{query}', which the URL no longer has")

    def _check_order(self, found: Arrival) -> None:
        before, times = self._ids.setdefault(found.id, found), found.times
        if times != sorted(times):
            self._report(f"the events of {found.id} are not in the order of their changes: {times[:8]}")
        if before is not found or self.plant == "repeat":
            self.repeats += 1
            if self._is_settled:
                self._report(f"{found.id} was sent again after its acknowledgement")
            self._check_content(found, before)
        if found.kind == "feed.reset":
            self._started = self._ended = 0
        elif times:
            limit = self._ended if self._is_settled else self._started
            if times[0] < limit:
                self._report(f"{found.id} begins with a change of {times[0]}, which is before {limit}")
            # A message from before a replay says nothing about the position.
            self._started = min(self._started, times[0]) if found.is_disturbed else times[0]
            self._ended = times[-1]
        elif not self._is_settled:
            self._ended = self._started

    def _check_content(self, found: Arrival, before: Arrival) -> None:
        if other := found.contents - before.contents:
            self._report(f"{found.id} has other content than before: {sorted(other)[:3]}")


def now() -> int:
    """Milliseconds since 1970."""
    return int(time.time() * 1000)


def signature(secret: str, message: bytes) -> str:
    """What a secret signs a message with."""
    key = base64.b64decode(secret.removeprefix("whsec_"))
    return "v1," + base64.b64encode(hmac.digest(key, message, hashlib.sha256)).decode()
