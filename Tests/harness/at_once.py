"""Runs commands at once, each with output of its own.

    python3 -m Tests.harness.at_once 'make lint' 'make build'
    python3 -m Tests.harness.at_once --at-once 2 COMMAND…    # two at a time: a third one starts when one has ended

When a command ends, one line says how. If it failed, all that it printed follows. The others go on.
"""
import argparse
import shlex
import subprocess
import tempfile
import time
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from signal import SIGINT

from Tests.harness.arguments import ROOT, run_main


@dataclass
class Command:
    """A command whose output is read when it has ended. `verdict` says of its status and its output whether it passed,
    and how it ended."""
    name: str
    words: list[str]
    verdict: Callable[[int, str], tuple[bool, str]] = lambda status, _: (status == 0, "ok")

    def start(self) -> None:
        self.begun = time.monotonic()
        self.output = tempfile.TemporaryFile("w+", errors="replace")
        self.child = subprocess.Popen(self.words, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=self.output,
                                      stderr=subprocess.STDOUT)

    def report(self) -> bool:
        """Prints the result of the ended command; returns whether it passed."""
        with self.output:
            self.output.seek(0)
            text = self.output.read().rstrip()
        seconds = time.monotonic() - self.begun
        passed, result = self.verdict(self.child.returncode, text)
        result = result if passed else f"FAILED with status {self.child.returncode}"
        print(f"{self.name}: {result}; {seconds:.1f} s", flush=True)
        if not passed:
            print("\n".join(f"    {line}" for line in text.split("\n")), flush=True)
        return passed


def run(commands: Iterable[Command], most: int) -> int:
    """Runs commands, `most` of them at the same time, and says which failed. Returns the exit status."""
    waiting, running, failed = deque(commands), [], []
    count = len(waiting)
    try:
        while waiting or running:
            while waiting and len(running) < most:
                waiting[0].start()
                running.append(waiting.popleft())
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
    print("\n    ".join([f"{count} run, {len(failed)} failed", *failed]))
    return 1 if failed else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--at-once", type=int, metavar="N", help="commands that run at the same time (default: all)")
    parser.add_argument("commands", nargs="+", metavar="COMMAND")
    options = parser.parse_args()
    return run([Command(one, shlex.split(one)) for one in options.commands], options.at_once or len(options.commands))


if __name__ == "__main__":
    run_main(main)
