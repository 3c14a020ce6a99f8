"""Checks what the house's structure promises: nothing above RecordStorage names the store's insides, its numbers have
types, and no file and no type is too large.

    python3 -m Tests.lint.seams

Comments and string literals do not count. A type counts with all of its extensions.
"""

import re
import sys
from collections import defaultdict
from pathlib import Path

from Tests.lint.arrows import TEXT_OR_COMMENT

# Names for RecordStorage alone: a file with one of these knows that the store is SQLite, or how statements run.
INSIDE_THE_STORE = {"Connection", "Statement", "StatementValue", "StoreError", "SQL", "SQLiteConnection"}
ABOVE_THE_STORE = {"RecordEngine", "RecordAPI", "fogbase"}
# A statement's text, anywhere.
SQL_TEXT = re.compile(r'"\s*(?:SELECT|INSERT INTO|INSERT OR|UPDATE|DELETE FROM|BEGIN|COMMIT|ROLLBACK|PRAGMA)\b[^"]*')

# Numbers with types of their own (`StoredID`, `RowHome`, `Principal`), by the names that parameters and properties have
# for them.
WITH_STORED_IDS = {"RecordModel", "RecordStorage", "RecordEngine", "RecordWire", "RecordAPI", "fogbase"}
STORED_IDS = "zone|audience|home|record|type|index|user|account|role|owner|creator|modifier|uploader|caller|principal"
BARE_ID = re.compile(
    rf"\b(?:({STORED_IDS})(?:ID|Number)?\s*:\s*|({STORED_IDS})(?:e?s|IDs)\s*:\s*(?:\[|Set<|ArraySlice<))Int64\b(?!\.)")

FILE_LINES = 400
TYPE_LINES = 600
TYPE_METHODS = 40

# Types that are still larger than that: (lines of code, methods) that they may have. Numbers only go down.
TOO_LARGE = {
    "FogbaseClient.Database": (644, 64),
    "FogbaseClient.Query": (300, 51),
}

DECLARATION = re.compile(
    r"^(?:@\w+(?:\([^)]*\))?[ \t]+)*(?:[a-z]+(?:\([a-z]+\))?[ \t]+)*"
    r"(?:extension|struct|class|actor|enum|protocol)[ \t]+([A-Za-z_][\w.]*)", re.MULTILINE)


def code(source):
    """Returns a source without comments and string literals, with the same lines."""
    return TEXT_OR_COMMENT.sub(lambda match: "\n" * match.group().count("\n"), source)


def names_inside_the_store(source):
    """Returns the lines with names that only RecordStorage may use, with the names."""
    found = []
    for number, line in enumerate(code(source).splitlines(), 1):
        found += [(number, name) for name in re.findall(r"\b[A-Z]\w*", line) if name in INSIDE_THE_STORE]
    without_comments = re.sub(r"^\s*//[^\n]*", "", source, flags=re.MULTILINE)
    for match in SQL_TEXT.finditer(without_comments):
        found.append((without_comments.count("\n", 0, match.start()) + 1, "the text of a statement"))
    return found


def bare_ids(source):
    """Returns the lines that declare the number of something as a bare integer, with the thing that it counts."""
    text = code(source)
    return [(text.count("\n", 0, match.start()) + 1, match.group(1) or match.group(2))
            for match in BARE_ID.finditer(text)]


def parts(source):
    """Yields the types that a file declares or extends, each with its lines of code and its methods."""
    text = code(source)
    starts = list(DECLARATION.finditer(text))
    for match, following in zip(starts, starts[1:] + [None]):
        body = text[match.start():following.start() if following else len(text)]
        end = re.search(r"^\}", body, re.MULTILINE)
        body = body[:end.end()] if end else body
        lines = sum(1 for line in body.splitlines() if line.strip())
        yield match.group(1).split(".")[-1], lines, len(re.findall(r"\bfunc [^\s(]", body))


def type_sizes(root):
    """Returns (lines of code, methods) for each type of each module."""
    sizes = defaultdict(lambda: [0, 0])
    for module in sorted(path for path in (root / "Sources").iterdir() if path.is_dir()):
        for file in sorted(module.rglob("*.swift")):
            for name, lines, methods in parts(file.read_text(encoding="utf-8")):
                size = sizes[f"{module.name}.{name}"]
                size[0] += lines
                size[1] += methods
    return {name: tuple(size) for name, size in sizes.items()}


def size_problems(sizes, allowed):
    """Returns one line for each type that is too large, and for each that may be removed from the list."""
    lines = []
    for name, (code_lines, methods) in sorted(sizes.items()):
        most_lines, most_methods = allowed.get(name, (TYPE_LINES, TYPE_METHODS))
        most_lines, most_methods = max(most_lines, TYPE_LINES), max(most_methods, TYPE_METHODS)
        if code_lines > most_lines or methods > most_methods:
            lines.append(f"{name} has {code_lines} lines of code and {methods} methods, extensions included; "
                         f"{most_lines} and {most_methods} are allowed. Give a part of it a type of its own")
    for name in sorted(allowed):
        code_lines, methods = sizes.get(name, (0, 0))
        if code_lines <= TYPE_LINES and methods <= TYPE_METHODS:
            lines.append(f"{name} is small enough now. Take it off the list in Tests/lint/seams.py")
    return lines


def main():
    root = Path(__file__).resolve().parents[2]
    lines = []
    for file in sorted((root / "Sources").rglob("*.swift")):
        place, source = file.relative_to(root), file.read_text(encoding="utf-8")
        if place.parts[1] in ABOVE_THE_STORE:
            lines += [f"{place}:{number}: {name} belongs to RecordStorage" for number, name in
                      names_inside_the_store(source)]
        if place.parts[1] in WITH_STORED_IDS:
            lines += [f"{place}:{number}: '{name}' is a bare Int64; give it the type of its number (StoredIDs.swift)"
                      for number, name in bare_ids(source)]
        if (count := source.count("\n")) > FILE_LINES:
            lines.append(f"{place} has {count} lines; {FILE_LINES} are allowed")
    lines += size_problems(type_sizes(root), TOO_LARGE)
    for line in lines:
        print(line, file=sys.stderr)
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
