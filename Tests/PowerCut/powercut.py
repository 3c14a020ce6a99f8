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
import secrets
import shutil
import sys
import time
from pathlib import Path
from random import Random

from journal import build
from round import FAILURES, Round

ROOT = Path(__file__).resolve().parents[2]


def main() -> int:
    options = arguments()
    binary = str(Path(options.binary).resolve())
    if not Path(binary).is_file():
        print(f"There is no {binary}. Run 'make build' first, or name a server with --binary.")
        return 2
    options.work.mkdir(parents=True, exist_ok=True)
    if options.again:
        return again(options, binary)
    seed = options.seed if options.seed is not None else secrets.randbelow(10**9)
    print(f"seed {seed}: {options.rounds} rounds of up to {options.seconds} s, {options.cuts} cuts each")
    random, library = Random(seed), build(options.work)
    failures, cuts, continued = 0, 0, None
    for number in range(1, options.rounds + 1):
        place = options.work / f"round-{number}"
        shutil.rmtree(place, ignore_errors=True)
        one = Round(binary, place, library, options, Random(random.randrange(10**9)), f"r{number}", continued)
        begun = time.monotonic()
        try:
            found = one.play()
        except FAILURES as problem:
            found = [f"{type(problem).__name__}: {problem}"]
        cuts += len(one.cuts)
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
    print(f"{cuts} cuts in {options.rounds} rounds; {failures} rounds failed.")
    return 1 if failures else 0


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
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", default=str(ROOT / ".build/release/fogbase"))
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--seconds", type=float, default=2, help="the longest load of a round")
    parser.add_argument("--cuts", type=int, default=6, help="cuts per round")
    parser.add_argument("--seed", type=int, help="of all choices; the threads' interleaving is not among them")
    parser.add_argument("--clients", type=int, default=3, help="clients of each kind")
    parser.add_argument("--start-seconds", type=float, default=2, help="in which a server must be ready after a cut")
    parser.add_argument("--work", type=Path, default=ROOT / ".powercut", help="a folder for everything")
    parser.add_argument("--stumbles", type=float, default=0.3, metavar="SHARE", help="rounds with broken starts before")
    parser.add_argument("--env", action="append", default=[], metavar="KEY=VALUE", help="a setting for the server")
    parser.add_argument("--uploaders", type=int, default=4, help="clients that upload files")
    parser.add_argument("--no-assets", dest="assets", action="store_false", help="records only")
    parser.add_argument("--again", type=Path, metavar="FOLDER", help="judge a round that was kept")
    parser.add_argument("--cut", type=int, help="with --again: the number of the cut")
    options = parser.parse_args()
    options.settings = dict(one.split("=", 1) for one in options.env)
    return options


if __name__ == "__main__":
    sys.exit(main())
