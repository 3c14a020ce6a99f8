"""Queries of every kind of caller about records that only some of them may read.

The callers are a user, a member of a role, participants of a share, a key, administrators and nobody. Plans, branches,
statistics and cursors of these queries differ with the caller.
"""
from urllib.parse import quote

from Tests.fuzz.fixture import Fixture
from Tests.fuzz.samples import Caller, Sample

SEARCH = "text CONTAINS_ANY_TOKENS 'sea fog*'"
POSTS = "title CONTAINS_ANY_TOKENS 'sea s*'"
# Conditions, and sorts that each condition may have.
RANKED = (SEARCH, "text CONTAINS_ALL_TOKENS '\"sea fog\" shore'",
          f"(n == 1 AND n == 2 OR {SEARCH}) AND text CONTAINS_ALL_TOKENS 'shore sea'",
          f"NOT text CONTAINS_ANY_TOKENS 'none' AND {SEARCH}")
SORTS = ("-rank()", "rank(text^3),n", "n,-rank()", "-n", "-createdTimestamp,n")
OPTIONS = ("limit=1&count=true&total=estimate", "limit=2&explain=true&highlight=text&highlightLength=9",
           "fields=n&expand=createdUserRecordName&syncToken=true",
           "aggregate=count,max(n)&groupBy=text&having=count%3E0")


class Audiences:
    """A zone of the visitor that is partly shared, and a type of which a caller reads only its own records."""

    def __init__(self, fixture: Fixture):
        self.fixture = fixture
        self.sessions = {name: fixture.post("/users/anonymous", {})["token"] for name in ("reader", "writer", "member")}
        self.names = {name: fixture.get("/users/me", token)["userRecordName"] for name, token in self.sessions.items()}
        self.owner = fixture.names["visitor"]
        self.make_records()
        self.make_rights()
        self.add_indexes()
        self.cursors = {name: self.cursor(name, target) for name, target in (
            ("reader", f"/query/Diary?{self.shared}"), ("writer", f"/query/Diary?{self.shared}"),
            ("member", "/query/Plan?"))}

    @property
    def private(self) -> str:
        return f"database=private&zone=Diaries&owner={self.owner}"

    @property
    def shared(self) -> str:
        return f"database=shared&zone=Diaries&owner={self.owner}"

    def make_records(self) -> None:
        self.fixture.call("PUT", f"/zones/Diaries?{self.private.replace('&zone=Diaries', '')}")
        for number in range(8):
            body = {"fields": {"text": f"sea fog shore {number}", "n": number % 3}}
            if 0 < number < 5:
                body["parent"] = {"recordName": "d0"}
            self.fixture.call("PUT", f"/records/Diary/d{number}?{self.private}", body)
            owner = ("reader", "member")[number % 2]
            self.fixture.call("PUT", f"/records/Plan/{self.fixture.mark}{number}", {"fields": body["fields"]},
                              token=self.sessions[owner])

    def make_rights(self) -> None:
        participants = [{"userRecordName": self.names[name], "permission": permission}
                        for name, permission in (("reader", "READ_ONLY"), ("writer", "READ_WRITE"))]
        share = self.fixture.call("PUT", f"/records/cloudkit.share/diaries?{self.private}", {
            "fields": {}, "forRecord": {"recordName": "d0"}, "participants": participants}).json()
        for name in ("reader", "writer"):
            self.fixture.call("POST", f"/shares/{share['shortGUID']}/accept", token=self.sessions[name])
        role = self.fixture.role("planners")
        self.fixture.call("PUT", f"/roles/{role}", {"members": [self.names["member"]]})
        self.fixture.call("PUT", "/grants/Plan", {"grants": {
            "_icloud": ["CREATE"], "_creator": ["READ", "WRITE"], role: ["READ"]}})

    def add_indexes(self) -> None:
        """The operator's queries add the indexes that other callers may not add."""
        for kind in ("Diary", "Plan"):
            self.fixture.call("POST", "/query", {"recordType": kind, "where": f"{SEARCH} OR n == 1 OR text == 'a'"})
            self.fixture.call("GET", f"/query/{kind}?sort=n")
        self.fixture.call("POST", "/query", {"recordType": "Post", "where": POSTS})

    def cursor(self, name: str, target: str) -> str:
        """The cursor after the first page of a ranked search."""
        page = self.fixture.get(f"{target}&where={quote(SEARCH)}&sort=-rank()&limit=1", self.sessions[name])
        return quote(page["cursor"], safe="")


def callers(fixture: Fixture, audiences: Audiences, owner: Caller) -> list[Sample]:
    reader, writer, member = (Caller(audiences.sessions[name]) for name in ("reader", "writer", "member"))
    visitor, deputy, key = (Caller(token) for token in (
        fixture.sessions["visitor"], fixture.deputy, fixture.keys["read"]["token"]))
    places = (
        [(one, f"/query/Diary?{audiences.shared}") for one in (reader, writer)]
        + [(visitor, "/query/Diary?database=private&zone=Diaries"), (owner, f"/query/Diary?{audiences.private}")]
        + [(one, "/query/Plan?") for one in (reader, writer, member, owner, deputy)]
        + [(one, "/query/Post?") for one in (Caller(), reader, key)])
    found = []
    for number, (caller, target) in enumerate(places):
        of_post = target.startswith("/query/Post")
        for step, condition in enumerate(RANKED):
            condition = POSTS if of_post else condition
            sort, options = SORTS[(number + step) % len(SORTS)], OPTIONS[(number * 3 + step) % len(OPTIONS)]
            if of_post:
                sort, options = SORTS[0], OPTIONS[0]
            sort = "" if "aggregate" in options else f"&sort={quote(sort)}"
            found.append(caller.get(f"{target}&where={quote(condition)}{sort}&{options}"))
    for name, target in (("reader", f"/query/Diary?{audiences.shared}"), ("writer", f"/query/Diary?{audiences.shared}"),
                         ("member", "/query/Plan?")):
        query = f"{target}&where={quote(SEARCH)}&sort=-rank()&limit=1&cursor="
        found.append(Caller(audiences.sessions[name]).get(query + audiences.cursors[name]))
        # The cursor of another caller.
        found.append(owner.get(query + audiences.cursors[name]).rejected_with(400, 404))
    return found + [
        writer.json("PATCH", f"/query/Diary?{audiences.shared}&where={quote(SEARCH)}&dryRun=true",
                    {"fields": {"n": 4}}),
        reader.get(f"/changes?{audiences.shared}&limit=2"), reader.get("/changes/zones?database=shared"),
        reader.get(f"/records/Diary?{audiences.shared}&limit=1"),
        writer.json("PUT", f"/records/Diary/d3?{audiences.shared}", {"fields": {"text": "sea fog", "n": 1}}),
    ]
