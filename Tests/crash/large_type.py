"""A type with so many records that its indexes are built and dropped in slices, and the clients that use it.

Up to 5,000 records, the request that adds an index also builds it, so no cut could fall into a build.
"""
import shutil
from pathlib import Path
from random import Random

from Tests.crash.client import ABSENT, History, RecoveredState, Step, Worker
from Tests.crash.index_queries import query_names, schema_of
from Tests.harness.client import Client, values
from Tests.powercut.traced_server import TracedServer

TYPE = "Shelf"
RECORDS = 9_600
INDEXES = ("number,-word", "word", "marks", "number", "word,number")
# Each writer changes the records of a lane of its own, also after a restart within a round.
LANES = 32


def prepare(binary: str, place: Path) -> Path:
    """A disk with such a type, on which rounds begin. It is filled once in a run."""
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True, mode=0o700)
    random = Random(1)
    with TracedServer(binary, place, {}) as server:
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
    return place


def fields(random: Random) -> dict:
    return {"number": random.randrange(3_000), "word": random.randbytes(2).hex(),
            "marks": [f"m{random.randrange(200)}" for _ in range(random.randrange(1, 6))]}


def violations(client: Client, recovered: RecoveredState):
    """Sentences about indexes of several fields that do not return all records in order."""
    there = [values(one) for one in recovered.records.values() if one["recordType"] == TYPE]
    for index in sorted(IndexClient.indexes(recovered.schema.get(TYPE, {})) - {"marks"}):
        order = [tuple(one[name.lstrip("-")] for name in index.split(",")) for one in there]
        for column, name in reversed(list(enumerate(index.split(",")))):
            order.sort(key=lambda one: one[column], reverse=name.startswith("-"))
        names = query_names(client, TYPE, sort=index)
        found = [tuple(recovered.fields(name)[column.lstrip("-")] for column in index.split(","))
 for name in names if name in recovered.records]
        if found != order or len(set(names)) != len(there):
            yield f"{TYPE} sorted by {index} gave {len(names)} of {len(there)}, in order: {found == order}"


def exists(client: Client) -> bool:
    return TYPE in client.call("GET", "/schema").json()["types"]


class IndexClient(Worker):
    """Adds and drops indexes of the type all the time, also those that are being built.

    Successive server processes of a round share one history, as they share one set of indexes.
    """

    def __init__(self, history: History, *arguments):
        super().__init__(*arguments)
        self.history, self.histories = history, {TYPE: history}
        self.has_looked = False
        self.doing = ""  # what is very likely under way at this moment
        self.works: list[tuple[int, int, str]] = []  # (from, to, what was under way)

    def act(self) -> None:
        if not self.has_looked:
            self.look()
            return
        if self.history.is_closed:
            # The next process may complete what was rejected, as it finds it in the WAL.
            self.stopping.wait(0.05)
            return
        there = self.history.state
        if len(there) > 3 or (there and self.random.random() < 0.5):
            self.drop(there)
        else:
            self.add(there, self.random.choice([1, 1, 2, 3]))
        self.stopping.wait(self.random.choice([0, 0.02, 0.2]))

    def look(self) -> None:
        """The first process finds the initial state. A later one finds a state that is observed from now on."""
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
        response = self.call("GET", "/schema")
        return response.json(), response.headers["ETag"]

    @staticmethod
    def indexes(definition: dict) -> frozenset[str]:
        return frozenset(",".join(one["fields"]) for one in definition.get("indexes", []))

    def add(self, there: frozenset[str], count: int) -> None:
        missing = sorted(set(INDEXES) - there)
        for index in self.random.sample(missing, min(count, len(missing))):
            there |= {index}
            step = self.begin(self.history, there)
            # 200 if a query has added this index on demand, so that the schema did not list it.
            self.call("POST", f"/schema/types/{TYPE}/indexes", {"fields": index.split(",")}, expect=(200, 201))
            self.acknowledge(step)
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
        # One table is emptied too soon for a cut to fall into the drop; of several, one is usually left.
        dropped = set(self.random.sample(sorted(there), self.random.choice([1, len(there), len(there)])))
        definition["indexes"] = [one for one in definition["indexes"] if ",".join(one["fields"]) not in dropped]
        step = self.begin(self.history, there - dropped)
        response = self.call("PUT", "/schema", document, expect=(200, 412), headers=(f"If-Match: {tag}",))
        if response.status == 412:  # the schema has grown meanwhile
            self.history.steps.remove(step)
            return
        self.acknowledge(step)
        self.doing = "drop"
        self.stopping.wait(self.random.uniform(0, 0.1))
        self.works.append((step.answered, self.clock.now(), "drop"))
        self.doing = ""

    def violations(self, cut: int, recovered: RecoveredState):
        if self.history.steps[0].state is None:
            return
        found, allowed = self.indexes(recovered.schema.get(TYPE, {})), self.history.allowed(cut)
        if found not in allowed:
            yield f"the indexes of {TYPE} are {set(found)}, must be one of {[set(one) for one in allowed]}"
        text = str(recovered.schema.get(TYPE, {}))
        if "'failed'" in text:
            yield f"an index of {TYPE} could not be built: {text[:600]}"


class LargeTypeWriter(Worker):
    """Changes, deletes and creates records before and after the point that an index build has reached."""

    def __init__(self, lane: int, *arguments):
        super().__init__(*arguments)
        self.lane = lane % LANES

    def act(self) -> None:
        known = self.known()
        if not known or len(known) < 200 and self.random.random() < 0.5:
            name = f"shelf-{self.random.randrange(RECORDS // LANES) * LANES + self.lane}"
        else:
            name = self.random.choice(known)
        path = f"/records/{TYPE}/{name}"
        if name not in self.histories:
            response = self.call("GET", path, expect=(200, 404))
            self.histories[name] = History(values(response.json()) if response.status == 200 else ABSENT)
        history = self.histories[name]
        if history.is_closed:
            return
        if history.state is not ABSENT and self.random.random() < 0.2:
            self.write(name, ABSENT, "DELETE", path, expect=(204,))
        else:
            state = fields(self.random)
            self.write(name, state, "PUT", path, {"fields": state}, expect=(200, 201))
