"""A data directory with something of everything, and what a server responds about it."""
import json
import re
import time
from dataclasses import dataclass, field

from Tests.harness.client import Client, quoted
from Tests.harness.errors import Problem
from Tests.harness.server import Server

PASSWORD = "correct horse of the upgrade"
SCHEMA = {"types": {
    "Goods": {"fields": {
        "title": {"type": "STRING", "indexes": ["QUERYABLE", "SORTABLE", "SEARCHABLE"]},
        "count": {"type": "INT64", "indexes": ["QUERYABLE", "SORTABLE"]}, "price": {"type": "DOUBLE"},
        "made": {"type": "TIMESTAMP", "indexes": ["SORTABLE"]}, "data": {"type": "BYTES"},
        "place": {"type": "LOCATION", "indexes": ["QUERYABLE"]},
        "maker": {"type": "REFERENCE", "indexes": ["QUERYABLE"]}, "file": {"type": "ASSET"},
        "tags": {"type": "STRING_LIST", "indexes": ["QUERYABLE"]}, "counts": {"type": "INT64_LIST"},
        "prices": {"type": "DOUBLE_LIST"}, "times": {"type": "TIMESTAMP_LIST"}, "makers": {"type": "REFERENCE_LIST"},
        "cost": {"type": "INT64", "read": ["editors"], "write": ["editors"]}},
        "indexes": [{"fields": ["count", "title"]}],
        "grants": {"_world": ["READ"], "_icloud": ["CREATE"], "_creator": ["WRITE"], "editors": ["WRITE"]}},
    "Maker": {"fields": {"name": {"type": "STRING", "indexes": ["QUERYABLE"]}}},
    "Secret": {"fields": {"title": {"type": "STRING", "indexes": ["QUERYABLE"]}}, "aclRequired": True,
               "grants": {"_icloud": ["CREATE", "READ"]}}}}


@dataclass
class World:
    """The callers of a data directory, and what earlier responses gave them."""
    tokens: dict[str, str]
    names: dict[str, str]
    # The sync tokens of each caller.
    since: dict[str, str] = field(default_factory=dict)
    # The value of an upload that no record has.
    receipt: dict = field(default_factory=dict)
    webhook: str = ""
    job: str = ""


def fill(server: Server, goods: int = 40, files: int = 3) -> World:
    """Makes accounts, records, shares, files, jobs and whatever else a directory has.

    The first `files` of `goods` records have a file; with 0, nothing is uploaded at all."""
    admin = server.client(server.admin)
    tokens, names = {"operator": server.admin}, {}
    for name in ("ann", "bob", "eve"):
        made = admin.call("POST", "/users", {"name": name, "password": PASSWORD}, (201,)).json()
        session = server.client().call("POST", "/sessions", {"name": name, "password": PASSWORD}, (201,)).json()
        tokens[name], names[name] = session["token"], made["user"]["userRecordName"]
    admin.call("PUT", "/roles/editors", {"members": [names["eve"]]}, (201,))
    admin.call("PUT", "/schema", SCHEMA)
    credentials = {"name": "olga", "password": PASSWORD}
    admin.call("POST", "/administrators", credentials | {"role": "owner"}, (201,))
    tokens["olga"] = admin.call("POST", "/administrators/sessions", credentials, (201,)).json()["token"]
    scope = {"types": ["Goods"], "actions": ["read", "create", "write"]}
    tokens["key"] = admin.call("POST", "/keys", {"name": "robot", "scope": scope}, (201,)).json()["token"]
    admin.call("POST", "/cloudkit/tokens", {"name": "app", "origins": ["https://app.example.org"]}, (201,))
    admin.call("POST", "/invitations", {}, (201,))
    world = World(tokens, names)
    add_records(server, world, goods, files)
    add_private_records(server, world)
    for name in tokens:
        world.since[name] = server.client(tokens[name]).call("GET", "/changes").json()["token"]
    add_history(server, world, goods)
    if files:
        world.receipt = upload(server.client(tokens["ann"]), b"an upload that no record has yet", "later.txt")
    return world


def upload(client: Client, content: bytes, name: str) -> dict:
    request = (f"POST /assets?filename={quoted(name)} HTTP/1.1\r\nHost: 127.0.0.1\r\n"
               f"Authorization: Bearer {client.token}\r\nContent-Type: text/plain\r\n"
               f"Content-Length: {len(content)}\r\n\r\n").encode() + content
    response = client.send(request)
    if response.status != 201:
        raise Problem(f"an upload was {response.status}: {response.body[:300]!r}")
    return response.json()["asset"]


def add_records(server: Server, world: World, goods: int, files: int) -> None:
    ann = server.client(world.tokens["ann"])
    for number in range(3):
        ann.call("PUT", f"/records/Maker/m{number}", {"fields": {"name": f"Maker {number}"}}, (201,))
    maker = {"value": {"recordName": "m1", "action": "VALIDATE"}, "type": "REFERENCE"}
    for number in range(goods):
        fields = {
            "title": f"Sea and fog {number}", "count": number % 7, "price": number / 4,
            "made": {"value": 1_764_547_200_000 + number, "type": "TIMESTAMP"},
            "data": {"value": "Zm9n" * (2_000 if number == 6 else 2), "type": "BYTES"},
            "place": {"value": {"latitude": 50 + number / 10, "longitude": 8.5}, "type": "LOCATION"}, "maker": maker,
            "tags": ["fog", f"tag{number % 3}"], "counts": [1, number], "prices": [0.5, number + 0.25],
            "times": {"value": [1_764_547_200_000], "type": "TIMESTAMP_LIST"},
            "makers": {"value": [maker["value"]], "type": "REFERENCE_LIST"}}
        if number < files:
            fields["file"] = {"value": upload(ann, f"file {number}".encode() * 2_000, f"file-{number}.txt"),
                              "type": "ASSET"}
        ann.call("PUT", f"/records/Goods/g{number}", {"fields": fields}, (201,))
    eve = server.client(world.tokens["eve"])
    eve.call("PATCH", "/records/Goods/g3", {"fields": {"cost": 17}})
    ann.call("PUT", "/records/Secret/s1", {
        "fields": {"title": "for two"}, "acl": {world.names["ann"]: ["read", "write"],
                                                 world.names["bob"]: ["read"]}}, (201,))
    old = [{"operationType": "create", "record": {
        "recordType": "Maker", "recordName": "old", "fields": {"name": "old"},
        "created": {"timestamp": 1_000_000, "userRecordName": world.names["bob"]}}}]
    server.client(server.admin).call("POST", "/records", {"operations": old, "preserve": ["created"]})


def add_private_records(server: Server, world: World) -> None:
    ann, bob = (server.client(world.tokens[one]) for one in ("ann", "bob"))
    ann.call("PUT", "/records/Note/n1?database=private", {"fields": {"title": "mine"}}, (201,))
    ann.call("PUT", "/zones/Lists?database=private", None, (201,))
    zone = "database=private&zone=Lists"
    ann.call("PUT", f"/records/List/home?{zone}", {"fields": {"title": "Home"}}, (201,))
    ann.call("PUT", f"/records/Item/milk?{zone}",
             {"fields": {"title": "Milk"}, "parent": {"recordName": "home"}}, (201,))
    share = ann.call("PUT", f"/records/cloudkit.share/home-share?{zone}", {
        "fields": {}, "forRecord": {"recordName": "home"},
        "participants": [{"userRecordName": world.names["bob"], "permission": "READ_WRITE"}]}, (201,)).json()
    bob.call("POST", f"/shares/{share['shortGUID']}/accept")
    owner = f"database=shared&zone=Lists&owner={world.names['ann']}"
    bob.call("PATCH", f"/records/Item/milk?{owner}", {"fields": {"title": "Oat milk"}})


def add_history(server: Server, world: World, goods: int) -> None:
    """Changes and deletions after the sync tokens, jobs, schedules, webhooks and subscriptions."""
    admin, ann = server.client(server.admin), server.client(world.tokens["ann"])
    ann.call("PUT", "/subscriptions/cheap", {
        "type": "query", "recordType": "Goods", "where": "price < 3", "firesOn": ["create", "update"],
        "notification": {"alertBody": "Cheap"}}, (201,))
    ann.call("PATCH", "/records/Goods/g2", {"fields": {"price": 0.5, "note": "new"}})
    ann.call("DELETE", f"/records/Goods/g{goods - 1}", None, (200, 204))
    admin.call("PUT", "/schedules/nightly", {"cron": "0 3 1 1 *", "task": {
        "kind": "deleteRecords", "recordType": "Goods", "where": "count == 999"}}, (201,))
    world.webhook = admin.call("POST", "/webhooks", {
        "url": "https://hooks.example.org/none", "types": ["Maker"]}, (201,)).json()["id"]
    admin.call("POST", f"/webhooks/{world.webhook}/pause")
    job = admin.call("PATCH", "/query/Goods?where=" + quoted("count == 6"), {"fields": {"price": {"increment": 1}}},
                     (202,), ("Prefer: respond-async",)).json()
    world.job = job["id"]
    while "ended" not in admin.call("GET", f"/jobs/{world.job}").json():
        time.sleep(0.02)


def answers(server: Server, world: World) -> dict[str, object]:
    """What the callers read, by caller and path. Ask once before the first comparison: queries add indexes."""
    lists = "database=private&zone=Lists"
    shared = f"database=shared&zone=Lists&owner={world.names['ann']}"
    everyone = [
        "/records/Goods?limit=1000", "/records/Maker", "/records/Secret", "/records/Goods/g3",
        "/query/Goods?where=" + quoted("count == 3") + "&sort=-title", "/query/Goods?sort=made&limit=5",
        "/query/Goods?where=" + quoted("title CONTAINS 'fog'") + "&total=estimate",
        "/query/Goods?where=" + quoted("distance(place, loc(50.5, 8.5)) < 20"),
        "/query/Goods?where=" + quoted("tags CONTAINS 'tag1'") + "&groupBy=count", "/users/me",
        "/query/Goods?where=" + quoted("maker == 'm1' AND count >= 5") + "&sort=count,title"]
    paths = {
        "ann": ["/records/Note?database=private", f"/records/List?{lists}", f"/records/Item?{lists}",
                f"/records/cloudkit.share?{lists}", "/zones?database=private", "/subscriptions", "/notifications",
                "/sessions", "/records/Goods/g6/data"],
        "bob": [f"/records/Item?{shared}", "/zones?database=shared", "/records/Secret/s1"],
        "eve": [], "key": [], "anonymous": [],
        "operator": [
            "/schema", "/grants", "/roles", "/roles/editors", "/users", "/keys", "/cloudkit/tokens", "/invitations",
            "/administrators", f"/jobs/{world.job}", "/schedules", "/webhooks", "/audit?action=schema.put",
            "/schema/snapshots"],
        "olga": ["/schema", "/administrators/sessions"]}
    found: dict[str, object] = {}
    for who, more in paths.items():
        client = server.client(world.tokens.get(who))
        changes = [f"/changes?since={quoted(world.since[who])}"] if who in world.since else []
        for path in everyone + changes + more:
            response = client.call("GET", path, expect=(200, 400, 401, 403, 404))
            body = json.loads(response.body) if response.body[:1] in (b"{", b"[") else response.body.hex()
            found[f"{who} {path}"] = [response.status, plain(body)]
    for number in range(3):
        record = server.client(world.tokens["ann"]).call("GET", f"/records/Goods/g{number}").json()
        url = record["fields"]["file"]["value"]["downloadURL"]
        found[f"file {number}"] = server.client().call("GET", re.sub(r"^https?://[^/]*", "", url)).body.hex()
    return found


# Values that differ from response to response.
FLEETING = {"downloadURL", "uuid", "cursor", "token", "usedAt", "expiresAt"}


def plain(value):
    """A response without the values that differ from one to the next."""
    if isinstance(value, dict):
        return {key: plain(one) for key, one in value.items() if key not in FLEETING}
    if isinstance(value, list):
        return [plain(one) for one in value]
    return value


def differences(before, after, path: str = "") -> list[str]:
    """Where `after` lacks or changes something of `before`. A newer version may add members."""
    if isinstance(before, dict) and isinstance(after, dict):
        return [one for key in before for one in differences(before[key], after.get(key), f"{path}.{key}")]
    if isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        return [one for index in range(len(before))
                for one in differences(before[index], after[index], f"{path}[{index}]")]
    return [] if before == after else [f"{path} was {str(before)[:200]} and is {str(after)[:200]}"]
