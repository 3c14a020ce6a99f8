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


def job_beside(context: Context) -> Iterator[Row]:
    """Half of the records, deleted by a job, while clients read and create."""
    with forum(context, context.options.records, copy=True) as large:
        load = context.load(large.server, reads_and_creates(large), expect=201, connections=CLIENTS)
        load(1)
        before = load(context.options.seconds * 2)
        idle = large.server.rss_anon()
        jobs: list[Measurement] = []
        half = [board(number) for number in range(BOARDS // 2)]
        beside = load.during(lambda: jobs.append(_delete_by_job(large, half)))
        job = jobs[0]
        yield Row("job-beside", job.rate, "/s", floor=20_000, at_least=True, cpu_us=job.cpu_us, rate=job.rate,
                  notes=[f"{job.operations:,} of {large.records:,} records in {job.seconds:.1f} s, beside {CLIENTS} "
                         f"clients who read and create; they made {beside.rate:,.0f} requests/s, and "
                         f"{before.rate:,.0f} before; CPU is of all"])
        yield beside_row("job-beside-p99", [beside], [before])
        growth = beside.rss_mb - max(idle, before.rss_mb)
        yield Row("job-beside-memory", growth, "MB", floor=16, rss_mb=beside.rss_mb,
                  notes=["how much RssAnon rises at most above what the clients alone need"])


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


def _delete_by_job(forum: Forum, names: list[str]) -> Measurement:
    """Deletes boards by a job; an operation is a record."""
    client = Client(forum.server.port, forum.token, timeout=60)
    cpu, began = process.cpu_seconds(forum.server.pid), time.monotonic()
    where = quote("board IN {%s}" % ", ".join(f"'{name}'" for name in names))
    job = client.call("DELETE", f"/query/{TYPE}?where={where}", expect=(202,),
                      headers=("Prefer: respond-async",)).json()
    while job["state"] in ("queued", "running"):
        time.sleep(0.05)
        job = client.call("GET", f"/jobs/{job['id']}").json()
        if time.monotonic() - began > MOST_SECONDS:
            raise Problem(f"the job was not done within {MOST_SECONDS} s: {job}")
    seconds, spent = time.monotonic() - began, process.cpu_seconds(forum.server.pid) - cpu
    client.close()
    wanted = forum.records // BOARDS * len(names)
    if job["state"] != "succeeded" or job["done"] != wanted:
        raise Problem(f"{wanted:,} records should be deleted: {job}")
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


def reads_and_creates(forum: Forum) -> list[bytes]:
    """As many reads of posts that stay as creates; a create comes first."""
    client = Client(forum.server.port, forum.token)
    where = quote(f'board == "{board(BOARDS - 1)}"')
    page = client.call("GET", f"/query/{TYPE}?limit=200&where={where}").json()
    client.close()
    reads = [message("GET", f"/records/{TYPE}/{one['recordName']}", forum.token) for one in page["records"]]
    return [one for number, create in enumerate(board_creates(forum)) for one in (create, reads[number % len(reads)])]


def _commits(forum: Forum) -> float:
    return sum(value for name, value in forum.server.metrics().items() if name.split("{")[0] == "fogbase_commits_total")


SCENARIOS = [
    Scenario("delete-set", "bulk delete of 100,000 records; reference: bare SQLite", delete),
    Scenario("delete-beside", "the same while 64 clients create: its rate, and their p99", delete_beside),
    Scenario("job-beside", "deletion of half of the records by a job while 64 clients read and create", job_beside),
    Scenario("index-build", "an index on a million records, alone and while 64 clients create", index_build),
]
