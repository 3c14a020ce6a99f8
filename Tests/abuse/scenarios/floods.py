"""More requests than the processors can handle."""
import secrets
from urllib.parse import quote

from Tests.abuse.attack import Swarm
from Tests.abuse.expectations import answered, busy, no_failures
from Tests.abuse.requests import LIVE, get, post
from Tests.abuse.target import Target
from Tests.abuse.trial import Scenario


def pipelined(target: Target) -> list[Swarm]:
    return [Swarm([LIVE], answered(200), busy(10_000), connections=32, after="again", window=64)]


def pipelined_bursts(target: Target) -> list[Swarm]:
    """Hundreds of requests in one piece."""
    return [Swarm([get(f"/records/Post/{target.records[1]}") * 300], answered(200), busy(1000), connections=64,
                  after="endless")]


def pipelined_queries(target: Target) -> list[Swarm]:
    """Queries that find nothing in one or two milliseconds, each within a time slice."""
    wheres = [f"likes > {number} AND likes < {number + 400} AND title != 'x' AND rating == 7.5"
              for number in range(0, 1600, 50)]
    return [Swarm([get(f"/query/Post?where={quote(where)}&sort=likes&limit=1") for where in wheres], answered(200, 503),
                  busy(100), connections=8, after="again", window=64)]


def pipelined_creates(target: Target) -> list[Swarm]:
    body = b'{"fields":{"text":"a flood","number":1}}'
    return [Swarm([post("/records/Note", body, target.attacker)], answered(201, 503), busy(100), connections=32,
                  after="again", window=64)]


def pages(target: Target) -> list[Swarm]:
    """Each connection requests the next page of 4 MiB when it has the last."""
    return [Swarm([get("/records/Post?limit=1000")], answered(200), busy(10), connections=16, after="again")]


def wrong_tokens(target: Target) -> list[Swarm]:
    return [Swarm([get("/records/Post?limit=1", secrets.token_urlsafe(32)) for _ in range(1000)], answered(401),
                  busy(1000), connections=64, after="again")]


def unknown_routes(target: Target) -> list[Swarm]:
    return [Swarm([get(f"/{number}/{'x/' * 500}") for number in range(50)]
                  + [get(f"/records/Type{number}") for number in range(1000)], no_failures, busy(1000),
                  connections=64, after="again")]


def large_batches(target: Target) -> list[Swarm]:
    """Batches of 200 creates, one after another."""
    fields = b'{"text":"' + b"x" * 500 + b'","number":1}'
    one = b'{"operationType":"create","record":{"recordType":"Note","fields":' + fields + b"}}"
    body = b'{"operations":[' + b",".join([one] * 200) + b"]}"
    return [Swarm([post("/records", body, target.attacker)], answered(200, 503), busy(10), connections=8,
                  after="again")]


def sign_ins(target: Target) -> list[Swarm]:
    """Wrong passwords for existing and other accounts; each costs tens of milliseconds of a processor."""
    target.client().call("POST", "/users", {"name": "victim", "password": "correct horse battery"}, expect=(201,))
    names = ["victim", "nobody"]
    return [Swarm([post("/sessions", b'{"name":"%s","password":"wrong password %d"}' % (name.encode(), number))
                   for name in names for number in range(100)],
                  answered(401, 429, 503), busy(20), connections=200, after="again")]


def sign_ups(target: Target) -> list[Swarm]:
    return [Swarm([post("/users", b'{"name":"%s","password":"a password %d"}' % (secrets.token_hex(8).encode(), number))
                   for number in range(5000)],
                  answered(201, 409, 429, 503), busy(20), connections=200, after="again")]


def changes(target: Target) -> list[Swarm]:
    return [Swarm([get("/changes"), get("/changes?limit=1000"), get("/changes?since=AAAA")], answered(200, 400),
                  busy(10), connections=16, after="again")]


SCENARIOS = [
    Scenario("pipelined", "32 connections with 64 requests under way each", pipelined),
    Scenario("pipelined-bursts", "requests without end in large pieces", pipelined_bursts),
    Scenario("pipelined-queries", "8 connections with 64 queries under way each", pipelined_queries),
    Scenario("pipelined-creates", "32 connections with 64 creates under way each", pipelined_creates),
    Scenario("pages", "16 connections that take pages of 4 MiB", pages),
    Scenario("batches", "8 connections that write batches of 200", large_batches),
    Scenario("wrong-tokens", "tokens that are not valid", wrong_tokens),
    Scenario("unknown-routes", "routes and types that are not there", unknown_routes),
    Scenario("sign-ins", "200 connections that try passwords", sign_ins),
    Scenario("sign-ups", "200 connections that make accounts", sign_ups),
    Scenario("changes", "16 connections that read the feed from its beginning", changes),
]
