"""Mutates valid requests."""
import random

from Tests.fuzz.samples import Sample

# Pieces of attacks on parsers.
PIECES = [piece.encode("latin-1") for piece in (
    "\r\n", "\r", "\n", "\r\n\r\n", " ", "\t", ":", ",", ";", "\0", "\x7f", "%00", "%2e%2e", "%", "%ff", "+", "&", "=",
    "?", "/", "//", "..", "{", "}", "[", "]", '"', "\\", "\\u0000", "\\ud800", "null", "true", "-", "-0", "1e999",
    "0x10", "{}", "9223372036854775808", "-9223372036854775809", "1" * 40, "a" * 300, "\xff\xfe", "\xc3\xa9",
    "\xed\xa0\x80", "'", "$a", "%@", "%d", "%K", " AND ", " OR ", "NOT ", "(", ")", "BETWEEN", "IN", "chunked", "gzip",
    "Content-Length: 3\r\n", "Transfer-Encoding: chunked\r\n", "Expect: 100-continue\r\n",
    "Content-Encoding: gzip\r\n", "Connection: close\r\n",
    "recordType", "_creator", "fields", "value", "type", "STRING", "INT64", "ASSET", "REFERENCE", "database=private",
    "zone=", "owner=_", "container=x", "environment=production", "[" * 200, '{"a":' * 100)]


# One in so many of the requests for which the server hashes a password is sent: each costs as much as a thousand
# others.
COSTLY_ONE_IN = 20


def chosen(samples: list[Sample], choose: random.Random) -> Sample:
    while (one := choose.choice(samples)).is_costly and choose.randrange(COSTLY_ONE_IN):
        pass
    return one


def request(sample: Sample, others: list[Sample], choose: random.Random) -> bytes:
    """A mutated request; half of the mutations keep its parts consistent."""
    method, target, fields, body = sample[:4]
    where = choose.randrange(6)
    if where == 0:
        target = mutated(target.encode("latin-1"), choose).decode("latin-1")
    elif where == 1 and fields:
        place = choose.randrange(len(fields))
        name, value = fields[place]
        fields = list(fields)
        fields[place] = (name, mutated(value.encode("latin-1"), choose).decode("latin-1"))
    elif where == 2:
        body = mutated(body, choose)
    elif where == 3:
        body = choose.choice(others).body
    elif where == 4:
        method = choose.choice(["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "BREW"])
    whole = assembled(method, target, fields, body, chunked=choose.randrange(8) == 0)
    return mutated(whole, choose) if where == 5 else whole


def assembled(method: str, target: str, fields: list[tuple[str, str]], body: bytes, chunked: bool) -> bytes:
    lines = [f"{method} {target} HTTP/1.1", "Host: localhost"]
    lines += [f"{name}: {value}" for name, value in fields]
    if body and not any(name == "Content-Type" for name, _ in fields):
        lines.append("Content-Type: application/json")
    if chunked and body:
        lines.append("Transfer-Encoding: chunked")
        body = b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body)
    elif body or method in ("POST", "PUT", "PATCH"):
        lines.append(f"Content-Length: {len(body)}")
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body


def mutated(data: bytes, choose: random.Random) -> bytes:
    for _ in range(choose.choice((1, 1, 1, 2, 4))):
        place = choose.randint(0, len(data))
        match choose.randrange(6):
            case 0: data = data[:place] + bytes([choose.randrange(256)]) + data[place + 1:]
            case 1: data = data[:place] + data[place + choose.choice((1, 1, 4, 20)):]
            case 2 | 3: data = data[:place] + choose.choice(PIECES) + data[place:]
            case 4:
                end = min(len(data), place + choose.randrange(40))
                other = choose.randint(0, len(data))
                data = data[:other] + data[place:end] + data[other:]
            case _: data = data[:place]
    return data
