"""What apps of CloudKit send: the name of the calling user, fields named like parts of a record, and callbacks."""
from urllib.parse import quote

from Tests.fuzz.fixture import CONTAINER, PASSWORD, Fixture
from Tests.fuzz.samples import Caller, Sample

ME = "__defaultOwner__"
SCHEME = f"cloudkit-{CONTAINER}://"
CALLBACKS = (SCHEME, f"{SCHEME}in?a=1&", f"{SCHEME.upper()}in", "https://app.example.org/in?", "http://[::1]:8080/",
             None)
WRONG_CALLBACKS = ("myapp://in", "javascript:alert(1)", "javascript://%0aalert(1)", "data:text/html,x", "//a", "",
                   f"{SCHEME[:-2]}in", "cloudkit-iCloud.other://in", f"{SCHEME}in#a", "https://u:p@a/", "https://a b/",
                   f"{SCHEME}\\in", f"{SCHEME}{'a' * 2_000}", 3)


def apps(fixture: Fixture, owner: Caller) -> list[Sample]:
    return callbacks(fixture, owner) + kin(fixture, owner) + own_names(fixture)


def callbacks(fixture: Fixture, owner: Caller) -> list[Sample]:
    """The addresses to which the sign-in page goes: of the web, and of an app's own scheme."""
    shown = f"/cloudkit/tokens/{fixture.apps['shown']}"
    native = fixture.post("/cloudkit/tokens", {"name": f"native {fixture.mark}", "callback": f"{SCHEME}in"})["id"]
    nobody, sign_in = Caller(), f"/cloudkit/sign-in/{native}"
    person = {"name": fixture.named[0], "password": PASSWORD}
    return [
        *(owner.json("PATCH", shown, {"callback": one}) for one in CALLBACKS),
        *(owner.json("PATCH", shown, {"callback": one}).rejected_with(400) for one in WRONG_CALLBACKS),
        owner.json("POST", "/cloudkit/tokens", {"name": f"app {fixture.mark}", "callback": f"{SCHEME}in"}),
        owner.json("POST", "/cloudkit/tokens", {"name": "bad", "callback": "myapp://in"}).rejected_with(400),
        nobody.get(sign_in), nobody.get(f"{sign_in}?origin={quote('https://app.example.org')}"),
        nobody.get(f"{sign_in}?origin={quote(SCHEME)}"),
        nobody.json("POST", sign_in, {**person, "origin": "https://app.example.org"}).costly,
        nobody.json("POST", sign_in, {**person, "redirect": "myapp://in"}).rejected_with(400),
    ]


def kin(fixture: Fixture, owner: Caller) -> list[Sample]:
    """Records with fields that are called `parent` and `share`, beside a parent and a share."""
    place = f"database=private&owner={fixture.names['visitor']}&zone=Kin"
    visitor, fields = Caller(fixture.sessions["visitor"]), {"parent": "mother", "share": 3}
    fixture.call("PUT", f"/zones/Kin?{place.removesuffix('&zone=Kin')}")
    # The operator's query adds the indexes that the samples need.
    fixture.call("PUT", "/records/Kin/first", {"fields": fields})
    fixture.call("POST", "/query", {"recordType": "Kin", "where": "parent == 'a' AND share > 2", "sort": ["share"]})
    return [
        owner.json("PUT", "/records/Kin/k", {"fields": fields}),
        owner.json("PATCH", "/records/Kin/k", {"fields": {"share": {"increment": 1}, "parent": None}}),
        owner.json("POST", "/records/Kin", {"fields": {"parent": {"value": "m", "type": "STRING"}}, "parent": None}),
        owner.json("POST", "/records/Kin", {"fields": {}, "share": {"recordName": "s"}}).rejected_with(400),
        owner.get("/records/Kin/k?fields=parent,share"), owner.get("/records/Kin?fields=share&limit=2"),
        owner.json("POST", "/query", {"recordType": "Kin", "where": "parent == %@ OR share IN %@", "args": ["a", [3]],
                                      "sort": ["-share", "parent"], "fields": ["parent"]}),
        owner.get("/query/Kin?groupBy=parent&aggregate=count,sum(share)"),
        owner.json("POST", f"/records?{place}", {"operations": [
            {"operationType": "forceReplace", "record": {"recordType": "Kin", "recordName": "root", "fields": fields}},
            {"operationType": "forceReplace", "record": {
                "recordType": "Kin", "recordName": "below", "fields": fields, "parent": {"recordName": "root"}}}]}),
        visitor.json("PATCH", "/records/Kin/below?database=private&zone=Kin", {
            "fields": {"parent": "x"}, "parent": None}),
        visitor.json("PUT", "/records/cloudkit.share/of-root?database=private&zone=Kin", {
            "fields": {}, "forRecord": {"recordName": "root"}}),
        visitor.get("/records/Kin/root?database=private&zone=Kin&fields=share,parent"),
    ]


def own_names(fixture: Fixture) -> list[Sample]:
    """`__defaultOwner__` wherever an app may name a user, and where it is a text like others."""
    def post(operation: str, body: object, database: str = "private", user: str = fixture.web_user) -> Sample:
        path = f"/database/1/{CONTAINER}/development/{database}/{operation}?ckAPIToken={fixture.app_token}"
        return Caller().json("POST", path + (f"&ckWebAuthToken={user}" if user else ""), body)

    def modify(record: dict, kind: str = "forceReplace", **more: object) -> dict:
        operation = {"operationType": kind, "record": {"recordType": "Kin", **record}}
        return {"operations": [operation], "zoneID": zone, **more}

    zone = {"zoneName": "Apps", "ownerRecordName": ME}
    fields = {"parent": {"value": "mother"}, "share": {"value": 3},
              "who": {"value": {"recordName": ME, "action": "NONE"}, "type": "REFERENCE"}}
    mine = {"fieldName": "___createdBy", "comparator": "EQUALS", "fieldValue": {
        "value": {"recordName": ME, "action": "NONE"}, "type": "REFERENCE"}}
    wrong = {"syncToken": "AAAA"}
    return [
        post("zones/modify", {"operations": [{"operationType": "create", "zone": {"zoneID": zone}}]}),
        post("zones/lookup", {"zones": [{"zoneID": zone}, {"zoneID": {"zoneName": ME}}]}), post("zones/list", {}),
        post("records/modify", modify({"recordName": "root", "fields": fields})),
        post("records/modify", modify({"recordName": "below", "fields": fields, "parent": {"recordName": "root"}})),
        post("records/modify", modify({"recordName": ME, "fields": {"parent": {"value": ME}}})),
        post("records/modify", modify({
            "recordType": "cloudkit.share", "recordName": "share", "fields": {}, "forRecord": {"recordName": "root"},
            "participants": [{"type": "OWNER", "permission": "READ_WRITE",
                              "userIdentity": {"lookupInfo": {"userRecordName": ME}}}]})),
        post("records/modify", modify({"recordName": "g", "fields": {"share": {"value": None}, "parent": {}}},
                                      "forceUpdate", desiredKeys=["parent", "share"])),
        post("records/lookup", {"records": [{"recordName": ME}, {"recordName": "root", "desiredKeys": ["parent"]}],
                                "zoneID": zone}),
        post("records/query", {"zoneID": zone, "query": {"recordType": "Kin", "filterBy": [
            {"fieldName": "parent", "comparator": "EQUALS", "fieldValue": {"value": ME}}],
            "sortBy": [{"fieldName": "share"}]}}),
        post("records/query", {"query": {"recordType": "Kin", "filterBy": mine}}, "public"),
        post("records/query", {"query": {"recordType": "Kin", "filterBy": [mine | {"comparator": "IN", "fieldValue": {
            "value": [ME, {"recordName": ME}], "type": "REFERENCE_LIST"}}]}}, "public"),
        post("changes/database", {}), post("changes/database", wrong).rejected_with(400),
        post("changes/zone", {"zones": [{"zoneID": zone}, {"zoneID": zone, **wrong}]}),
        post("records/changes", {"zoneID": zone}),
        post("records/changes", {"zoneID": zone, **wrong}).rejected_with(400),
        post("changes/database", {}, "shared"),
        post("users/lookup/id", {"users": [{"userRecordName": ME}]}, "public"),
        post("users/discover", {"lookupInfos": [{"userRecordName": ME}]}, "public"),
        # Without a user, the name has no meaning.
        post("records/lookup", {"records": [{"recordName": ME}]}, "public", "").rejected_with(421),
        post("records/lookup", {"records": [{"recordName": "a"}], "zoneID": zone}, "private", "").rejected_with(421),
        post("zones/list", {}, "private", "wrong").rejected_with(421),
    ]
