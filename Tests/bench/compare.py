"""Compares builds of the server: the same load on each in turns of a second, with what the processor counted for it.

A machine's speed changes by the minute, and CPU time with it; servers that are loaded in turn within the same seconds
see the same machine. Instructions, cycles and misses of the caches vary less than time, and tell why.
"""
import argparse
import json
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median

from Tests.bench.asset_load import MIB
from Tests.bench.context import Board, Context, Options
from Tests.bench.forum import forum, private_forums
from Tests.bench.load import Measurement
from Tests.bench.scenarios import access, assets, queries, writes
from Tests.bench.scenarios.reads import reads
from Tests.harness import tools
from Tests.harness.arguments import ROOT, run_main
from Tests.harness.client import message, quoted
from Tests.harness.errors import Problem
from Tests.harness.server import raise_descriptor_limit

COUNTERS = ("instructions:u", "instructions:k", "cycles:u", "cycles:k", "cache-misses")
CPU = "CPU µs"
# For perf to begin and to end: it counts nothing on a server without requests.
PERF_SECONDS = 0.3

Runner = Callable[[float], Measurement]


def _of_board(messages: Callable[[Board], list[bytes]], expect: int = 200, posts: int = 4000):
    @contextmanager
    def opened(context: Context, build: Path) -> Iterator[tuple[int, Runner]]:
        context.options.binary = str(build)
        with context.board(posts) as board:
            yield board.server.pid, context.load(board.server, messages(board), expect=expect)
    return opened


@contextmanager
def _pages(context: Context, build: Path) -> Iterator[tuple[int, Runner]]:
    context.options.binary = str(build)
    with forum(context, context.options.records, copy=True) as copied:
        yield copied.server.pid, queries.page_load(context, copied)


@contextmanager
def _batches(context: Context, build: Path) -> Iterator[tuple[int, Runner]]:
    context.options.binary = str(build)
    with context.board(posts=2000) as board:
        yield board.server.pid, writes.batch_load(context, board)


@contextmanager
def _private_pages(context: Context, build: Path) -> Iterator[tuple[int, Runner]]:
    context.options.binary = str(build)
    with private_forums(context, max(1, context.options.records // 100), copy=True) as forums:
        yield forums.server.pid, queries.private_page_load(context, forums)


def _feed_pages(board: Board) -> list[bytes]:
    """The last 50 of 200 changes, as a client requests them that has fallen behind."""
    client = board.server.client(board.token)
    seen = quoted(client.call("GET", "/changes?limit=150").json()["token"])
    return [message("GET", f"/changes?limit=50&since={seen}", board.token)]


@contextmanager
def _downloads(context: Context, build: Path) -> Iterator[tuple[int, Runner]]:
    context.options.binary = str(build)
    with assets.asset_server(context) as (server, load):
        path = load.make_asset(MIB)["downloadURL"]
        yield server.pid, lambda seconds: load.download(path, MIB, connections=assets.CONNECTIONS,
                                                        seconds=seconds)


# The requests of one load, and how a server for it is opened.
KINDS = {
    "read": ("GET of 4,000 posts by an anonymous caller", _of_board(reads)),
    "read-session": ("the same with a session token", _of_board(lambda board: reads(board, board.token))),
    "read-list": ("GET of records with an access list", _of_board(access.listed_reads)),
    "page": ("a page of 50 by filter and sort (--records)", _pages),
    "page-private": ("a page of 50 of a private database, with a session (--records)", _private_pages),
    "feed": ("a page of 50 of the change feed", _of_board(_feed_pages, posts=200)),
    "create": ("durable single creates", _of_board(writes.creates, 201)),
    "increment": ("increments of a counter",
                  _of_board(lambda board: writes.increments(board, board.names))),
    "batch": ("records of atomic batches of 200 creates", _batches),
    "asset": ("MiB of downloads of an asset of 1 MiB", _downloads),
}


def counted(text: str, operations: int) -> dict[str, float]:
    """The output of `perf stat -x,`, per operation; without counters that it does not support."""
    found = {}
    for line in text.splitlines():
        value, _, event, *_ = [*line.split(","), "", "", ""]
        if event and value.replace(".", "", 1).isdigit():
            found[event] = float(value) / operations
    return found


def measure(pid: int, run: Runner, seconds: float, counters: list[str]) -> dict[str, float]:
    """One turn: CPU time and counters per operation."""
    if not counters:
        return {CPU: run(seconds).cpu_us}
    perf = subprocess.Popen([tools.path("perf"), "stat", "-x,", "-e", ",".join(counters), "-p", str(pid)],
                            stderr=subprocess.PIPE, text=True)
    time.sleep(PERF_SECONDS)
    measured = run(seconds)
    perf.send_signal(signal.SIGINT)
    return {CPU: measured.cpu_us} | counted(perf.communicate()[1], measured.operations)


def usable_counters() -> list[str]:
    """Those that this machine has, and lets us read; virtual ones often have none."""
    try:
        perf = tools.path("perf")
    except Problem as problem:
        print(problem)
        return []
    done = subprocess.run([perf, "stat", "-x,", "-e", ",".join(COUNTERS), "true"], capture_output=True, text=True)
    return list(counted(done.stderr, 1))


def ratios(first: list[dict[str, float]], other: list[dict[str, float]], name: str) -> list[float]:
    """The cost of a build relative to the first one, turn by turn."""
    return [b[name] / a[name] for a, b in zip(first, other) if a.get(name) and name in b]


def lines(kind: str, builds: list[Path], turns: list[list[dict[str, float]]]) -> Iterator[dict]:
    """A line for each counter of each build except the first, which the others are compared with."""
    for build, found in zip(builds[1:], turns[1:]):
        for name in found[0]:
            if known := ratios(turns[0], found, name):
                yield {"kind": kind, "counter": name, "build": str(build),
                       "first": median(one[name] for one in turns[0] if name in one),
                       "this": median(one[name] for one in found if name in one),
                       "ratio": median(known), "least": min(known), "most": max(known)}


def compare(context: Context, builds: list[Path], kind: str, turns: int, counters: list[str]) -> Iterator[dict]:
    """The servers of all builds run at the same time, and each is loaded in turn."""
    found: list[list[dict[str, float]]] = [[] for _ in builds]
    with ExitStack() as stack:
        opened = [stack.enter_context(KINDS[kind][1](context, build)) for build in builds]
        for _, run in opened:
            run(1)
        for _ in range(turns):
            for (pid, run), list_ in zip(opened, found):
                list_.append(measure(pid, run, 1, counters))
    return lines(kind, builds, found)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("builds", nargs="+", type=Path, metavar="BUILD",
                        help="binaries of the server; the others are compared with the first. One alone is compared "
                             "with itself, which shows what the machine's noise is")
    parser.add_argument("--kinds", default=",".join(KINDS), help="loads, separated by commas (default: %(default)s)")
    parser.add_argument("--turns", type=int, default=12, help="turns of a second for each build (default %(default)s)")
    parser.add_argument("--records", type=int, default=100_000, help="records of `page` (default %(default)s)")
    parser.add_argument("--work", type=Path, default=ROOT / ".bench",
                        help="a directory on a real disk (default: .bench)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="append the figures as JSON lines")
    given = parser.parse_args()
    given.kinds = given.kinds.split(",")
    if unknown := [kind for kind in given.kinds if kind not in KINDS]:
        known = "; ".join(f"{name}: {what}" for name, (what, _) in KINDS.items())
        parser.error(f"no load is called {unknown[0]}. There are {known}")
    if given.turns < 1:
        parser.error("--turns wants one at least")
    if missing := [build for build in given.builds if not build.is_file()]:
        parser.error(f"{missing[0]} does not exist: name binaries, as .build/release/fogbase")
    return given


def main() -> int:
    given = arguments()
    builds = [build.resolve() for build in given.builds]
    if len(builds) == 1:
        builds *= 2
    raise_descriptor_limit()
    counters = usable_counters()
    if not counters:
        print("perf is missing or can count nothing here (kernel.perf_event_paranoid): CPU time alone")
    context = Context(Options(str(builds[0]), given.work, records=given.records))
    try:
        print(f"{'load':13} {'per operation':15} {'first':>10} {'this':>10}  ratio  (least to most)  build")
        for kind in given.kinds:
            for line in compare(context, builds, kind, given.turns, counters):
                print(f"{line['kind']:13} {line['counter']:15} {line['first']:10,.1f} {line['this']:10,.1f}  "
                      f"{line['ratio']:5.3f}  ({line['least']:.3f} to {line['most']:.3f})  {line['build']}", flush=True)
                if given.json:
                    with given.json.open("a") as out:
                        print(json.dumps(line), file=out)
    finally:
        context.close()
    return 0


if __name__ == "__main__":
    run_main(main)
