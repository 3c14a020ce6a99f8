"""Curves over the number of connections: reads relative to nginx, durable creates relative to the bare group-commit
loop."""
from collections.abc import Iterator

from Tests.bench.context import Context, Scenario
from Tests.bench.load import Load, Measurement
from Tests.bench.report import Row, measured_row
from Tests.bench.rounds import interleave
from Tests.bench.scenarios.reads import reads
from Tests.bench.scenarios.writes import creates
from Tests.bench.static_site import StaticSite

CONNECTIONS = (1, 4, 16, 64, 256)


def read_curve(context: Context) -> Iterator[Row]:
    with context.board() as board:
        ours = [context.load(board.server, reads(board), connections=count) for count in _counts(context)]
        with StaticSite(context.fresh_directory("nginx"), ours[0].sample.body) as site:
            theirs = [Load(context.directory / "messages", site.pid, site.port, [site.request], connections=count).run
                      for count in _counts(context)]
            yield from _curve(context, "connections-read", "nginx", ours, theirs)


def create_curve(context: Context) -> Iterator[Row]:
    with context.board(posts=2000) as board:
        bare = context.bare_loop(board)
        ours = [context.load(board.server, creates(board), expect=201, connections=count) for count in _counts(context)]

        def producers(count: int):
            def run(seconds: float) -> Measurement:
                return bare.group(count, seconds)
            return run

        theirs = [producers(count) for count in _counts(context)]
        yield from _curve(context, "connections-create", "bare group commit", ours, theirs)


def _curve(context: Context, name: str, against: str, ours: list, theirs: list) -> Iterator[Row]:
    runners = [runner for pair in zip(ours, theirs) for runner in pair]
    found = interleave(context.options.rounds, context.options.seconds, *runners)
    for place, count in enumerate(_counts(context)):
        yield measured_row(f"{name}-{count}", found[2 * place], found[2 * place + 1], against=against, series=name,
                           x=count)


def _counts(context: Context) -> tuple[int, ...]:
    return (1, 64) if context.options.quick else CONNECTIONS


SCENARIOS = [
    Scenario("connections-read", "point reads at 1 to 256 connections; reference: nginx; for information", read_curve),
    Scenario("connections-create", "durable creates at 1 to 256 connections; reference: bare group commit; for "
             "information", create_curve),
]
