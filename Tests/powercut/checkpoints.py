"""Finds checkpoints in a journal, and the restarts of the WAL after them.

A WAL that restarts is a special risk: its first commit may be acknowledged before it is synced.
"""
from bisect import bisect_left
from dataclasses import dataclass, field

from Tests.powercut.journal import Journal, Kind

# So many responses after a restart of the WAL are candidates for cuts. The first ones are for reads and earlier writes,
# as one commit has many clients, and each records its response when its thread runs.
RESPONSES = 30
DATABASE, LOG = "records.sqlite", "records.sqlite-wal"


@dataclass
class Checkpoints:
    count: int = 0  # syncs of the database after a write to it
    syncs: list[int] = field(default_factory=list)  # where the first sync of the WAL after one ends
    restarts: list[int] = field(default_factory=list)  # where the WAL is written from its beginning again
    all_syncs: list[int] = field(default_factory=list)  # where the entries of the WAL's syncs begin

    def moments(self, acknowledged: list[int]) -> list[int]:
        """For cuts: the first syncs of the WAL after checkpoints, and the first responses after its restarts."""
        return sorted({*self.syncs, *(one for responses in self.responses(acknowledged) for one in responses)})

    def responses(self, acknowledged: list[int]) -> list[list[int]]:
        """The first responses after each restart of the WAL."""
        acknowledged = sorted(acknowledged)
        starts = [bisect_left(acknowledged, one) for one in self.restarts]
        return [acknowledged[first:first + RESPONSES] for first in starts]


def checkpoints(journal: Journal) -> Checkpoints:
    found, names, written, waiting = Checkpoints(), {}, set(), set()
    for entry in journal.entries():
        match entry.kind:
            case Kind.STARTED:
                names = {}
            case Kind.NAMED | Kind.CREATED:
                names[entry.object] = entry.first
            case Kind.WRITTEN if (name := names.get(entry.object, "")).endswith(DATABASE):
                written.add(name)
            case Kind.WRITTEN if name.endswith(LOG) and entry.offset == 0 and name.removesuffix("-wal") in waiting:
                found.restarts.append(entry.end)
            case Kind.SYNCED if (name := names.get(entry.object, "")).endswith(DATABASE) and name in written:
                found.count += 1
                written.discard(name)
                waiting.add(name)
            case Kind.SYNCED if name.endswith(LOG):
                found.all_syncs.append(entry.start)
                if name.removesuffix("-wal") in waiting:
                    found.syncs.append(entry.end)
                    waiting.discard(name.removesuffix("-wal"))
    return found
