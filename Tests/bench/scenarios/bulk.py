"""Bulk deletion and index builds: alone relative to bare SQLite, and while clients write."""
import time
from collections.abc import Iterator
from statistics import median
from urllib.parse import quote

from Tests.bench.context import Context, Scenario
from Tests.bench.forum import BOARDS, SCHEMA, TYPE, Forum, bare_query, board, copy_data, forum, post, thread
from Tests.bench.index_keys import Catalogue, KeyRange, text_head
from Tests.bench.load import Measurement
from Tests.bench.report import Row, beside_row, measured_row
from Tests.bench.rounds import middle
from Tests.harness import process
from Tests.harness.client import Client, message
from Tests.harness.errors import Problem

CLIENTS = 64
# The columns of the indexes that are built, one after the other; the first without other load.
BUILT = ("author", "likes", "rating")
# After this an index is taken for one that will never be ready.
MOST_SECONDS = 900


def delete(context: Context) -> Iterator[Row]:
    """One board a round; the bare program deletes the same one of a copy, as many records per commit as the server."""
    records = context.options.records
    with forum(context, records, copy=True) as large:
        with Catalogue(large.database) as catalogue:
            index = catalogue.index(TYPE, "board")
        large.server.stop()
        copy = next(copy_data(large.directory, context.fresh_directory("bare")).rglob("records.sqlite"))
        large.server.start()
        measured, reference, sizes = [], [], []
        for number in range(min(context.options.rounds, BOARDS)):
            commits = _commits(large)
            measured.append(_delete(large, board(number)))
            sizes.append(max(1, round(measured[-1].operations / max(1, _commits(large) - commits))))
            bare = bare_query(context, large, [KeyRange(index, 1, text_head(board(number)))], copy)
            reference.append(bare.delete(sizes[-1]))
        found = reference[0].extra
        yield measured_row("delete-set", measured, reference, floor=2.0, against="bare SQLite",
                           notes=[f"{measured[0].operations:,} records of {records:,}, about {median(sizes):.0f} per "
                                  f"commit; the bare program takes them out of {found['indexes']} indexes and deletes "
                                  f"{middle(reference, lambda one: one.rate):,.0f}/s"])


def delete_beside(context: Context) -> Iterator[Row]:
    with forum(context, context.options.records, copy=True) as large:
        creates = context.load(large.server, board_creates(large), expect=201, connections=CLIENTS)
        creates(1)
        before, beside, deletions = [], [], []
        for number in range(min(context.options.rounds, BOARDS)):
            before.append(creates(context.options.seconds))
            beside.append(creates.during(lambda: deletions.append(_delete(large, board(number)))))
        rates = [one.rate for one in deletions]
        yield measured_row("delete-beside", deletions, None, value=median(rates), unit="/s", floor=5000, at_least=True,
                           notes=[f"{deletions[0].operations:,} records, beside {CLIENTS} clients who create; "
                                  "CPU is of both"])
        yield beside_row("delete-beside-p99", beside, before)


def index_build(context: Context) -> Iterator[Row]:
    with forum(context, context.options.records, copy=True) as large:
        client = large.server.client(large.server.admin)
        alone = _build(large, client, 1)
        yield Row("index-build", alone.seconds, "s", cpu_us=alone.cpu_us, rate=alone.rate,
                  notes=[f"an index on ({BUILT[0]}) of {large.records:,} records, nobody else there"])
        creates = context.load(large.server, board_creates(large), expect=201, connections=CLIENTS)
        creates(1)
        before, beside, builds = [], [], []
        # Each takes minutes.
        for number in range(min(context.options.rounds, 2)):
            before.append(creates(context.options.seconds))
            beside.append(creates.during(lambda: builds.append(_build(large, client, number + 2))))
        seconds = [one.seconds for one in builds]
        yield Row("index-build-beside", median(seconds), "s", rate=middle(builds, lambda one: one.rate),
                  notes=[f"beside {CLIENTS} clients who made {sum(one.operations for one in beside):,} records "
                         "meanwhile"])
        yield beside_row("index-build-p99", beside, before)


def _delete(forum: Forum, name: str) -> Measurement:
    """Deletes a board; an operation is a record."""
    client = Client(forum.server.port, forum.token, timeout=1800)
    cpu, began = process.cpu_seconds(forum.server.pid), time.monotonic()
    where = quote(f'board == "{name}"')
    response = client.call("DELETE", f"/query/{TYPE}?where={where}").json()
    seconds, spent = time.monotonic() - began, process.cpu_seconds(forum.server.pid) - cpu
    client.close()
    wanted = forum.records // BOARDS
    if response["deleted"] != wanted:
        raise Problem(f"{response['deleted']:,} of {wanted:,} records were deleted: {response}.")
    return Measurement(wanted, seconds, spent)


def _build(forum: Forum, client: Client, count: int) -> Measurement:
    """Asks for one index more and waits until it is ready; an operation is a record."""
    given = SCHEMA["types"][TYPE]
    declared = given["indexes"] + [{"fields": [name]} for name in BUILT[:count]]
    cpu, began = process.cpu_seconds(forum.server.pid), time.monotonic()
    client.call("PUT", "/schema", {"types": {TYPE: given | {"indexes": declared}}})
    while True:
        indexes = client.call("GET", "/schema").json()["types"][TYPE]["indexes"]
        if failed := [one for one in indexes if one.get("state") == "failed"]:
            raise Problem(f"an index could not be built: {failed[0]}")
        if not any("state" in one for one in indexes):
            break
        if time.monotonic() - began > MOST_SECONDS:
            raise Problem(f"the index was not ready within {MOST_SECONDS} s: {indexes[-1]}")
        time.sleep(0.05)
    if len(indexes) != len(declared):
        raise Problem(f"there are {len(indexes)} indexes, not {len(declared)}.")
    seconds = time.monotonic() - began
    return Measurement(forum.records, seconds, process.cpu_seconds(forum.server.pid) - cpu)


def board_creates(forum: Forum) -> list[bytes]:
    """Posts of a board of their own."""
    path = f"/records/{TYPE}"
    return [message("POST", path, forum.token,
                    b'{"fields":' + post(number, thread(number % 50), "board-new") + b"}")
            for number in range(512)]


def _commits(forum: Forum) -> float:
    return sum(value for name, value in forum.server.metrics().items() if name.split("{")[0] == "fogbase_commits_total")


SCENARIOS = [
    Scenario("delete-set", "bulk delete of 100,000 records; reference: bare SQLite", delete),
    Scenario("delete-beside", "the same while 64 clients create: its rate, and their p99", delete_beside),
    Scenario("index-build", "an index on a million records, alone and while 64 clients create", index_build),
]
