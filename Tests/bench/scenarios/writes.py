"""Writes: the CPU of a durable write relative to a loop that only inserts into SQLite."""
from collections.abc import Iterator
from statistics import median

from Tests.bench.context import Board, Context, Scenario
from Tests.bench.load import Measurement
from Tests.bench.report import Row, measured_row
from Tests.bench.rounds import interleave, middle
from Tests.bench.sample_records import create_operation, fields, image, seed
from Tests.bench.syncs import SyncCounter
from Tests.harness.client import message
from Tests.harness.errors import Problem

# A commit that serves 64 waiting clients carries about half of them: the others are just being answered.
USUAL_GROUP = 32
# The connections of the load, and the producers of the bare group-commit loop.
CLIENTS = 64


def create(context: Context) -> Iterator[Row]:
    """Relative to the bare group-commit loop: as many waiting threads as the server has connections, one writer."""
    with context.board(posts=2000) as board:
        bare = context.bare_loop(board)
        ours, groups = _counting_groups(board, context.load(board.server, creates(board), expect=201))
        measured, reference = interleave(context.options.rounds, context.options.seconds, ours,
                                         lambda seconds: bare.group(CLIENTS, seconds))
        theirs = median(one.operations / one.extra["commits"] for one in reference)
        yield measured_row("create", measured, reference, floor=2.5, target=1.8, against="bare group commit",
                           notes=[f"{_mean_group(groups)} creates per commit; the bare loop's {CLIENTS} producers came "
                                  f"to {theirs:.1f} rows per commit"])
        yield measured_row("create-p99", measured, None, value=middle(measured, lambda one: one.p99_ms), unit="ms",
                           floor=25, by_waits=True)


def create_rows(context: Context) -> Iterator[Row]:
    """Relative to a loop without waiting clients: the rows alone, as many per commit as the server's groups had."""
    with context.board(posts=2000) as board:
        bare = context.bare_loop(board)
        ours, groups = _counting_groups(board, context.load(board.server, creates(board), expect=201))

        def theirs(seconds: float) -> Measurement:
            return bare.write(max(1, round(groups[-1] or USUAL_GROUP)), seconds)

        measured, reference = interleave(context.options.rounds, context.options.seconds, ours, theirs)
        yield measured_row("create-rows", measured, reference, against="bare rows",
                           notes=[f"{_mean_group(groups)} creates per commit, as many rows per commit in the bare "
                                  "loop"])


def _mean_group(groups: list) -> str:
    known = [group for group in groups[1:] if group]
    return f"{median(known):.1f}" if known else "an unknown number of"


def create_syncs(context: Context) -> Iterator[Row]:
    counter = SyncCounter(context.fresh_directory("syncs"))
    with context.board(posts=200, prefix=counter.prefix) as board:
        ours, found, syncs = context.load(board.server, creates(board), expect=201), [], []
        ours(1)
        for _ in range(context.options.rounds):
            before = counter.count
            found.append(ours(max(2, context.options.seconds)))
            syncs.append(counter.count - before)
        if 0 in syncs:
            raise Problem(f"{found[0].operations} creates were acknowledged without one sync: they are not durable.")
        value = median(one.operations / count for one, count in zip(found, syncs))
        yield measured_row("create-syncs", found, None, value=value, unit="per sync", floor=20, at_least=True,
                           notes=[f"{sum(one.operations for one in found)} creates, {sum(syncs)} syncs, counted by a "
                                  "preloaded library"])


def batch(context: Context) -> Iterator[Row]:
    with context.board(posts=2000) as board:
        bare = context.bare_loop(board)
        ours = batch_load(context, board)
        measured, reference = interleave(context.options.rounds, context.options.seconds, ours,
                                         lambda seconds: bare.write(100, seconds))
        yield measured_row("batch", measured, reference, floor=2.5, target=1.8, against="bare rows",
                           notes=["an operation is a record, but p50 and p99 are of a request of 200; "
                                  "the bare loop commits 100 rows at once"])


def batch_load(context: Context, board: Board):
    """Atomic batches of 200 creates, four at a time. An operation is a record."""
    bodies = [{"operations": [create_operation(start * 200 + number) for number in range(200)], "atomic": True}
              for start in range(16)]
    load = context.load(board.server, [message("POST", "/records", board.token, body) for body in bodies],
                        connections=4, operations=200)
    board.server.client(board.token).batch(bodies[0]["operations"])
    return load


def update(context: Context) -> Iterator[Row]:
    # Each record's next value differs from its last, so that no write can be skipped as a change of nothing.
    yield from _beside_create(context, "update", lambda turn: {"fields": {"title": f"the title of turn {turn}"}})


def increment(context: Context) -> Iterator[Row]:
    yield from _beside_create(context, "increment", lambda _: {"fields": {"likes": {"increment": 1}}})


def increment_image(context: Context) -> Iterator[Row]:
    with context.board(posts=200) as board:
        server, client = board.server, board.server.client(board.token)
        limits = server.client().call("GET", "/limits").json()
        size = min(1_000_000, int(limits.get("recordBytes", 1_048_576)) - 4096)
        plain = seed(client, 16)
        holding = []
        for number in range(16):
            body = {"fields": fields(number) | {"image": {"value": image(size), "type": "BYTES"}}}
            holding.append(client.call("POST", "/records/Post?fields=likes", body, expect=(201,)).json()["recordName"])
        without = context.load(server, increments(board, plain))
        with_image = context.load(server, increments(board, holding))
        reference, measured = interleave(context.options.rounds, context.options.seconds, without, with_image)
        yield measured_row("increment-image", measured, reference, floor=1.5, against="without image",
                           notes=[f"16 posts with {size:,} bytes of image beside 16 without"])


def _beside_create(context: Context, name: str, body) -> Iterator[Row]:
    with context.board() as board:
        theirs = context.load(board.server, creates(board), expect=201)
        patches = [message("PATCH", board.path(number), board.token, body(turn))
                   for turn in range(2) for number in range(len(board.names))]
        ours = context.load(board.server, patches)
        reference, measured = interleave(context.options.rounds, context.options.seconds, theirs, ours)
        yield measured_row(name, measured, reference, floor=1.3, against="create")


def creates(board: Board) -> list[bytes]:
    return [message("POST", "/records/Post", board.token, {"fields": fields(number)}) for number in range(512)]


def increments(board: Board, names: list[str]) -> list[bytes]:
    body = {"fields": {"likes": {"increment": 1}}}
    return [message("PATCH", f"/records/Post/{name}?fields=likes", board.token, body) for name in names]


def _counting_groups(board: Board, run):
    """Wraps a runner so that the mean size of its commits is noted after each run, `None` where /metrics lacks it."""
    groups: list[float | None] = []

    def counting(seconds: float) -> Measurement:
        before = _commits(board)
        found = run(seconds)
        after = _commits(board)
        commits = after[0] - before[0] if before and after else 0
        groups.append((after[1] - before[1]) / commits if commits else None)
        return found

    return counting, groups


def _commits(board: Board) -> tuple[float, float] | None:
    """Commits and the operations in them, summed over labels."""
    try:
        metrics = board.server.metrics()
    except Problem:
        return None
    sums = [sum(value for name, value in metrics.items() if name.split("{")[0] == wanted)
            for wanted in ("fogbase_commits_total", "fogbase_commit_operations_total")]
    return (sums[0], sums[1]) if sums[0] else None


SCENARIOS = [
    Scenario("create", "durable single creates at 64 connections; reference: bare group commit", create),
    Scenario("create-rows", "the same; reference: bare rows; for information", create_rows),
    Scenario("create-syncs", "creates per fsync or fdatasync, counted by a preloaded library", create_syncs),
    Scenario("batch", "200 creates per request at 4 connections; reference: bare rows", batch),
    Scenario("update", "PATCH of one field at 64 connections; reference: create", update),
    Scenario("increment", "increment of a counter at 64 connections; reference: create", increment),
    Scenario("increment-image", "increment on posts with an image; reference: posts without", increment_image),
]
