"""Ends the server in every way there is, in the middle of much work, and checks what is left.

    python3 -m Tests.crash                                # the release build, 20 rounds, four of each kind
    python3 -m Tests.crash --rounds 10 --kinds sync,full
    python3 -m Tests.crash --seed 7 --from 251 --rounds 250 --json rounds.jsonl    # the second half of 500
    python3 -m Tests.crash --again .crash/round-3 --cut 1 # check one cut of a failed round again
    python3 -m Tests.crash --plant ack --rounds 5         # plants a fault: every round must fail
"""
import argparse
import contextlib
import fcntl
import os
import pickle
import shutil
from pathlib import Path
from random import Random

from Tests.crash import large_type, planted_faults
from Tests.crash.full_disk_round import FullRound, unmount
from Tests.crash.power_round import PowerRound
from Tests.crash.process_rounds import KillRound, StopRound
from Tests.crash.round import Round
from Tests.crash.stream_clients import SETTINGS
from Tests.crash.sync_round import SyncRound
from Tests.crash.totals import Totals
from Tests.harness.arguments import make_parser, parse, run_main
from Tests.harness.rounds import add_round_options, run_rounds
from Tests.powercut.journal import build

KINDS = {one.kind: one for one in (KillRound, PowerRound, SyncRound, FullRound, StopRound)}


def main() -> int:
    options = arguments()
    options.work.mkdir(parents=True, exist_ok=True)
    if options.again:
        return check_again(options)
    with lock(options.work) as is_alone:
        if not is_alone:
            print(f"Another run works in {options.work}. Name another directory with --work.")
            return 2
        return run(options)


def run(options: argparse.Namespace) -> int:
    library = build(options.work)
    if options.plant == "forget":
        os.environ["POWERCUT_FORGET"] = "-wal"
    print(f"seed {options.seed}: {options.rounds} rounds of {', '.join(options.kinds)}, {options.writers} writers",
          flush=True)
    totals = Totals(options.kinds, options.json)
    next_disks: dict[str, Path | None] = {}
    shutil.rmtree(options.work / "large-type", ignore_errors=True)
    for left_mounted in options.work.glob("round-*/disk"):
        unmount(left_mounted)

    def make(number: int, directory: Path) -> Round:
        kind = options.kinds[(number - 1) % len(options.kinds)]
        # The seed depends on the number alone, so that one round can be repeated.
        random, disk = Random(f"{options.seed} {number} {kind}"), next_disks.get(kind)
        needs_large_type = random.random() < options.large_type and kind != "full"
        if needs_large_type and not (disk and disk.name.endswith(large_type.TYPE)):
            disk = options.work / "large-type"
            if not disk.exists():
                large_type.prepare(options.binary, disk)
        return KINDS[kind](options.binary, directory, library, options, random, f"r{number}", disk)

    def after(number: int, one: Round, seconds: float, found: list[str]) -> None:
        totals.add(number, options.seed, one, seconds, found)
        size = large_type.TYPE if one.large_type else "small"
        next_disks[one.kind] = None if found else one.next_disk(options.work / f"continued-{one.kind}-{size}")

    numbers = range(options.first, options.first + options.rounds)
    failed = run_rounds(options, numbers, make, after)
    print(totals, *totals.details(), sep="\n")
    return 1 if failed or totals.gaps() else 0


@contextlib.contextmanager
def lock(work: Path):
    """Whether no other run works in the directory: two runs would delete each other's rounds."""
    with open(work / "lock", "w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
            return
        yield True


def check_again(options: argparse.Namespace) -> int:
    """Builds the disks of a kept round again, and checks them."""
    with open(options.again / "round.pickle", "rb") as file:
        one: Round = pickle.load(file)
    one.binary, one.directory, one.options = options.binary, options.again, options
    cuts = [cut for cut in one.cuts if options.cut in (None, cut.number)]
    found = one.check_cuts(cuts)
    print("\n".join(found) or "ok")
    return 1 if found else 0


def arguments() -> argparse.Namespace:
    parser = make_parser(__doc__, ".crash")
    add_round_options(parser, 20)
    parser.add_argument("--kinds", default=",".join(KINDS), help="the ways in which rounds end, in turn")
    parser.add_argument("--from", dest="first", type=int, default=1, metavar="N",
                        help="the number of the first round, to continue a long run with its seed")
    parser.add_argument("--json", type=Path, metavar="FILE", help="append a line of JSON for each round")
    parser.add_argument("--writers", type=int, default=32)
    parser.add_argument("--seconds", type=float, default=2, help="the longest load of a round")
    parser.add_argument("--cuts", type=int, default=3, help="random power cuts in a round of power or sync")
    parser.add_argument("--start-seconds", type=float, default=2,
                        help="in which a server must be ready again (default %(default)s; a busy machine needs more)")
    parser.add_argument("--stop-seconds", type=float, default=22, help="in which a server must end after SIGTERM")
    parser.add_argument("--full-seconds", type=float, default=30, help="in which the small disk must become full")
    parser.add_argument("--broken-starts", type=float, default=0.3, metavar="SHARE",
                        help="rounds in which starts are killed first")
    parser.add_argument("--large-type", type=float, default=0.5, metavar="SHARE",
                        help="rounds that must begin with a type of many records; others may continue with one")
    parser.add_argument("--no-mount", dest="mount", action="store_false", help="inject write errors, mount nothing")
    parser.add_argument("--again", type=Path, metavar="DIRECTORY", help="check the cuts of a kept round again")
    parser.add_argument("--cut", type=int, help="with --again: the number of the cut")
    parser.add_argument("--plant", choices=["ack", "sync", "forget", "restart", *planted_faults.KINDS],
                        help="for self tests: a fault that each round must find")
    options = parse(parser)
    options.settings = SETTINGS | options.settings
    options.kinds = options.kinds.split(",")
    if unknown := set(options.kinds) - set(KINDS):
        parser.error(f"no such kind: {', '.join(unknown)}; there are {', '.join(KINDS)}")
    return options


if __name__ == "__main__":
    run_main(main)
