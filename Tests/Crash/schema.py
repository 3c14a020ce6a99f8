"""The clients that change what there is: types and fields just in time, and indexes."""
import secrets

import paths  # noqa: F401
from actors import GONE, Actor, History, Survivor, http_quote, short, unexpected

# Fields by which records are found and sorted, of the types that other clients write.
FIELDS = {"Item": ["version", "text"], "Part": ["version"], "Member": ["group", "version"], "Tally": ["count", "marks"],
          "Counter": ["count"]}


class Novelist(Actor):
    """Creates records of types and with fields that did not exist."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.histories: dict[str, History] = {}
        self.types: list[str] = []

    def act(self) -> None:
        if not self.types or (len(self.types) < 12 and self.random.random() < 0.1):
            self.types.append(f"New_{secrets.token_hex(4)}")
        kind, name = self.random.choice(self.types), f"{self.name}-{len(self.histories)}"
        state = {"number": len(self.histories)}
        if self.random.random() < 0.2:
            state[f"f_{secrets.token_hex(3)}"] = self.random.choice([1, 2.5, "text", ["a", "b"]])
        history = self.histories[name] = History()
        step = self.begin(history, state)
        self.call("PUT", f"/records/{kind}/{name}", {"fields": state}, expect=(201,))
        step.answered = self.clock.now()
        self.stopping.wait(0.03)

    def complaints(self, cut: int, survivor: Survivor):
        for name, history in self.histories.items():
            found, allowed = survivor.fields(name), history.allowed(cut)
            if found not in allowed:
                yield f"{name} is {short(found)}, must be {' or '.join(map(short, allowed))}"


class IndexBuilder(Actor):
    """Adds and drops indexes as an administrator, of single fields by `PUT /schema`, of several by their own call."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.added: list[tuple[int, str, str]] = []  # (when it was answered, type, fields)

    def act(self) -> None:
        kind = self.random.choice(list(FIELDS))
        fields = self.random.choice(FIELDS[kind])
        if self.random.random() < 0.3:
            other = self.random.choice(["-modifiedTimestamp", "createdTimestamp"])
            definition = ["-version" if fields == "version" else fields, other]
            answer = self.call("POST", f"/schema/types/{kind}/indexes", {"fields": definition},
                               expect=(200, 201, 400, 404, 409))
            if answer.status in (200, 201):
                self.added.append((self.clock.now(), kind, ",".join(definition)))
        else:
            answer = self.call("GET", "/schema")
            schema = answer.json()
            if fields in schema["types"].get(kind, {}).get("fields", {}):
                field = schema["types"][kind]["fields"][fields]
                kinds = ["QUERYABLE"] if fields == "marks" else ["QUERYABLE", "SORTABLE"]
                # Those who change sets need theirs at each moment.
                field["indexes"] = kinds if fields == "group" else self.random.choice([kinds, kinds, []])
                # Somebody else changes the schema too; what came meanwhile must not go with this document.
                self.call("PUT", "/schema", schema, expect=(200, 412), headers=(f"If-Match: {answer.headers['ETag']}",))
        self.stopping.wait(self.random.uniform(0.02, 0.2))

    def complaints(self, cut: int, survivor: Survivor):
        types = getattr(survivor, "schema", {})
        for when, kind, fields in self.added if types else []:
            if when > cut:
                continue
            there = [",".join(one["fields"]) for one in types.get(kind, {}).get("indexes", [])]
            if fields not in there:
                yield f"the index {fields} of {kind}, which was acknowledged, is gone: {there}"
                return


class Querier(Actor):
    """Asks and sorts by fields, so that indexes are added just in time; what it is answered meets its condition."""

    writes = False

    def act(self) -> None:
        kind = self.random.choice(list(FIELDS))
        field = self.random.choice(FIELDS[kind])
        condition = "marks CONTAINS 'first'" if field == "marks" else f"{field} != NULL"
        sort = "" if field == "marks" else f"&sort=-{field}"
        path = f"/query/{kind}?where={http_quote(condition)}{sort}&limit=50&fields={field}"
        answer = self.call("GET", path, expect=(200, 400, 503))
        if answer.status == 503 and b"INDEX_BUILDING" not in answer.body:
            raise unexpected(f"GET {path}", answer, (200, 400))
        # The type has no records yet; the index was dropped again at this moment.
        if answer.status == 400 and b"UNKNOWN_NAME" not in answer.body and b"NOT_INDEXED" not in answer.body:
            self.failure = f"{self.name}: {path} answered {answer.body[:300]!r}"
        found = [one["fields"].get(field, {}).get("value", GONE) for one in answer.json().get("records", [])]
        if None in found or (sort and found != sorted(found, reverse=True) and field != "text"):
            self.failure = f"{self.name}: {path} gave {short(found)}"
        self.stopping.wait(0.02)
