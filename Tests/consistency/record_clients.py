"""Clients whose records have a single writer and numbered states, so that reads of them can be checked exactly."""
from dataclasses import dataclass

from Tests.consistency.client import Worker, condition
from Tests.consistency.connection import Reply, rows_of
from Tests.consistency.history import Change, Paging, Step
from Tests.consistency.workload import BUCKETS, POOL
from Tests.harness.client import quoted
from Tests.harness.errors import Problem


@dataclass
class Own:
    """A record as its writer knows it."""
    type: str
    name: str
    index: int = -1
    alive: bool = False
    bucket: str = ""
    tag: str | None = None


class RecordClient(Worker):
    """Writes its records one after another, and reads them over its other connection right afterwards."""

    def begin(self) -> None:
        self.own = [Own(kind, f"{self.name}-{kind}-{number}") for kind, size in POOL.items() for number in range(size)]

    def act(self) -> None:
        kind = self.random.choice(["Item", "Item", "Item", "Bulk"])
        own = [one for one in self.own if one.type == kind]
        one, choice = self.random.choice(own), self.random.random()
        if choice < 0.7:
            self.write(one)
        elif choice < 0.9:
            self.batch(self.random.sample(own, self.random.randint(2, 4)))
        else:
            self.change_set(kind, own, self.random.choice(BUCKETS))
        bucket, names = one.bucket or self.random.choice(BUCKETS), tuple(other.name for other in own)
        scopes = [("names", (one.name,)), ("is", "bucket", bucket), ("is", "bucket", self.random.choice(BUCKETS)),
                  ("is", "owner", self.name), ("names", names)]
        # Of the large type, all records except the unchanging ones: a long query.
        scopes.append(("all",) if kind == "Item" else ("not", "bucket", "none"))
        for scope in self.random.sample(scopes, 2):
            self.observe(kind, scope)

    def write(self, one: Own) -> None:
        path = f"/records/{one.type}/{one.name}"
        guard = (f'If-Match: "{one.tag}"',) if one.tag and self.random.random() < 0.6 else ()
        bucket = self.random.choice(BUCKETS)
        if one.alive and self.random.random() < 0.2:
            reply = self.once("DELETE", path, None, guard, (204,))
            self.done(one, reply, False, "")
            return
        fields = {"v": one.index + 1, "bucket": bucket}
        if not one.alive and self.random.random() < 0.5:
            reply = self.once("POST", f"/records/{one.type}",
                              {"recordName": one.name, "fields": fields | {"owner": self.name}}, (), (201,))
        elif not one.alive or self.random.random() < 0.4:
            reply = self.once("PUT", path, {"fields": fields | {"owner": self.name}}, guard,
                              (200 if one.alive else 201,))
        else:
            reply = self.once("PATCH", path, {"fields": fields}, guard, (200,))
        self.done(one, reply, True, bucket, reply.body)

    def batch(self, several: list[Own]) -> None:
        operations, plans = [], []
        for one in several:
            alive, bucket = self.random.random() < 0.8, self.random.choice(BUCKETS)
            record = {"recordType": one.type, "recordName": one.name}
            if alive:
                record["fields"] = {"v": {"value": one.index + 1}, "bucket": {"value": bucket},
                                    "owner": {"value": self.name}}
            elif not one.alive:
                continue
            operations.append({"operationType": "forceReplace" if alive else "forceDelete", "record": record})
            plans.append((one, alive, bucket if alive else ""))
        if not operations:
            return
        body = {"operations": operations, "atomic": self.random.random() < 0.8}
        reply = self.once("POST", "/records", body, (), (200,))
        for (one, alive, bucket), result in zip(plans, reply.body["records"], strict=True):
            if "serverErrorCode" in result:
                raise Problem(f"an operation of a batch failed: {result}")
            self.done(one, reply, alive, bucket, result if alive else None)

    def change_set(self, kind: str, own: list[Own], bucket: str) -> None:
        """Updates or deletes by a predicate the records of one bucket."""
        members = [one for one in own if one.alive and one.bucket == bucket]
        path = f"/query/{kind}?where=" + quoted(f"owner == '{self.name}' AND bucket == '{bucket}'")
        if self.random.random() < 0.7:
            target = self.random.choice(BUCKETS)
            reply = self.once("PATCH", path, {"fields": {"v": {"increment": 1}, "bucket": target}}, (), (200,))
            returned = {"matched": len(members), "updated": len(members), "skipped": 0}
        else:
            target = ""
            reply = self.once("DELETE", path, None, (), (200,))
            returned = {"matched": len(members), "deleted": len(members), "skipped": 0}
        if reply.body != returned:
            raise Problem(f"a set of {len(members)} ({[one.name for one in members]}) was changed: {reply.body}")
        for one in members:
            self.done(one, reply, target != "", target)

    def once(self, method: str, path: str, body, headers: tuple[str, ...], expect) -> Reply:
        if self.random.random() < 0.5:
            return self.main.ask(method, path, body, headers, expect)
        return self.main.ask_once(method, path, body, headers, expect, disconnects=0.1)

    def done(self, one: Own, reply: Reply, alive: bool, bucket: str, record: dict | None = None) -> None:
        one.index, one.alive, one.bucket = one.index + 1, alive, bucket
        one.tag = record and record["recordChangeTag"]
        if record and record["fields"]["v"]["value"] != one.index:
            raise Problem(f"{one.name} was returned as {record}, must be state {one.index}")
        self.observations.steps.append(Step(one.type, one.name, one.index, reply.sent, reply.answered, alive, bucket))
        self.observations.counts[f"writes {one.type}"] += 1


class Reader(Worker):
    """Reads the writes of others."""

    def begin(self) -> None:
        self.other = self.connect(token="")  # anonymous, so that no index is added on demand

    def act(self) -> None:
        kind = self.random.choice(["Item", "Item", "Item", "Bulk"])
        owner = self.random.choice(self.workload.owners)
        names = tuple(f"{owner}-{kind}-{number}" for number in range(POOL[kind]))
        scopes = [("names", (self.random.choice(names),)), ("names", names), ("is", "owner", owner),
                  ("is", "bucket", self.random.choice(BUCKETS))]
        scopes.append(("all",) if kind == "Item" else ("not", "bucket", "none"))
        self.observe(kind, self.random.choice(scopes), self.random.choice([self.main, self.other]))


class PagingClient(Worker):
    """Reads lists and queries page by page while others write."""

    def act(self) -> None:
        kind = self.random.choice(["Item", "Item", "Bulk"])
        scope = ("is", "bucket", self.random.choice(BUCKETS))
        path = f"/query/{kind}?x" + condition(scope)
        if kind == "Item" and self.random.random() < 0.5:
            scope, path = ("all",), "/records/Item?x"
        paging, cursor = Paging(self.name, kind, scope, []), ""
        while True:
            page = self.main.ask("GET", path.replace("?x", f"?limit={self.random.choice([1, 2, 3, 5, 20])}") + cursor)
            paging.pages.append((page.sent, page.answered, rows_of(page.body["records"])))
            if "cursor" not in page.body:
                break
            cursor = "&cursor=" + quoted(page.body["cursor"])
        self.observations.pagings.append(paging)
        self.observations.counts["pagings"] += 1


class IdempotentCreateClient(Worker):
    """Creates records without names, repeatedly with one key: each must be created once."""

    def begin(self) -> None:
        self.made = 0

    def act(self) -> None:
        self.made += 1
        text = f"{self.name}.{self.made}"
        reply = self.main.ask_once("POST", "/records/Order", {"fields": {"v": text}}, expect=(201,), disconnects=0.5)
        self.observations.changes.append(Change("Order", text, reply.sent, reply.answered, reply.body["recordName"]))
        self.observations.counts["orders"] += 1
        found = self.other.ask("GET", "/query/Order?where=" + quoted(f"v == '{text}'") + "&count=true")
        names = [one["recordName"] for one in found.body["records"]]
        if names != [reply.body["recordName"]] or found.body["count"] != 1:
            self.observations.problems.append(
                f"{self.name}: the order {text} was created as {reply.body['recordName']} at [{reply.sent} to "
                f"{reply.answered}]; a query at {found.sent} shows {names}")
