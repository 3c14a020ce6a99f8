"""Runs modules of self tests, each in a process of its own, several at once.

    python3 -m Tests.harness.self_tests MODULE…                # as many at once as there are processors
    python3 -m Tests.harness.self_tests --at-once 1 MODULE…    # one after the other
    python3 -m unittest MODULE                                 # one module alone, or MODULE.CLASS.TEST

They wait for most of their time: for servers, disks and clocks. When one has ended, the next one starts, in the order
of the arguments, so name long ones first. When a module ends, one line says how. If it failed, all that it printed
follows. A module without tests fails.
"""
import argparse
import os
import re
import sys

from Tests.harness.arguments import run_main
from Tests.harness.at_once import Command, run


def verdict(status: int, text: str) -> tuple[bool, str]:
    """Whether `python3 -m unittest` has run tests that all passed, and how it ended."""
    found = re.findall(r"^Ran (\d+) tests? in ", text, re.MULTILINE)
    count = int(found[-1]) if found else 0
    return status == 0 and count > 0, f"{count} tests, " + text.rpartition("\n")[2]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--at-once", type=int, default=os.cpu_count() or 1, metavar="N",
                        help="modules that run at the same time (default: the number of processors)")
    parser.add_argument("modules", nargs="+", metavar="MODULE")
    options = parser.parse_args()
    return run([Command(one, [sys.executable, "-m", "unittest", one], verdict) for one in options.modules],
               max(1, options.at_once))


if __name__ == "__main__":
    run_main(main)
