"""Gives the same work to Fogbase, to Kinto with PostgreSQL and to FastAPI with SQLite. See README.md."""
import argparse
import json
import shutil
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path

from Tests.bench import machine
from Tests.bench.packages import environment
from Tests.bench.peers.fastapi_peer import FastAPIPeer
from Tests.bench.peers.fogbase_peer import FogbasePeer
from Tests.bench.peers.kinto_peer import KintoPeer
from Tests.bench.peers.meters import count_syncs, memory
from Tests.bench.peers.peer import Peer
from Tests.bench.peers.results import Result, summed_up, table
from Tests.bench.peers.work import WORKS, Bench
from Tests.harness.arguments import make_parser, parse, run_main
from Tests.harness.errors import Problem
from Tests.harness.server import raise_descriptor_limit

NAMES = ("fogbase", "fastapi", "kinto")


def arguments() -> argparse.Namespace:
    parser = make_parser(__doc__, ".bench/peers")
    parser.add_argument("--seconds", type=float, default=3, help="length of one run (default %(default)s)")
    parser.add_argument("--rounds", type=int, default=3, help="rounds over all servers (default %(default)s)")
    parser.add_argument("--records", type=int, default=100_000, help="posts in each server (default %(default)s)")
    parser.add_argument("--connections", type=int, nargs="+", default=[1, 8, 64], metavar="N")
    parser.add_argument("--only", nargs="+", choices=NAMES, default=NAMES, help="these servers")
    parser.add_argument("--works", nargs="+", choices=WORKS, default=WORKS, help="these kinds of work")
    parser.add_argument("--json", type=Path, metavar="FILE", help="append the results as JSON lines")
    parser.add_argument("--allow-skips", action="store_true",
                        help="end with status 0 also if syncs could not be counted")
    given = parse(parser)
    if given.records < 5000 or given.rounds < 1:
        parser.error("--records needs at least 5000, --rounds at least 1")
    return given


def main() -> int:
    given = arguments()
    raise_descriptor_limit()
    given.work.mkdir(parents=True, exist_ok=True)
    if machine.disk_of(given.work)[0] in ("tmpfs", "ramfs"):
        raise Problem(f"{given.work} is in memory, where a sync costs nothing: name a directory on a disk with --work.")
    directory = Path(tempfile.mkdtemp(prefix="run-", dir=given.work)).resolve()
    # PostgreSQL's account has to pass.
    directory.chmod(0o755)
    facts = machine.facts(directory, given.binary)
    print("\n".join(f"{name:18} {value}" for name, value in facts.items()), flush=True)
    peers: list[Peer] = []
    try:
        peers = _started(given, directory, peers)
        lines = [{"machine": facts, "seconds": given.seconds, "rounds": given.rounds, "records": given.records,
                  "suite": "peers"}]
        unshown = [peer.name for peer in peers if not shown_durable(peer, directory, lines)]
        results = _measured(given, directory, peers)
    finally:
        for peer in peers:
            try:
                peer.stop()
            except Problem as problem:
                print(f"peers: {problem}", file=sys.stderr)
        shutil.rmtree(directory, ignore_errors=True)
    lines += [asdict(result) | {"suite": "peers"} for result in results]
    if given.json:
        with open(given.json, "a") as log:
            log.writelines(json.dumps(line | ({} if "machine" in line else machine.origin(facts)),
                                      ensure_ascii=False) + "\n" for line in lines)
    print("\n" + table(results))
    print("\n" + last_line(results, unshown))
    return status(results, unshown, given.allow_skips)


def last_line(results: list[Result], unshown: list[str]) -> str:
    """The failures, and the servers whose writes may not be durable."""
    parts = [f"{sum(one.errors for one in _faults(results)):,} requests to Fogbase failed"] if _faults(results) else []
    if unshown:
        parts.append(f"not shown: that creates are durable on {', '.join(unshown)}, since syncs were not counted")
    return "; ".join(parts) or "no request to Fogbase failed, and all servers synced each create"


def status(results: list[Result], unshown: list[str], allow_skips: bool) -> int:
    return int(bool(_faults(results) or unshown and not allow_skips))


def _faults(results: list[Result]) -> list[Result]:
    """Kinto rejects some concurrent writes by design; an error of the benchmark must not become a figure."""
    return [result for result in results if result.server == "fogbase" and result.errors]


def _started(given: argparse.Namespace, directory: Path, peers: list[Peer]) -> list[Peer]:
    """Starts and fills all servers; each is in `peers` before it starts, so that it will be stopped."""
    binaries = None
    if set(given.only) != {"fogbase"}:
        binaries = environment(given.work.resolve() / "packages", Path(__file__).with_name("requirements.txt"))
    for name in given.only:
        if name == "fogbase":
            peer = FogbasePeer(directory / name, given.binary)
        else:
            peer = {"fastapi": FastAPIPeer, "kinto": KintoPeer}[name](directory / name, binaries)
        peers.append(peer)
        peer.start()
        peer.paths = peer.add(given.records)
        peer.check()
        print(f"{name}: filled with {given.records:,} posts", flush=True)
    return peers


def shown_durable(peer: Peer, directory: Path, lines: list[dict]) -> bool:
    """Notes the server's facts and its memory at rest; whether its creates were shown to be durable, by their syncs."""
    count = 50
    creates = [peer.create(10_000_000 + number) for number in range(count)]
    syncs, reason = count_syncs(peer.pids(), peer.port, creates, str(directory / f"{peer.name}.strace"))
    total, own = memory(peer.pids())
    facts = peer.facts()
    lines.append({"suite": "peers", "server": peer.name, "facts": facts, "syncs": syncs, "creates": count,
                  "memory_mb": round(total, 1), "own_memory_mb": round(own, 1)})
    print(f"{peer.name}: " + ", ".join(f"{name} {version}" for name, version in facts["versions"].items()))
    print(f"    {facts['settings']}")
    print("\n".join(f"    {command}" for command in facts["commands"]))
    print(f"    {syncs} syncs for {count} creates one after another" if syncs is not None
          else f"    syncs were not counted: {reason}")
    if syncs is not None and syncs < count:
        raise Problem(f"{peer.name} acknowledged {count} creates with {syncs} syncs: it is not durable, so there is "
                      "nothing to compare.")
    print(f"    {total:.0f} MB of memory filled and at rest, {own:.0f} without pages of files", flush=True)
    return syncs is not None


def _measured(given: argparse.Namespace, directory: Path, peers: list[Peer]) -> list[Result]:
    bench = Bench(directory / "messages", given.seconds)
    for number in range(given.rounds):
        for work in given.works:
            for connections in given.connections:
                for peer in peers:
                    bench.run(peer, work, connections)
                shown = ", ".join(f"{peer.name} {bench.last(peer, work, connections):,.0f}" for peer in peers)
                print(f"round {number + 1}: {work} at {connections}: {shown} /s", flush=True)
    return summed_up(bench.measured)


if __name__ == "__main__":
    run_main(main)
