"""Self tests of the runner of rounds."""
import argparse
import contextlib
import io
import os
import signal
import subprocess
import sys
import time
import unittest
from pathlib import Path

from Tests.harness.arguments import ROOT
from Tests.harness.rounds import run_rounds_at_once
from Tests.harness.testing import DirectoryTest

MANY = 300  # lines of findings, more than a pipe takes in one piece


class Round:
    """A round that waits until another one runs too, and finds what its number says."""

    problems: list[str] = []

    def __init__(self, number: int, directory: Path):
        self.number, self.directory = number, directory

    def run(self) -> list[str]:
        self.directory.mkdir(parents=True)
        partner = self.directory.with_name(f"round-{self.number + (1 if self.number % 2 else -1)}-runs")
        self.directory.with_name(f"round-{self.number}-runs").touch()
        limit = time.monotonic() + 20
        while not partner.exists():
            if time.monotonic() > limit:
                return ["no other round runs"]
            time.sleep(0.005)
        if self.number == 2:
            return [f"finding {number} of round 2" for number in range(MANY)]
        if self.number == 3:
            raise ValueError("round 3 broke off")
        if self.number == 4:
            os.kill(os.getpid(), signal.SIGKILL)
        return []

    def close(self) -> None:
        pass

    def keep(self) -> None:
        (self.directory / "kept").touch()

    def summary(self) -> str:
        return "summary"


class RoundsAtOnceTests(DirectoryTest):
    def run_rounds(self, numbers: range, at_once: int) -> tuple[int, str]:
        """How many rounds failed, and what a process printed that ran them."""
        program = (f"from Tests.harness import test_rounds as this\n"
                   f"options = this.argparse.Namespace(work=this.Path({str(self.directory)!r}), sentences={MANY}, "
                   f"at_once={at_once})\n"
                   f"raise SystemExit(this.run_rounds_at_once(options, {numbers!r}, this.Round))")
        done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, timeout=60)
        self.assertNotIn("Traceback", done.stderr)
        return done.returncode, done.stdout

    def test_each_round_runs_beside_another_and_leaves_nothing_if_it_finds_nothing(self):
        failed, output = self.run_rounds(range(5, 9), 2)
        self.assertEqual(failed, 0, output)
        shown = sorted(line.split(":")[0] for line in output.splitlines())
        self.assertEqual(shown, [f"round {number}" for number in range(5, 9)])
        self.assertEqual([one for one in self.directory.glob("round-*") if one.is_dir()], [])

    def test_findings_exceptions_and_processes_that_die_are_failures(self):
        failed, output = self.run_rounds(range(1, 7), 2)
        self.assertEqual(failed, 3, output)
        # Nothing of another round stands between them.
        findings = "".join(f"    finding {number} of round 2\n" for number in range(MANY))
        self.assertIn(f" s\n{findings}    {MANY} findings; kept: ", output)
        self.assertIn("    ValueError: round 3 broke off (test_rounds.py, line ", output)
        self.assertIn("\nround 4: its process ended with status -9\n", output)
        self.assertTrue((self.directory / "round-2/kept").exists() and (self.directory / "round-3/kept").exists())

    def test_one_at_once_is_none_beside_another(self):
        with contextlib.redirect_stdout(io.StringIO()) as output:
            Path(self.directory / "round-6-runs").touch()
            options = argparse.Namespace(work=self.directory, sentences=1, at_once=1)
            self.assertEqual(run_rounds_at_once(options, [5, 6], Round), 0, output.getvalue())


if __name__ == "__main__":
    unittest.main()
