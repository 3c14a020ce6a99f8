"""Tests of columns.py: a check that never fails proves nothing."""

import tempfile
import unittest
from pathlib import Path

from Tests.lint import columns


class ColumnsTests(unittest.TestCase):
    def test_a_line_may_have_120_columns_and_no_more(self):
        self.assertEqual(columns.problems("x" * 120 + "\n"), [])
        self.assertEqual([number for number, _ in columns.problems("\n" + "x" * 121 + "\n")], [2])

    def test_columns_are_characters_and_not_bytes(self):
        self.assertEqual(columns.problems("µ" * 120), [])

    def test_tabs_and_blanks_at_the_end_are_found(self):
        found = columns.problems("a\tb\nc \nd\r\ne\n")
        self.assertEqual(found, [(1, "a tab"), (2, "blanks at the end"), (3, "blanks at the end")])

    def test_only_python_and_c_are_read_wherever_they_are(self):
        with tempfile.TemporaryDirectory() as folder:
            place = Path(folder)
            (place / "deep/deeper").mkdir(parents=True)
            for name in ("a.py", "deep/b.c", "deep/deeper/c.h", "d.md", "e.swift", "f.pyc"):
                (place / name).write_text("")
            self.assertEqual([str(one.relative_to(place)) for one in columns.files(place)],
                             ["a.py", "deep/b.c", "deep/deeper/c.h"])


if __name__ == "__main__":
    unittest.main()
