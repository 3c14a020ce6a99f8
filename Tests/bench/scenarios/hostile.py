"""Queries made to hurt: how long they hold a loop, as a client of another kind sees it."""
import time
from collections.abc import Iterator
from dataclasses import dataclass
from statistics import median

from Tests.bench.context import Context, Scenario
from Tests.bench.forum import SCHEMA, TYPE, Forum, board, forum, thread
from Tests.bench.load import Load, Measurement
from Tests.bench.report import Row, measured_row, stolen_share, theft
from Tests.bench.rounds import Runner, middle
from Tests.harness.client import message
from Tests.harness.errors import Problem

HOSTILE = 8
# Enough that every loop has some.
GOOD = 4
# Seconds in which all hostile queries come round.
TURN = 4
INDEXED = ("author", "likes", "rating", "title", "timestamp", "threadname", "board")


@dataclass
class Turn:
    """A good client with harmless clients and then with hostile ones, which got responses to `sent` requests."""
    control: Measurement
    beside: Measurement
    sent: int

    @property
    def longer_ms(self) -> float:
        return self.beside.max_ms - self.control.max_ms


def hostile(context: Context) -> Iterator[Row]:
    with forum(context, context.options.records // 10, copy=True) as small:
        _index(small)
        kinds = {name: [message("POST", "/query", None, body) for body in bodies] for name, bodies in _kinds().items()}
        responses = [_describe(small, name, messages) for name, messages in kinds.items()]
        reads = _point_reads(small)
        good = context.load(small.server, reads, connections=GOOD)
        everything = _crowd(context, small, sum(kinds.values(), []))
        harmless = _crowd(context, small, reads)
        alone, beside_reads, beside = [], [], []
        good(1)
        for _ in range(context.options.rounds):
            alone.append(good(context.options.seconds))
            for crowd, list_ in ((harmless, beside_reads), (everything, beside)):
                crowd.during(lambda: list_.append(good(context.options.seconds)))
        each = []
        for name, messages in kinds.items():
            found: list[Measurement] = []
            _crowd(context, small, messages).during(lambda: found.append(good(context.options.seconds)))
            each.append(f"beside {name} alone: p99 {found[0].p99_ms:.2f} ms, longest {found[0].max_ms:.1f} ms")
        longer = median(one.p99_ms - base.p99_ms for one, base in zip(beside, alone))
        yield measured_row("hostile-p99", beside, None, value=longer, unit="ms more", floor=5,
                           by_waits=True,
                           notes=[f"{HOSTILE} connections of hostile queries, {GOOD} of a good client whose p99 is "
                                  f"{middle(alone, _p99):.2f} ms alone, {middle(beside_reads, _p99):.2f} ms beside as "
                                  f"many connections of point reads and {middle(beside, _p99):.2f} ms beside these",
                                  *each, *responses])
        yield _longest(context, good, harmless, everything, sum(map(len, kinds.values())))


def _longest(context: Context, good: Runner, harmless: Load, everything: Load, queries: int) -> Row:
    """How much longer the longest wait of a turn is than that of the previous turn, with as many harmless clients."""
    turns = []
    for _ in range(2 * context.options.rounds):
        control, beside = [], []
        harmless.during(lambda: control.append(good(TURN)))
        sent = everything.during(lambda: beside.append(good(TURN))).operations
        turns.append(Turn(control[0], beside[0], sent))
    return longest_row(turns, queries)


def longest_row(turns: list[Turn], queries: int) -> Row:
    """Judges the turns in which all hostile queries came round.

    The machine itself stands still for milliseconds now and then, but not in most turns; what a query does to a loop,
    it does in each.
    """
    full = [one for one in turns if one.sent >= queries]
    shown = 2 * len(full) > len(turns)
    stolen = stolen_share([one.beside for one in turns])
    return Row("hostile-max", median(one.longer_ms for one in full) if shown else None, "ms more", floor=5,
               stolen=stolen, errors=sum(one.beside.errors + one.control.errors for one in turns),
               notes=[f"{len(turns)} turns of {TURN} s, in {len(full)} of which all {queries} queries were answered; "
                      f"the longest waits were {_spread([one.control for one in turns])} beside point reads, "
                      f"{_spread([one.beside for one in turns])} beside hostile queries",
                      *theft(stolen)])


def _spread(measured: list[Measurement]) -> str:
    longest = sorted(one.max_ms for one in measured)
    return f"{longest[0]:.1f} to {longest[-1]:.1f} ms, half of them under {median(longest):.1f} ms"


def _p99(one: Measurement) -> float | None:
    return one.p99_ms


def _kinds() -> dict[str, list[dict]]:
    """Bodies of POST /query, by the attack."""
    def query(where: str, **more) -> dict:
        return {"recordType": TYPE, "where": where} | more

    deep = "likes >= 0"
    for level in range(28):
        deep = f'NOT ({deep} {"AND" if level % 2 else "OR"} author != "writer-{level:03}")'
    wide = " OR ".join(f'(likes > {number} AND rating > {number % 10}.5)' for number in range(98))
    ranges = " OR ".join(f"(likes > {number * 1000} AND likes < {number * 1000 + 900})" for number in range(98))
    negated = " AND ".join(f'author != "writer-{number:03}"' for number in range(190))
    likes = "{" + ",".join(str(number * 97) for number in range(1000)) + "}"
    threads = "{" + ",".join(f"'{thread(number)}'" for number in range(1000)) + "}"
    long = "x" * 15_000
    half = "y" * 5_000
    return {
        "deep conditions": [query(deep, sort="title"), query(deep, count=True)],
        "wide conditions": [query(wide, sort="-timestamp"), query(ranges, sort="title"), query(negated, sort="rating")],
        "1,000 members": [query(f"likes IN {likes}", sort="-timestamp"),
                          query(f"threadname IN {threads}", sort="-timestamp"),
                          query(f"NOT threadname IN {threads}", sort="title"),
                          query(f"threadname IN {threads} AND likes IN {likes}", sort="title", count=True)],
        "unselective filters": [query("likes >= 0 AND rating > 0", sort="title,-rating,author"),
                                query(f'board != "{board(0)}"', sort="author", limit=1000),
                                query("rating > 0 AND likes == 1", sort="-timestamp", count=True)],
        "long texts": [query(f'title > "{long}"'), query(f'title BEGINSWITH "{long}" OR author == "b"', sort="title"),
                       query(f'title != "{half}" AND author != "{half}" AND threadname != "{half}"', sort="likes"),
                       query("(" * 30 + f'title == "{long}"' + ")" * 30)],
        "large pages": [query("TRUEPREDICATE", limit=1000), query("likes > 1000", sort="-likes", limit=1000)],
        "broken conditions": [query(f'title == "{long}" AND ('), query(" AND ".join(["likes == 1"] * 500))],
    }


def _describe(forum: Forum, name: str, messages: list[bytes]) -> str:
    """How each query is answered when it is alone."""
    client, found = forum.server.client(), []
    for one in messages:
        began = time.perf_counter()
        response = client.send(one)
        if response.status >= 500 and response.status != 503:
            raise Problem(f"a hostile query was answered {response.status}: {response.body[:300]!r}")
        told = "" if response.status == 200 else f" {response.json().get('details', {}).get('cause', '')}"
        found.append(f"{response.status}{told} in {(time.perf_counter() - began) * 1e3:.1f} ms")
    return f"{name}: {', '.join(found)}"


def _crowd(context: Context, forum: Forum, messages: list[bytes]) -> Load:
    """A load that is not judged: a rejection is an acceptable response."""
    status = forum.server.client().send(messages[0]).status
    return Load(context.directory / "messages", forum.server.pid, forum.server.port, messages, expect=status,
                connections=HOSTILE)


def _point_reads(forum: Forum) -> list[bytes]:
    records = forum.server.client().call("GET", f"/records/{TYPE}?limit=200&fields=likes").json()["records"]
    return [message("GET", f"/records/{TYPE}/{record['recordName']}") for record in records]


def _index(forum: Forum) -> None:
    """Makes every field one that anonymous callers may ask for."""
    given = SCHEMA["types"][TYPE]["fields"]
    fields = given | {name: given[name] | {"indexes": ["QUERYABLE", "SORTABLE"]} for name in INDEXED}
    admin = forum.server.client(forum.server.admin)
    admin.call("PUT", "/schema", {"types": {TYPE: {"fields": fields}}})
    for name in INDEXED:
        limit = time.monotonic() + 600
        path = f"/query/{TYPE}?where={name}!=NULL&sort={name}&limit=1"
        while admin.call("GET", path, expect=(200, 429, 503)).status != 200:
            if time.monotonic() > limit:
                raise Problem(f"the index on {name} was not ready within ten minutes.")
            time.sleep(0.1)


SCENARIOS = [
    Scenario("hostile", "waiting times of a good client during hostile queries at 8 connections", hostile),
]
