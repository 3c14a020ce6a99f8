"""When the log was copied into the database, and the moments behind: a log that begins anew has been a trap of its own,
when the first commit in it was told before it was synced."""
from bisect import bisect_left
from dataclasses import dataclass, field

from journal import Journal, Kind

# So many answers after the log began anew are moments for cuts: the first ones are of reads and of earlier writes, as
# many clients are told of one commit, and each notes it when its turn comes.
ANSWERS = 30
DATABASE, LOG = "records.sqlite", "records.sqlite-wal"


@dataclass
class Checkpoints:
    count: int = 0  # syncs of the database between which something was written to it
    syncs: list[int] = field(default_factory=list)  # where the first sync of the log ends that follows one
    restarts: list[int] = field(default_factory=list)  # where the log is written from its beginning again
    all_syncs: list[int] = field(default_factory=list)  # where the entries of syncs of the log begin

    def moments(self, told: list[int]) -> list[int]:
        """For cuts: the first syncs of the log, and the first answers after it began anew."""
        return sorted({*self.syncs, *(one for answers in self.answers(told) for one in answers)})

    def answers(self, told: list[int]) -> list[list[int]]:
        """The first ones after each time that the log began anew."""
        told = sorted(told)
        return [told[first:first + ANSWERS] for first in (bisect_left(told, one) for one in self.restarts)]


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
