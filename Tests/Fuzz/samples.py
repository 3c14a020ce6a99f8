"""Requests of every route, right ones: what the mutations begin with."""
import json

BOUNDARY = "B"
FORM = (f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="f"; filename="a.gif"\r\nContent-Type: image/gif\r\n\r\n'
        f'GIF89a\x2c\x01\x2c\x01\x00\x00\x00;\r\n--{BOUNDARY}--\r\n')
FIELDS = {"title": "sea", "likes": 3, "price": 1.5, "topics": ["a", "b"], "place": {"latitude": 1.5, "longitude": 2}}

Sample = tuple[str, str, list[tuple[str, str]], bytes]


def samples(token: str) -> list[Sample]:
    """Method, target, fields and body; those that change accounts and schemas among them."""
    signed = [("Authorization", f"Bearer {token}")]

    def plain(method: str, target: str, *fields: tuple[str, str]) -> Sample:
        return method, target, signed + list(fields), b""

    def with_json(method: str, target: str, body: object, *fields: tuple[str, str]) -> Sample:
        return method, target, signed + list(fields), json.dumps(body).encode()

    def with_bytes(method: str, target: str, body: str, *fields: tuple[str, str]) -> Sample:
        return method, target, signed + list(fields), body.encode("latin-1")

    tus = ("Tus-Resumable", "1.0.0")
    return [
        plain("GET", "/health/ready"), plain("GET", "/metrics"), plain("GET", "/schema"), plain("GET", "/openapi.json"),
        plain("GET", "/records/Post?limit=2&fields=title&sort=likes%20DESC"),
        plain("GET", "/records/Post/a?fields=title"),
        plain("GET", "/records/Post/a", ("If-None-Match", '"1"'), ("Accept-Encoding", "gzip")),
        plain("HEAD", "/records/Post/a"), plain("DELETE", "/records/Post/nothing", ("If-Match", '"1-a"')),
        plain("GET", "/changes?limit=3"), plain("GET", "/changes?since=AAAA"), plain("GET", "/zones"),
        plain("GET", "/records/Post/a/data", ("Range", "bytes=0-1,3-4")), plain("GET", "/users/me"),
        plain("GET", "/query/Post?where=likes%20%3E%203%20AND%20ANY%20topics%20IN%20%7B'a'%7D&limit=2&count=true"),
        plain("GET", "/schema/advice"), plain("GET", "/assets/AAAA/a.txt?width=10&fit=cover"), plain("GET", "/_/"),
        plain("OPTIONS", "/records/Post", ("Origin", "http://a"), ("Access-Control-Request-Method", "PUT")),
        with_json("PUT", "/records/Post/a", {"fields": FIELDS}),
        with_json("POST", "/records/Post", {"fields": FIELDS}, ("Idempotency-Key", "k")),
        with_json("PATCH", "/records/Post/a", {"fields": {"likes": {"increment": 1}, "topics": {"append": ["c"]}}}),
        with_json("POST", "/records", {"atomic": True, "operations": [
            {"operationType": "forceUpdate", "record": {"recordType": "Post", "recordName": "b", "fields": FIELDS}},
            {"operationType": "forceDelete", "record": {"recordType": "Post", "recordName": "c"}}]}),
        with_json("POST", "/records/lookup", {"records": [{"recordName": "a"}, {"recordName": "b"}]}),
        with_json("POST", "/query", {"recordType": "Post", "where": "likes >= %d", "args": [1], "limit": 2,
                                     "sort": [{"fieldName": "likes", "ascending": False}], "explain": True}),
        with_json("POST", "/query", {"recordType": "Post", "filterBy": [
            {"fieldName": "likes", "comparator": "GREATER_THAN", "fieldValue": {"value": 1, "type": "INT64"}}]}),
        with_json("DELETE", "/query/Post?where=likes%20%3E%201000&dryRun=true", {}),
        with_json("PATCH", "/query/Post?where=likes%20%3E%201000", {"fields": {"title": "x"}}),
        with_json("POST", "/users", {"name": "ann", "password": "short"}),
        with_json("POST", "/sessions", {"name": "nobody", "password": "correct horse"}),
        with_json("PUT", "/zones/z", {}),
        with_bytes("POST", "/assets?filename=a.gif", "GIF89a\x2c\x01\x2c\x01\x00\x00\x00;",
                   ("Content-Type", "image/gif")),
        with_bytes("POST", "/assets", FORM, ("Content-Type", f"multipart/form-data; boundary={BOUNDARY}")),
        plain("POST", "/assets/uploads", tus, ("Upload-Length", "10"), ("Upload-Metadata", "filename YS50eHQ=")),
        with_bytes("PATCH", "/assets/uploads/00000000000000000000000000000000", "0123", tus, ("Upload-Offset", "0"),
                   ("Content-Type", "application/offset+octet-stream"), ("Upload-Checksum", "sha1 AAAA")),
        plain("HEAD", "/assets/uploads/00000000000000000000000000000000", tus),
    ]
