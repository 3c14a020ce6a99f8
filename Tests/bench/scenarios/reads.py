"""Reads: the CPU of a response relative to nginx serving a file of the same bytes."""
from collections.abc import Iterator
from random import Random

from Tests.bench.context import Board, Context, Scenario
from Tests.bench.load import Load
from Tests.bench.report import Row, measured_row
from Tests.bench.rounds import middle, take_turns
from Tests.bench.static_site import StaticSite
from Tests.harness.client import message


def live(context: Context) -> Iterator[Row]:
    with context.server() as server:
        ours = context.load(server, [message("GET", "/health/live")])
        with StaticSite(context.fresh_directory("nginx"), ours.sample.body) as site:
            yield measured_row("live", *_against(context, ours, site), floor=1.0, target=0.7, against="nginx")


def point_read(context: Context) -> Iterator[Row]:
    with context.board() as board:
        ours = context.load(board.server, reads(board))
        with StaticSite(context.fresh_directory("nginx"), ours.sample.body) as site:
            measured, reference = _against(context, ours, site)
        notes = [f"responses of {len(ours.sample.body)} bytes; "
                 f"bare SQLite reads the row in {_bare_read(context, board)} µs"]
        yield measured_row("point-read", measured, reference, floor=2.0, target=1.2, against="nginx",
                           notes=notes)


def point_read_session(context: Context) -> Iterator[Row]:
    with context.board() as board:
        anonymous = context.load(board.server, reads(board))
        signed_in = context.load(board.server, reads(board, board.token))
        reference, measured = take_turns(context.options.rounds, context.options.seconds, anonymous, signed_in)
        yield measured_row("point-read-session", measured, reference, floor=1.1, against="anonymous read")


def point_read_c1(context: Context) -> Iterator[Row]:
    with context.board() as board:
        ours = context.load(board.server, reads(board), connections=1)
        with StaticSite(context.fresh_directory("nginx"), ours.sample.body) as site:
            measured, reference = _against(context, ours, site, connections=1)
        theirs = middle(reference, lambda one: one.p50_ms)
        yield measured_row("point-read-c1", measured, reference, value=middle(measured, lambda one: one.p50_ms),
                           unit="ms", floor=0.15, target=0.06, against="nginx", notes=[f"nginx: p50 {theirs:.3f} ms"])


def reads(board: Board, token: str | None = None) -> list[bytes]:
    """One read of each post, in an order that no cache line likes."""
    order = list(range(len(board.names)))
    Random(1).shuffle(order)
    return [message("GET", board.path(number), token) for number in order]


def _against(context: Context, ours, site: StaticSite, connections: int = 64):
    theirs = Load(context.directory / "messages", site.pid, site.port, [site.request], connections=connections)
    return take_turns(context.options.rounds, context.options.seconds, ours, theirs.run)


def _bare_read(context: Context, board: Board) -> str:
    return f"{context.bare_loop(board).read(1).cpu_us:.1f}"


SCENARIOS = [
    Scenario("live", "GET /health/live at 64 connections; reference: nginx", live),
    Scenario("point-read", "GET of 4,000 posts by an anonymous caller; reference: nginx", point_read),
    Scenario("point-read-session", "the same with a session token; reference: anonymous read", point_read_session),
    Scenario("point-read-c1", "GET of posts over one connection: p50", point_read_c1),
]
