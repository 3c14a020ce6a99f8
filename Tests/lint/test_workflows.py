"""Tests of the workflows and templates of .github: each verb of the Makefile, and each file, that they name exists."""

import re
import unittest
from pathlib import Path

HOME = Path(__file__).resolve().parents[2]
FILES = [*(HOME / ".github").rglob("*.yml"), *(HOME / ".github").glob("*.md"), HOME / ".ci/run"]
# The verbs after `make`, before options and variables.
CALL = re.compile(r"\bmake((?: [a-z][a-z-]*)+)(?=[ `'\n]|$)")


def verbs():
    return set(re.findall(r"^([a-z][a-z-]*):(?!=)", (HOME / "Makefile").read_text(), re.MULTILINE))


def calls(text):
    """The verbs that a text calls, in commands of workflows and in spans of code."""
    commands = re.findall(r"`([^`\n]+)`", text)
    commands += re.findall(r"(?:run: |&& |^)(?:sudo )?(make [^`\n]*)", text, re.MULTILINE)
    return {verb for match in CALL.finditer("\n".join(commands)) for verb in match[1].split()}


class WorkflowTests(unittest.TestCase):
    def test_each_verb_exists(self):
        found = {file.name: calls(file.read_text()) for file in FILES}
        for name, named in found.items():
            self.assertEqual(named - verbs(), set(), name)
        self.assertLessEqual({"dist", "deb", "wheel", "test-install", "test-docker"}, found["ci.yml"])
        self.assertLessEqual({"dist", "deb", "wheel", "docker"}, found["release.yml"])

    def test_a_verb_that_is_missing_is_found(self):
        self.assertEqual(calls("      - run: sudo make test-everything BUILT=1\n"), {"test-everything"})
        self.assertEqual(calls("run `make deb dist`, and make sure of it"), {"deb", "dist"})

    def test_each_command_of_the_repository_exists(self):
        for file in FILES:
            for path in re.findall(r"(?:^|[ `])((?:\.ci|Sources|Tests)/[\w./-]+)", file.read_text(), re.MULTILINE):
                self.assertTrue((HOME / path).exists(), f"{file.name}: {path}")

    def test_no_indentation_is_a_tab(self):
        for file in FILES:
            if file.suffix == ".yml":
                self.assertNotIn("\t", file.read_text(), file.name)


if __name__ == "__main__":
    unittest.main()
