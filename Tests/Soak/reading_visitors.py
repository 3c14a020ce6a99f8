"""The visitors who ask, turn pages, follow the feed, and change indexes."""
import zlib

import paths  # noqa: F401
from actors import Survivor, http_quote, values
from readers import merge
from visitor import Visitor


class Asker(Visitor):
    """Queries with conditions and sorts, in an address or a body, some counted, some squeezed."""

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
            path = f"/query/Item?where={http_quote(condition)}&limit={limit}{count}{fields}"
            headers = ("Accept-Encoding: gzip",) if self.random.random() < 0.4 else ()
            answer = self.call("GET", path + (f"&sort={sort}" if sort else ""), headers=headers)
        else:
            body = {"recordType": "Item", "where": condition, "limit": limit}
            if sort:
                body["sort"] = sort.split(",")
            answer = self.call("POST", "/query", body)
        if answer.headers.get("Content-Encoding") == "gzip":
            answer.body = zlib.decompress(answer.body, 31)
        for record in answer.json()["records"]:
            self.require(check(values(record)), f"{condition} found {values(record)}"[:300])
        if self.random.random() < 0.02:
            self.call("GET", "/schema/advice", token=self.town.admin)


class Pager(Visitor):
    """Turns pages by cursors, sometimes to the end; some cursors are left unused."""

    kind, rate = "pages", 6

    def begin(self) -> None:
        self.cursor, self.path, self.seen = None, "", set()

    def act(self) -> None:
        if self.cursor is None or self.random.random() < 0.02:
            self.path = self.random.choice(["/records/Item?limit=50", "/query/Item?limit=80&sort=-modifiedTimestamp",
                                            "/query/Part?limit=70", "/records/Item?limit=400&fields=bucket"])
            self.cursor, self.seen = "", set()
        following = f"&cursor={http_quote(self.cursor)}" if self.cursor else ""
        page = self.call("GET", self.path + following).json()
        self.cursor = page.get("cursor")
        # A record that was deleted and created again meanwhile is another one.
        names = [(one["recordName"], one["created"]["timestamp"]) for one in page["records"]]
        # By the time of a change, what is changed meanwhile may come again.
        if "modified" not in self.path:
            twice = self.seen.intersection(names)
            self.require(not twice and len(set(names)) == len(names), f"{self.path} shows records twice: {twice}")
        self.seen.update(names)


class Follower(Visitor):
    """Keeps a copy of everything by the feed; at the end it is what is there."""

    kind, rate = "feed", 4

    def begin(self) -> None:
        self.token, self.copy = None, {}
        self.limit = self.random.choice([40, 200, 1000])

    def act(self) -> None:
        if self.random.random() < 0.005:
            self.begin()  # from the very beginning once more
        self.turn()

    def turn(self) -> bool:
        since = f"&since={http_quote(self.token)}" if self.token else ""
        answer = self.call("GET", f"/changes?limit={self.limit}{since}", expect=(200, 410))
        if answer.status == 410:
            self.tell("expired tokens")
            self.token, self.copy = None, {}
            return True
        page = answer.json()
        merge(self.copy, [(one["recordName"], None if one.get("deleted") else one["recordChangeTag"])
                          for one in page["changes"] if one["recordType"] != "Users"])
        self.token = page["token"]
        return page["moreComing"]

    def compare(self, survivor: Survivor) -> None:
        """When nobody writes any more."""
        while self.turn():
            pass
        truth = {name: record["recordChangeTag"] for name, record in survivor.records.items()}
        wrong = sorted(name for name in self.copy.keys() | truth.keys() if self.copy.get(name) != truth.get(name))
        self.require(not wrong, f"the copy by the feed has {len(self.copy)} records, true are {len(truth)}; other are "
                     + ", ".join(wrong[:5]))


class Gardener(Visitor):
    """An administrator who now and then drops all indexes of a type, or adds one."""

    kind, rate = "indexes", 0.05

    def act(self) -> None:
        self.client.token = self.town.admin
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
        self.tell("indexes changed")
