"""The clients that send mutated requests, and whoever looks after them and the server."""
import multiprocessing
import queue
import random
import time
from collections import Counter, deque
from collections.abc import Callable
from pathlib import Path

from exchange import PATIENCE, exchange, judged
from mutation import chosen, request
from problem import Problem
from samples import Sample
from tally import Tally

# What one client sends before it makes anew what its requests name.
ROUND = 1_000
# How many of the last requests are kept of each client when the server ends.
LAST = 8
MOST_FINDINGS = 20

# Gives the next samples of a client; a `Problem` if they could not be made.
Samples = Callable[[], list[Sample]]


class Crew:
    """`make_samples` gives each client the source of its samples."""

    def __init__(self, work: Path, count: int, workers: int, seed: int, patience: float = PATIENCE):
        self.folder, self.wanted, self.patience = work, -(-count // workers) * workers, patience
        self.counts, self.seeds = -(-count // workers), [seed * 1000 + number for number in range(workers)]
        self.queue: multiprocessing.Queue = multiprocessing.Queue()
        self.tally, self.findings, self.ended = Tally(), [], set()
        self.workers: list[multiprocessing.Process] = []
        self.shown = time.monotonic()

    def run(self, server, make_samples: Callable[[], Samples]) -> list[str]:
        """Lets the clients work to their end, or to the server's, or until there is too much to tell."""
        self.workers = [
            multiprocessing.Process(target=work, daemon=True, args=(
                number, self.queue, server.port, make_samples(), seed, self.counts, self.patience))
            for number, seed in enumerate(self.seeds)]
        for worker in self.workers:
            worker.start()
        while len(self.ended) < len(self.workers) and len(self.findings) < MOST_FINDINGS:
            if process_is_gone(server):
                self.hear_out()
                break
            self.listen(1)
            self.show(server)
            self.bury()
        self.send_home()
        if process_is_gone(server):
            self.findings.insert(0, f"The server ended with status {server.child.poll()}: {server.last_words()}")
        elif len(self.findings) < MOST_FINDINGS:
            self.findings += self.tally.findings(self.wanted)
        print(self.tally.summary(), flush=True)
        return self.findings

    def listen(self, seconds: float) -> bool:
        """Takes one message, if one comes in time."""
        try:
            kind, number, value = self.queue.get(timeout=seconds)
        except queue.Empty:
            return False
        match kind:
            case "done": self.tally.statuses += value
            case "scene": self.tally.note_scene(value)
            case "finding": self.keep(*value)
            case "end": self.ended.add(number)
        return True

    def hear_out(self) -> None:
        """The clients of a server that is gone notice by themselves, and tell what they sent last."""
        limit = time.monotonic() + self.patience
        while len(self.ended) < len(self.workers) and time.monotonic() < limit and self.listen(1):
            pass

    def bury(self) -> None:
        """A client that ended without a word has tested nothing since."""
        dead = [number for number, worker in enumerate(self.workers)
                if number not in self.ended and not worker.is_alive()]
        while dead and self.listen(0.2):
            pass
        for number in set(dead) - self.ended:
            self.ended.add(number)
            self.findings.append(f"The client {number} ended with status {self.workers[number].exitcode}.")

    def keep(self, fault: str, requests: list[bytes]) -> None:
        paths = []
        for place, data in enumerate(requests):
            paths.append(self.folder / f"request-{len(self.findings)}{f'-{place}' if len(requests) > 1 else ''}.bin")
            paths[-1].write_bytes(data)
        self.findings.append(f"{fault}: {', '.join(str(path) for path in paths)}")

    def show(self, server) -> None:
        if time.monotonic() - self.shown > 20 and not process_is_gone(server):
            self.shown = time.monotonic()
            print(f"{self.tally.requests:>9,} requests, {server.rss_anon():.0f} MB", flush=True)

    def send_home(self) -> None:
        for worker in self.workers:
            worker.join(0 if worker.is_alive() and len(self.ended) < len(self.workers) else 5)
            if worker.is_alive():
                worker.kill()
                worker.join()


def process_is_gone(server) -> bool:
    return server.child is None or server.child.poll() is not None


def work(number: int, messages: multiprocessing.Queue, port: int, more_samples: Samples, seed: int, count: int,
         patience: float) -> None:
    """One client: a connection for every few requests, each of them wrong in its way."""
    choose, statuses, samples = random.Random(seed), Counter(), []
    last: deque[bytes] = deque(maxlen=LAST)
    for done in range(count):
        if done % ROUND == 0:
            messages.put(("done", number, statuses))
            statuses, samples = Counter(), renewed(samples, more_samples, lambda value: messages.put(
                ("scene", number, value)))
        data = b"".join(request(chosen(samples, choose), samples, choose) for _ in range(choose.choice((1, 1, 1, 3))))
        last.append(data)
        found = exchange(port, data, patience)
        status, fault = judged(data, found)
        statuses[status] += 1
        if found.is_refused:
            # Nobody listens any more, perhaps because of what was sent before.
            messages.put(("finding", number, (fault, list(last))))
            break
        if fault:
            messages.put(("finding", number, (fault, [data])))
    messages.put(("done", number, statuses))
    messages.put(("end", number, None))


def renewed(samples: list[Sample], more_samples: Samples, tell: Callable[[str | None], None]) -> list[Sample]:
    """What others' requests have done may stand against it now and then; the samples before are good enough then."""
    try:
        found = more_samples()
    except Problem as problem:
        tell(str(problem))
        if not samples:
            raise
        return samples
    tell(None)
    return found
