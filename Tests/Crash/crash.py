#!/usr/bin/env python3
"""Ends the server in every way there is, in the middle of much work, and looks at what is left.

    python3 Tests/Crash/crash.py                                # the release build, four rounds of each kind
    python3 Tests/Crash/crash.py --rounds 10 --kinds sync,full
    python3 Tests/Crash/crash.py --seed 7 --from 251 --rounds 250 --json rounds.jsonl    # the second half of 500
    python3 Tests/Crash/crash.py --forge ack --rounds 5         # a test of the test: every round must fail
"""
import argparse
import contextlib
import fcntl
import os
import shutil
import signal
import sys
import time
from pathlib import Path
from random import Random

import paths  # noqa: F401
import behind
import shelf
from folder import KillRound, StopRound
from full import FullRound, unmount
from journal import build
from power import PowerRound
from round import FAILURES
from suite import parse, parser_of, server_binary
from sync import SyncRound
from totals import Totals

KINDS = {one.kind: one for one in (KillRound, PowerRound, SyncRound, FullRound, StopRound)}


def main() -> int:
    options = arguments()
    binary = server_binary(options)
    if binary is None:
        return 2
    options.work.mkdir(parents=True, exist_ok=True)
    with alone(options.work) as is_alone:
        if not is_alone:
            print(f"Another run is at work in {options.work}. Name another folder with --work.")
            return 2
        library = build(options.work)
        if options.forge == "forget":
            os.environ["POWERCUT_FORGET"] = "-wal"
        print(f"seed {options.seed}: {options.rounds} rounds of {', '.join(options.kinds)}, {options.writers} writers",
              flush=True)
        totals = Totals(options.kinds, options.json)
        continued: dict[str, Path | None] = {}
        shutil.rmtree(options.work / "shelf", ignore_errors=True)
        for number in range(options.first, options.first + options.rounds):
            kind = options.kinds[(number - 1) % len(options.kinds)]
            continued[kind] = play(options, binary, library, number, kind, continued.get(kind), totals)
    print(totals, *totals.details(), sep="\n")
    return 1 if totals.failed or totals.gaps() else 0


@contextlib.contextmanager
def alone(work: Path):
    """Whether nobody else works in the folder: two runs would take away each other's rounds."""
    with open(work / "lock", "w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
            return
        yield True


def play(options, binary: str, library: Path, number: int, kind: str, continued: Path | None,
         totals: Totals) -> Path | None:
    """One round; returns the folder with which the next one of its kind goes on."""
    place = options.work / f"round-{number}"
    unmount(place / "disk")  # of a run that was broken off
    shutil.rmtree(place, ignore_errors=True)
    # By the number and not by those before: a round is repeated without them.
    random = Random(f"{options.seed} {number} {kind}")
    if random.random() < options.shelf and kind != "full" and not (continued and continued.name.endswith(shelf.TYPE)):
        continued = shelf_of(options.work / "shelf", binary)
    begun = time.monotonic()
    one = KINDS[kind](binary, place, library, options, random, f"r{number}", continued)
    try:
        found = one.play()
    except FAILURES as problem:
        found = [f"{type(problem).__name__}: {problem}", *one.findings()]
    finally:
        one.close()
    seconds = time.monotonic() - begun
    totals.add(number, options.seed, one, seconds, found)
    outcome = "" if found else ": nothing lost"
    print(f"round {number} {kind}: {one.line()}; {seconds:.1f} s{outcome}", flush=True)
    for sentence in found[:options.sentences]:
        print(f"    {sentence[:1200]}", flush=True)
    if found:
        one.keep()
        print(f"    kept: {place}", flush=True)
        return None
    heir = one.heir(options.work / f"continued-{kind}-{shelf.TYPE if one.shelf else 'small'}")
    shutil.rmtree(place, ignore_errors=True)
    return heir


def shelf_of(place: Path, binary: str) -> Path:
    """The folder with the type of many records, filled when it is needed first."""
    return place if place.exists() else shelf.prepare(binary, place)


def arguments() -> argparse.Namespace:
    parser = parser_of(__doc__, ".crash")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--kinds", default=",".join(KINDS), help="the ways in which a round ends, in turn")
    parser.add_argument("--from", dest="first", type=int, default=1, metavar="N",
                        help="the number of the first round: a long run can be gone on with by its seed")
    parser.add_argument("--json", type=Path, metavar="FILE", help="a line of JSON for each round is added to it")
    parser.add_argument("--writers", type=int, default=32)
    parser.add_argument("--seconds", type=float, default=2, help="the longest load of a round")
    parser.add_argument("--cuts", type=int, default=3,
                        help="power cuts in a round that has such, besides the strictest")
    parser.add_argument("--start-seconds", type=float, default=2,
                        help="in which a server must be ready again (default %(default)s; a busy machine needs more)")
    parser.add_argument("--stop-seconds", type=float, default=22, help="in which a server must end that was asked to")
    parser.add_argument("--full-seconds", type=float, default=30, help="in which the small disk must become full")
    parser.add_argument("--stumbles", type=float, default=0.3, metavar="SHARE", help="rounds with broken starts before")
    parser.add_argument("--shelf", type=float, default=0.5, metavar="SHARE",
                        help="rounds that must begin with a type of many records; others may go on with one")
    parser.add_argument("--no-mount", dest="mount", action="store_false", help="fill the disk by the library alone")
    parser.add_argument("--sentences", type=int, default=12, help="of a failed round that are printed")
    parser.add_argument("--forge", choices=["ack", "sync", "forget", "restart", *behind.KINDS],
                        help="for tests of the tests: a loss that each round must find")
    options = parse(parser)
    options.kinds = options.kinds.split(",")
    options.assets = True
    if unknown := set(options.kinds) - set(KINDS):
        parser.error(f"no such kind: {', '.join(unknown)}; there are {', '.join(KINDS)}")
    return options


if __name__ == "__main__":
    # As an exception, so that the round lets go of its server and its disk.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(2))
    sys.exit(main())
