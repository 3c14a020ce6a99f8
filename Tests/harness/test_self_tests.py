"""Self tests of the runner of self tests."""
import os
import subprocess
import sys
import unittest

from Tests.harness.arguments import ROOT
from Tests.harness.testing import DirectoryTest

# Each of a pair passes only while the other one runs.
PAIRED = """
import pathlib, time, unittest
class Paired(unittest.TestCase):
    def test(self):
        here = pathlib.Path(__file__).parent
        (here / f"{__name__}.runs").touch()
        limit = time.monotonic() + 20
        while not all((here / f"{name}.runs").exists() for name in ("first", "second")):
            self.assertLess(time.monotonic(), limit)
            time.sleep(0.005)
"""
PASSES = "import unittest\nclass Passes(unittest.TestCase):\n    def test(self):\n        print('noise')\n"
FAILS = "import unittest\nclass Fails(unittest.TestCase):\n    def test(self):\n        self.fail('with a reason')\n"
DIES = "import os\nos.abort()\n"


class SelfTestsTests(DirectoryTest):
    def run_modules(self, *arguments: str, **modules: str) -> tuple[int, str]:
        """The status of the runner and what it printed."""
        for name, text in modules.items():
            (self.directory / f"{name}.py").write_text(text)
        command = [sys.executable, "-m", "Tests.harness.self_tests", *arguments, *modules]
        done = subprocess.run(command, cwd=ROOT, env=os.environ | {"PYTHONPATH": str(self.directory)}, text=True,
                              capture_output=True, timeout=60)
        self.assertEqual(done.stderr, "")
        return done.returncode, done.stdout

    def test_modules_run_at_once(self):
        status, output = self.run_modules("--at-once", "2", first=PAIRED, second=PAIRED)
        self.assertEqual(status, 0, output)
        self.assertRegex(output, r"(?m)^first: 1 tests, OK; [0-9.]+ s$")
        self.assertIn("2 run, 0 failed", output)

    def test_a_module_that_fails_shows_all_and_one_that_passes_a_line(self):
        status, output = self.run_modules("--at-once", "1", fails=FAILS, passes=PASSES)
        self.assertEqual(status, 1, output)
        self.assertIn("\n    AssertionError: with a reason\n", output)
        self.assertNotIn("noise", output)
        self.assertRegex(output, r"\npasses: 1 tests, OK; [0-9.]+ s\n2 run, 1 failed\n    fails\n$")

    def test_modules_that_die_are_missing_or_have_no_tests_fail(self):
        status, output = self.run_modules("missing", dies=DIES, passes=PASSES, empty="")
        self.assertEqual(status, 1, output)
        self.assertIn("dies: FAILED with status -6", output)
        self.assertIn("No module named 'missing'", output)
        self.assertIn("4 run, 3 failed", output)

    def test_commands_run_at_once_and_one_that_fails_shows_all(self):
        done = subprocess.run([sys.executable, "-m", "Tests.harness.at_once", "sh -c 'echo noise'",
                               "sh -c 'echo one; echo two >&2; exit 3'"], cwd=ROOT, text=True, capture_output=True)
        self.assertEqual((done.returncode, done.stderr), (1, ""))
        self.assertRegex(done.stdout, r"(?m)^sh -c 'echo noise': ok; [0-9.]+ s$")
        self.assertIn("FAILED with status 3", done.stdout)
        self.assertIn("\n    one\n    two\n", done.stdout)
        self.assertIn("2 run, 1 failed\n    sh -c 'echo one", done.stdout)


if __name__ == "__main__":
    unittest.main()
