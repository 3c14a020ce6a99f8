"""When the log was copied into the database, and the moments behind: a log that begins anew has been a trap of its own,
when the first commit in it was told before it was synced."""
from dataclasses import dataclass, field

from journal import Journal, Kind

DATABASE, LOG = "records.sqlite", "records.sqlite-wal"


@dataclass
class Checkpoints:
    count: int = 0  # syncs of the database between which something was written to it
    syncs: list[int] = field(default_factory=list)  # where the first sync of the log ends that follows one
    restarts: list[int] = field(default_factory=list)  # where the log is written from its beginning again

    def moments(self, told: list[int]) -> list[int]:
        """For cuts: the first syncs of the log, and the first answers after it began anew."""
        later = [min((one for one in told if one >= restart), default=None) for restart in self.restarts]
        return sorted({*self.syncs, *(one for one in later if one is not None)})


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
            case Kind.SYNCED if name.endswith(LOG) and name.removesuffix("-wal") in waiting:
                found.syncs.append(entry.end)
                waiting.discard(name.removesuffix("-wal"))
    return found
