"""Checks the lines of all Python and C files below Tests: at most 120 columns, no tabs, no blanks at the end.

    python3 -m Tests.lint.columns
"""

import sys
from pathlib import Path

WIDEST = 120
ENDINGS = {".py", ".c", ".h"}


def problems(text):
    """Returns (line number, problem) for each line that breaks a rule."""
    found = []
    for number, line in enumerate(text.split("\n"), 1):
        if len(line) > WIDEST:
            found.append((number, f"{len(line)} columns; {WIDEST} are allowed"))
        if "\t" in line:
            found.append((number, "a tab"))
        if line != line.rstrip():
            found.append((number, "blanks at the end"))
    return found


def files(folder):
    return sorted(one for one in folder.rglob("*") if one.suffix in ENDINGS and one.is_file())


def main():
    tests = Path(__file__).resolve().parents[1]
    lines = [f"{file.relative_to(tests.parent)}:{number}: {what}" for file in files(tests)
             for number, what in problems(file.read_text(encoding="utf-8"))]
    for line in lines:
        print(line, file=sys.stderr)
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
