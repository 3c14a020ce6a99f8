"""The bytes of index tables, as far as the bench asks for them, and the files in which bare_query reads them."""
import sqlite3
from dataclasses import dataclass
from pathlib import Path

from Tests.harness.errors import Problem


def text_head(text: str) -> bytes:
    """The prefix of all keys whose first column is this text, ascending."""
    return b"\x02" + text.encode() + b"\x00"


@dataclass
class KeyRange:
    """All entries of one index and zone whose keys begin with `head`."""
    index: int
    zone: int
    head: bytes


def write_ranges(file: Path, ranges: list[KeyRange]) -> Path:
    file.write_text("".join(f"{one.index} {one.zone} {one.head.hex()}\n" for one in ranges))
    return file


class Catalogue:
    """Reads the numbers that the server gave to types, fields, indexes and zones; also while a server runs."""

    def __init__(self, database: Path):
        self._connection = sqlite3.connect(f"file:{database}?mode=ro", uri=True)

    def __enter__(self) -> "Catalogue":
        return self

    def __exit__(self, *_) -> None:
        self._connection.close()

    def index(self, type_name: str, *columns: str) -> int:
        """The number of the ready index with these columns, such as `threadname`, `-timestamp`."""
        ids = dict(self._connection.execute(
            "SELECT field.name, field.id FROM field JOIN type ON type.id = field.type WHERE type.name = ?",
            (type_name,)))
        if missing := [column for column in columns if column.lstrip("-") not in ids]:
            raise Problem(f"{type_name} has no field {missing[0]}.")
        text = ",".join("-" * column.startswith("-") + str(ids[column.lstrip("-")]) for column in columns)
        found = self._connection.execute(
            "SELECT id FROM index_definition WHERE columns = ? AND state = 0 "
            "AND type = (SELECT id FROM type WHERE name = ?)",
            (text, type_name)).fetchone()
        if not found:
            raise Problem(f"{type_name} has no index ({', '.join(columns)}) that is ready.")
        return found[0]

    def private_zones(self) -> dict[str, int]:
        """The default zone of each user's private database, by the user's record name."""
        return dict(self._connection.execute(
            "SELECT account.record_name, zone.id FROM zone JOIN account ON account.id = zone.owner "
            "WHERE zone.scope = 1"))
