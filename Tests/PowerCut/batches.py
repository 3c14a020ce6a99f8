"""The clients whose atomic batches mix all kinds of operations, and whose deletions take other records along."""
from actors import GONE, Actor, History, Survivor, values
from writers import refuse_as_whole

TYPE = "Bundle"


class Batcher(Actor):
    """Sends atomic batches, which succeed as wholes; one thing after another, each with a history of its own."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.histories: dict[str, History] = {}

    def known(self) -> list[str]:
        return [name for name, one in self.histories.items() if not one.is_closed]

    def send(self, operations: list[dict]) -> list[dict]:
        """The records that the answer gives; a batch that the store refused says so in its items."""
        found = self.call("POST", "/records", {"operations": operations, "atomic": True}).json()["records"]
        for record in found:
            if "serverErrorCode" in record:
                refuse_as_whole(record)
                raise ValueError(f"an operation of a batch failed: {record}")
        return found


def operation(kind: str, name: str, tag: str | None = None, **fields) -> dict:
    record = {"recordType": TYPE, "recordName": name, "fields": fields} | ({"recordChangeTag": tag} if tag else {})
    if kind.endswith("elete"):
        del record["fields"]
    return {"operationType": kind, "record": record}


class MixedBatchWriter(Batcher):
    """Of each of its things there is a head, a count and a leaf. Each batch changes the head with its tag, increments
    the count, deletes the leaf and makes the next one: all of them tell one version, or a batch was done by halves."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.tags: dict[str, tuple[str, str]] = {}  # of the head and the leaf

    def act(self) -> None:
        known = self.known()
        if not known or (len(known) < 20 and self.random.random() < 0.1):
            known.append(f"{self.name}-{len(self.histories)}")
            self.histories[known[-1]] = History()
        name = self.random.choice(known)
        version = self.histories[name].steps[-1].state
        if version is GONE:
            self.go_on(name, 1, [operation("create", f"{name}-head", version={"value": 1}),
                                 operation("create", f"{name}-count", count={"value": 1}),
                                 operation("create", f"{name}-leaf1", version={"value": 1})])
        elif self.random.random() < 0.1:
            self.fail(name, version)
        else:
            self.go_on(name, version + 1, self.change(name, version))

    def change(self, name: str, version: int) -> list[dict]:
        head, leaf = self.tags[name]
        found = [operation("update", f"{name}-head", head, version={"value": version + 1}),
                 operation("forceUpdate", f"{name}-count", count={"increment": 1}),
                 operation("delete", f"{name}-leaf{version}", leaf),
                 operation("create", f"{name}-leaf{version + 1}", version={"value": version + 1})]
        self.random.shuffle(found)
        return found

    def go_on(self, name: str, version: int, operations: list[dict]) -> None:
        step = self.begin(self.histories[name], version)
        tags = {one["recordName"]: one.get("recordChangeTag") for one in self.send(operations)}
        step.answered = self.clock.now()
        self.tags[name] = tags[f"{name}-head"], tags[f"{name}-leaf{version}"]

    def fail(self, name: str, version: int) -> None:
        """A batch of which one operation has a wrong tag. What any of it left would be a version that nobody wrote."""
        operations = self.change(name, version + 1000)
        next(one for one in operations if one["record"]["recordName"].endswith("-head"))["record"][
            "recordChangeTag"] = "nobody"
        for one in operations:
            if one["operationType"] == "delete":
                one["record"]["recordName"] = f"{name}-leaf{version}"
        answer = self.call("POST", "/records", {"operations": operations, "atomic": True}).json()["records"]
        for record in answer:
            if "serverErrorCode" not in record:
                raise ValueError(f"a part of a batch was done that had to fail: {answer}")
            refuse_as_whole(record)

    def complaints(self, cut: int, survivor: Survivor):
        there: dict[str, dict[str, int]] = {}
        for name, record in survivor.records.items():
            if record["recordType"] == TYPE and name.startswith(self.name + "-"):
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


class FamilyWriter(Batcher):
    """Families of records: children refer to their parent, and grandchildren to a child, with DELETE_SELF. Who deletes
    the parent deletes all of them, also in a batch that makes the next family: one family is there whole, or none."""

    def act(self) -> None:
        known = self.known()
        if not known or (len(known) < 4 and self.random.random() < 0.2):
            known.append(f"{self.name}-{len(self.histories)}")
            self.histories[known[-1]] = History()
        name = self.random.choice(known)
        history = self.histories[name]
        before = history.steps[-1].state
        if before is not GONE and self.random.random() < 0.4:
            step = self.begin(history, GONE)
            self.call("DELETE", f"/records/{TYPE}/{name}-{before[0]}-0", expect=(204,))
        else:
            after = (len(history.steps), self.random.choice([3, 12, 60, 150]))
            gone = [operation("forceDelete", f"{name}-{before[0]}-0")] if before else []
            step = self.begin(history, after)
            self.send(gone + [self.member(f"{name}-{after[0]}", number) for number in range(after[1])])
        step.answered = self.clock.now()
        self.stopping.wait(0.02)

    @staticmethod
    def member(family: str, number: int) -> dict:
        """The first one is the parent; each third refers to the one before it."""
        of = None if number == 0 else number - 1 if number % 3 == 0 else 0
        reference = {} if of is None else {"of": {"type": "REFERENCE", "value": {
            "recordName": f"{family}-{of}", "action": "DELETE_SELF"}}}
        return operation("create", f"{family}-{number}", version={"value": number}, **reference)

    def complaints(self, cut: int, survivor: Survivor):
        there: dict[str, dict[int, int]] = {}
        for name, record in survivor.records.items():
            if record["recordType"] == TYPE and name.startswith(self.name + "-"):
                thing, family, _ = name.rsplit("-", 2)
                families = there.setdefault(thing, {})
                families[int(family)] = families.get(int(family), 0) + 1
        for name, history in self.histories.items():
            found, allowed = there.get(name, {}), history.allowed(cut)
            if found not in [{} if state is GONE else dict([state]) for state in allowed]:
                yield f"of the families of {name} there are {found} (number: members), must be one of {allowed}"
