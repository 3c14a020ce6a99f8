"""Clients of field operations: increments of counters, by records, batches and conditions; appends to lists."""
from actor import Actor
from connection import quoted
from history import Change
from world import COUNTERS, CROWD, PARTS, TOTALS


class CounterClient(Actor):
    def act(self) -> None:
        choice = self.random.random()
        if choice < 0.3:
            name = self.random.choice(COUNTERS + TOTALS)
            self.look("Counter", self.random.choice([("names", (name,)), ("all",), ("names", COUNTERS)]))
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
        if self.random.random() < self.world.breaks:
            reply = self.main.leave(*arguments)
        elif self.random.random() < 0.2:
            reply = self.main.ask_once(*arguments, expect=(200, 204), breaks=0.3)
        else:
            reply = self.main.ask(*arguments, expect=(200, 204))
        told = (reply.body or {}).get("fields", {}).get("v", {}).get("value")
        self.note(Change(name, amount, reply.sent, reply.answered, told))

    def batch(self) -> None:
        """Of several counters at once; one may stand twice in a batch."""
        moves = [(name, 1 if name in COUNTERS else self.random.randint(-9, 9))
                 for name in self.random.choices(COUNTERS + TOTALS, k=self.random.choice([1, 2, 5]))]
        body = {"operations": [{"operationType": "forceUpdate", "record": {
            "recordType": "Counter", "recordName": name, "fields": {"v": {"increment": amount}}}}
            for name, amount in moves]}
        if self.random.random() < self.world.breaks:
            reply = self.main.leave("POST", "/records", body)
        else:
            reply = self.main.ask_once("POST", "/records", body, breaks=0.1)
        for place, (name, amount) in enumerate(moves):
            told = reply.body["records"][place]["fields"]["v"]["value"] if reply.body else None
            self.note(Change(name, amount, reply.sent, reply.answered, told))

    def totals(self, amount: int) -> None:
        """Of all totals by a condition."""
        path = "/query/Counter?where=" + quoted("kind == 'total'")
        reply = self.main.ask_once("PATCH", path, {"fields": {"v": {"increment": amount}}}, breaks=0.1)
        if reply.body != {"matched": len(TOTALS), "updated": len(TOTALS), "skipped": 0}:
            self.evidence.problems.append(f"{self.name}: {len(TOTALS)} totals changed by condition: {reply.body}")
        for name in TOTALS:
            self.note(Change(name, amount, reply.sent, reply.answered))

    def note(self, change: Change) -> None:
        self.evidence.changes.append(change)
        self.evidence.counts["increments"] += 1


class CrowdClient(Actor):
    """Increments all records of a large set by a condition; the server does it in slices, between other writes."""

    def act(self) -> None:
        part = self.random.choice(PARTS)
        if self.random.random() < 0.5:
            self.look("Crowd", ("is", "part", part))
            return
        path = "/query/Crowd?where=" + quoted(f"part == '{part}'")
        reply = self.main.ask_once("PATCH", path, {"fields": {"v": {"increment": 1}}}, breaks=0.3)
        if reply.body != {"matched": CROWD, "updated": CROWD, "skipped": 0}:
            self.evidence.problems.append(f"{self.name}: a set of {CROWD} changed by condition: {reply.body}")
        self.note(Change(f"Crowd {part}", 1, reply.sent, reply.answered))

    def note(self, change: Change) -> None:
        self.evidence.changes.append(change)
        self.evidence.counts["increments of crowds"] += 1


class ListClient(Actor):
    """Appends texts of its own to lists that it shares with others."""

    def begin(self) -> None:
        self.appended, self.known = 0, set()

    def act(self) -> None:
        # Lists are left behind before they grow long.
        name = f"l{self.random.randrange(2)}-{self.appended // 25}"
        if name in self.known and self.random.random() < 0.3:
            self.look("List", ("names", (name,)))
            return
        self.appended += 1
        text = f"{self.name}.{self.appended}"
        value = {self.random.choice(["append", "appendUnique"]): [text]}
        record = {"recordType": "List", "recordName": name, "fields": {"v": value}}
        arguments = ("POST", "/records", {"operations": [{"operationType": "forceUpdate", "record": record}]})
        if name in self.known and self.random.random() < 0.5:
            arguments = ("PATCH", f"/records/List/{name}", {"fields": {"v": value}})
        if self.random.random() < self.world.breaks:
            reply = self.main.leave(*arguments)
        else:
            reply = self.main.ask_once(*arguments, breaks=0.1)
            self.known.add(name)
        record = (reply.body or {}).get("records", [reply.body])[0]
        self.evidence.changes.append(Change(name, text, reply.sent, reply.answered,
                                            record and record["fields"]["v"]["value"]))
        self.evidence.counts["appends"] += 1
