"""A type with so many records that its indexes are built and dropped in slices, and the clients who work on it.

Up to 5,000 records an index is built inside the request that makes it, so that no end ever falls into a build.
"""
import shutil
from pathlib import Path
from random import Random

import paths  # noqa: F401
from actors import GONE, Actor, History, Step, Survivor, short, values
from client import Client
from indexes import found, schema_of
from watched import WatchedServer

TYPE = "Shelf"
RECORDS = 9_600
INDEXES = ("number,-word", "word", "marks", "number", "word,number")
# Each writer changes the records of a lane of its own: also those of a process that goes on after a kill.
LANES = 32


def prepare(binary: str, place: Path) -> Path:
    """A folder with such a type, for rounds to begin on. It is made once in a run."""
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True, mode=0o700)
    server, random = WatchedServer(binary, place, {}).start(60), Random(1)
    try:
        client = server.client(server.admin)
        client.call("PUT", "/schema", {"types": {TYPE: {"fields": {
            "number": {"type": "INT64"}, "word": {"type": "STRING"}, "marks": {"type": "STRING_LIST"}}}}})
        for first in range(0, RECORDS, 200):
            client.batch([{"operationType": "create", "record": {
                "recordType": TYPE, "recordName": f"shelf-{number}",
                "fields": {name: {"value": value} for name, value in fields(random).items()}}}
                for number in range(first, first + 200)])
        for index in INDEXES[:3]:  # to be dropped
            client.call("POST", f"/schema/types/{TYPE}/indexes", {"fields": index.split(",")}, expect=(201,))
        schema_of(client)
        server.stop()
    finally:
        server.kill()
    return place


def fields(random: Random) -> dict:
    return {"number": random.randrange(3_000), "word": random.randbytes(2).hex(),
            "marks": [f"m{random.randrange(200)}" for _ in range(random.randrange(1, 6))]}


def complaints(client: Client, survivor: Survivor):
    """That an index of several fields does not bring the records in the order that they have."""
    there = [values(one) for one in survivor.records.values() if one["recordType"] == TYPE]
    for index in sorted(ShelfKeeper.indexes(survivor.schema.get(TYPE, {})) - {"marks"}):
        order = [tuple(one[name.lstrip("-")] for name in index.split(",")) for one in there]
        for column, name in reversed(list(enumerate(index.split(",")))):
            order.sort(key=lambda one: one[column], reverse=name.startswith("-"))
        names = found(client, TYPE, sort=index)
        told = [tuple(survivor.fields(name)[column.lstrip("-")] for column in index.split(","))
                for name in names if name in survivor.records]
        if told != order or len(set(names)) != len(there):
            yield f"{TYPE} sorted by {index} gave {len(names)} of {len(there)}, in order: {told == order}"


def is_there(client: Client) -> bool:
    return TYPE in client.call("GET", "/schema").json()["types"]


class ShelfKeeper(Actor):
    """The administrator who adds and drops indexes of the type all the time, also those that are being built.

    The processes of a round that follow one another have one history, as they have one set of indexes.
    """

    def __init__(self, history: History, *arguments):
        super().__init__(*arguments)
        self.history, self.histories = history, {TYPE: history}
        self.has_looked = False
        self.doing = ""  # what is under way at this moment for certain, or nearly so
        self.works: list[tuple[int, int, str]] = []  # (from, to, what was under way)

    def act(self) -> None:
        if not self.has_looked:
            self.look()
            return
        if self.history.is_closed:
            # What was refused may be done by the next process, which finds it in the log.
            self.stopping.wait(0.05)
            return
        there = self.history.steps[-1].state
        if len(there) > 3 or (there and self.random.random() < 0.5):
            self.drop(there)
        else:
            self.add(there, self.random.choice([1, 1, 2, 3]))
        self.stopping.wait(self.random.choice([0, 0.02, 0.2]))

    def look(self) -> None:
        """What the first one finds was there from the beginning; what a later one finds was shown at this moment."""
        found = self.indexes(self.schema()[0]["types"][TYPE])
        if len(self.history.steps) == 1 and self.history.steps[0].state is None:
            self.history.steps[0].state = found
        else:
            now = self.clock.now()
            if found not in (allowed := self.history.allowed(now)):
                self.failure = f"{self.name}: the indexes of {TYPE} are {set(found)}, must be one of {allowed}"
            self.history.steps.append(Step(now, found, self.clock.now()))
            self.history.is_closed = False
        self.has_looked = True

    def schema(self) -> tuple[dict, str]:
        answer = self.call("GET", "/schema")
        return answer.json(), answer.headers["ETag"]

    @staticmethod
    def indexes(definition: dict) -> frozenset[str]:
        return frozenset(",".join(one["fields"]) for one in definition.get("indexes", []))

    def add(self, there: frozenset[str], count: int) -> None:
        missing = sorted(set(INDEXES) - there)
        for index in self.random.sample(missing, min(count, len(missing))):
            there |= {index}
            step = self.begin(self.history, there)
            # 200 where a query has made one of these columns, which the schema does not name until now.
            self.call("POST", f"/schema/types/{TYPE}/indexes", {"fields": index.split(",")}, expect=(200, 201))
            step.answered = self.clock.now()
        begun, pause = self.clock.now(), self.random.choice([0.05, 0.3, 2])
        for _ in range(int(pause / 0.02)):
            if b'"building"' not in self.call("GET", f"/schema/types/{TYPE}").body or self.stopping.is_set():
                break
            self.doing = "build"
            self.works.append((begun, self.clock.now(), "build"))
            begun = self.works[-1][1]
            self.stopping.wait(0.02)
        self.doing = ""

    def drop(self, there: frozenset[str]) -> None:
        document, tag = self.schema()
        definition = document["types"][TYPE]
        # One table is emptied before an end can come; of several, one is mostly left.
        gone = set(self.random.sample(sorted(there), self.random.choice([1, len(there), len(there)])))
        definition["indexes"] = [one for one in definition["indexes"] if ",".join(one["fields"]) not in gone]
        step = self.begin(self.history, there - gone)
        answer = self.call("PUT", "/schema", document, expect=(200, 412), headers=(f"If-Match: {tag}",))
        if answer.status == 412:  # the schema has grown meanwhile
            self.history.steps.remove(step)
            return
        step.answered = self.clock.now()
        self.doing = "drop"
        self.stopping.wait(self.random.uniform(0, 0.1))
        self.works.append((step.answered, self.clock.now(), "drop"))
        self.doing = ""

    def complaints(self, cut: int, survivor: Survivor):
        if self.history.steps[0].state is None:
            return
        found, allowed = self.indexes(survivor.schema.get(TYPE, {})), self.history.allowed(cut)
        if found not in allowed:
            yield f"the indexes of {TYPE} are {set(found)}, must be one of {[set(one) for one in allowed]}"
        text = str(survivor.schema.get(TYPE, {}))
        if "'failed'" in text:
            yield f"an index of {TYPE} could not be built: {text[:600]}"


class ShelfWriter(Actor):
    """Changes, deletes and makes again records before and behind the place that a build has come to."""

    def __init__(self, lane: int, *arguments):
        super().__init__(*arguments)
        self.lane = lane % LANES
        self.histories: dict[str, History] = {}

    def act(self) -> None:
        known = [name for name, one in self.histories.items() if not one.is_closed]
        if not known or len(known) < 200 and self.random.random() < 0.5:
            name = f"shelf-{self.random.randrange(RECORDS // LANES) * LANES + self.lane}"
        else:
            name = self.random.choice(known)
        path = f"/records/{TYPE}/{name}"
        if name not in self.histories:
            answer = self.call("GET", path, expect=(200, 404))
            self.histories[name] = History(values(answer.json()) if answer.status == 200 else GONE)
        history = self.histories[name]
        if history.is_closed:
            return
        if history.steps[-1].state is not GONE and self.random.random() < 0.2:
            step = self.begin(history, GONE)
            self.call("DELETE", path, expect=(204,))
        else:
            step = self.begin(history, fields(self.random))
            self.call("PUT", path, {"fields": step.state}, expect=(200, 201))
        step.answered = self.clock.now()

    def complaints(self, cut: int, survivor: Survivor):
        for name, history in self.histories.items():
            found, allowed = survivor.fields(name), history.allowed(cut)
            if found not in allowed:
                yield f"{name} is {short(found)}, must be {' or '.join(map(short, allowed))}"
