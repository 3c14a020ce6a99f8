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
import subprocess
import sys
import tempfile
import time
from collections import deque
from dataclasses import dataclass, field
from signal import SIGINT

from Tests.harness.arguments import ROOT, run_main


@dataclass
class Module:
    """The running tests of one module."""
    name: str
    child: subprocess.Popen = field(init=False)

    def __post_init__(self):
        self.begun = time.monotonic()
        self.output = tempfile.TemporaryFile("w+", errors="replace")
        self.child = subprocess.Popen([sys.executable, "-m", "unittest", self.name], cwd=ROOT, stdin=subprocess.DEVNULL,
                                      stdout=self.output, stderr=subprocess.STDOUT)

    def report(self) -> bool:
        """Prints the result of the ended module; returns whether it passed."""
        with self.output:
            self.output.seek(0)
            text = self.output.read().rstrip()
        seconds = time.monotonic() - self.begun
        count = int(found[-1]) if (found := re.findall(r"^Ran (\d+) tests? in ", text, re.MULTILINE)) else 0
        passed = self.child.returncode == 0 and count > 0
        result = text.rpartition("\n")[2] if passed else f"FAILED with status {self.child.returncode}"
        print(f"{self.name}: {count} tests, {result}; {seconds:.1f} s", flush=True)
        if not passed:
            print("\n".join(f"    {line}" for line in text.split("\n")), flush=True)
        return passed


def run(names: list[str], at_once: int) -> list[str]:
    """Runs the modules and returns the names of those that failed."""
    waiting, running, failed = deque(names), [], []
    try:
        while waiting or running:
            while waiting and len(running) < at_once:
                running.append(Module(waiting.popleft()))
            time.sleep(0.05)
            for ended in [one for one in running if one.child.poll() is not None]:
                running.remove(ended)
                if not ended.report():
                    failed.append(ended.name)
    finally:
        for one in running:
            one.child.send_signal(SIGINT)
        for one in running:
            one.child.wait()
    return failed


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--at-once", type=int, default=os.cpu_count() or 1, metavar="N",
                        help="modules that run at the same time (default: the number of processors)")
    parser.add_argument("modules", nargs="+", metavar="MODULE")
    options = parser.parse_args()
    failed = run(options.modules, max(1, options.at_once))
    print(f"{len(options.modules)} modules, {len(failed)} failed" + "".join(f"\n    {one}" for one in failed))
    return 1 if failed else 0


if __name__ == "__main__":
    run_main(main)
