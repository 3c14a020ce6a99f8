"""Reads the JSON lines that the bench and its comparison with other servers append: of each row the newest counts."""
import json
from dataclasses import dataclass, field
from pathlib import Path

from Tests.bench.origins import COMMIT, FACTS
from Tests.harness.errors import Problem


@dataclass
class Lines:
    """What a reader of results wants to know, from any number of files; of the same day and time, the later line wins.

    Each line says when and where it was measured, and of what build; where it does not, the machine's line before it in
    its file does.
    """
    # The rows of the bench by name, and the facts of the machine by suite: "bench", "peers", the newest last.
    rows: dict[str, dict] = field(default_factory=dict)
    machines: dict[str, list[dict]] = field(default_factory=dict)
    # The other servers' facts by name, and their results by server, work and connections.
    servers: dict[str, dict] = field(default_factory=dict)
    results: dict[tuple[str, str, int], dict] = field(default_factory=dict)

    def series(self, name: str) -> list[dict]:
        """The rows of one curve in the order of its axis."""
        found = [row for row in self.rows.values() if row.get("series") == name]
        return sorted(found, key=lambda row: row["x"])


def read(files: list[Path]) -> Lines:
    found = Lines()
    for file in files:
        try:
            text = file.read_text()
        except OSError as error:
            raise Problem(f"{file} cannot be read: {error.strerror}") from None
        here: dict = {}
        for number, line in enumerate(text.splitlines(), 1):
            try:
                _enter(found, json.loads(line), here)
            except (json.JSONDecodeError, KeyError) as error:
                raise Problem(f"line {number} of {file} is not one of the bench: {error!r}") from None
    for machines in found.machines.values():
        machines.sort(key=_date)
    return found


def _enter(found: Lines, line: dict, here: dict) -> None:
    """`here` has the facts of the machine by suite, as this file states them."""
    suite = line.get("suite", "bench")
    if "machine" in line:
        here[suite] = {fact: line["machine"][fact] for fact in (*FACTS, COMMIT) if fact in line["machine"]}
        found.machines.setdefault(suite, []).append(line)
        return
    line = here.get(suite, {}) | line
    if suite != "peers":
        _keep(found.rows, line["name"], line)
    elif "facts" in line:
        _keep(found.servers, line["server"], line)
    else:
        _keep(found.results, (line["server"], line["work"], line["connections"]), line)


def _keep(lines: dict, key, line: dict) -> None:
    if key not in lines or _date(lines[key]) <= _date(line):
        lines[key] = line


def _date(line: dict) -> str:
    return line.get("machine", line).get("date", "")
