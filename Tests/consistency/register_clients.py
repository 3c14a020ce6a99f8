"""Clients of single registers: reads and writes, conditional or not, recorded with the values that they found and
left."""
from Tests.consistency.client import Worker
from Tests.consistency.connection import Reply
from Tests.consistency.history import ABSENT, Access
from Tests.consistency.workload import REGISTERS

TYPE = "Register"


class RegisterClient(Worker):
    def begin(self) -> None:
        self.known: dict[str, tuple[object, str | None]] = {}  # the value and tag that were returned last
        self.written = 0

    def act(self) -> None:
        name = self.random.choice(REGISTERS)
        choice = self.random.random()
        if name not in self.known or choice < 0.3:
            self.read(name)
        elif choice < 0.36:
            self.revalidate(name)
        elif choice < 0.6:
            self.write(name, guarded=True)
        elif choice < 0.85:
            self.batch(self.random.sample(REGISTERS, self.random.choice([1, 1, 2, 3])))
        elif choice < 0.92:
            self.delete(name)
        else:
            self.write(name, guarded=False)

    # Reads

    def read(self, name: str) -> None:
        value = self.known.get(name, (ABSENT, None))[0]
        scope = self.random.choice([("names", (name,)), ("names", REGISTERS), ("names", (name,)), ("all",),
                                    ("is", "v", value) if value else ("names", (name,))])
        found = self.observe(TYPE, scope)
        if found.rows is None:
            return
        for one, (value, tag) in found.rows.items():
            self.learn(one, value, tag)
        for one in REGISTERS if scope[0] != "is" else ():
            if one not in found.rows and (scope[0] == "all" or one in scope[1]):
                self.known[one] = (ABSENT, None)

    def revalidate(self, name: str) -> None:
        value, tag = self.known[name]
        if tag is None:
            return
        reply = self.main.ask("GET", f"/records/{TYPE}/{name}", headers=(f'If-None-Match: "{tag}"',),
                              expect=(200, 304, 404))
        if reply.status == 200:
            value = self.learn_record(name, reply.body)
        self.note(name, reply, "is", ABSENT if reply.status == 404 else value)

    # Writes

    def write(self, name: str, guarded: bool) -> None:
        value, tag = self.known[name]
        new = self.unique(name)
        method = self.random.choice(["PUT", "PUT", "PATCH"])
        headers: tuple[str, ...] = ()
        if guarded and tag is None:
            method, headers = "PUT", ("If-None-Match: *",)
        elif guarded:
            headers = (f'If-Match: "{tag}"',)
        found = ("is", value) if guarded else ("not", ABSENT) if method == "PATCH" else ("any", None)
        self.send(name, method, {"fields": {"v": new}}, headers, found, new, tag if guarded else None)

    def delete(self, name: str) -> None:
        value, tag = self.known[name]
        if tag is None:
            return
        self.send(name, "DELETE", None, (f'If-Match: "{tag}"',), ("is", value), ABSENT, tag)

    def send(self, name: str, method: str, body, headers, found: tuple, new, tag: str | None) -> None:
        path = f"/records/{TYPE}/{name}"
        if self.random.random() < self.workload.disconnects:
            self.note(name, self.main.disconnect(method, path, body, headers), *found, writes=True, new=new)
            return
        expect = (200, 201, 204, 404, 412)
        if headers and self.random.random() < 0.3:
            reply = self.main.ask_once(method, path, body, headers, expect, disconnects=0.2)
        else:
            reply = self.main.ask(method, path, body, headers, expect)
        if reply.status < 300:
            self.note(name, reply, *found, writes=True, new=new)
            self.known[name] = (ABSENT, None)
            if new is not ABSENT:
                self.learn_record(name, reply.body)
            return
        if reply.was_left:
            self.note(name, Reply(reply.sent, None), *found, writes=True, new=new)
        self.refused(name, reply, reply.body, tag)

    def batch(self, names: list[str]) -> None:
        """Conditional writes of several registers at once, atomic or not."""
        plans, operations = [], []
        for name in names:
            value, tag = self.known.get(name, (ABSENT, None))
            kind = self.random.choice(["update", "replace", "replace", "delete"]) if tag else "create"
            new = ABSENT if kind == "delete" else self.unique(name)
            record = {"recordType": TYPE, "recordName": name}
            record |= {"recordChangeTag": tag} if tag else {}
            record |= {"fields": {"v": {"value": new}}} if new else {}
            plans.append((name, value, tag, new))
            operations.append({"operationType": kind, "record": record})
        body = {"operations": operations, "atomic": self.random.random() < 0.7}
        if self.random.random() < self.workload.disconnects:
            reply = self.main.disconnect("POST", "/records", body)
            for name, value, _, new in plans:
                self.note(name, reply, "is", value, writes=True, new=new)
            return
        reply = self.main.ask("POST", "/records", body)
        done = 0
        for (name, value, tag, new), result in zip(plans, reply.body["records"], strict=True):
            code = result.get("serverErrorCode")
            if code is None:
                done += 1
                self.note(name, reply, "is", value, writes=True, new=new)
                self.known[name] = (ABSENT, None)
                if new is not ABSENT:
                    self.learn_record(name, result)
            elif code != "ATOMIC_ERROR":
                self.refused(name, reply, result, tag)
        if body["atomic"] and 0 < done < len(plans):
            self.observations.problems.append(
                f"{self.name}: {done} of {len(plans)} operations of an atomic batch were done")

    # The outcomes

    def refused(self, name: str, reply: Reply, returned: dict, tag: str | None) -> None:
        """A rejection shows another state than the one that was demanded."""
        code = returned.get("serverErrorCode")
        if code == "NOT_FOUND":
            self.note(name, reply, "is", ABSENT)
            self.known[name] = (ABSENT, None)
        elif record := returned.get("serverRecord"):
            if record["recordChangeTag"] == tag:
                self.observations.problems.append(f"{self.name}: {name} was refused for the tag {tag}, which it has")
            self.note(name, reply, "is", self.learn_record(name, record))
        elif code == "EXISTS":
            self.note(name, reply, "not", ABSENT)
            self.known.pop(name, None)
        else:
            self.observations.problems.append(f"{self.name}: {name} was refused without a reason: {returned}")

    def note(self, name: str, reply: Reply, must: str, value=None, writes: bool = False, new=None) -> None:
        access = Access(reply.sent, reply.answered, must, value, writes, new, self.name)
        self.observations.accesses.setdefault(name, []).append(access)
        self.observations.counts["writes Register" if writes else "reads Register"] += 1

    def learn_record(self, name: str, record: dict):
        value = record["fields"]["v"]["value"]
        self.learn(name, value, record["recordChangeTag"])
        return value

    def learn(self, name: str, value, tag: str) -> None:
        self.known[name] = (value, tag)
        self.observations.tags.add((name, tag, value))

    def unique(self, name: str) -> str:
        """A value that is written once, to the register before the colon."""
        self.written += 1
        return f"{name}:{self.name}.{self.written}"
