"""Runs many clients on one server, records what the server returns, and checks whether all of it can be true.

    python3 -m Tests.consistency                          # the release build, five rounds
    python3 -m Tests.consistency --rounds 50 --seconds 4
    python3 -m Tests.consistency --fault stale            # plants a fault that must be found
    python3 -m Tests.consistency --again .consistency/round-3    # check a kept round again

README.md says what is checked, and how.
"""
import argparse
import pickle
from pathlib import Path
from random import Random

from Tests.consistency.checks import check
from Tests.consistency.clients import MIXES
from Tests.consistency.fault_injection import FAULTS
from Tests.consistency.round import Round, make_template
from Tests.consistency.totals import Totals
from Tests.harness.arguments import make_parser, parse, run_main
from Tests.harness.rounds import add_round_options, run_rounds
from Tests.harness.tools import compile_library


def main() -> int:
    options = arguments()
    if options.again:
        with open(options.again / "history.pickle", "rb") as file:
            found = check(*pickle.load(file))
        print("\n".join(found) or "consistent")
        return 1 if found else 0
    options.work.mkdir(parents=True, exist_ok=True)
    if options.slow_commits:
        source = Path(__file__).with_name("slow_unlock.c")
        options.settings["LD_PRELOAD"] = compile_library([source], options.work.resolve())
    print(f"seed {options.seed}: {options.rounds} rounds of {options.seconds:g} s", flush=True)
    random, totals = Random(options.seed), Totals(options.seconds)
    template = make_template(options.binary, options.work / "template")
    failed = run_rounds(
        options, range(1, options.rounds + 1),
        lambda number, directory: Round(directory, template, options, Random(random.randrange(10**9))),
        lambda number, one, seconds, found: totals.add(one.observations.counts, one.metric))
    missing = totals.missing()
    print("\n".join([f"{totals.summary()}; {failed} rounds failed.", *(f"    {one}" for one in missing)]))
    return 1 if failed or missing else 0


def arguments() -> argparse.Namespace:
    parser = make_parser(__doc__, ".consistency")
    add_round_options(parser, 5)
    parser.add_argument("--seconds", type=float, default=4, help="the load of a round")
    parser.add_argument("--disconnects", type=float, default=0.03, metavar="SHARE",
                        help="writes whose response the client does not await")
    parser.add_argument("--mix", choices=MIXES, help="the clients of each round (default: random)")
    parser.add_argument("--slow-commits", action="store_true",
                        help="stretch the moment between a commit and its publication (slow_unlock.c)")
    parser.add_argument("--fault", choices=sorted(FAULTS), help="a fault that the clients inject")
    parser.add_argument("--again", type=Path, metavar="DIRECTORY", help="check a kept round again")
    return parse(parser)


if __name__ == "__main__":
    run_main(main)
