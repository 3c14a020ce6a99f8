"""The five kinds of work, and one run of one of them."""
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

from Tests.bench.load import Load, Measurement
from Tests.bench.peers.meters import HighestMemory, cpu_seconds, wait_until_idle
from Tests.bench.peers.peer import CREATES, TOUCHED, Peer
from Tests.bench.peers.posts import THREADS

# An update runs before the deletions, since its rate predicts how many posts a run will delete.
WORKS = ("create", "read", "page", "update", "delete")
# The highest and lowest number of posts for a deletion run.
MOST_DELETIONS, LEAST_DELETIONS = 30_000, 100
# A run lasts longer, this many times at most, if its connections would not get two responses each.
LONGEST = 5


@dataclass
class Run:
    """One measurement, with the memory during it."""
    found: Measurement
    memory_mb: float
    own_memory_mb: float


class Bench:
    """Runs work and stores the measurements, by server, work and connections."""

    def __init__(self, directory: Path, seconds: float):
        self.directory, self.seconds = directory, seconds
        self.measured: dict[tuple[str, str, int], list[Run]] = {}
        self._loads: dict[tuple[str, str, int], Load] = {}
        self._lengths: dict[tuple[str, str, int], float] = {}

    def run(self, peer: Peer, work: str, connections: int) -> None:
        key = (peer.name, work, connections)
        if work == "delete":
            load = self._load(peer, self._deletions(peer, connections), work, connections)
        elif key in self._loads:
            load = self._loads[key]
        else:
            load = self._loads[key] = self._load(peer, self._messages(peer, work), work, connections)
            # A short one first: files, caches and connections to the database warm up.
            warm = load.run(1)
            needed = 2 * connections / max(warm.rate, 0.1)
            self._lengths[key] = min(max(self.seconds, needed), LONGEST * self.seconds)
        seconds = self._lengths.get(key, self.seconds)
        pids = peer.pids()
        wait_until_idle(pids)
        with HighestMemory(pids, seconds / 3) as memory:
            before = cpu_seconds(pids)
            found = load.run(seconds)
            spent = cpu_seconds(pids) - before
        # A slow server still has a queue of abandoned requests, which must not slow down the next run.
        wait_until_idle(pids)
        run = Run(replace(found, cpu_seconds=spent), memory.total, memory.own)
        self.measured.setdefault(key, []).append(run)
        if work == "delete":
            load.file.unlink()

    def last(self, peer: Peer, work: str, connections: int) -> float:
        return self.measured[peer.name, work, connections][-1].found.rate

    def _load(self, peer: Peer, messages: list[bytes], work: str, connections: int) -> Load:
        return Load(self.directory, peer.pids()[0], peer.port, messages, expect=peer.statuses[work],
                    connections=connections, once=work == "delete")

    def _messages(self, peer: Peer, work: str) -> list[bytes]:
        if work == "create":
            return [peer.create(20_000_000 + number) for number in range(CREATES)]
        if work == "page":
            return [peer.page(thread) for thread in Random(1).sample(THREADS, len(THREADS))]
        paths = Random(1).sample(peer.paths, min(TOUCHED, len(peer.paths)))
        if work == "read":
            return [peer.read(path) for path in paths]
        # Each value differs from the last, so that no write can be skipped as a change of nothing.
        return [peer.update(path, f"the title of turn {turn}") for turn in range(2) for path in paths]

    def _deletions(self, peer: Peer, connections: int) -> list[bytes]:
        """Posts that are made for being deleted: as many as updates were possible in the time of a run."""
        updates = self.measured.get((peer.name, "update", connections))
        rate = updates[-1].found.rate if updates else 300
        count = round(min(MOST_DELETIONS, max(LEAST_DELETIONS, rate * self.seconds)))
        # One more, which is tried before the run.
        return [peer.delete(path) for path in peer.add(count + 1)]
