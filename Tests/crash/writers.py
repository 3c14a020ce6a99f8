"""The clients that write records: single writes, batches, field operations, bulk changes, new types."""
import secrets

from Tests.crash.client import ABSENT, History, RecoveredState, Step, Worker, raise_for_store, short
from Tests.harness.client import UnexpectedStatus, quoted, values
from Tests.harness.errors import Problem

BUNDLE = "Bundle"  # the type of the batches that mix operations, and of the families


class RecordWriter(Worker):
    """Creates, updates with a precondition, replaces and deletes records of its own, one after another."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.tags: dict[str, str] = {}

    def act(self) -> None:
        existing = [name for name in self.tags if not self.histories[name].is_closed]
        choice = self.random.random()
        if not existing or choice < 0.35:
            self.create()
        elif choice < 0.75:
            self.update(self.random.choice(existing[-40:]))
        elif choice < 0.9:
            self.replace(self.random.choice(existing[-40:]))
        else:
            name = self.random.choice(existing)
            self.write(name, ABSENT, "DELETE", f"/records/Item/{name}", expect=(204,), headers=self.precondition(name))
            del self.tags[name]

    def create(self) -> None:
        name, fields = self.new(), {"version": 1, "text": self.text()}
        if self.random.random() < 0.01:
            fields[f"extra_{secrets.token_hex(3)}"] = 1  # a field that is not in the schema
        body = {"recordName": name, "fields": fields} | self.access(0.2)
        response = self.write(name, fields, "POST", "/records/Item", body, expect=(201,))
        self.tags[name] = response.headers["ETag"]

    def update(self, name: str) -> None:
        fields = dict(self.histories[name].state)
        fields["version"] += 1
        change = {"version": {"increment": 1}}
        if self.random.random() < 0.3:
            change["text"] = fields["text"] = self.text()
        self.tags[name] = self.write(name, fields, "PATCH", f"/records/Item/{name}",
                                     {"fields": change} | self.access(0.1),
                                     headers=self.precondition(name)).headers["ETag"]

    def replace(self, name: str) -> None:
        fields = {"version": self.histories[name].state["version"] + 1, "text": self.text()}
        self.tags[name] = self.write(name, fields, "PUT", f"/records/Item/{name}", {"fields": fields},
                                     headers=self.precondition(name)).headers["ETag"]

    def access(self, share: float) -> dict:
        """Sometimes sets or removes an access list that lets everybody read, so that index entries move."""
        if self.random.random() >= share:
            return {}
        return {"acl": self.random.choice([None, {"*": ["read"], "_creator": ["read", "write"]}])}

    def precondition(self, name: str) -> tuple[str, ...]:
        return (f"If-Match: {self.tags[name]}",)


class BatchWriter(Worker):
    """Writes groups of records in atomic batches: all records of a group have one version."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.sizes: dict[str, int] = {}

    def act(self) -> None:
        groups = self.known()
        if not groups or self.random.random() < 0.4:
            groups.append(self.new())
            self.sizes[groups[-1]] = self.random.choice([2, 7, 40, 150])
        group = self.random.choice(groups)
        history = self.histories[group]
        state = {"version": len(history.steps), "text": self.text()[:4_000]}
        step = self.begin(history, state)
        self.batch([{"operationType": "forceReplace", "record": {
            "recordType": "Part", "recordName": f"{group}-{number}",
            "fields": {name: {"value": value} for name, value in state.items()}}}
            for number in range(self.sizes[group])])
        self.acknowledge(step)

    def violations(self, cut: int, recovered: RecoveredState):
        for group, history in self.histories.items():
            found = [recovered.fields(f"{group}-{number}") for number in range(self.sizes[group])]
            allowed = history.allowed(cut)
            if any(one != found[0] for one in found):
                yield f"the group {group} is not whole: versions {[one and one['version'] for one in found]}"
            elif found[0] not in allowed:
                yield f"the group {group} is {short(found[0])}, must be {' or '.join(map(short, allowed))}"


def operation(kind: str, name: str, tag: str | None = None, **fields) -> dict:
    record = {"recordType": BUNDLE, "recordName": name, "fields": fields} | ({"recordChangeTag": tag} if tag else {})
    if kind.endswith("elete"):
        del record["fields"]
    return {"operationType": kind, "record": record}


class MixedBatchWriter(Worker):
    """Each object is a head, a count and a leaf. A batch updates the head by its tag, increments the count, deletes the
    leaf and creates the next one. All three must have one version."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.tags: dict[str, tuple[str, str]] = {}  # of the head and the leaf

    def act(self) -> None:
        known = self.known()
        if not known or (len(known) < 20 and self.random.random() < 0.1):
            known.append(self.new())
        name = self.random.choice(known)
        version = self.histories[name].state
        if version is ABSENT:
            self.change(name, 1, [operation("create", f"{name}-head", version={"value": 1}),
                                  operation("create", f"{name}-count", count={"value": 1}),
                                  operation("create", f"{name}-leaf1", version={"value": 1})])
        elif self.random.random() < 0.1:
            self.fail(name, version)
        else:
            self.change(name, version + 1, self.operations(name, version, version + 1))

    def operations(self, name: str, version: int, new: int) -> list[dict]:
        head, leaf = self.tags[name]
        found = [operation("update", f"{name}-head", head, version={"value": new}),
                 operation("forceUpdate", f"{name}-count", count={"increment": 1}),
                 operation("delete", f"{name}-leaf{version}", leaf),
                 operation("create", f"{name}-leaf{new}", version={"value": new})]
        self.random.shuffle(found)
        return found

    def change(self, name: str, version: int, operations: list[dict]) -> None:
        step = self.begin(self.histories[name], version)
        tags = {one["recordName"]: one.get("recordChangeTag") for one in self.batch(operations)}
        self.acknowledge(step)
        self.tags[name] = tags[f"{name}-head"], tags[f"{name}-leaf{version}"]

    def fail(self, name: str, version: int) -> None:
        """A batch with one wrong tag. Any part of it that took effect would be a version that no client wrote."""
        operations = self.operations(name, version, version + 1001)
        next(one for one in operations if one["record"]["recordName"].endswith("-head"))["record"][
            "recordChangeTag"] = "nobody"
        body = {"operations": operations, "atomic": True}
        records = self.call("POST", "/records", body).json()["records"]
        for record in records:
            if "serverErrorCode" not in record:
                raise Problem(f"a part of a batch took effect that had to fail: {records}")
            raise_for_store(record)

    def violations(self, cut: int, recovered: RecoveredState):
        there: dict[str, dict[str, int]] = {}
        for name, record in recovered.records.items():
            if record["recordType"] == BUNDLE and name.startswith(self.name + "-"):
                thing, part = name.rsplit("-", 1)
                there.setdefault(thing, {})[part] = next(iter(values(record).values()))
        for name, history in self.histories.items():
            found = there.pop(name, {})
            version = found.get("head")
            whole = {} if version is None else {"head": version, "count": version, f"leaf{version}": version}
            if found != whole:
                yield f"the mixed batch of {name} is not whole: {found}"
            elif version not in (allowed := history.allowed(cut)):
                yield f"{name} has version {version}, must be one of {allowed}"
        if there:
            yield f"nobody wrote {list(there)[:5]}"


class FamilyWriter(Worker):
    """Families of records: children refer to their parent, and grandchildren to a child, with DELETE_SELF. Deleting the
    parent deletes all of them, also in the batch that creates the next family: one family exists whole, or none."""

    def act(self) -> None:
        known = self.known()
        if not known or (len(known) < 4 and self.random.random() < 0.2):
            known.append(self.new())
        name = self.random.choice(known)
        history = self.histories[name]
        before = history.state
        if before is not ABSENT and self.random.random() < 0.4:
            self.write(name, ABSENT, "DELETE", f"/records/{BUNDLE}/{name}-{before[0]}-0", expect=(204,))
        else:
            after = (len(history.steps), self.random.choice([3, 12, 60, 150]))
            deletion = [operation("forceDelete", f"{name}-{before[0]}-0")] if before else []
            step = self.begin(history, after)
            self.batch(deletion + [self.member(f"{name}-{after[0]}", number) for number in range(after[1])])
            self.acknowledge(step)
        self.stopping.wait(0.02)

    @staticmethod
    def member(family: str, number: int) -> dict:
        """Member 0 is the parent. Every third one refers to the member before it."""
        of = None if number == 0 else number - 1 if number % 3 == 0 else 0
        reference = {} if of is None else {"of": {"type": "REFERENCE", "value": {
            "recordName": f"{family}-{of}", "action": "DELETE_SELF"}}}
        return operation("create", f"{family}-{number}", version={"value": number}, **reference)

    def violations(self, cut: int, recovered: RecoveredState):
        there: dict[str, dict[int, int]] = {}
        for name, record in recovered.records.items():
            if record["recordType"] == BUNDLE and name.startswith(self.name + "-"):
                thing, family, _ = name.rsplit("-", 2)
                families = there.setdefault(thing, {})
                families[int(family)] = families.get(int(family), 0) + 1
        for name, history in self.histories.items():
            found, allowed = there.get(name, {}), history.allowed(cut)
            if found not in [{} if state is ABSENT else dict([state]) for state in allowed]:
                yield f"of the families of {name} there are {found} (number: members), must be one of {allowed}"


class ListWriter(Worker):
    """Appends to lists of its own records, removes members, and increments, without ever sending a whole value."""

    def act(self) -> None:
        known = self.known(is_present=True)
        if not known or (len(known) < 5 and self.random.random() < 0.1):
            name, state = self.new(), {"count": 0, "marks": ["first"]}
            self.write(name, state, "PUT", f"/records/Tally/{name}", {"fields": state}, expect=(201,))
            return
        name = self.random.choice(known)
        before = self.histories[name].state
        marks, operations = before["marks"], {"count": {"increment": 1}}
        choice, mark = self.random.random(), secrets.token_hex(4)
        if choice < 0.4 and len(marks) < 60:
            operations["marks"], marks = {"append": [mark, mark]}, marks + [mark, mark]
        elif choice < 0.6 and len(marks) < 60:
            # The first of the two is a member already and the second is not.
            operations["marks"], marks = {"appendUnique": [marks[-1], mark]}, marks + [mark]
        elif len(marks) > 1:
            removed = self.random.choice(marks[1:])
            operations["marks"], marks = {"remove": [removed]}, [one for one in marks if one != removed]
        self.write(name, {"count": before["count"] + 1, "marks": marks}, "PATCH", f"/records/Tally/{name}",
                   {"fields": operations})


class NewTypeWriter(Worker):
    """Creates records of types and with fields that are not in the schema."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.types: list[str] = []

    def act(self) -> None:
        if not self.types or (len(self.types) < 12 and self.random.random() < 0.1):
            self.types.append(f"New_{secrets.token_hex(4)}")
        name = self.new()
        state = {"number": len(self.histories)}
        if self.random.random() < 0.2:
            state[f"f_{secrets.token_hex(3)}"] = self.random.choice([1, 2.5, "text", ["a", "b"]])
        path = f"/records/{self.random.choice(self.types)}/{name}"
        self.write(name, state, "PUT", path, {"fields": state}, expect=(201,))
        self.stopping.wait(0.03)


class Counter:
    """One record that many clients increment, and the values that the server returned for it."""

    def __init__(self, name: str):
        self.name = name
        self.steps: list[Step] = []  # the state is the count that the response gave


class Incrementer(Worker):
    def __init__(self, counter: Counter, *arguments):
        super().__init__(*arguments)
        self.counter = counter

    def act(self) -> None:
        step = Step(self.clock.now(), 0)
        self.counter.steps.append(step)
        try:
            response = self.call("PATCH", f"/records/Counter/{self.counter.name}",
                                 {"fields": {"count": {"increment": 1}}})
        except UnexpectedStatus as error:
            if error.status == 507:
                self.counter.steps.remove(step)
            raise
        step.state = values(response.json())["count"]
        self.acknowledge(step)

    def violations(self, cut: int, recovered: RecoveredState):
        steps = self.counter.steps
        done = [one for one in steps if one.answered is not None and one.answered <= cut]
        sent = sum(1 for one in steps if one.sent <= cut)
        highest = max([one.state for one in done], default=0)
        found = (recovered.fields(self.counter.name) or {}).get("count", 0)
        if not max(len(done), highest) <= found <= sent:
            yield (f"{self.counter.name} is {found}, must be {max(len(done), highest)} to {sent}: {len(done)} "
                   f"increments were acknowledged, the highest as {highest}, {sent} sent")
        numbers = [one.state for one in steps if one.answered is not None]
        if len(set(numbers)) != len(numbers):
            yield f"two increments of {self.counter.name} returned the same count"


class BulkWriter(Worker):
    """Updates and deletes all records of a group by a predicate."""

    SIZE = 25

    def act(self) -> None:
        group = list(self.histories)[-1] if self.histories else ""
        if not group or self.histories[group].is_closed or self.histories[group].state in (ABSENT, 0):
            group = self.new()
            self.histories[group] = History(0)
            step = self.begin(self.histories[group], 1)
            self.batch([{"operationType": "create", "record": {
                "recordType": "Member", "recordName": f"{group}-{number}",
                "fields": {"group": {"value": group}, "version": {"value": 1}}}} for number in range(self.SIZE)])
            self.acknowledge(step)
            return
        path = "/query/Member?where=" + quoted(f"group == '{group}'")
        if self.random.random() < 0.8:
            version = self.histories[group].state + 1
            found = self.write(group, version, "PATCH", path, {"fields": {"version": version}}).json().get("updated")
        else:
            found = self.write(group, ABSENT, "DELETE", path).json().get("deleted")
        if found != self.SIZE:
            raise Problem(f"a bulk change of {self.SIZE} records changed {found}")

    def rejected(self, status: int) -> None:
        """A bulk change is done in slices. A slice that was done before one failed stays done, also after 507."""
        self.histories[list(self.histories)[-1]].is_closed = True

    def violations(self, cut: int, recovered: RecoveredState):
        for group, history in self.histories.items():
            allowed = [ABSENT if state in (0, ABSENT) else state for state in history.allowed(cut)]
            for number in range(self.SIZE):
                found = recovered.fields(f"{group}-{number}")
                version = found and found["version"]
                if version not in allowed:
                    yield f"{group}-{number} has version {version}, must be one of {allowed}"
                    break


class SignUpClient(Worker):
    """Creates accounts. A session that was issued must survive."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.sessions: list[tuple[int, str, str]] = []

    def act(self) -> None:
        name = f"{self.name}-{secrets.token_hex(6)}"
        made = self.call("POST", "/users", {"name": name, "password": secrets.token_hex(16)}, expect=(201,)).json()
        self.sessions.append((self.clock.now(), name, made["token"]))
        self.stopping.wait(0.2)

    def violations(self, cut: int, recovered: RecoveredState):
        for answered, name, token in self.sessions:
            if answered <= cut:
                user = recovered.client.call("GET", "/users/me", expect=(200, 401, 403, 404), token=token)
                if user.status != 200 or user.json().get("name") != name:
                    yield f"the session of {name} is gone: {user.status}"
