"""The client that adds and drops indexes of the types that others write."""
from Tests.crash.client import RecoveredState, Worker
from Tests.crash.readers import FIELDS


class SchemaWriter(Worker):
    """Adds and drops indexes as an administrator, of single fields by `PUT /schema`, of several by their own call."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.added: list[tuple[int, str, str]] = []  # (when it was acknowledged, type, fields)

    def act(self) -> None:
        kind = self.random.choice(list(FIELDS))
        fields = self.random.choice(FIELDS[kind])
        if self.random.random() < 0.3:
            other = self.random.choice(["-modifiedTimestamp", "createdTimestamp"])
            definition = ["-version" if fields == "version" else fields, other]
            response = self.call("POST", f"/schema/types/{kind}/indexes", {"fields": definition},
                               expect=(200, 201, 400, 404, 409))
            if response.status in (200, 201):
                self.added.append((self.clock.now(), kind, ",".join(definition)))
        else:
            response = self.call("GET", "/schema")
            schema = response.json()
            if fields in schema["types"].get(kind, {}).get("fields", {}):
                field = schema["types"][kind]["fields"][fields]
                kinds = ["QUERYABLE"] if fields == "marks" else ["QUERYABLE", "SORTABLE"]
                # Bulk changes need the index of their group at any moment.
                field["indexes"] = kinds if fields == "group" else self.random.choice([kinds, kinds, []])
                # Others extend the schema too; this document must not remove their additions.
                tag = response.headers["ETag"]
                self.call("PUT", "/schema", schema, expect=(200, 412), headers=(f"If-Match: {tag}",))
        self.stopping.wait(self.random.uniform(0.02, 0.2))

    def violations(self, cut: int, recovered: RecoveredState):
        types = getattr(recovered, "schema", {})
        for when, kind, fields in self.added if types else []:
            if when > cut:
                continue
            there = [",".join(one["fields"]) for one in types.get(kind, {}).get("indexes", [])]
            if fields not in there:
                yield f"the index {fields} of {kind}, which was acknowledged, is gone: {there}"
                return
