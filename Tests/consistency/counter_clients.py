"""Clients of field operations: increments by single writes, batches and bulk updates; appends to lists."""
from Tests.consistency.client import Worker
from Tests.consistency.history import Change
from Tests.consistency.workload import COUNTERS, CROWD, PARTS, TOTALS
from Tests.harness.client import quoted


class CounterClient(Worker):
    def act(self) -> None:
        choice = self.random.random()
        if choice < 0.3:
            name = self.random.choice(COUNTERS + TOTALS)
            self.observe("Counter", self.random.choice([("names", (name,)), ("all",), ("names", COUNTERS)]))
        elif choice < 0.65:
            self.one(self.random.choice(COUNTERS), 1)
        elif choice < 0.8:
            self.one(self.random.choice(TOTALS), self.random.randint(-9, 9))
        elif choice < 0.93:
            self.batch()
        else:
            self.totals(self.random.randint(-9, 9))

    def one(self, name: str, amount: int) -> None:
        headers = ("Prefer: return=minimal",) if self.random.random() < 0.2 else ()
        arguments = ("PATCH", f"/records/Counter/{name}", {"fields": {"v": {"increment": amount}}}, headers)
        if self.random.random() < self.workload.disconnects:
            reply = self.main.disconnect(*arguments)
        elif self.random.random() < 0.2:
            reply = self.main.ask_once(*arguments, expect=(200, 204), disconnects=0.3)
        else:
            reply = self.main.ask(*arguments, expect=(200, 204))
        returned = (reply.body or {}).get("fields", {}).get("v", {}).get("value")
        self.note(Change(name, amount, reply.sent, reply.answered, returned))

    def batch(self) -> None:
        """Increments several counters at once; one may occur twice in a batch."""
        moves = [(name, 1 if name in COUNTERS else self.random.randint(-9, 9))
                 for name in self.random.choices(COUNTERS + TOTALS, k=self.random.choice([1, 2, 5]))]
        body = {"operations": [{"operationType": "forceUpdate", "record": {
            "recordType": "Counter", "recordName": name, "fields": {"v": {"increment": amount}}}}
            for name, amount in moves]}
        if self.random.random() < self.workload.disconnects:
            reply = self.main.disconnect("POST", "/records", body)
        else:
            reply = self.main.ask_once("POST", "/records", body, disconnects=0.1)
        for place, (name, amount) in enumerate(moves):
            returned = reply.body["records"][place]["fields"]["v"]["value"] if reply.body else None
            self.note(Change(name, amount, reply.sent, reply.answered, returned))

    def totals(self, amount: int) -> None:
        """Increments all totals by a predicate."""
        path = "/query/Counter?where=" + quoted("kind == 'total'")
        reply = self.main.ask_once("PATCH", path, {"fields": {"v": {"increment": amount}}}, disconnects=0.1)
        if reply.body != {"matched": len(TOTALS), "updated": len(TOTALS), "skipped": 0}:
            self.observations.problems.append(f"{self.name}: {len(TOTALS)} totals changed by condition: {reply.body}")
        for name in TOTALS:
            self.note(Change(name, amount, reply.sent, reply.answered))

    def note(self, change: Change) -> None:
        self.observations.changes.append(change)
        self.observations.counts["increments"] += 1


class CrowdClient(Worker):
    """Increments all records of a large set by a predicate, which the server does in slices between other writes."""

    def act(self) -> None:
        part = self.random.choice(PARTS)
        if self.random.random() < 0.5:
            self.observe("Crowd", ("is", "part", part))
            return
        path = "/query/Crowd?where=" + quoted(f"part == '{part}'")
        reply = self.main.ask_once("PATCH", path, {"fields": {"v": {"increment": 1}}}, disconnects=0.3)
        if reply.body != {"matched": CROWD, "updated": CROWD, "skipped": 0}:
            self.observations.problems.append(f"{self.name}: a set of {CROWD} changed by condition: {reply.body}")
        self.note(Change(f"Crowd {part}", 1, reply.sent, reply.answered))

    def note(self, change: Change) -> None:
        self.observations.changes.append(change)
        self.observations.counts["increments of crowds"] += 1


class ListClient(Worker):
    """Appends unique texts to lists that it shares with others."""

    def begin(self) -> None:
        self.appended, self.known = 0, set()

    def act(self) -> None:
        # A new list follows before this one grows long.
        name = f"l{self.random.randrange(2)}-{self.appended // 25}"
        if name in self.known and self.random.random() < 0.3:
            self.observe("List", ("names", (name,)))
            return
        self.appended += 1
        text = f"{self.name}.{self.appended}"
        value = {self.random.choice(["append", "appendUnique"]): [text]}
        record = {"recordType": "List", "recordName": name, "fields": {"v": value}}
        arguments = ("POST", "/records", {"operations": [{"operationType": "forceUpdate", "record": record}]})
        if name in self.known and self.random.random() < 0.5:
            arguments = ("PATCH", f"/records/List/{name}", {"fields": {"v": value}})
        if self.random.random() < self.workload.disconnects:
            reply = self.main.disconnect(*arguments)
        else:
            reply = self.main.ask_once(*arguments, disconnects=0.1)
            self.known.add(name)
        record = (reply.body or {}).get("records", [reply.body])[0]
        self.observations.changes.append(Change(name, text, reply.sent, reply.answered,
                                            record and record["fields"]["v"]["value"]))
        self.observations.counts["appends"] += 1
