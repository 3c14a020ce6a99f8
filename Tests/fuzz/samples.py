"""Valid requests of every route, which are then mutated. routes.py compares them with the server's own list of routes.

Requests that delete, disable or sign out use accounts, keys and administrators of their own (fixture.py). The other
requests use the operator's token, which no request can revoke. `PUT /schema` is sent for the other environment, which
has no records: a schema must name every type that has some.
"""
import base64
import hashlib
import json
import random
import urllib.parse
from typing import NamedTuple

from Tests.fuzz import patterns
from Tests.fuzz.fixture import CONTAINER, MAPPING, OTHER_PASSWORD, PASSWORD, Fixture

BOUNDARY = "B"
FORM = (f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="f"; filename="a.gif"\r\nContent-Type: image/gif\r\n\r\n'
        f'GIF89a\x2c\x01\x2c\x01\x00\x00\x00;\r\n--{BOUNDARY}--\r\n')
FIELDS = {"title": "sea", "likes": 3, "price": 1.5, "topics": ["a", "b"], "place": {"latitude": 1.5, "longitude": 2},
          "data": {"value": base64.b64encode(b"0123456789").decode(), "type": "BYTES"}}
SCHEMA = {"types": {"Post": {
    "fields": {"title": {"type": "STRING", "indexes": ["QUERYABLE", "SORTABLE", "SEARCHABLE"]},
               "likes": {"type": "INT64"},
               "secret": {"type": "STRING", "read": ["_creator"], "write": ["_creator"]}},
    "indexes": [{"fields": ["likes", "-title"]}], "acl": {"_creator": ["read", "write"]}, "aclRequired": False,
    "grants": {"_world": ["READ"], "_icloud": ["CREATE"], "_creator": ["WRITE"]}}}}
SCHEMA_TEXT = """-- fogbase: {"version":1}
DEFINE SCHEMA
    CREATE ROLE curators;
    -- fogbase: {"indexes":[{"fields":["likes","-title"]}],"acl":{"_creator":["read","write"]}}
    RECORD TYPE Post (
        "___modTime" TIMESTAMP QUERYABLE, /* a comment */
        likes INT64, // another
        -- fogbase: {"read":["_creator"],"write":["_creator"]}
        secret STRING,
        title STRING QUERYABLE SORTABLE SEARCHABLE,
        GRANT READ TO "_world",
        GRANT CREATE, WRITE TO curators
    );
"""
TUS = ("Tus-Resumable", "1.0.0")
PART = ("Content-Type", "application/offset+octet-stream")


class Sample(NamedTuple):
    method: str
    target: str
    fields: list[tuple[str, str]]
    body: bytes = b""
    # The correct statuses, if not 200 to 299.
    expect: tuple[int, ...] = ()
    # The server hashes a password for it, which takes a third of a second of a processor.
    is_costly: bool = False

    def rejected_with(self, *statuses: int) -> "Sample":
        return self._replace(expect=statuses)

    def is_right(self, status: int) -> bool:
        return status in self.expect if self.expect else 200 <= status < 300

    @property
    def is_stream(self) -> bool:
        """Whether the response has no end while the client keeps its connection."""
        return ("Accept", "text/event-stream") in self.fields

    @property
    def costly(self) -> "Sample":
        return self._replace(is_costly=True)


class Caller:
    """Makes the requests of the owner of a token; without one, of an anonymous caller."""

    def __init__(self, token: str = ""):
        self.fields = [("Authorization", f"Bearer {token}")] if token else []

    def plain(self, method: str, target: str, *fields: tuple[str, str]) -> Sample:
        return Sample(method, target, self.fields + list(fields))

    def get(self, target: str, *fields: tuple[str, str]) -> Sample:
        return self.plain("GET", target, *fields)

    def json(self, method: str, target: str, body: object, *fields: tuple[str, str]) -> Sample:
        return Sample(method, target, self.fields + list(fields), json.dumps(body).encode())

    def bytes(self, method: str, target: str, body: str, *fields: tuple[str, str]) -> Sample:
        return Sample(method, target, self.fields + list(fields), body.encode("latin-1"))


def samples(fixture: Fixture) -> list[Sample]:
    """All samples, in an order in which each gets its correct status; each may be sent once."""
    owner = Caller(fixture.token)
    parts = (records(fixture, owner), zones(fixture, owner), subscriptions(fixture), queries(owner),
             pattern_queries(fixture, owner),
             jobs(fixture, owner), webhooks(fixture, owner), files(fixture, owner), uploads(fixture),
             schema(fixture, owner),
             rights(fixture, owner),
             accounts(fixture), sessions(fixture), users(fixture, owner), invitations(fixture, owner), keys(fixture,
             owner),
             cloudkit(fixture, owner), cloudkit_records(fixture),
             own_administration(fixture), administrators(fixture, owner), operation(owner))
    return [one for part in parts for one in part]


def records(fixture: Fixture, owner: Caller) -> list[Sample]:
    return [
        owner.json("PUT", "/records/Post/a", {"fields": FIELDS}),
        owner.json("POST", "/records/Post", {"fields": FIELDS}, ("Idempotency-Key", "k")),
        owner.json("PATCH", "/records/Post/a", {"fields": {"likes": {"increment": 1}, "topics": {"append": ["c"]}}}),
        owner.json("POST", "/records", {"atomic": True, "operations": [
            {"operationType": "forceUpdate", "record": {"recordType": "Post", "recordName": "b", "fields": FIELDS}},
            {"operationType": "forceDelete", "record": {"recordType": "Post", "recordName": "c"}}]}),
        owner.json("PUT", "/records/Post/d?database=private&owner=" + fixture.names["visitor"], {"fields": FIELDS}),
        owner.json("PUT", "/records/Post/e", {
            "fields": {}, "acl": {"*": ["read"], fixture.names["visitor"]: ["write"]}}),
        owner.get("/records/Post?limit=2&fields=title"),
        owner.get("/records/Post/a?fields=title"),
        owner.get("/records/Post/a", ("If-None-Match", '"1"'), ("Accept-Encoding", "gzip")),
        owner.plain("HEAD", "/records/Post/a"),
        owner.plain("DELETE", "/records/Post/nothing", ("If-Match", '"1-a"')).rejected_with(404, 412),
        owner.plain("DELETE", f"/records/Post/{fixture.mark}"),
        owner.get("/records/Post/a/data", ("Range", "bytes=0-1,3-4")),
        owner.plain("OPTIONS", "/records/Post", ("Origin", "http://a"), ("Access-Control-Request-Method", "PUT")),
        owner.get("/changes?limit=3"), owner.get("/changes?since=AAAA").rejected_with(400),
        owner.plain("POST", "/changes/tickets?type=Post"),
    ]


def zones(fixture: Fixture, owner: Caller) -> list[Sample]:
    place = f"database=private&owner={fixture.names['visitor']}"
    return [
        owner.plain("PUT", f"/zones/Kept?{place}"), owner.plain("PUT", f"/zones/Old?{place}"),
        owner.get(f"/zones?{place}&limit=1"), owner.get(f"/zones/Kept?{place}"),
        owner.json("POST", f"/records?{place}", {"operations": [
            {"operationType": "create", "record": {
                "recordType": "Post", "recordName": name, "zoneID": {"zoneName": zone}, "fields": FIELDS}}
            for name, zone in (("z1", "Kept"), ("z2", "Old"))]}),
        owner.get(f"/query/Post?{place}&zone=Kept&where=likes%20%3E%203"), owner.get(f"/changes?{place}&zone=Kept"),
        owner.get(f"/changes/zones?{place}"), owner.plain("POST", f"/changes/zones/tickets?{place}"),
        owner.plain("DELETE", f"/zones/Old?{place}"),
        owner.json("PUT", f"/records/Post/below?{place}&zone=Kept",
                   {"fields": FIELDS, "parent": {"recordName": "z1"}}),
        owner.json("PUT", f"/records/cloudkit.share/s1?{place}&zone=Kept", {
            "fields": {"cloudkit.title": {"value": "Kept"}}, "forRecord": {"recordName": "z1"},
            "publicPermission": "READ_ONLY", "participants": [{"label": "grandma", "permission": "READ_WRITE"}]}),
        owner.get(f"/records/cloudkit.share/s1?{place}&zone=Kept"), owner.get(f"/shares/{fixture.share}"),
        Caller(fixture.sessions["visitor"]).plain("POST", f"/shares/{fixture.share}/accept"),
        owner.get("/shares/none").rejected_with(404),
    ]


def subscriptions(fixture: Fixture) -> list[Sample]:
    visitor = Caller(fixture.sessions["visitor"])
    return [
        visitor.json("PUT", "/subscriptions/posts", {
            "type": "query", "recordType": "Post", "where": "likes > %d", "args": [3], "firesOn": ["create", "update"],
            "notification": {"alertBody": "New", "additionalFields": ["title"]}}),
        visitor.json("PUT", "/subscriptions/zone?database=private", {"type": "zone", "zone": "_defaultZone"}),
        visitor.json("PUT", "/subscriptions/all?database=private", {"type": "database", "firesOnce": False}
                     ).rejected_with(400),
        visitor.json("PUT", "/subscriptions/shared?database=shared", {"type": "database"}),
        visitor.json("PUT", "/subscriptions/shared?database=shared", {
            "type": "zone", "zone": "Kept", "owner": fixture.names["visitor"]}).rejected_with(404),
        visitor.get("/subscriptions"), visitor.get("/subscriptions/posts"),
        visitor.get("/notifications?since=now&limit=3&wait=0"),
        visitor.get("/notifications?since=AAAA").rejected_with(400),
        visitor.plain("POST", "/notifications/tickets?since=now"), visitor.plain("DELETE", "/subscriptions/posts"),
    ]


def queries(owner: Caller) -> list[Sample]:
    return [
        owner.get("/query/Post?where=likes%20%3E%203%20AND%20ANY%20topics%20IN%20%7B'a'%7D&limit=2&count=true"),
        owner.get("/query/Post?limit=2&syncToken=true"),
        owner.json("POST", "/query", {"recordType": "Post", "where": "likes >= %d", "args": [1], "limit": 2,
                                      "sort": ["-likes"], "explain": True}),
        owner.json("POST", "/query", {"recordType": "Post", "sortBy": [{"fieldName": "likes", "ascending": False}],
                                      "filterBy": [{"fieldName": "likes", "comparator": "GREATER_THAN",
                                                    "fieldValue": {"value": 1, "type": "INT64"}}]}),
        owner.json("POST", "/query", {"recordType": "Post", "sort": "title[cd] nulls last", "limit": 2, "args": ["S"],
                                      "where": "title CONTAINS[cd] %@ AND title LIKE '*a?*' AND ALL topics MATCHES "
                                               "'[a-z]+' AND topics.@count < 2 * 3 AND NOT title ENDSWITH[c] 'Q'"}),
        owner.json("POST", "/query", {"recordType": "Post", "limit": 2, "where": "title.likes > 1 AND %K == 2",
                                      "args": ["likes.title"]}).rejected_with(400),
        owner.json("POST", "/query", {"recordType": "Post", "limit": 2, "where": "likes >= 1 AND NOT likes IN {7}",
                                      "sort": "-likes", "strict": True}),
        owner.get("/query/Post?strict=true&where=likes%3E1%20OR%20title%3D'a'").rejected_with(400),
        owner.json("POST", "/query", {"recordType": "Post", "sort": "-distance(place, 1.5, 2), title", "limit": 2,
                                      "where": "distance(place, %@) < 5 km OR place IN box(-1, 170, 1, -170) OR place "
                                               "IN polygon({loc(0, 0), loc(0, 1), loc(1, 1)}) OR NOT place IN "
                                               "circle(loc(1, 2), 3)", "args": [{"latitude": 1, "longitude": 2}]}),
        owner.json("POST", "/query", {"recordType": "Post", "limit": 2, "expand": [
            "createdUserRecordName", "Post.createdUserRecordName(limit=3,sort=-createdTimestamp,recordName)"]}),
        owner.get("/query/Post?limit=1&expand=createdUserRecordName&total=estimate"),
        owner.get("/query/Post?where=title%20CONTAINS_ANY_TOKENS%20'sea%20s*'&sort=-rank(title%5E2),likes"
                  "&highlight=title&highlightLength=40"),
        owner.json("POST", "/query", {"recordType": "Post", "where": "title CONTAINS_ALL_TOKENS %@",
                                      "args": ["\"sea\""], "sort": "-rank()", "highlight": ["title"], "limit": 1}),
        owner.get("/records/Post?limit=1&before=AAAA").rejected_with(400),
        owner.get("/records/Post/a?expand=createdUserRecordName"),
        owner.json("POST", "/query", {"recordType": "Post", "aggregate": {
            "groupBy": ["title", "week:week(createdTimestamp)"], "values": ["count", "total:sum(likes)"],
            "having": "count > 0 AND total >= 1", "sort": "-count,week", "limit": 5, "timeZone": "Europe/Berlin"}}),
        owner.get("/query/Post?groupBy=likes&aggregate=count,avg(likes),countDistinct(createdUserRecordName)"
                  "&having=count%3E0&sort=-count"),
        owner.plain("DELETE", "/query/Post?where=likes%20%3E%201000&dryRun=true"),
        owner.plain("DELETE", "/query/Post?where=likes%20%3E%201000&maxAffected=9"),
        owner.json("PATCH", "/query/Post?where=likes%20%3E%201000", {"fields": {"title": "x"}}),
    ]


def pattern_queries(fixture: Fixture, owner: Caller) -> list[Sample]:
    """Queries whose patterns may be too long, or whose work may be; the server must say so, and soon."""
    nobody = Caller()
    found = [owner.json("PUT", "/records/Post/long", {"fields": {"title": patterns.LONG_TEXT, "topics": ["a", "sea"]}})]
    for number, body in enumerate(patterns.bodies(fixture.mark, 12)):
        found.append((nobody if number % 3 == 0 else owner).json("POST", "/query", body).rejected_with(200, 400))
    where = urllib.parse.quote(patterns.condition(random.Random(fixture.mark)))
    return found + [
        nobody.get(f"/query/Post?limit=1&where={where}").rejected_with(200, 400),
        owner.plain("POST", f"/changes/tickets?type=Post&where={where}").rejected_with(200, 201, 400),
        owner.plain("DELETE", f"/query/Post?dryRun=true&where={where}").rejected_with(200, 400),
    ]


def jobs(fixture: Fixture, owner: Caller) -> list[Sample]:
    ended = f"/jobs/{fixture.job}"
    kept, old = f"/schedules/kept-{fixture.mark}", f"/schedules/old-{fixture.mark}"
    return [
        owner.plain("DELETE", "/query/Post?where=likes%20%3E%201000", ("Prefer", "respond-async")),
        owner.get("/jobs?limit=2&unfinished=true"), owner.get(ended),
        *(owner.plain("POST", f"{ended}/{verb}").rejected_with(409) for verb in ("pause", "resume", "cancel")),
        owner.json("PUT", kept, {"cron": "0 3 * * mon-fri", "timeZone": "Europe/Berlin", "task": {
            "kind": "deleteRecords", "recordType": "Post", "where": "___createTime < now() - 183 days"}}),
        owner.json("PUT", old, {"cron": "@daily", "paused": True, "task": {
            "kind": "updateRecords", "recordType": "Post", "all": True, "fields": {"likes": {"value": 1}}}}),
        owner.get("/schedules"), owner.get(kept), owner.plain("POST", f"{kept}/run"),
        owner.plain("DELETE", old), owner.plain("DELETE", kept),
        *transfers(fixture, owner),
    ]


def transfers(fixture: Fixture, owner: Caller) -> list[Sample]:
    table = {"file": fixture.table, "format": "table", "table": {"separator": ";"}, "mapping": MAPPING}
    return [
        owner.json("POST", "/imports/preview", table | {"recordType": "Row"}),
        owner.json("POST", "/imports", table | {"existing": "skip", "dryRun": True, "maxRejected": 5}),
        owner.json("POST", "/imports/preview", {"file": fixture.container, "format": "container"}),
        owner.json("POST", "/imports", {"file": fixture.container, "format": "container", "existing": "skip"}),
        owner.json("POST", "/exports", {"format": "container"}),
        owner.get(f"/jobs/{fixture.imported}/rejections?limit=1"),
        owner.json("POST", "/exports", {"format": "table", "recordType": "Post", "where": "likes > %d", "args": [1000],
                                        "sort": "-likes", "fields": ["title"], "byteOrderMark": True}),
        owner.get(f"/jobs/{fixture.exported}/file", ("Range", "bytes=0-3")),
        owner.plain("DELETE", f"/jobs/{fixture.over}"),
    ]


def webhooks(fixture: Fixture, owner: Caller) -> list[Sample]:
    path = f"/webhooks/{fixture.webhook}"
    return [
        owner.json("POST", "/webhooks", {"url": fixture.RECEIVER, "description": "test", "types": ["Post"],
                                         "fields": ["title"], "where": "likes > %d", "args": [1000]}),
        owner.get("/webhooks"), owner.get(path), owner.get(f"{path}/deliveries"),
        owner.json("PATCH", path, {"description": "changed", "where": None, "args": None}),
        *(owner.plain("POST", f"{path}/{verb}") for verb in ("test", "pause", "resume")),
        owner.plain("POST", f"{path}/replay?since=now"), owner.json("POST", f"{path}/secret", {"overlap": "1h"}),
        owner.plain("DELETE", path),
    ]


def files(fixture: Fixture, owner: Caller) -> list[Sample]:
    return [
        owner.bytes("POST", "/assets?filename=a.gif", "GIF89a\x2c\x01\x2c\x01\x00\x00\x00;",
                    ("Content-Type", "image/gif")),
        owner.bytes("POST", "/assets", FORM, ("Content-Type", f"multipart/form-data; boundary={BOUNDARY}")),
        owner.get(f"/records/File/{fixture.mark}-named/file", ("Range", "bytes=0-1,3-4")),
        owner.get(fixture.addresses["named"], ("Range", "bytes=2-")),
        owner.get(fixture.addresses["nameless"]),
        # 501 without vipsthumbnail.
        owner.get(fixture.addresses["named"] + "?width=10&fit=cover").rejected_with(200, 501),
        owner.get("/assets/AAAA/a.txt").rejected_with(404),
    ]


def uploads(fixture: Fixture) -> list[Sample]:
    owner = Caller(fixture.sessions["uploader"])
    going_on, leaving = fixture.uploads["continued"], fixture.uploads["terminated"]
    digest = base64.b64encode(hashlib.sha1(b"0123").digest()).decode()
    return [
        owner.plain("OPTIONS", "/assets/uploads", TUS),
        owner.plain("POST", "/assets/uploads", TUS, ("Upload-Length", "10"), ("Upload-Metadata", "filename YS50eHQ=")),
        owner.bytes("PATCH", going_on, "0123", TUS, PART, ("Upload-Offset", "0"),
                    ("Upload-Checksum", f"sha1 {digest}")),
        owner.plain("HEAD", going_on, TUS), owner.get(going_on),
        owner.plain("DELETE", leaving, TUS),
    ]


def schema(fixture: Fixture, owner: Caller) -> list[Sample]:
    return [
        owner.get("/schema"), owner.get("/schema/types/Post"), owner.get("/schema/advice"),
        # Production is empty, then like development, which a reset does not change. No sample deletes records.
        owner.plain("POST", "/schema/promotion?environment=production"),
        owner.json("POST", "/schema/reset?dryRun=true", {}),
        owner.get("/schema/snapshots?environment=production"), owner.get("/schema/snapshots/1?environment=production"),
        owner.json("POST", "/schema/rollback?environment=production", {"snapshot": 1}),
        owner.json("PUT", "/schema?environment=production&rights=keep&dryRun=true", SCHEMA),
        owner.json("PUT", "/schema?environment=production", SCHEMA),
        owner.get("/schema", ("Accept", "text/x-ckdb")),
        owner.bytes("PUT", "/schema?environment=production&dryRun=true", SCHEMA_TEXT, ("Content-Type", "text/x-ckdb")),
        owner.json("POST", "/schema/types/Post/indexes", {"fields": ["title", "-likes"], "unique": False}),
        owner.json("PATCH", "/schema/types/Post/fields/likes", {"type": "INT64"}),
        owner.json("PATCH", f"/schema/types/Named{fixture.mark}", {"name": f"Named{fixture.mark}"}),
        owner.json("POST", "/backup", {"path": "/nowhere/backup", "copyAssets": True}).rejected_with(403),
        owner.get("/backup").rejected_with(403), owner.plain("DELETE", "/backup").rejected_with(403),
        owner.json("POST", "/backup/tests", {"created": 1, "problems": 1, "problem": "lost"}).rejected_with(403),
    ]


def rights(fixture: Fixture, owner: Caller) -> list[Sample]:
    member, changed, deleted = fixture.names["visitor"], fixture.role("changed"), fixture.role("deleted")
    return [
        owner.get("/grants"), owner.get("/grants/Post"), owner.get("/roles"), owner.get(f"/roles/{changed}"),
        owner.json("PUT", "/grants/Post", {"grants": {"_world": ["READ"], "_icloud": ["CREATE"], "_creator": ["WRITE"],
                                                      changed: ["READ", "WRITE"]}}),
        owner.json("PUT", f"/roles/{changed}", {"members": [member, f"role:{deleted}"]}),
        owner.plain("DELETE", f"/roles/{changed}/members/{member}"),
        owner.plain("PUT", f"/roles/{changed}/members/{member}"),
        owner.plain("DELETE", f"/roles/{changed}/members/role:{deleted}"),
        owner.plain("DELETE", f"/roles/{deleted}"),
        owner.json("POST", "/explain/access", {"caller": member, "action": "write", "recordType": "Post",
                                               "recordName": "a", "field": "title"}),
        owner.json("POST", "/explain/access", {"caller": "anonymous", "action": "upload"}),
        owner.get("/audit?limit=3&since=0&actor=operator"), owner.get("/audit?scope=server&limit=3"),
        owner.get("/requests?status=4xx&actor=operator&path=/records&limit=3"),
        owner.get("/requests?after=1&request=x"),
        owner.get("/settings"), owner.get("/storage"), owner.get("/metrics/history?period=day"),
        owner.plain("POST", "/backup/archive"), owner.get("/backup/archive"),
        owner.plain("POST", "/backup/archive/tickets"), owner.plain("DELETE", "/backup/archive"),
        owner.get("/backup/archive/file").rejected_with(404), owner.get("/backups"),
    ]


def accounts(fixture: Fixture) -> list[Sample]:
    nobody, visitor, leaving = Caller(), Caller(fixture.sessions["visitor"]), Caller(fixture.sessions["leaving"])
    name, token = fixture.named
    return [
        nobody.json("POST", "/users", {"name": f"ann-{fixture.mark}", "password": PASSWORD, "label": "phone"}).costly,
        nobody.json("POST", "/users", {"name": "ann", "password": "short"}).rejected_with(400),
        nobody.json("POST", "/users/anonymous", {"label": "phone"}),
        nobody.json("POST", "/sessions", {"name": name, "password": PASSWORD, "label": "desk"}).costly,
        nobody.json("POST", "/sessions", {"name": "nobody", "password": PASSWORD}).rejected_with(401).costly,
        visitor.get("/users/me"),
        visitor.json("POST", "/records/Post", {"fields": {"title": "mine"}}),
        Caller(token).json("PATCH", "/users/me", {"password": OTHER_PASSWORD, "currentPassword": PASSWORD}).costly,
        leaving.json("DELETE", "/users/me", {}),
    ]


def sessions(fixture: Fixture) -> list[Sample]:
    bearer = {name: Caller(token) for name, token in fixture.sessions.items()}
    return [
        bearer["visitor"].get("/sessions"),
        bearer["visitor"].plain("DELETE", "/sessions?others=true"),
        bearer["rotating"].json("POST", "/sessions/current/rotate", {}),
        bearer["ending one"].plain("DELETE", f"/sessions/{fixture.session}"),
        bearer["ending all"].plain("DELETE", "/sessions"),
        bearer["signing out"].plain("DELETE", "/sessions/current"),
    ]


def users(fixture: Fixture, owner: Caller) -> list[Sample]:
    return [
        owner.get("/users?limit=2"), owner.get("/users?search=a&limit=1"),
        owner.get(f"/users/{fixture.names['changed']}"), owner.get(f"/users?name={fixture.named[0]}"),
        owner.json("PATCH", f"/users/{fixture.names['changed']}", {"disabled": True}),
        owner.get(f"/users/{fixture.names['changed']}/sessions"),
        owner.plain("DELETE", f"/users/{fixture.names['ended']}/sessions/{fixture.ended}"),
        owner.plain("DELETE", f"/users/{fixture.names['ended']}/sessions"),
        owner.get("/subscriptions?everyone=true&limit=2"),
        owner.get(f"/query/Post?limit=1&as={fixture.names['ended']}"),
        owner.get("/records/Post/a?as=anonymous"),
        owner.plain("DELETE", f"/users/{fixture.names['removed']}"),
    ]


def invitations(fixture: Fixture, owner: Caller) -> list[Sample]:
    return [
        owner.json("POST", "/invitations", {"expiresIn": "1m", "uses": 2, "roles": [fixture.role("changed")]}),
        owner.json("POST", "/invitations", {"name": "carl", "expiresIn": 60}),
        owner.get("/invitations"), owner.plain("DELETE", f"/invitations/{fixture.invitation}"),
    ]


def keys(fixture: Fixture, owner: Caller) -> list[Sample]:
    read, rotated, revoked = (fixture.keys[name]["id"] for name in ("read", "rotated", "revoked"))
    return [
        owner.get("/keys?limit=3"), owner.get(f"/keys/{read}"),
        Caller(fixture.keys["read"]["token"]).get("/records/Post/a"),
        owner.json("POST", "/keys", {"name": "import", "expiresIn": "90d", "scope": {
            "types": ["Post"], "actions": ["read", "create"], "rights": ["readSchema"]}}),
        owner.json("PATCH", f"/keys/{read}", {"name": "export", "scope": {"readOnly": True}, "expiresAt": None}),
        owner.json("POST", f"/keys/{rotated}/rotate", {"overlap": "1h"}),
        owner.plain("DELETE", f"/keys/{revoked}"),
    ]


def cloudkit(fixture: Fixture, owner: Caller) -> list[Sample]:
    """API tokens of CloudKit Web Services, and the routes of the sign-in page."""
    shown, deleted = fixture.apps["shown"], fixture.apps["deleted"]
    credentials = f"?ckAPIToken={fixture.app_token}&ckWebAuthToken={fixture.web_user}&clientId=x"
    users = f"/database/1/{CONTAINER}/development/public/users"
    names = [{"userRecordName": fixture.names["visitor"]}, {"emailAddress": "ada@example.org"}]
    app = {"origins": ["https://app.example.org", "https://*.test.org"], "callback": "https://app.example.org/in?a=1"}
    return [
        owner.get("/cloudkit/tokens?limit=3"), owner.get(f"/cloudkit/tokens/{shown}"),
        owner.json("POST", "/cloudkit/tokens", {"name": f"web {fixture.mark}", "notes": "n", **app}),
        Caller().get(f"/cloudkit/sign-in/{shown}?origin=https%3A%2F%2Fapp.example.org"),
        Caller().json("POST", f"/cloudkit/sign-in/{shown}", {
            "name": f"ann-{fixture.mark}", "password": PASSWORD, "staysSignedIn": True,
            "origin": "https://a.org"}).costly,
        owner.json("PATCH", f"/cloudkit/tokens/{shown}", {"notes": "m", **app}),
        owner.plain("DELETE", f"/cloudkit/tokens/{deleted}"),
        Caller().get(f"{users}/caller{credentials}"), Caller().get(f"{users}/current{credentials}"),
        Caller().json("POST", f"{users}/discover{credentials}", {"lookupInfos": names}),
        Caller().json("POST", f"{users}/lookup/id{credentials}", {"users": names}),
        Caller().json("POST", f"{users}/lookup/email{credentials}", {"users": names}),
        Caller().get(f"{users}/caller?ckAPIToken={fixture.app_token}").rejected_with(421),
        Caller().get(f"{users}/caller").rejected_with(401),
    ]


def cloudkit_records(fixture: Fixture) -> list[Sample]:
    """The records of CloudKit Web Services."""
    def post(operation: str, body: object) -> Sample:
        path = f"/database/1/{CONTAINER}/development/public/{operation}"
        return Caller().json("POST", f"{path}?ckAPIToken={fixture.app_token}&ckWebAuthToken={fixture.web_user}", body)

    typed = {name: {"value": value} for name, value in FIELDS.items() if name != "data"}
    return [
        post("records/modify", {"atomic": False, "desiredKeys": ["title"], "operations": [
            {"operationType": "create", "record": {"recordType": "Post", "recordName": "f", "fields": typed}},
            {"operationType": "update", "record": {"recordName": "a", "recordChangeTag": "1", "fields": {"title": {}}}},
            {"operationType": "forceDelete", "record": {"recordName": "g"}}]}),
        post("records/query", {"query": {
            "recordType": "Post",
            "filterBy": [{"fieldName": "likes", "comparator": "IN", "fieldValue": {"value": [3], "type": "INT64_LIST"}},
                         {"fieldName": "topics", "comparator": "LIST_CONTAINS", "fieldValue": {"value": "a"}},
                         {"fieldName": "place", "comparator": "NEAR", "distance": 10,
                          "fieldValue": {"value": {"latitude": 1.5, "longitude": 2}, "type": "LOCATION"}}],
            "sortBy": [{"systemFieldName": "modifiedTimestamp", "ascending": False}]},
            "resultsLimit": 2, "desiredKeys": ["title"], "numbersAsStrings": True, "zoneWide": True}),
        post("records/lookup", {"records": [{"recordName": "a", "desiredKeys": ["title"]}, {"recordName": "none"}],
                                "zoneID": {"zoneName": "_defaultZone"}}),
        post("assets/upload", {"tokens": [{"recordType": "Post", "fieldName": "photo"}]}),
        post("assets/rereference", {"assets": [{"recordName": "a", "fieldName": "photo"}]}),
        post("subscriptions/modify", {"operations": [{"operationType": "create", "subscription": {
            "subscriptionID": "s", "subscriptionType": "query", "firesOn": ["create"], "zoneWide": True, "query": {
                "recordType": "Post", "filterBy": [
                    {"fieldName": "likes", "comparator": "EQUALS", "fieldValue": {"value": 3}}]},
            "notificationInfo": {"alertBody": "New", "additionalFields": ["title"]}}}]}),
        post("subscriptions/list", {}), post("subscriptions/lookup", {"subscriptions": [{"subscriptionID": "s"}]}),
        post("tokens/create", {"apnsEnvironment": "development", "clientId": "c"}),
        post("tokens/register", {"apnsEnvironment": "development", "apnsToken": "00"}).rejected_with(404),
    ]


def own_administration(fixture: Fixture) -> list[Sample]:
    """Requests of named administrators about their own sessions."""
    nobody, deputy, leaver = Caller(), Caller(fixture.deputy), Caller(fixture.leaver)
    return [
        nobody.json("POST", "/administrators/first", {
            "code": "wrong", "name": "first", "password": PASSWORD}).rejected_with(403),
        nobody.json("POST", "/administrators/sessions", {
            "name": fixture.administrators["deputy"], "password": PASSWORD, "label": "desk"}).costly,
        deputy.get("/administrators/sessions"),
        deputy.plain("DELETE", f"/administrators/sessions/{fixture.deputys_other}"),
        leaver.plain("DELETE", "/administrators/sessions/current"),
        deputy.json("PATCH", "/administrators/me", {"password": OTHER_PASSWORD, "currentPassword": PASSWORD}).costly,
    ]


def administrators(fixture: Fixture, owner: Caller) -> list[Sample]:
    spare = fixture.administrators["spare"]
    return [
        owner.get("/administrators"), owner.get(f"/administrators/{spare}"),
        owner.json("POST", "/administrators", {"name": f"new-{fixture.mark}", "password": PASSWORD,
                                               "role": "editor"}).costly,
        owner.json("PATCH", f"/administrators/{spare}", {"role": "developer", "disabled": False}),
        owner.plain("DELETE", f"/administrators/{spare}"),
    ]


def operation(owner: Caller) -> list[Sample]:
    return [owner.get(target) for target in (
        "/health/live", "/health/ready", "/metrics", "/limits", "/openapi.json", "/_/")] + console(owner.fields[0][1])


def console(authorization: str) -> list[Sample]:
    """The console's own sign-in, which is not in the list of routes."""
    page, nobody = [("X-Fogbase-Console", "1"), ("Sec-Fetch-Site", "same-origin")], Caller()
    return [
        nobody.json("POST", "/_/session", {"token": authorization.removeprefix("Bearer ")}, *page),
        nobody.get("/_/session", *page), nobody.plain("DELETE", "/_/session", *page),
    ]
