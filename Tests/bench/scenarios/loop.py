"""Single requests that are as much work as a request can be: how long each keeps an event loop, by processor time.

Beside others a request shows only by what they wait; alone, it shows on any machine, however busy its host is.
"""
import math
from collections.abc import Iterator
from statistics import median
from urllib.parse import quote

from Tests.bench.context import Context, Scenario
from Tests.bench.report import Row
from Tests.harness import process
from Tests.harness.client import message
from Tests.harness.errors import Problem

TYPE = "Note"
FIELDS = {
    "text": {"type": "STRING", "indexes": ["QUERYABLE", "SORTABLE", "SEARCHABLE"]},
    "number": {"type": "INT64", "indexes": ["QUERYABLE", "SORTABLE"]},
    "integers": {"type": "INT64_LIST"}, "doubles": {"type": "DOUBLE_LIST"}, "times": {"type": "TIMESTAMP_LIST"},
    "references": {"type": "REFERENCE_LIST"}, "texts": {"type": "STRING_LIST"}, "places": {"type": "LOCATION_LIST"},
    "place": {"type": "LOCATION", "indexes": ["QUERYABLE"]},
    "bytes": {"type": "BYTES"}, "indexed": {"type": "INT64_LIST", "indexes": ["QUERYABLE"]},
}
# Short of the length at which bodies are read on a thread of their own, and far beyond it.
LENGTHS = (31 * 1024, 250 * 1024)
ATTEMPTS = 7
# A response of megabytes is written in many turns, of which the sum says nothing.
LONGEST_RESPONSE = 700_000


def loop_time(context: Context) -> Iterator[Row]:
    with context.server() as server:
        admin, client = server.client(server.admin), server.client(server.sign_up())
        wide = {f"f{number}": {"type": "INT64"} for number in range(900)}
        wide |= {f"t{number}": {"type": "STRING", "indexes": ["SEARCHABLE"]} for number in range(60)}
        admin.call("PUT", "/schema", {"types": {TYPE: {"fields": FIELDS}, "Wide": {"fields": wide}}})
        found = []
        for name, request in _requests(client.token):
            times = []
            for _ in range(ATTEMPTS):
                before = process.loop_milliseconds(server.pid)
                response = client.send(request)
                times.append(process.loop_milliseconds(server.pid) - before)
                if response.status not in (200, 201, 413):
                    raise Problem(f"{name} was answered {response.status}: {response.body[:300]!r}")
            if len(response.body) <= LONGEST_RESPONSE:
                found.append((median(times), name, response.status))
    found.sort(reverse=True)
    yield Row("loop-longest", found[0][0], "ms", floor=5,
              notes=[f"{len(found)} kinds of requests; processor time of the loops for one, the median of {ATTEMPTS}",
                     *(f"{milliseconds:.2f} ms: {name} ({status})" for milliseconds, name, status in found[:8])])


def _requests(token: str) -> Iterator[tuple[str, bytes]]:
    for name, body in _records():
        yield name, message("POST", f"/records/{TYPE}", token, body.encode())
    numbers = ",".join(f'"f{number}":{number}' for number in range(900))
    yield "a record of 900 fields", message("POST", "/records/Wide", token, f'{{"fields":{{{numbers}}}}}'.encode())
    unknown = ",".join(f'"g{number}":{number}' for number in range(20_000))
    yield "20,000 unknown fields", message("POST", f"/records/{TYPE}", token,
                                           f'{{"fields":{{{unknown}}}}}'.encode())
    operation = {"operationType": "create", "record": {"recordType": TYPE, "fields": {"text": "x" * 1000, "number": 1}}}
    yield "200 creates of 1 KB", message("POST", "/records", token, {"operations": [operation] * 200})
    for name, query in _queries():
        yield name, message("POST", "/query", token, {"recordType": TYPE, "limit": 10} | query)
    for name, path in (("the description", "/openapi.json"), ("50 records", f"/records/{TYPE}?limit=2"),
                       ("a short condition", f"/query/{TYPE}?where={quote('number > 1')}&limit=2")):
        yield name, message("GET", path, token)


def _records() -> Iterator[tuple[str, str]]:
    """Bodies with one long value, each of another kind."""
    def filled(member: str, length: int) -> str:
        return ",".join([member] * min(length // (len(member) + 1), 100_000))

    members = {"integers": "1", "doubles": "1e5", "times": '"2024-01-01T00:00:00Z"', "references": '{"recordName":"a"}',
               "texts": '"\\n"', "places": '{"latitude":1,"longitude":2}'}
    for length in LENGTHS:
        for field, member in members.items():
            yield f"{length >> 10} KB of {field}", f'{{"fields":{{"{field}":[{filled(member, length)}]}}}}'
        text = "\\u00e4" * (length // 6)
        yield f"{length >> 10} KB of escapes", f'{{"fields":{{"text":"{text}"}}}}'
        data = "QUJD" * (length // 4)
        yield f"{length >> 10} KB of base64", f'{{"fields":{{"bytes":"{data}"}}}}'


def _star(corners: int) -> list[dict]:
    """The corners of a star as arguments."""
    turns = [2 * math.pi * number / corners for number in range(corners)]
    return [{"latitude": (60 - number % 2 * 40) * math.sin(turn), "longitude": (80 - number % 2 * 40) * math.cos(turn)}
            for number, turn in enumerate(turns)]


def _queries() -> Iterator[tuple[str, dict]]:
    def where(condition: str, **more) -> dict:
        return {"where": condition} | more

    numbers = ",".join(str(number) for number in range(1000))
    texts = ",".join(f"'{number}'" for number in range(999))
    deep = "text IN $texts"
    for level in range(30):
        deep = f"({deep} {'AND' if level % 2 else 'OR'} number > {level})"
    names = [f"_{number:032x}" for number in range(1000)]
    yield "1,000 numbers", where(f"number IN {{{numbers}}}")
    yield "1,000 numbers, sorted", where(f"number IN {{{numbers}}}", sort="text")
    yield "1,000 texts", where(f"text IN {{{texts}}}")
    yield "1,000 texts of 200 bytes, 30 levels deep", where(deep, vars={"texts": ["x" * 200 + str(number)
                                                                              for number in range(1000)]})
    yield "1,000 names of accounts", where("createdUserRecordName IN %@", args=[names])
    yield "1,000 names of records", where(f"recordName IN {{{texts}}}")
    yield "95 ranges", where(" OR ".join(f"(number > {one} AND number < {one + 3})" for one in range(95)))
    yield "30 times of creation", where(" OR ".join(
        f"(createdTimestamp > {one * 10**9} AND createdTimestamp < {one * 10**9 + 10**8})" for one in range(2)))
    yield "60 ORs", where(" AND ".join(f"(number == {one} OR text == 'x{one}')" for one in range(60)))
    yield "100 members", where(" OR ".join(f"indexed CONTAINS {one}" for one in range(100)))
    yield "190 inequalities", where(" AND ".join(f"text != 'a{one}'" for one in range(190)), limit=1)
    yield "28 NOTs", where("NOT (" * 28 + "number == 1" + ")" * 28)
    words = " ".join(f"w{number}" for number in range(32))
    yield "a search of 32 words", where("SELF CONTAINS %@", args=[words], sort="-rank()")
    yield "a search of 32 prefixes", where("SELF CONTAINS %@", args=[words.replace(" ", "* ")], sort="-rank()")
    yield "32 words in 60 fields", where("SELF CONTAINS_ALL_TOKENS %@", args=[words], recordType="Wide")
    yield "128 searches of a word", where(" OR ".join(f"text CONTAINS_ANY_TOKENS 'w{one}'" for one in range(128)))
    yield "a search that is too long", where("SELF CONTAINS %@", args=[" ".join(f"w{one}" for one in range(1_000))])
    yield "catastrophic patterns", where(" OR ".join(f"text MATCHES '(([a-z]+)+ ?)+{one}'" for one in range(2)))
    yield "a part of one letter", where("text CONTAINS[cd] 'x'")
    yield "60 circles", where(" AND ".join(f"distance(place, loc({one}, {one})) < 9000 km" for one in range(60)))
    yield "a polygon", where("place IN polygon(%@)", args=[_star(300)])
    yield "a polygon of 10,000 corners", where("place IN polygon(%@)", args=[_star(10_000)])
    yield "a sort by distance", where("number >= 0", sort="distance(place, 10, 20)")
    yield "a sort by a long text", where("number >= 0", sort="-text", limit=2)


SCENARIOS = [
    Scenario("loop-time", "longest time that one expensive request keeps an event loop", loop_time),
]
