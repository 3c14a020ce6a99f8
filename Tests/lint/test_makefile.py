"""Tests of the Makefile: variables of a shell's environment do not change its targets."""

import os
import subprocess
import unittest
from pathlib import Path

HOME = Path(__file__).resolve().parents[2]


class MakefileTests(unittest.TestCase):
    def commands(self, *arguments, **variables):
        """The commands that make would run."""
        environment = {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MAKELEVEL")}
        return subprocess.run(["make", "--dry-run", *arguments], cwd=HOME, env={**environment, **variables}, text=True,
                              check=True, capture_output=True).stdout

    def test_the_environment_does_not_say_where_the_server_listens(self):
        commands = self.commands("run", HOST="box.example.org", PORT="1", DATA="/tmp", IMAGE="x", FILTER="x")
        self.assertIn("--host '127.0.0.1' --port '8080' --data './data'", commands)
        self.assertNotIn("--filter", self.commands("test", FILTER="x"))

    def test_arguments_do(self):
        self.assertIn("--host '::1' --port '9000'", self.commands("run", "HOST=::1", "PORT=9000", PORT="1"))
        self.assertIn("--filter 'HTTPTests'", self.commands("test", "FILTER=HTTPTests"))

    def test_all_verbs_have_a_line_of_help(self):
        verbs = (HOME / "Makefile").read_text()
        phony = verbs.split(".PHONY:")[1].split("\n")[0].split()
        for verb in phony:
            self.assertRegex(verbs, rf"(?m)^{verb}:.*## ")


if __name__ == "__main__":
    unittest.main()
