"""Reads the JSON lines that the bench and its comparison with other servers append: of each row the newest counts."""
import json
from dataclasses import dataclass, field
from pathlib import Path

from problem import Problem


@dataclass
class Lines:
    """What a reader of results wants to know, from any number of files; later lines win over earlier ones."""
    # The rows of the bench by name, and the facts of the machine by suite: "bench", "peers".
    rows: dict[str, dict] = field(default_factory=dict)
    machines: dict[str, dict] = field(default_factory=dict)
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
        for number, line in enumerate(text.splitlines(), 1):
            try:
                _enter(found, json.loads(line))
            except (json.JSONDecodeError, KeyError) as error:
                raise Problem(f"line {number} of {file} is not one of the bench: {error!r}") from None
    return found


def _enter(found: Lines, line: dict) -> None:
    if "machine" in line:
        found.machines[line.get("suite", "bench")] = line
    elif line.get("suite") != "peers":
        found.rows[line["name"]] = line
    elif "facts" in line:
        found.servers[line["server"]] = line
    else:
        found.results[line["server"], line["work"], line["connections"]] = line
