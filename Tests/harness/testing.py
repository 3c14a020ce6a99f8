"""The shared code of the suites' self tests."""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from Tests.harness.arguments import BINARY, ROOT


def suite_command(module: str, *arguments: str) -> list[str]:
    """The command that runs a suite on the server under test."""
    return [sys.executable, "-m", f"Tests.{module}", "--binary", BINARY, *arguments]


def run_suite(module: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(suite_command(module, *arguments), cwd=ROOT, capture_output=True, text=True, timeout=600)


class DirectoryTest(unittest.TestCase):
    """A test with a temporary directory."""

    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="harness-")
        self.addCleanup(temporary.cleanup)
        self.directory = Path(temporary.name)
