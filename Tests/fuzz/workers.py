"""The processes that send mutated requests, and the process that watches them and the server."""
import multiprocessing
import queue
import random
import time
from collections import Counter, deque
from collections.abc import Callable
from pathlib import Path

from Tests.fuzz.exchange import TIMEOUT, exchange, outcome
from Tests.fuzz.mutation import chosen, request
from Tests.fuzz.response_counts import ResponseCounts
from Tests.fuzz.samples import Sample
from Tests.harness.errors import Problem

# Requests of one worker between two fixtures.
ROUND = 1_000
# The last requests of each worker that are kept when the server ends.
LAST = 8
MOST_FINDINGS = 20

# Returns the next samples of a worker; a `Problem` if the fixture could not be made.
Samples = Callable[[], list[Sample]]


class Workers:
    """`make_samples` returns a source of samples for each worker."""

    def __init__(self, work: Path, count: int, workers: int, seed: int, timeout: float = TIMEOUT):
        self.directory, self.wanted, self.timeout = work, -(-count // workers) * workers, timeout
        self.per_worker, self.seeds = -(-count // workers), [seed * 1000 + number for number in range(workers)]
        self.queue: multiprocessing.Queue = multiprocessing.Queue()
        self.counts, self.findings, self.ended = ResponseCounts(), [], set()
        self.workers: list[multiprocessing.Process] = []
        self.shown = time.monotonic()

    def run(self, server, make_samples: Callable[[], Samples]) -> list[str]:
        """Runs the workers to their end, to the server's end, or until there are too many findings."""
        self.workers = [
            multiprocessing.Process(target=work, daemon=True, args=(
                number, self.queue, server.port, make_samples(), seed, self.per_worker, self.timeout))
            for number, seed in enumerate(self.seeds)]
        for worker in self.workers:
            worker.start()
        while len(self.ended) < len(self.workers) and len(self.findings) < MOST_FINDINGS:
            if process_is_gone(server):
                self.drain()
                break
            self.listen(1)
            self.show(server)
            self.check_workers()
        self.stop()
        if process_is_gone(server):
            self.findings.insert(0, f"The server ended with status {server.child.poll()}: {server.last_words()}")
        elif len(self.findings) < MOST_FINDINGS:
            self.findings += self.counts.findings(self.wanted)
        print(self.counts.summary(), flush=True)
        return self.findings

    def listen(self, seconds: float) -> bool:
        """Takes one message, if one comes in time."""
        try:
            kind, number, value = self.queue.get(timeout=seconds)
        except queue.Empty:
            return False
        match kind:
            case "done": self.counts.statuses += value
            case "fixture": self.counts.note_fixture(value)
            case "finding": self.keep(*value)
            case "end": self.ended.add(number)
        return True

    def drain(self) -> None:
        """After the end of the server: waits until the workers notice it and report their last requests."""
        limit = time.monotonic() + self.timeout
        while len(self.ended) < len(self.workers) and time.monotonic() < limit and self.listen(1):
            pass

    def check_workers(self) -> None:
        """A worker that ended without a message has tested nothing since."""
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
            paths.append(self.directory / f"request-{len(self.findings)}{f'-{place}' if len(requests) > 1 else ''}.bin")
            paths[-1].write_bytes(data)
        self.findings.append(f"{fault}: {', '.join(str(path) for path in paths)}")

    def show(self, server) -> None:
        if time.monotonic() - self.shown > 20 and not process_is_gone(server):
            self.shown = time.monotonic()
            print(f"{self.counts.requests:>9,} requests, {server.rss_anon():.0f} MB", flush=True)

    def stop(self) -> None:
        for worker in self.workers:
            worker.join(0 if worker.is_alive() and len(self.ended) < len(self.workers) else 5)
            if worker.is_alive():
                worker.kill()
                worker.join()


def process_is_gone(server) -> bool:
    return server.child is None or server.child.poll() is not None


def work(number: int, messages: multiprocessing.Queue, port: int, more_samples: Samples, seed: int, count: int,
         timeout: float) -> None:
    """One worker: a connection for every few requests, each of them mutated."""
    choose, statuses, samples = random.Random(seed), Counter(), []
    last: deque[bytes] = deque(maxlen=LAST)
    for done in range(count):
        if done % ROUND == 0:
            messages.put(("done", number, statuses))
            statuses, samples = Counter(), renewed(samples, more_samples, lambda value: messages.put(
                ("fixture", number, value)))
        data = b"".join(request(chosen(samples, choose), samples, choose) for _ in range(choose.choice((1, 1, 1, 3))))
        last.append(data)
        found = exchange(port, data, timeout)
        status, fault = outcome(data, found)
        statuses[status] += 1
        if found.is_refused:
            # The port is closed, perhaps because of an earlier request.
            messages.put(("finding", number, (fault, list(last))))
            break
        if fault:
            messages.put(("finding", number, (fault, [data])))
    messages.put(("done", number, statuses))
    messages.put(("end", number, None))


def renewed(samples: list[Sample], more_samples: Samples, tell: Callable[[str | None], None]) -> list[Sample]:
    """New samples. If the requests of other workers prevent that, the earlier ones are used again."""
    try:
        found = more_samples()
    except Problem as problem:
        tell(str(problem))
        if not samples:
            raise
        return samples
    tell(None)
    return found
