"""The clients that query, read pages, follow the change feed, and change indexes."""
import zlib

from Tests.crash.client import RecoveredState
from Tests.crash.readers import merge
from Tests.harness.client import quoted, values
from Tests.soak.client import SoakClient


class QueryClient(SoakClient):
    """Queries with predicates and sorts, in a URL or a body, some counted, some compressed."""

    kind, rate = "queries", 8

    def act(self) -> None:
        bucket, limit = self.random.randrange(20), self.random.choice([1, 10, 50])
        condition, sort, check = self.random.choice([
            (f"bucket == {bucket}", "", lambda one: one["bucket"] == bucket),
            (f"bucket > {bucket} AND version >= 2", "-version", lambda one: one["bucket"] > bucket),
            (f"marks CONTAINS 'm{bucket % 9}'", "", lambda one: f"m{bucket % 9}" in one["marks"]),
            (f"bucket IN {{{bucket}, {bucket + 1}}}", "version,-createdTimestamp", lambda one: one["bucket"] >= bucket),
            ("owner BEGINSWITH 'keeper'", "-modifiedTimestamp", lambda one: one["owner"].startswith("keeper")),
            (f"bucket == {bucket} OR version < 2", "-bucket",
             lambda one: one["bucket"] == bucket or one["version"] < 2),
        ])
        if self.random.random() < 0.5:
            count = self.random.choice(["", "&count=true"])
            fields = self.random.choice(["", "&fields=bucket,version,marks,owner"])
            path = f"/query/Item?where={quoted(condition)}&limit={limit}{count}{fields}"
            headers = ("Accept-Encoding: gzip",) if self.random.random() < 0.4 else ()
            response = self.call("GET", path + (f"&sort={sort}" if sort else ""), headers=headers)
        else:
            body = {"recordType": "Item", "where": condition, "limit": limit}
            if sort:
                body["sort"] = sort.split(",")
            response = self.call("POST", "/query", body)
        if response.headers.get("Content-Encoding") == "gzip":
            response.body = zlib.decompress(response.body, 31)
        for record in response.json()["records"]:
            self.require(check(values(record)), f"{condition} found {values(record)}"[:300])
        if self.random.random() < 0.02:
            self.call("GET", "/schema/advice", token=self.shared.admin)


class PagingClient(SoakClient):
    """Reads pages by cursors, sometimes to the end."""

    kind, rate = "pages", 6

    def prepare(self) -> None:
        self.cursor, self.path, self.seen = None, "", set()

    def act(self) -> None:
        if self.cursor is None or self.random.random() < 0.02:
            self.path = self.random.choice(["/records/Item?limit=50", "/query/Item?limit=80&sort=-modifiedTimestamp",
                                            "/query/Part?limit=70", "/records/Item?limit=400&fields=bucket"])
            self.cursor, self.seen = "", set()
        following = f"&cursor={quoted(self.cursor)}" if self.cursor else ""
        page = self.call("GET", self.path + following).json()
        self.cursor = page.get("cursor")
        # A record that was deleted and created again is another one.
        names = [(one["recordName"], one["created"]["timestamp"]) for one in page["records"]]
        # Sorted by the time of a change, a record that changes may appear again.
        if "modified" not in self.path:
            twice = self.seen.intersection(names)
            self.require(not twice and len(set(names)) == len(names), f"{self.path} shows records twice: {twice}")
        self.seen.update(names)


class FeedClient(SoakClient):
    """Keeps a copy of all records by the change feed; at the end it must equal the records."""

    kind, rate = "feed", 4

    def prepare(self) -> None:
        self.token, self.copy = None, {}
        self.limit = self.random.choice([40, 200, 1000])
        # One client reads from the beginning again from time to time, which would hide what the others have missed.
        self.starts_again = self.name.startswith("feedclient0-")

    def act(self) -> None:
        if self.starts_again and self.random.random() < 0.005:
            self.prepare()
        self.turn()

    def turn(self) -> bool:
        since = f"&since={quoted(self.token)}" if self.token else ""
        # No rights change and no tombstone is purged, so no token ends, whatever happens to the schema.
        page = self.call("GET", f"/changes?limit={self.limit}{since}").json()
        merge(self.copy, [(one["recordName"], None if one.get("deleted") else one["recordChangeTag"])
                          for one in page["changes"] if one["recordType"] != "Users"])
        self.token = page["token"]
        return page["moreComing"]

    def compare(self, recovered: RecoveredState) -> None:
        """After all writers have stopped."""
        while self.turn():
            pass
        truth = {name: record["recordChangeTag"] for name, record in recovered.records.items()}
        wrong = sorted(name for name in self.copy.keys() | truth.keys() if self.copy.get(name) != truth.get(name))
        self.require(not wrong, f"the copy by the feed has {len(self.copy)} records, true are {len(truth)}; other are "
                     + ", ".join(wrong[:5]))


class IndexClient(SoakClient):
    """Drops all indexes of a type from time to time, or adds one."""

    kind, rate = "indexes", 0.05

    def act(self) -> None:
        self.client.token = self.shared.admin
        kind = self.random.choice(["Item", "Item", "Member", "Part"])
        if self.random.random() < 0.6:
            fields = self.random.choice({"Item": [["bucket", "-version"], ["owner"], ["version", "createdTimestamp"]],
                                         "Member": [["group"]], "Part": [["group", "version"]]}[kind])
            self.call("POST", f"/schema/types/{kind}/indexes", {"fields": fields}, (200, 201))
        else:
            schema = self.call("GET", "/schema").json()
            schema["types"][kind]["indexes"] = []
            for field in schema["types"][kind]["fields"].values():
                field["indexes"] = []
            self.call("PUT", "/schema", schema)
        self.add("indexes changed")
