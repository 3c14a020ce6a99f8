"""Queries: the CPU of a page and a count relative to bare SQLite on the same file."""
import time
from collections.abc import Iterator
from random import Random
from urllib.parse import quote

from Tests.bench.context import Context, Scenario
from Tests.bench.forum import BOARDS, TYPE, Forum, PrivateForum, bare_query, board, forum, private_forums, thread
from Tests.bench.index_keys import Catalogue, KeyRange, text_head
from Tests.bench.report import Row, measured_row
from Tests.bench.rounds import interleave, middle
from Tests.harness.client import message
from Tests.harness.errors import Problem

PAGE = 50


def page(context: Context) -> Iterator[Row]:
    """A tenth of the records relative to bare SQLite, then all of them relative to the tenth."""
    few, many = context.options.records // 10, context.options.records
    with forum(context, few) as small:
        ours, bare = page_load(context, small), _bare_pages(context, small)
        measured, reference = interleave(context.options.rounds, context.options.seconds, ours,
                                         lambda seconds: bare.page(PAGE, seconds))
        yield measured_row(f"page-{short(few)}", measured, reference, floor=2.0, target=1.4, against="bare SQLite",
                           notes=[f"a page of {PAGE} of a thread among {len(small.threads):,}, newest first, of "
                                  f"{len(ours.sample.body):,} bytes; the bare program copies "
                                  f"{reference[0].extra['bytes'] // reference[0].operations:,}"])
        with forum(context, many) as large:
            theirs, bare = page_load(context, large), _bare_pages(context, large)
            reference, measured, alone = interleave(context.options.rounds, context.options.seconds, ours, theirs,
                                                    lambda seconds: bare.page(PAGE, seconds))
        yield measured_row(f"page-{short(many)}", measured, reference, floor=1.3, against=f"page-{short(few)}",
                           notes=[f"the reference is the same page out of {few:,}; bare SQLite needs "
                                  f"{middle(alone, lambda one: one.cpu_us):.0f} µs"])


def page_private(context: Context) -> Iterator[Row]:
    users = max(1, context.options.records // 100)
    with private_forums(context, users) as forums:
        ours = private_page_load(context, forums)
        with Catalogue(forums.database) as catalogue:
            index, zones = catalogue.index(TYPE, "threadname", "-timestamp"), catalogue.private_zones()
        ranges = [KeyRange(index, zones[name], text_head(thread(0))) for name, _ in forums.users]
        bare = bare_query(context, forums, ranges)
        measured, reference = interleave(context.options.rounds, context.options.seconds, ours,
                                         lambda seconds: bare.page(PAGE, seconds))
        yield measured_row("page-private", measured, reference, floor=2.0, target=1.4, against="bare SQLite",
                           notes=[f"a page of {PAGE} of a private database, with a session, among {users:,} of them"])


def creator(context: Context) -> Iterator[Row]:
    """Everybody sees only their own: ten records of a million, which are not to be looked at."""
    with forum(context, context.options.records, copy=True) as large:
        server = large.server
        admin = server.client(server.admin)
        admin.call("PUT", f"/grants/{TYPE}", {"grants": {"_icloud": ["CREATE"], "_creator": ["READ", "WRITE"]}})
        made = server.client().call("POST", "/users", {"name": "writer-of-ten", "password": "a password of the bench"},
                                    expect=(201,)).json()
        token, user = made["token"], made["user"]["userRecordName"]
        client = server.client(token)
        fields = {"threadname": thread(0), "board": board(0), "timestamp": {"value": 1, "type": "TIMESTAMP"}}
        names = [client.call("POST", f"/records/{TYPE}", {"fields": fields}, expect=(201,)).json()["recordName"]
                 for _ in range(10)]
        own = f"/query/{TYPE}?limit={PAGE}"
        found = client.call("GET", own + "&explain=true").json()
        if sorted(record["recordName"] for record in found["records"]) != sorted(names):
            raise Problem(f"the writer of ten records sees {len(found['records'])}.")
        # Only administrators, who see everything, get row figures: they send the user's query as the server executes
        # it.
        condition = quote(f'createdUserRecordName == "{user}"')
        examined = admin.call("GET", f"{own}&where={condition}&explain=true").json()["plan"]["examinedRows"]
        yield Row("creator-examined", examined, "rows", floor=50,
                  notes=[f"ten records visible of {large.records:,}: {found['plan']['text']}"])
        filtered = condition_path(f'threadname == "{thread(0)}"', "&sort=-timestamp")
        if len(client.call("GET", filtered).json()["records"]) != 10:
            raise Problem("the writer of ten records does not find them by their thread.")
        # A query by a caller that may create the type adds an index; while it is built, its cost is in every figure.
        limit = time.monotonic() + 600
        while any(value for key, value in server.metrics().items() if key.split("{")[0] == "fogbase_index_builds"):
            if time.monotonic() > limit:
                raise Problem("the index that the query has caused was not ready within ten minutes.")
            time.sleep(0.1)
        for name, path in (("creator", own), ("creator-filter", filtered)):
            reads = context.load(server, [message("GET", f"/records/{TYPE}/{one}", token) for one in names])
            ours = context.load(server, [message("GET", path, token)])
            reference, measured = interleave(context.options.rounds, context.options.seconds, reads, ours)
            plan = client.call("GET", path + "&explain=true").json()["plan"]
            yield measured_row(name, measured, reference, against="point read",
                               notes=["the reference is a point read of one of the ten; "
                                      + plan["text"].replace("\n", "; ")])


def count(context: Context) -> Iterator[Row]:
    with forum(context, context.options.records) as large:
        paths = [f"/query/{TYPE}?where={_equals('board', board(number))}&limit=1&fields=likes&count=true"
                 for number in range(BOARDS)]
        found = large.server.client().call("GET", paths[0]).json()["count"]
        if found != large.records // BOARDS:
            raise Problem(f"the count is {found}, not {large.records // BOARDS}.")
        ours = context.load(large.server, [message("GET", path) for path in paths], connections=4)
        with Catalogue(large.database) as catalogue:
            index = catalogue.index(TYPE, "board")
        bare = bare_query(context, large, [KeyRange(index, 1, text_head(board(number))) for number in range(BOARDS)])
        measured, reference = interleave(context.options.rounds, context.options.seconds, ours, bare.count)
        plan = large.server.client().call("GET", paths[0] + "&explain=true").json()["plan"]
        yield measured_row("count", measured, reference, floor=1.5, against="bare SQLite",
                           notes=[f"{found:,} matches, ran on the {plan['ranOn']}; "
                                  "a page of one record is in the response"])


def page_load(context: Context, forum: Forum):
    order = list(forum.threads)
    Random(1).shuffle(order)
    return context.load(forum.server, [message("GET", condition_path(f'threadname == "{one}"', "&sort=-timestamp"))
                                       for one in order])


def private_page_load(context: Context, forums: PrivateForum):
    path = condition_path(f'threadname == "{thread(0)}"', "&sort=-timestamp&database=private")
    return context.load(forums.server, [message("GET", path, token) for _, token in forums.users])


def _bare_pages(context: Context, forum: Forum):
    order = list(forum.threads)
    Random(1).shuffle(order)
    with Catalogue(forum.database) as catalogue:
        index = catalogue.index(TYPE, "threadname", "-timestamp")
    return bare_query(context, forum, [KeyRange(index, 1, text_head(one)) for one in order])


def condition_path(condition: str, rest: str = "") -> str:
    return f"/query/{TYPE}?where={quote(condition)}&limit={PAGE}{rest}"


def _equals(field: str, value: str) -> str:
    return quote(f'{field} == "{value}"')


def short(number: int) -> str:
    """1k, 100k, 1m."""
    if number >= 1_000_000 and number % 1_000_000 == 0:
        return f"{number // 1_000_000}m"
    return f"{number // 1000}k"


SCENARIOS = [
    Scenario("query-page", "a filtered and sorted page of 50 out of 100,000 (reference: bare SQLite) and 1,000,000",
             page),
    Scenario("query-private", "the same in a private database among 10,000", page_private),
    Scenario("query-creator", "ten visible records out of a million: rows read, CPU; reference: point read",
             creator),
    Scenario("query-count", "a count of 100,000 matches; reference: bare SQLite", count),
]
