#!/usr/bin/env python3
"""Cuts the power under the real server, again and again, and looks at what is left.

    python3 Tests/PowerCut/powercut.py                       # the release build, ten rounds
    python3 Tests/PowerCut/powercut.py --rounds 5 --seconds 2
    python3 Tests/PowerCut/powercut.py --again .powercut/round-3 --cut 1   # one cut of a failed round once more

Each round starts the server with a library that keeps a journal of what it does to its files (powercut.c), lets clients
write and read, and kills it. From the journal it builds what a disk may hold if the power had gone at some moment
(survivors.py), starts the server on that, and asks the clients whether anything is missing that they had been told.
"""
import argparse
import pickle
import shutil
import sys
import time
from pathlib import Path
from random import Random

import watched  # noqa: F401  (it knows where Tests/Bench is)
from journal import build
from round import FAILURES, Round
from shown import Shown
from suite import parse, parser_of, server_binary


def main() -> int:
    options = arguments()
    binary = server_binary(options)
    if binary is None:
        return 2
    options.work.mkdir(parents=True, exist_ok=True)
    if options.again:
        return again(options, binary)
    print(f"seed {options.seed}: {options.rounds} rounds of up to {options.seconds} s, {options.cuts} cuts each")
    random, library = Random(options.seed), build(options.work)
    failures, cuts, continued, shown = 0, 0, None, Shown()
    for number in range(1, options.rounds + 1):
        place = options.work / f"round-{number}"
        shutil.rmtree(place, ignore_errors=True)
        one = Round(binary, place, library, options, Random(random.randrange(10**9)), f"r{number}", continued)
        begun = time.monotonic()
        try:
            found = one.play()
        except FAILURES as problem:
            found = [f"{type(problem).__name__}: {problem}", *one.findings()]
        finally:
            one.close()
        cuts += len(one.cuts)
        shown.add(one.actors)
        print(f"round {number}: {one.summary()}; {len(one.cuts)} cuts, {time.monotonic() - begun:.1f} s"
              f"{'' if found else ': nothing lost'}", flush=True)
        for sentence in found[:20]:
            print(f"    {sentence}", flush=True)
        if found:
            failures += 1
            one.keep()
            print(f"    kept: {place}; repeat a cut with --again {place} --cut N", flush=True)
            continued = None
        else:
            continued = one.heir(options.work / "continued")
            shutil.rmtree(place, ignore_errors=True)
    print(f"{cuts} cuts in {options.rounds} rounds; {shown}; {failures} rounds failed.")
    for sentence in shown.gaps():
        print(f"    {sentence}")
    return 1 if failures or shown.gaps() else 0


def again(options, binary: str) -> int:
    """Builds one survivor of a kept round once more, and judges it."""
    with open(options.again / "round.pickle", "rb") as file:
        one: Round = pickle.load(file)
    one.binary, one.place, one.options = binary, options.again, options
    cuts = [one.cuts[options.cut - 1]] if options.cut else one.cuts
    found = one.judge(cuts)
    print("\n".join(found) or "nothing lost")
    return 1 if found else 0


def arguments() -> argparse.Namespace:
    parser = parser_of(__doc__, ".powercut")
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--seconds", type=float, default=2, help="the longest load of a round")
    parser.add_argument("--cuts", type=int, default=6, help="cuts per round")
    parser.add_argument("--clients", type=int, default=3, help="clients of each kind")
    parser.add_argument("--start-seconds", type=float, default=2, help="in which a server must be ready after a cut")
    parser.add_argument("--stumbles", type=float, default=0.3, metavar="SHARE", help="rounds with broken starts before")
    parser.add_argument("--uploaders", type=int, default=4, help="clients that upload files")
    parser.add_argument("--no-assets", dest="assets", action="store_false", help="records only")
    parser.add_argument("--again", type=Path, metavar="FOLDER", help="judge a round that was kept")
    parser.add_argument("--cut", type=int, help="with --again: the number of the cut")
    return parse(parser)


if __name__ == "__main__":
    sys.exit(main())
