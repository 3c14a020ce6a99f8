#!/usr/bin/env python3
"""Gives the same work to Fogbase, to Kinto with PostgreSQL and to FastAPI with SQLite. README.md tells how."""
import argparse
import json
import shutil
import signal
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import machine  # noqa: E402
from fastapi_peer import FastAPIPeer  # noqa: E402
from fogbase_peer import FogbasePeer  # noqa: E402
from kinto_peer import KintoPeer  # noqa: E402
from meters import count_syncs, memory  # noqa: E402
from packages import environment  # noqa: E402
from peer import Peer  # noqa: E402
from problem import Problem  # noqa: E402
from results import Result, summed_up, table  # noqa: E402
from server import raise_descriptor_limit  # noqa: E402
from work import WORKS, Bench  # noqa: E402

ROOT = Path(__file__).resolve().parents[3]
NAMES = ("fogbase", "fastapi", "kinto")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--binary", default=str(ROOT / ".build/release/fogbase"),
                        help="the Fogbase server (default: %(default)s)")
    parser.add_argument("--work", type=Path, default=ROOT / ".bench/peers",
                        help="a folder on a real disk (default: .bench/peers)")
    parser.add_argument("--seconds", type=float, default=3, help="length of one run (default %(default)s)")
    parser.add_argument("--rounds", type=int, default=3, help="rounds over all servers (default %(default)s)")
    parser.add_argument("--records", type=int, default=100_000, help="posts in each server (default %(default)s)")
    parser.add_argument("--connections", type=int, nargs="+", default=[1, 8, 64], metavar="N")
    parser.add_argument("--only", nargs="+", choices=NAMES, default=NAMES, help="these servers")
    parser.add_argument("--works", nargs="+", choices=WORKS, default=WORKS, help="these kinds of work")
    parser.add_argument("--json", type=Path, metavar="FILE", help="append the results as JSON lines")
    parser.add_argument("--allow-skips", action="store_true",
                        help="end with status 0 also if syncs could not be counted")
    given = parser.parse_args()
    if given.records < 5000 or given.rounds < 1:
        parser.error("--records needs at least 5000, --rounds at least 1")
    return given


def main() -> int:
    given = arguments()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    raise_descriptor_limit()
    given.work.mkdir(parents=True, exist_ok=True)
    if machine.disk_of(given.work)[0] in ("tmpfs", "ramfs"):
        raise Problem(f"{given.work} lies in memory, where a sync costs nothing: name a folder on a disk with --work.")
    folder = Path(tempfile.mkdtemp(prefix="run-", dir=given.work)).resolve()
    # PostgreSQL's account has to pass.
    folder.chmod(0o755)
    facts = machine.facts(folder, given.binary)
    print("\n".join(f"{name:18} {value}" for name, value in facts.items()), flush=True)
    peers: list[Peer] = []
    try:
        peers = _started(given, folder, peers)
        lines = [{"machine": facts, "seconds": given.seconds, "rounds": given.rounds, "records": given.records,
                  "suite": "peers"}]
        unshown = [peer.name for peer in peers if not shown_durable(peer, folder, lines)]
        results = _measured(given, folder, peers)
    finally:
        for peer in peers:
            try:
                peer.stop()
            except Problem as problem:
                print(f"peers: {problem}", file=sys.stderr)
        shutil.rmtree(folder, ignore_errors=True)
    lines += [asdict(result) | {"suite": "peers"} for result in results]
    if given.json:
        with open(given.json, "a") as log:
            log.writelines(json.dumps(line | ({} if "machine" in line else machine.origin(facts)),
                                      ensure_ascii=False) + "\n" for line in lines)
    print("\n" + table(results))
    print("\n" + last_line(results, unshown))
    return status(results, unshown, given.allow_skips)


def last_line(results: list[Result], unshown: list[str]) -> str:
    """What failed, and whose writes may not be durable for all that is known."""
    parts = [f"{sum(one.errors for one in _faults(results)):,} requests to Fogbase failed"] if _faults(results) else []
    if unshown:
        parts.append(f"not shown: that creates are durable on {', '.join(unshown)}, since syncs were not counted")
    return "; ".join(parts) or "no request to Fogbase failed, and all servers synced each create"


def status(results: list[Result], unshown: list[str], allow_skips: bool) -> int:
    return int(bool(_faults(results) or unshown and not allow_skips))


def _faults(results: list[Result]) -> list[Result]:
    """Kinto refuses some concurrent writes by its own design; a fault of ours must not pass as a figure."""
    return [result for result in results if result.server == "fogbase" and result.errors]


def _started(given: argparse.Namespace, folder: Path, peers: list[Peer]) -> list[Peer]:
    """Starts and fills all servers; each stands in `peers` before it starts, so that it will be ended."""
    if "fogbase" in given.only and not Path(given.binary).exists():
        raise Problem(f"{given.binary} does not exist: run `make build`, or name another with --binary.")
    binaries = None
    if set(given.only) != {"fogbase"}:
        binaries = environment(given.work.resolve() / "packages", Path(__file__).with_name("requirements.txt"))
    for name in given.only:
        if name == "fogbase":
            peer = FogbasePeer(folder / name, str(Path(given.binary).resolve()))
        else:
            peer = {"fastapi": FastAPIPeer, "kinto": KintoPeer}[name](folder / name, binaries)
        peers.append(peer)
        peer.start()
        peer.paths = peer.add(given.records)
        peer.check()
        print(f"{name}: filled with {given.records:,} posts", flush=True)
    return peers


def shown_durable(peer: Peer, folder: Path, lines: list[dict]) -> bool:
    """Notes the server's facts and its memory at rest; whether its creates were shown to be durable, by their syncs."""
    count = 50
    creates = [peer.create(10_000_000 + number) for number in range(count)]
    syncs, reason = count_syncs(peer.pids(), peer.port, creates, str(folder / f"{peer.name}.strace"))
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


def _measured(given: argparse.Namespace, folder: Path, peers: list[Peer]) -> list[Result]:
    bench = Bench(folder / "messages", given.seconds)
    for number in range(given.rounds):
        for work in given.works:
            for connections in given.connections:
                for peer in peers:
                    bench.run(peer, work, connections)
                shown = ", ".join(f"{peer.name} {bench.last(peer, work, connections):,.0f}" for peer in peers)
                print(f"round {number + 1}: {work} at {connections}: {shown} /s", flush=True)
    return summed_up(bench.measured)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Problem as problem:
        sys.exit(f"peers: {problem}")
    except KeyboardInterrupt:
        sys.exit(130)
