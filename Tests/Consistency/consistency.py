#!/usr/bin/env python3
"""Lets many clients work on one server, writes down what they are told, and asks whether all of it can be true.

    python3 Tests/Consistency/consistency.py                        # the release build, five rounds
    python3 Tests/Consistency/consistency.py --rounds 50 --seconds 4
    python3 Tests/Consistency/consistency.py --lie stale            # a defect that must be found
    python3 Tests/Consistency/consistency.py --again .consistency/round-3   # judge a kept round once more

README.md says what is checked, and how.
"""
import argparse
import pickle
import shutil
import subprocess
import sys
import time
from pathlib import Path
from random import Random

from cast import MIXES
from judge import judge
from liar import LIES
from round import Round, make_template
from suite import parse, parser_of, server_binary
from totals import Totals


def main() -> int:
    options = arguments()
    if options.again:
        with open(options.again / "history.pickle", "rb") as file:
            found = judge(*pickle.load(file))
        print("\n".join(found) or "consistent")
        return 1 if found else 0
    binary = server_binary(options)
    if binary is None:
        return 2
    options.work.mkdir(parents=True, exist_ok=True)
    if options.slow_commits:
        library = options.work.resolve() / "slow_unlock.so"
        source = Path(__file__).resolve().with_name("slow_unlock.c")
        subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-o", str(library), str(source), "-ldl"], check=True)
        options.settings["LD_PRELOAD"] = str(library)
    print(f"seed {options.seed}: {options.rounds} rounds of {options.seconds:g} s", flush=True)
    random, failures, totals = Random(options.seed), 0, Totals(options.seconds)
    template = make_template(binary, options.work / "template")
    for number in range(1, options.rounds + 1):
        place = options.work / f"round-{number}"
        shutil.rmtree(place, ignore_errors=True)
        one = Round(binary, place, template, options, Random(random.randrange(10**9)))
        begun = time.monotonic()
        try:
            found = one.play()
        except Exception as problem:  # whatever a round did not reckon with is a finding too
            found = one.evidence.problems + [f"{type(problem).__name__}: {problem}"]
        totals.add(one.evidence.counts, one.metric)
        print(f"round {number}: {one.summary()}; {time.monotonic() - begun:.1f} s{'' if found else ': consistent'}",
              flush=True)
        for sentence in found[:20]:
            print(f"    {sentence}", flush=True)
        if found:
            failures += 1
            one.keep()
            print(f"    {len(found)} findings; kept: {place}", flush=True)
        else:
            shutil.rmtree(place, ignore_errors=True)
    missing = totals.missing()
    print("\n".join([f"{totals.summary()}; {failures} rounds failed.", *(f"    {one}" for one in missing)]))
    return 1 if failures or missing else 0


def arguments() -> argparse.Namespace:
    parser = parser_of(__doc__, ".consistency")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=4, help="the load of a round")
    parser.add_argument("--breaks", type=float, default=0.03, metavar="SHARE", help="writes whose answer nobody awaits")
    parser.add_argument("--mix", choices=MIXES, help="which clients there are; otherwise chance decides")
    parser.add_argument("--slow-commits", action="store_true",
                        help="stretch the moment between a commit and its publication (slow_unlock.c)")
    parser.add_argument("--lie", choices=sorted(LIES), help="a defect that the clients play")
    parser.add_argument("--again", type=Path, metavar="FOLDER", help="judge a round that was kept")
    return parse(parser)


if __name__ == "__main__":
    sys.exit(main())
