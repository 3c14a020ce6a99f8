"""Event streams of the change feed: the memory of idle ones, and how fast and at what cost one commit reaches many."""
import select
import socket
import time
from collections.abc import Iterator
from statistics import median

from Tests.bench.context import Board, Context, Scenario
from Tests.bench.report import Row
from Tests.bench.sample_records import fields
from Tests.bench.scenarios.memory import connect
from Tests.bench.scenarios.writes import creates
from Tests.harness import process
from Tests.harness.client import Client, message
from Tests.harness.errors import Problem
from Tests.harness.server import raise_descriptor_limit

ACCEPT = "Accept: text/event-stream"


def idle_streams(context: Context) -> Iterator[Row]:
    wanted = 500 if context.options.quick else 10_000
    _require_descriptors(wanted)
    with context.board(posts=2000) as board:
        load = context.load(board.server, creates(board), expect=201, connections=16)
        load(1)
        before = [load(context.options.seconds) for _ in range(context.options.rounds)]
        idle = board.server.rss_anon()
        private = message("GET", "/changes?database=private&since=now", board.server.sign_up(), headers=(ACCEPT,))
        streams = connect(board.server.port, wanted, lambda one: _open(one, private))
        try:
            time.sleep(1)
            memory = board.server.rss_anon() - idle
            load(1)
            after = [load(context.options.seconds) for _ in range(context.options.rounds)]
        finally:
            for one in streams:
                one.close()
            # The memory of the streams is this scenario's own figure, not that of a load.
            context.highest_rss.pop(context.scenario, None)
        yield Row("idle-streams", memory, "MB", floor=150, rss_mb=memory,
                  notes=[f"RssAnon of {wanted} streams above the server's, {memory * 1e6 / wanted:,.0f} bytes each"])
        cost = median(b.cpu_us / a.cpu_us for a, b in zip(before, after))
        yield Row("idle-streams-create", cost, "×", floor=1.2, cpu_us=median(b.cpu_us for b in after),
                  reference_cpu_us=median(a.cpu_us for a in before),
                  notes=[f"CPU of creates in another zone, beside {wanted} idle streams and without them"])


def stored_subscriptions(context: Context) -> Iterator[Row]:
    wanted, of_account = (1_000 if context.options.quick else 10_000), 500
    with context.board(posts=2000) as board:
        load = context.load(board.server, creates(board), expect=201, connections=16)
        load(1)
        before = [load(context.options.seconds) for _ in range(context.options.rounds)]
        for _ in range(wanted // of_account):
            subscriber = Client(board.server.port, board.server.sign_up())
            for number in range(of_account):
                subscriber.call("PUT", f"/subscriptions/s{number}", {
                    "type": "query", "recordType": "Other", "where": "likes > %d", "args": [number]}, expect=(201,))
            subscriber.close()
        load(1)
        after = [load(context.options.seconds) for _ in range(context.options.rounds)]
        cost = median(b.cpu_us / a.cpu_us for a, b in zip(before, after))
        yield Row("stored-subscriptions-create", cost, "×", floor=1.2, cpu_us=median(b.cpu_us for b in after),
                  reference_cpu_us=median(a.cpu_us for a in before),
                  notes=[f"CPU of creates of another type, beside {wanted} stored subscriptions and without them"])


def stream_fan_out(context: Context) -> Iterator[Row]:
    """One commit at a time to all streams of its zone: when the first and the last of them have it."""
    wanted, commits = (100, 20) if context.options.quick else (1000, 100)
    _require_descriptors(wanted)
    with context.board(posts=100) as board:
        request = message("GET", "/changes?since=now&type=Post", board.token, headers=(ACCEPT,))
        streams = connect(board.server.port, wanted, lambda one: _open(one, request))
        try:
            first, last, cpu = _deliver(board, streams, commits)
        finally:
            for one in streams:
                one.close()
        yield Row("stream-fan-out", last[int(len(last) * 0.99)] * 1000, "ms", floor=250,
                  notes=[f"p99 of {commits} commits until all {wanted} streams have it, receivers in Python included; "
                         f"p50 {median(last) * 1000:.1f} ms"])
        yield Row("stream-event-cpu", cpu * 1e6 / (commits * wanted), "µs", floor=15,
                  notes=["CPU of the server per delivered event, with its share of the commit"])
        yield Row("stream-first", median(first) * 1000, "ms", floor=1,
                  notes=["p50 from the response to the write to the first stream's event"])


def _deliver(board: Board, streams: list[socket.socket], commits: int) -> tuple[list[float], list[float], float]:
    poll = select.epoll()
    by_descriptor = {one.fileno(): one for one in streams}
    for descriptor in by_descriptor:
        poll.register(descriptor, select.EPOLLIN)
    writer = socket.create_connection(("127.0.0.1", board.server.port))
    writer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    first, last = [], []
    started = process.cpu_seconds(board.server.pid)
    for number in range(commits):
        mark = f'"mark-{number}"'.encode()
        writer.sendall(message("POST", "/records/Post", board.token, {"fields": fields(number) | {
            "title": f"mark-{number}"}}))
        answer, waiting, seen = writer.recv(65536), set(by_descriptor), 0.0
        acknowledged = time.monotonic()
        if not answer.startswith(b"HTTP/1.1 201"):
            raise Problem(f"a create answered {answer[:80]!r}")
        while waiting:
            ready = poll.poll(5)
            if not ready:
                raise Problem(f"{len(waiting)} of {len(streams)} streams did not get an event within 5 s")
            for descriptor, _ in ready:
                if mark in by_descriptor[descriptor].recv(1 << 20):
                    seen = seen or time.monotonic()
                    waiting.discard(descriptor)
        first.append(max(0.0, seen - acknowledged))
        last.append(time.monotonic() - acknowledged)
    cpu = process.cpu_seconds(board.server.pid) - started
    writer.close()
    poll.close()
    return sorted(first), sorted(last), cpu


def _open(connection: socket.socket, request: bytes) -> None:
    connection.sendall(request)
    received = b""
    while b"caughtup" not in received or not received.endswith(b"\n\n\r\n"):
        piece = connection.recv(65536)
        if not piece or not (received + piece).startswith(b"HTTP/1.1 200"):
            raise OSError(f"answered {(received + piece)[:80]!r}")
        received += piece


def _require_descriptors(wanted: int) -> None:
    if raise_descriptor_limit() < wanted + 200:
        raise Problem(f"{wanted} connections need more open files than the system allows: raise `ulimit -Hn`.")


SCENARIOS = [
    Scenario("idle-streams", "RssAnon with 10,000 idle event streams, and CPU of creates in another zone",
             idle_streams),
    Scenario("stored-subscriptions", "CPU of creates beside 10,000 stored subscriptions to another type",
             stored_subscriptions),
    Scenario("stream-fan-out", "one commit to 1,000 event streams of its zone", stream_fan_out),
]
