"""Small inputs that become large, and large inputs that are expensive."""
import gzip
import json
import zlib
from itertools import product
from urllib.parse import quote

from Tests.abuse.attack import Swarm
from Tests.abuse.expectations import answered, busy, every_message, no_failures
from Tests.abuse.requests import get, head, post
from Tests.abuse.target import Target
from Tests.abuse.trial import Scenario

PATH = "/records/Note"
MEGABYTE = 1 << 20
# Close to the default limit of a body.
LARGE = 15 * MEGABYTE // 2
GZIP = "Content-Encoding: gzip"


def _swarm(messages: list[bytes], *statuses: int, connections: int = 8) -> list[Swarm]:
    """One message after another on a few connections."""
    return [Swarm(messages, answered(*statuses), busy(10), every_message, connections=connections, after="again")]


def _squeezed(text: bytes, count: int) -> bytes:
    """The gzip form of `text` repeated, without building the whole."""
    packer, parts = zlib.compressobj(9, zlib.DEFLATED, 31), []
    for _ in range(count):
        parts.append(packer.compress(text))
    return b"".join(parts) + packer.flush()


def gzip_bombs(target: Target) -> list[Swarm]:
    token = target.attacker
    zeros = _squeezed(b"\0" * MEGABYTE, 2000)
    text = _squeezed(b'{"fields":{"title":"' + b"a" * MEGABYTE, 1000)
    # A ratio of ten, below the limit of the bomb detection.
    dense = gzip.compress(b"".join(b"%d," % (number * 7919 % 1000003) for number in range(2_000_000)))
    empty = gzip.compress(b"") * 50_000
    twice = gzip.compress(gzip.compress(b"\0" * 50 * MEGABYTE))
    return _swarm([post(PATH, body, token, GZIP) for body in (zeros, text, dense, empty, twice, zeros[:5000])]
                  + [post("/assets", zeros, token, GZIP, "Content-Type: text/plain"),
                     post("/query", zeros, None, GZIP), post("/sessions", zeros, None, GZIP)], 400, 413, 415)


def gzip_within_limits(target: Target) -> list[Swarm]:
    """7.5 MiB of JSON from 50 KiB, within all limits."""
    body = b'{"fields":{"title":"' + b"abcdefgh" * (LARGE // 8) + b'"}}'
    list_ = b'{"fields":{"numbers":[' + b"1," * (7 * MEGABYTE) + b"1]}}"
    return _swarm([post(PATH, gzip.compress(one, 9), target.attacker, GZIP) for one in (body, list_)], 400, 413,
                  connections=4)


def json_depth(target: Target) -> list[Swarm]:
    deep = [b"[" * MEGABYTE, b'{"a":' * (MEGABYTE // 5), b'{"fields":' + b"[" * LARGE,
            b'{"fields":{"a":' + b"[" * 33 + b"]" * 33 + b"}}", b'{"operations":' + b'[{"record":' * 50_000]
    return _swarm([post(path, body, target.attacker) for body in deep for path in (PATH, "/records")], 400, 413)


def json_width(target: Target) -> list[Swarm]:
    keys = b'{"fields":{' + b",".join(b'"k%d":%d' % (number, number) for number in range(16_384)) + b"}}"
    more = b"{" + b",".join(b'"k%d":1' % number for number in range(200_000)) + b"}"
    empty = b'{"operations":[' + b",".join([b"{}"] * 1_000_000) + b"]}"
    lists = b'{"fields":{"l":[' + b",".join([b"[]"] * 1_000_000) + b"]}}"
    members = b'{"fields":{"l":[' + b",".join([b"1"] * 3_000_000) + b"]}}"
    names = b'{"fields":{' + b'"":1,' * 1_000_000 + b'"":1}}'
    blank = b" " * LARGE + b"{}"
    return _swarm([post(path, body, target.attacker) for body in (keys, more, empty, lists, members, names, blank)
                   for path in (PATH, "/records")], 201, 400, 413, connections=4)


def json_large(target: Target) -> list[Swarm]:
    """Bodies close to the limit with different kinds of text, with and without a token."""
    size = LARGE
    plain = b'{"fields":{"title":"' + b"a" * size + b'"}}'
    escapes = b'{"fields":{"title":"' + b"\\u00e9" * (size // 6) + b'"}}'
    signs = b'{"fields":{"title":"' + "é".encode() * (size // 2) + b'"}}'
    digits = b'{"fields":{"number":' + b"1" * size + b"}}"
    batch = b'{"operations":[' + b",".join(
        [b'{"operationType":"create","record":{"recordType":"Note","fields":{"text":"' + b"b" * 70_000 + b'"}}}'] * 100
    ) + b"]}"
    return _swarm([post(PATH, body, target.attacker) for body in (plain, escapes, signs, digits)]
                  + [post(PATH, plain), post("/records", batch), post("/records", batch, target.attacker)],
                  200, 400, 401, 413, connections=4)


def huge_numbers(target: Target) -> list[Swarm]:
    numbers = [b"1e999999999", b"-1e999999999", b"1e-999999999", b"9" * 400, b"0." + b"0" * 100_000 + b"1",
               b"1" * 100_000,
               b"9223372036854775808", b"-9223372036854775809", b"1e" + b"9" * 10_000, b"0." + b"3" * 900_000, b"-0",
               b"00", b"1.", b"+1", b"NaN", b"1E400", b"4.9e-324", b"1" + b"0" * 300 + b".5e-300"]
    bodies = [b'{"fields":{"%s":%s}}' % (name, number) for number in numbers for name in (b"number", b"rating")]
    return _swarm([post("/records/Post", body, target.attacker) for body in bodies]
                  + [get(f"/records/Post?limit={text}") for text in ("9" * 5000, "-1", "1e9", "0x10", "１", "+5")]
                  + [get(f"/query/Post?where={quote('likes == ' + text)}") for text in
                     ("9" * 5000, "1e999999", "-" * 3000 + "1", "0x" + "F" * 4000, "0." + "1" * 5000)],
                  200, 201, 400, 413)


def hash_floods(target: Target) -> list[Swarm]:
    """Keys that collide under unseeded hashes: `Ez` and `FY` under Bernstein's (33), `Aa` and `BB` under Java's (31).
    """
    by_33 = [b"".join(letters) for letters in product((b"Ez", b"FY"), repeat=14)]
    by_31 = [b"".join(letters) for letters in product((b"Aa", b"BB"), repeat=14)]
    # Few enough that size does not matter.
    zeros = [b"\\u0000" * number + b"x" for number in range(300)]
    same_ends = [b"prefix-%08d-" % number + b"suffix" for number in range(16_000)]
    permuted = [b"%s%s" % (b"a" * number, b"b" * (500 - number)) for number in range(500)]
    bodies = []
    for keys in (by_33, by_31, zeros, same_ends, permuted):
        pairs = b",".join(b'"%s":1' % key for key in keys)
        bodies += [b"{" + pairs + b"}", b'{"fields":{' + pairs + b"}}"]
    messages = [post(PATH, body, target.attacker) for body in bodies]
    parameters = "&".join(key.decode() + "=" for key in by_33[:250])
    fields = [f"{key.decode()}: 1" for key in by_33[:95]]
    messages += [get(f"/records/Post?{parameters}"), get("/records/Post?" + "&".join(["a=1"] * 1900)),
                 get("/query/Post?" + "&".join(["arg=1"] * 1300)),
                 get("/records/Post?fields=" + ",".join(["a"] * 4000)),
                 head("GET", "/health/live", None, *fields), head("GET", "/health/live", None, *["X-A: 1"] * 95),
                 head("GET", "/records/Post", None, *[f"If-None-Match: {'W/' * 20}" for _ in range(90)]),
                 head("GET", "/records/Post", None, "Accept: " + ",".join(["a/b;q=0.1"] * 800)),
                 head("GET", "/records/Post", None, "Accept-Encoding: " + ",".join(["gzip;q=0.001"] * 600)),
                 head("GET", "/records/Post", None, "Cookie: " + "; ".join(["a=b"] * 1500))]
    return _swarm(messages, 200, 304, 400, 406, 413, 431)


def multipart_bombs(target: Target) -> list[Swarm]:
    kind = "Content-Type: multipart/form-data; boundary=b"
    part = b'--b\r\nContent-Disposition: form-data; name="f"; filename="a"\r\n\r\n\r\n'
    field = b'--b\r\nContent-Disposition: form-data; name="f"\r\n\r\n\r\n'
    bodies = [
        part * 100_000, field * 100_000, b"--b\r\n" * 1_000_000, b"\r\n" * 2_000_000, b"--" * 4_000_000,
        b"--b\r\nContent-Disposition: form-data; name=" + b"n" * 4_000_000,
        b"--b\r\n" + b"X: y\r\n" * 1_000_000, b"--b\r\nContent-Disposition: " + b";a=b" * 500_000 + b"\r\n\r\n",
        b"x" * 8_000_000, (b"\r\n--" + b"c" * 60) * 100_000,
        b'--b\r\nContent-Disposition: form-data; name="f"; filename="a"\r\n\r\n' + b"\r\n--" * 2_000_000,
        b"--b--\r\n" + b"e" * 8_000_000,
    ]
    messages = [post("/assets", body, target.attacker, kind) for body in bodies]
    messages += [post("/assets", part, target.attacker, f"Content-Type: multipart/form-data; boundary={'b' * length}")
                 for length in (71, 5000)]
    messages += [post("/assets", part, target.attacker, "Content-Type: multipart/form-data" + ";a=b" * 1500)]
    return _swarm(messages, 201, 400, 401, 413, 415, connections=4)


def _conditions() -> list[dict]:
    """Predicates within all limits that are as expensive as possible, and some beyond the limits."""
    deep = "likes >= 0"
    for level in range(28):
        deep = f'NOT ({deep} {"AND" if level % 2 else "OR"} author != "writer-{level:03}")'
    wide = " OR ".join(f"(likes > {number} AND rating > {number % 10}.5)" for number in range(98))
    ranges = " OR ".join(f"(likes > {number * 20} AND likes < {number * 20 + 19})" for number in range(98))
    none = " AND ".join(f'author != "writer-{number:03}"' for number in range(190))
    members = "{" + ",".join(str(number) for number in range(1000)) + "}"
    texts = "{" + ",".join(f"'post {number:05}'" for number in range(1000)) + "}"
    any_ = " OR ".join(f"ANY tags == 't{number}'" for number in range(150))
    long = "x" * 15_000
    conditions = [deep, wide, ranges, none, any_, f"likes IN {members}", f"title IN {texts} AND likes IN {members}",
                  f"NOT title IN {texts}", f'title > "{long}"', "(" * 31 + "likes == 1" + ")" * 31,
                  "(" * 8000 + "likes == 1", "NOT " * 4000 + "likes == 1", " AND ".join(["likes == 1"] * 1400),
                  "likes == " + "-" * 15_000 + "1", "{" * 16_000, '"' + "\\u0041" * 2600, "%@" * 8000, "$a" * 8000]
    return [{"where": one, "sort": sort} | more for one in conditions
            for sort, more in (("title,-rating,author,likes", {"limit": 1000}), ("-rating", {"count": True}))]


def predicate_bombs(target: Target) -> list[Swarm]:
    bodies = [json.dumps({"recordType": "Post"} | one).encode() for one in _conditions()]
    return [Swarm([post("/query", body) for body in bodies], answered(200, 400, 413, 503), no_failures, busy(100),
                  every_message, connections=8, after="again")]


def long_lists(target: Target) -> list[Swarm]:
    """Records found by name, each compared millions of times."""
    client = target.client(target.attacker)
    numbers = ",".join(["1"] * 100_000).encode()
    for name, fields in (("list", b'"numbers":[%s]' % numbers), ("text", b'"text":"%s"' % (b"a" * 1_000_000))):
        body = b'{"recordType":"Note","recordName":"%s","fields":{%s}}' % (name.encode(), fields)
        client.send(post(PATH, body, target.attacker))
    client.close()
    others = ",".join(str(-number) for number in range(1, 999))
    wheres = [f"recordName == 'list' AND ANY numbers IN {{{others}}}",
              "recordName == 'list' AND " + " AND ".join(f"NOT (numbers CONTAINS -{number})" for number in range(190)),
              "recordName == 'text' AND " + " AND ".join(f"text != 'b{number}'" for number in range(190)),
              "recordName == 'text' AND " + " AND ".join(f"NOT (text BEGINSWITH '{'a' * 50}{number}')"
                                                         for number in range(150))]
    queries = [json.dumps({"recordType": "Note", "where": where, "limit": 1}).encode() for where in wheres]
    return [Swarm([post("/query", body, target.attacker) for body in queries], answered(200, 400, 503), busy(10),
                  every_message, connections=8, after="again")]


SCENARIOS = [
    Scenario("gzip-bombs", "2 GB of zeros in 2 MB, gzip in gzip, 50,000 empty members", gzip_bombs),
    Scenario("gzip-within-limits", "7.5 MiB of JSON out of 50 KiB", gzip_within_limits),
    Scenario("json-depth", "JSON that goes ever deeper", json_depth),
    Scenario("json-width", "JSON with millions of keys, members, operations", json_width),
    Scenario("json-large", "bodies close to 8 MiB of every kind", json_large),
    Scenario("huge-numbers", "numbers of a million digits and with exponents beyond all", huge_numbers),
    Scenario("hash-floods", "keys, parameters and fields that collide under simple hashes", hash_floods),
    Scenario("multipart-bombs", "forms of 100,000 parts, heads of megabytes, near boundaries", multipart_bombs),
    Scenario("predicate-bombs", "conditions as deep, wide and long as can be", predicate_bombs),
    Scenario("long-lists", "conditions that ask a list of 100,000 members, or a text of a megabyte, hundreds of times",
             long_lists),
]
