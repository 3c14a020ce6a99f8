#!/usr/bin/env python3
"""A check that cannot fail is worthless: each forgery must be found.

    python3 Tests/Backup/test_backup.py [BINARY]
"""
import subprocess
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BINARY = str(ROOT / ".build/release/fogbase")


class Forgeries(unittest.TestCase):
    def forge(self, kind: str, sentence: str) -> None:
        found = subprocess.run(
            [sys.executable, str(ROOT / "Tests/Backup/backup.py"), "--rounds", "1", "--no-kills", "--writers", "12",
             "--binary", BINARY, "--work", str(ROOT / f".backup/{kind}"), "--forge", kind],
            capture_output=True, text=True, timeout=120)
        self.assertEqual(found.returncode, 1, found.stdout + found.stderr)
        self.assertIn(sentence, found.stdout)

    def test_a_lost_record_is_found(self):
        self.forge("loss", "has version 0, and")

    def test_an_older_version_is_found(self):
        self.forge("change", "the feed of the copy is not its table")

    def test_a_moment_before_the_backup_is_found(self):
        self.forge("late", "a write is missing that was acknowledged")

    def test_a_changed_byte_is_found(self):
        self.forge("damage", "is damaged")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        BINARY = str(Path(sys.argv.pop(1)).resolve())
    unittest.main()
