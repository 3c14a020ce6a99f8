"""Self tests, with a script as `swift` that prints a given output."""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from Tests.harness.arguments import ROOT
from Tests.swift_test.output import Output

PASSING = """\
[1/1] Compiling plugin
Test Suite 'All tests' started at 2026-11-25 08:00:00.000
\t Executed 0 tests, with 0 failures (0 unexpected) in 0.0 (0.0) seconds
◇ Test run started.
↳ Testing Library Version: 6.3.1
◇ Suite QueryTests started.
◇ Test "a page ends" started.
◇ Test sorts(bytes:) started.
◇ Test case passing 1 argument bytes → [1, 2, 3] to sorts(bytes:) started.
✔ Test case passing 1 argument bytes → [1, 2, 3] to sorts(bytes:) passed after 0.001 seconds.
✔ Test sorts(bytes:) with 1 test case passed after 0.002 seconds.
◇ Test "a long body is skipped: the connection ends" started.
✔ Test "a long body is skipped: the connection ends" passed after 0.002 seconds.
➜ Test "a page ends" skipped.
➜ Suite PictureTests skipped: "libvips-tools is not installed"
✔ Suite QueryTests passed after 0.003 seconds.
✔ Test run with 2 tests in 1 suite passed after 0.004 seconds.
"""

FAILING = """\
◇ Suite FeedTests started.
◇ Test "it resumes" started.
◇ Test "it ends" started.
✘ Test "it resumes" recorded an issue at FeedTests.swift:12:9: Expectation failed: (1 → 1) == (2 → 2)
↳ the second line
the third line
✔ Test "it ends" passed after 0.001 seconds.
✘ Test "it resumes" failed after 0.002 seconds with 1 issue.
✘ Suite FeedTests failed after 0.003 seconds with 1 issue.
✘ Test run with 2 tests in 1 suite failed after 0.004 seconds with 1 issue.
"""

RACE = """\
◇ Test "it is fast" started.
WARNING: ThreadSanitizer: data race (pid=7)
  Write of size 8
SUMMARY: ThreadSanitizer: data race Feed.swift:3
something else
✔ Test "it is fast" passed after 0.001 seconds.
"""


class OutputTests(unittest.TestCase):
    def take(self, text):
        shown = []
        output = Output(shown.append)
        for line in text.splitlines():
            output.take(line)
        return output, shown

    def test_of_a_run_that_passes_the_closing_line_is_shown_and_nothing_else(self):
        output, shown = self.take(PASSING)
        self.assertEqual(shown, ["✔ Test run with 2 tests in 1 suite passed after 0.004 seconds."])
        self.assertEqual((output.passed, output.suites, output.findings, output.running), (2, 1, [], {}))
        self.assertEqual(output.skipped, ['"a page ends": no reason is given',
                                          'PictureTests: "libvips-tools is not installed"'])

    def test_an_issue_is_shown_when_it_happens_with_its_details(self):
        output, shown = self.take(FAILING)
        issue = FAILING.splitlines()[3:6]
        self.assertEqual(shown, issue + [FAILING.splitlines()[-1]])
        self.assertEqual(output.findings, [issue])
        self.assertEqual(output.failed_suites, ["FeedTests"])
        self.assertEqual(len(output.verdicts), 1)

    def test_the_report_of_a_sanitizer_is_shown_up_to_its_summary(self):
        output, _ = self.take(RACE)
        self.assertEqual(output.findings, [RACE.splitlines()[1:4]])

    def test_a_crash_is_shown(self):
        for line in ("Fogbase/Page.swift:3: Fatal error: Index out of range", "*** Signal 4: Backtracing from 0x1...",
                     'Thread 2 "http-0" crashed:',
                     "error: Exited with unexpected signal code 4"):
            self.assertEqual(self.take(line)[0].findings, [[line]])

    def test_a_long_issue_is_cut(self):
        text = "✘ Test x() recorded an issue with 1 argument bytes → [" + "7, " * 9_000 + "] at A.swift:1:1: no\n"
        text += "more\n" * 90
        output, shown = self.take(text)
        self.assertEqual(len(output.findings[0]), 12)
        self.assertLessEqual(max(map(len, shown)), 1_000)
        self.assertTrue(shown[0].startswith("✘ Test x() recorded an issue"))
        self.assertTrue(shown[0].endswith("] at A.swift:1:1: no"))

    def test_progress_counts_and_names_what_has_ended_last(self):
        output = Output(lambda line: None, clock=iter([0.0, 83.9]).__next__, expected=2600)
        for line in FAILING.splitlines()[:8] + ['◇ Test "slow" started.', '◇ Test "slower" started.']:
            output.take(line)
        last = output.last
        self.assertTrue(last)
        self.assertEqual(output.progress(), f"1 of about 2,600 tests passed, 1 failed, 83 s; last: {last}")


class RunTests(unittest.TestCase):
    def run_with(self, swift, *arguments, **variables):
        """Runs with a shell script as `swift`; returns the status, the output and the log."""
        with tempfile.TemporaryDirectory() as directory:
            program, log = Path(directory) / "swift", Path(directory) / "all.log"
            program.write_text("#!/bin/sh\n" + swift)
            program.chmod(0o755)
            for name, text in (("passing", PASSING), ("failing", FAILING)):
                (Path(directory) / name).write_text(text)
            path = f"{directory}:{os.environ['PATH']}"
            environment = {**os.environ, "PATH": path, "RETRY": "", "HERE": directory, **variables}
            done = subprocess.run([sys.executable, "-m", "Tests.swift_test", "--log", str(log), *arguments],
                                  env=environment, cwd=ROOT,
                                  text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            return done.returncode, done.stdout.splitlines(), log.read_text()

    def test_a_run_that_passes_names_the_file_that_has_everything(self):
        status, shown, log = self.run_with('cat "$HERE/passing"', "--skip-build")
        self.assertEqual(status, 0)
        self.assertEqual(shown[1:-1], ["2 skipped:", '    "a page ends": no reason is given',
                                       '    PictureTests: "libvips-tools is not installed"'])
        self.assertTrue(shown[-1].startswith("All that was printed is in "))
        self.assertEqual(log, PASSING)

    def test_failures_come_last_and_the_status_is_that_of_swift(self):
        status, shown, log = self.run_with('cat "$HERE/failing"; exit 3')
        self.assertEqual((status, log), (3, FAILING))
        self.assertEqual(shown[-5:], ["What failed:"] + FAILING.splitlines()[3:6] + [FAILING.splitlines()[7]])

    def test_arguments_go_to_swift_test(self):
        _, _, log = self.run_with('echo "$@"', "--skip-build", "--filter", "A|B")
        self.assertEqual(log, "test --skip-build --filter A|B\n")

    def test_suites_that_failed_run_once_more_alone_if_asked_for_and_have_failed_all_the_same(self):
        steady = 'cat "$HERE/failing"; exit 1'
        self.assertIn("What failed (alone, too):", self.run_with(steady, RETRY="1")[1])
        unsteady = 'case "$*" in *FeedTests*) echo "$@" ;; *) cat "$HERE/failing"; exit 1 ;; esac'
        status, shown, log = self.run_with(unsteady, "--filter", "Feed", RETRY="1")
        self.assertEqual(status, 1)
        self.assertIn("What failed (unsteady: alone it passes):", shown)
        self.assertTrue(log.endswith("\ntest --filter [./](FeedTests)/\n"))

    def test_each_target_runs_alone_unless_a_filter_names_some(self):
        status, _, log = self.run_with('echo "$@"; case "$*" in *HTTPTests*) exit 1 ;; esac', "--each-target")
        self.assertEqual(status, 1)
        self.assertIn("test --filter ^HTTPTests\\.\n", log)
        self.assertGreater(log.count("\n"), 10)
        self.assertEqual(self.run_with('echo "$@"', "--each-target", "--filter", "A")[2], "test --filter A\n")

    def test_files_of_tests_are_below_a_directory_that_goes_with_the_run(self):
        with tempfile.TemporaryDirectory() as parent:
            status, _, log = self.run_with('mkdir "$TMPDIR/left"; echo "$TMPDIR"; exit 1', TMPDIR=parent)
            self.assertEqual(status, 1)
            self.assertEqual(Path(log.strip()).parent, Path(parent))
            self.assertEqual(os.listdir(parent), [])

    def test_the_running_tests_of_a_process_that_dies_are_reported(self):
        status, shown, _ = self.run_with('head -n 3 "$HERE/failing"; kill -4 $$')
        self.assertNotEqual(status, 0)
        self.assertEqual(shown[-1], 'Running when it ended: "it resumes", "it ends"')


if __name__ == "__main__":
    unittest.main()
