"""The clients that write records. Each has a fixed number of names, so the number of records is bounded."""
from random import Random

from Tests.harness.client import check_batch, encode, quoted, values
from Tests.soak.client import SoakClient, gzipped

COUNTER = "soak-counter"
SIZES = (10, 100, 100, 1_000, 1_000, 10_000, 60_000)


def text_of(random: Random) -> str:
    return random.randbytes(random.choice(SIZES) // 2).hex()


class RecordClient(SoakClient):
    """Creates, updates with a precondition, replaces, reads and deletes records."""

    kind, rate = "records", 18
    NAMES = 150

    def prepare(self) -> None:
        self.known: dict[str, tuple[str, int]] = {}  # tag and version of the records that exist

    def act(self) -> None:
        name = f"{self.name}-{self.random.randrange(self.NAMES)}"
        there = self.known.pop(name, None)  # unknown until the response has come
        if there is None:
            self.create(name)
        else:
            self.random.choice([self.change, self.change, self.replace, self.read, self.delete])(name, *there)

    def create(self, name: str) -> None:
        # After a failure it may exist.
        self.call("DELETE", f"/records/Item/{name}", expect=(204, 404))
        response = self.call("PUT", f"/records/Item/{name}", {"fields": self.fields(1)}, (201,), ("If-None-Match: *",))
        self.known[name] = response.headers["ETag"], 1

    def change(self, name: str, tag: str, version: int) -> None:
        body = {"fields": {"version": {"increment": 1}, "bucket": self.random.randrange(20)}}
        response = self.call("PATCH", f"/records/Item/{name}", body, headers=(f"If-Match: {tag}",))
        self.require(values(response.json())["version"] == version + 1, f"{name} is not at version {version + 1}")
        self.known[name] = response.headers["ETag"], version + 1
        if self.random.random() < 0.1:
            self.call("PATCH", f"/records/Item/{name}", body, (412,), (f"If-Match: {tag}",))

    def replace(self, name: str, tag: str, version: int) -> None:
        body = {"fields": self.fields(version + 1)}
        response = self.call("PUT", f"/records/Item/{name}", body, headers=(f"If-Match: {tag}",))
        self.known[name] = response.headers["ETag"], version + 1

    def read(self, name: str, tag: str, version: int) -> None:
        response = self.call("GET", f"/records/Item/{name}")
        found = response.headers["ETag"], values(response.json())["version"]
        self.require(found == (tag, version), f"{name} is {found}, must be {(tag, version)}")
        self.call("GET", f"/records/Item/{name}", expect=(304,), headers=(f"If-None-Match: {tag}",))
        self.known[name] = found

    def delete(self, name: str, tag: str, version: int) -> None:
        self.call("DELETE", f"/records/Item/{name}", expect=(204,), headers=(f"If-Match: {tag}",))

    def fields(self, version: int) -> dict:
        return {"version": version, "bucket": self.random.randrange(20), "owner": self.name,
                "text": text_of(self.random), "marks": [f"m{self.random.randrange(9)}" for _ in range(3)]}

    def verify(self) -> None:
        for name, (tag, version) in self.known.items():
            self.read(name, tag, version)


class UnnamedRecordClient(SoakClient):
    """Creates records without names, some with an idempotency key, and deletes older ones."""

    kind, rate = "unavailable records", 1
    LIVING = 60

    def prepare(self) -> None:
        self.names: list[str] = []

    def act(self) -> None:
        key = f"Idempotency-Key: {self.random.randbytes(8).hex()}"
        headers = (key,) if self.random.random() < 0.3 else ()
        body = {"fields": {"version": 1, "bucket": 0, "owner": self.name}}
        one = self.call("POST", "/records/Item", body, (201,), headers).json()
        if headers:
            again = self.call("POST", "/records/Item", body, (201,), headers).json()
            self.require(again == one, f"the key gave {again} and first {one}")
        self.names.append(one["recordName"])
        if len(self.names) > self.LIVING:
            self.call("DELETE", f"/records/Item/{self.names.pop(0)}", expect=(204,))


class CounterClient(SoakClient):
    """Increments one shared number, and adds and removes members of one shared list."""

    kind, rate = "increments", 8

    def prepare(self) -> None:
        self.told = 0

    def act(self) -> None:
        mark = f"{self.name}-{self.random.randrange(30)}"
        fields = {"count": {"increment": 1}}
        fields["marks"] = self.random.choice([{"appendUnique": [mark]}, {"remove": [mark]}])
        response = self.call("PATCH", f"/records/Counter/{COUNTER}", {"fields": fields})
        count = values(response.json())["count"]
        self.require(count > self.told, f"the counter said {count} after {self.told}")
        self.told = count
        self.add("increments")


class BatchClient(SoakClient):
    """Atomic batches over groups, which have one version. A batch with one wrong operation has no effect."""

    kind, rate = "batches", 2
    GROUPS, SIZE = 8, 20

    def prepare(self) -> None:
        self.versions: dict[int, set[int]] = {}  # of the groups; none if a group is deleted

    def act(self) -> None:
        group, version = self.random.randrange(self.GROUPS), self.random.randrange(10**9)
        names = [f"{self.name}-{group}-{number}" for number in range(self.SIZE)]
        operation = self.random.choice(["forceReplace", "forceReplace", "forceReplace", "forceDelete"])
        operations = [self.operation(operation, name, version) for name in names]
        is_wrong = self.random.random() < 0.1
        if is_wrong:
            operations.append({"operationType": "create", "record": {"recordType": "Part", "fields": {"version": {
                "value": "no number", "type": "INT64"}}}})
        content = encode({"operations": operations, "atomic": True})
        headers = ()
        if self.random.random() < 0.3:
            content, headers = gzipped(content), ("Content-Encoding: gzip",)
        results = self.call("POST", "/records", content, headers=headers).json()["records"]
        if is_wrong:
            self.require(all("serverErrorCode" in one for one in results), f"a part of a wrong batch: {results[:3]}")
        else:
            check_batch(results, len(operations))
            self.versions[group] = {version} if operation == "forceReplace" else set()
        found = self.call("GET", "/query/Part?limit=100&where=" + quoted(f"group == '{self.name}-{group}'"))
        versions = [values(one)["version"] for one in found.json()["records"]]
        expected = [one for one in self.versions.get(group, ()) for _ in range(self.SIZE)]
        self.require(versions == expected, f"a group has the versions {versions}, must have {expected}")

    def operation(self, kind: str, name: str, version: int) -> dict:
        record = {"recordType": "Part", "recordName": name}
        if kind == "forceReplace":
            record["fields"] = {"version": {"value": version}, "group": {"value": name.rpartition("-")[0]},
                                "text": {"value": "x" * 200}}
        return {"operationType": kind, "record": record}


class BulkClient(SoakClient):
    """Creates a group, updates it by a predicate, and deletes it by a predicate."""

    kind, rate = "bulk changes", 0.4
    SIZE = 25

    def act(self) -> None:
        path = "/query/Member?where=" + quoted(f"group == '{self.name}'")
        self.call("DELETE", path)
        operations = [{"operationType": "forceReplace", "record": {
            "recordType": "Member", "recordName": f"{self.name}-{number}",
            "fields": {"group": {"value": self.name}, "version": {"value": 1}}}} for number in range(self.SIZE)]
        check_batch(self.call("POST", "/records", {"operations": operations}).json()["records"], self.SIZE)
        for _ in range(2):
            told = self.call("PATCH", path, {"fields": {"version": {"increment": 1}}}).json()
            self.require(told["updated"] == self.SIZE, f"a change of {self.SIZE} records said {told}")
        told = self.call("DELETE", path).json()
        self.require(told["deleted"] == self.SIZE, f"a deletion of {self.SIZE} records said {told}")
