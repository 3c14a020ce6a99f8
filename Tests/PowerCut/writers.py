"""The clients that write."""
import secrets

from actors import GONE, Actor, History, Refused, Step, Survivor, http_quote, short, values


class RecordWriter(Actor):
    """Creates, changes with a guard, replaces and deletes records of its own, one after another."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.histories: dict[str, History] = {}
        self.tags: dict[str, str] = {}

    def act(self) -> None:
        living = [name for name in self.tags if not self.histories[name].is_closed]
        choice = self.random.random()
        if not living or choice < 0.35:
            self.create()
        elif choice < 0.75:
            self.change(self.random.choice(living[-40:]))
        elif choice < 0.9:
            self.replace(self.random.choice(living[-40:]))
        else:
            self.delete(self.random.choice(living))

    def create(self) -> None:
        name = f"{self.name}-{len(self.histories)}"
        fields = {"version": 1, "text": self.text()}
        if self.random.random() < 0.01:
            fields[f"extra_{secrets.token_hex(3)}"] = 1  # the schema grows just in time
        history = self.histories[name] = History()
        step = self.begin(history, fields)
        body = {"recordName": name, "fields": fields} | self.access(0.2)
        self.done(step, name, self.call("POST", "/records/Item", body, expect=(201,)))

    def change(self, name: str) -> None:
        history = self.histories[name]
        fields = dict(history.steps[-1].state)
        fields["version"] += 1
        change = {"version": {"increment": 1}}
        if self.random.random() < 0.3:
            change["text"] = fields["text"] = self.text()
        step = self.begin(history, fields)
        body = {"fields": change} | self.access(0.1)
        answer = self.call("PATCH", f"/records/Item/{name}", body, headers=self.guard(name))
        self.done(step, name, answer)

    def replace(self, name: str) -> None:
        history = self.histories[name]
        fields = {"version": history.steps[-1].state["version"] + 1, "text": self.text()}
        step = self.begin(history, fields)
        answer = self.call("PUT", f"/records/Item/{name}", {"fields": fields}, headers=self.guard(name))
        self.done(step, name, answer)

    def delete(self, name: str) -> None:
        step = self.begin(self.histories[name], GONE)
        self.call("DELETE", f"/records/Item/{name}", expect=(204,), headers=self.guard(name))
        step.answered = self.clock.now()
        del self.tags[name]

    def access(self, share: float) -> dict:
        """Now and then an access list, with which everybody still reads the record, or the end of one: its entries in
        indexes move."""
        if self.random.random() >= share:
            return {}
        return {"acl": self.random.choice([None, {"*": ["read"], "_creator": ["read", "write"]}])}

    def guard(self, name: str) -> tuple[str, ...]:
        return (f"If-Match: {self.tags[name]}",)

    def done(self, step: Step, name: str, answer) -> None:
        step.answered = self.clock.now()
        self.tags[name] = answer.headers["ETag"]

    def complaints(self, cut: int, survivor: Survivor):
        for name, history in self.histories.items():
            found, allowed = survivor.fields(name), history.allowed(cut)
            if found not in allowed:
                yield f"{name} is {short(found)}, must be {' or '.join(map(short, allowed))}"

    def version(self, name: str, state) -> int:
        """How many writes of the record lie behind a state; a deletion is the last one."""
        history = self.histories[name]
        return len(history.steps) - 1 if state is GONE else state["version"]


def refuse_as_whole(record: dict) -> None:
    """A batch that the store failed says so in its items."""
    cause = record.get("details", {}).get("cause")
    other = 500 if record["serverErrorCode"] == "INTERNAL_ERROR" else 0
    status = {"STORAGE_FULL": 507, "UNAVAILABLE": 503}.get(cause, other)
    if status:
        raise Refused(status, f"an operation of a batch answered {short(record)}")


class BatchWriter(Actor):
    """Writes groups of records in atomic batches: all of a group bear one version."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.groups: list[tuple[int, History]] = []

    def act(self) -> None:
        known = [index for index, (_, history) in enumerate(self.groups) if not history.is_closed]
        if not known or self.random.random() < 0.4:
            known.append(len(self.groups))
            self.groups.append((self.random.choice([2, 7, 40, 150]), History()))
        index = self.random.choice(known)
        size, history = self.groups[index]
        version = len(history.steps)
        text = self.text()[:4_000]
        operations = [{"operationType": "forceReplace", "record": {
            "recordType": "Part", "recordName": f"{self.name}-{index}-{number}",
            "fields": {"version": {"value": version}, "text": {"value": text}}}} for number in range(size)]
        step = self.begin(history, {"version": version, "text": text})
        answer = self.call("POST", "/records", {"operations": operations, "atomic": True}).json()["records"]
        for record in answer:
            if "serverErrorCode" in record:
                refuse_as_whole(record)
                self.failure = f"{self.name}: an operation of a batch failed: {short(record)}"
                self.stopping.set()
                return
        step.answered = self.clock.now()

    def complaints(self, cut: int, survivor: Survivor):
        for index, (size, history) in enumerate(self.groups):
            found = [survivor.fields(f"{self.name}-{index}-{number}") for number in range(size)]
            allowed = history.allowed(cut)
            if any(one != found[0] for one in found):
                versions = [one and one["version"] for one in found]
                yield f"the group {self.name}-{index} is not whole: versions {versions}"
            elif found[0] not in allowed:
                yield f"the group {self.name}-{index} is {short(found[0])}, must be {' or '.join(map(short, allowed))}"


class Counter:
    """One record that many clients increment, and what they were told of it."""

    def __init__(self, name: str):
        self.name = name
        self.steps: list[Step] = []  # the state is the count that the answer gave


class Incrementer(Actor):
    def __init__(self, counter: Counter, *arguments):
        super().__init__(*arguments)
        self.counter = counter

    def act(self) -> None:
        step = Step(self.clock.now(), 0)
        self.counter.steps.append(step)
        try:
            answer = self.call("PATCH", f"/records/Counter/{self.counter.name}",
                               {"fields": {"count": {"increment": 1}}})
        except Refused as refusal:
            if refusal.status == 507:
                self.counter.steps.remove(step)
            raise
        step.state = values(answer.json())["count"]
        step.answered = self.clock.now()

    def complaints(self, cut: int, survivor: Survivor):
        steps = self.counter.steps
        done = [one for one in steps if one.answered is not None and one.answered <= cut]
        sent = sum(1 for one in steps if one.sent <= cut)
        told = max([one.state for one in done], default=0)
        found = (survivor.fields(self.counter.name) or {}).get("count", 0)
        if not max(len(done), told) <= found <= sent:
            yield f"{self.counter.name} is {found}; {len(done)} increments were acknowledged ({told} told), {sent} sent"
        numbers = [one.state for one in steps if one.answered is not None]
        if len(set(numbers)) != len(numbers):
            yield f"two increments of {self.counter.name} were told the same count"


class SetWriter(Actor):
    """Changes and deletes all records of a group by a condition."""

    SIZE = 25

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.groups: list[History] = []

    def act(self) -> None:
        if not self.groups or self.groups[-1].is_closed or self.groups[-1].steps[-1].state in (GONE, 0):
            self.groups.append(History(0))
            group = f"{self.name}-{len(self.groups) - 1}"
            operations = [{"operationType": "create", "record": {
                "recordType": "Member", "recordName": f"{group}-{number}",
                "fields": {"group": {"value": group}, "version": {"value": 1}}}} for number in range(self.SIZE)]
            step = self.begin(self.groups[-1], 1)
            for record in self.call("POST", "/records", {"operations": operations, "atomic": True}).json()["records"]:
                if "serverErrorCode" in record:
                    refuse_as_whole(record)
            step.answered = self.clock.now()
            return
        history, group = self.groups[-1], f"{self.name}-{len(self.groups) - 1}"
        path = "/query/Member?where=" + http_quote(f"group == '{group}'")
        if self.random.random() < 0.8:
            version = history.steps[-1].state + 1
            step = self.begin(history, version)
            told = self.call("PATCH", path, {"fields": {"version": version}}).json().get("updated")
        else:
            step = self.begin(history, GONE)
            told = self.call("DELETE", path).json().get("deleted")
        if told != self.SIZE:
            self.failure = f"{self.name}: a set of {self.SIZE} records changed {told}"
            self.stopping.set()
        step.answered = self.clock.now()

    def refused(self, status: int) -> None:
        """A set is changed in slices, and what was done before one that failed stays done, also after 507."""
        self.groups[-1].is_closed = True

    def complaints(self, cut: int, survivor: Survivor):
        for index, history in enumerate(self.groups):
            allowed = [GONE if state in (0, GONE) else state for state in history.allowed(cut)]
            for number in range(self.SIZE):
                found = survivor.fields(f"{self.name}-{index}-{number}")
                version = found and found["version"]
                if version not in allowed:
                    yield f"{self.name}-{index}-{number} has version {version}, must be one of {allowed}"
                    break


class SignUp(Actor):
    """Makes accounts; a session that was handed out goes on."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.sessions: list[tuple[int, str, str]] = []

    def act(self) -> None:
        name = f"{self.name}-{secrets.token_hex(6)}"
        answer = self.call("POST", "/users", {"name": name, "password": secrets.token_hex(16)}, expect=(201,)).json()
        self.sessions.append((self.clock.now(), name, answer["token"]))
        self.stopping.wait(0.2)

    def complaints(self, cut: int, survivor: Survivor):
        client = type(survivor.client)(survivor.client.port)
        for answered, name, token in self.sessions:
            if answered <= cut:
                client.token = token
                user = client.call("GET", "/users/me", expect=(200, 401, 403, 404))
                if user.status != 200 or user.json().get("name") != name:
                    yield f"the session of {name} is gone: {user.status}"
        client.close()
