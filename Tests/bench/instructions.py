"""Compares the instructions that requests take in builds of the server, as callgrind counts them.

Unlike time, they do not depend on the machine's other work, so a single run shows a change of a percent, and where it
comes from. The kernel's are not counted. Work in the background meets some requests and not others; the least of
several runs, function by function, leaves it out.
"""
import argparse
import shutil
import subprocess
from collections import Counter
from pathlib import Path

from Tests.bench.context import Context, Options
from Tests.bench.function_order import KINDS, REQUESTS, profile
from Tests.harness import tools
from Tests.harness.arguments import ROOT, run_main


def least(runs: list[Counter[str]]) -> Counter[str]:
    """The least instructions of each function."""
    return Counter({name: min(run[name] for run in runs) for name in runs[0] if all(name in run for run in runs)})


def differences(first: Counter[str], other: Counter[str], most: int) -> list[tuple[str, float]]:
    """The functions whose instructions per request differ most, with the difference."""
    changed = {name: (other[name] - first[name]) / REQUESTS for name in first.keys() | other.keys()}
    return sorted(changed.items(), key=lambda one: -abs(one[1]))[:most]


def count(build: Path, work: Path, kinds: list[str], runs: int) -> dict[str, Counter[str]]:
    """The instructions of each function for each kind of request."""
    context = Context(Options(str(build), work))
    try:
        # Without debug information, which valgrind takes a minute to read.
        stripped = context.fresh_directory("binary") / build.name
        stripped.parent.mkdir()
        subprocess.run([tools.path("strip"), "--strip-debug", "-o", stripped, build], check=True)
        context.options.binary = str(stripped)
        profiles = [profile(context, stripped, kinds) for _ in range(runs)]
        return {kind: least([run[kind].instructions + run[kind].libraries for run in profiles]) for kind in kinds}
    finally:
        context.close()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("builds", nargs="+", type=Path, metavar="BUILD",
                        help="binaries of the server; the others are compared with the first")
    parser.add_argument("--kinds", default=",".join(KINDS), help="kinds of requests (default: %(default)s)")
    parser.add_argument("--functions", type=int, default=0, metavar="COUNT",
                        help="show the functions that differ most, and their instructions per request")
    parser.add_argument("--runs", type=int, default=2, help="runs of each build (default %(default)s)")
    parser.add_argument("--work", type=Path, default=ROOT / ".bench", help="a directory (default: .bench)")
    given = parser.parse_args()
    kinds = given.kinds.split(",")
    if unknown := [kind for kind in kinds if kind not in KINDS]:
        parser.error(f"no kind is called {unknown[0]}. There are {', '.join(KINDS)}")
    if missing := [build for build in given.builds if not build.is_file()]:
        parser.error(f"{missing[0]} does not exist: name binaries, as .build/release/fogbase")
    found = [count(build.resolve(), given.work, kinds, given.runs) for build in given.builds]
    print(f"{'request':15} {'instructions':>12}  ratio  build")
    for kind in kinds:
        first = found[0][kind]
        for build, counted in zip(given.builds, found):
            one = counted[kind]
            print(f"{kind:15} {one.total() / REQUESTS:12,.0f}  {one.total() / first.total():5.3f}  {build}")
            if given.functions and one is not first:
                for name, more in differences(first, one, given.functions):
                    print(f"    {more:+10,.0f}  {demangled(name)[:shutil.get_terminal_size((160, 24)).columns - 16]}")
    return 0


def demangled(name: str) -> str:
    if not (tool := shutil.which("swift-demangle")):
        return name
    return subprocess.run([tool, "--compact", "--simplified", name], capture_output=True, text=True).stdout.strip()


if __name__ == "__main__":
    run_main(main)
