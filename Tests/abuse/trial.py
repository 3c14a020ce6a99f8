"""One attack: before, control, during, after, and the recovery."""
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from Tests.abuse.attack import Probes, Swarm
from Tests.abuse.good_client import GoodClient
from Tests.abuse.machine_load import ForeignShare, LoadSampler
from Tests.abuse.results import BUSY_MS, Row
from Tests.abuse.target import Target
from Tests.harness.errors import Problem
from Tests.harness.process import MemorySampler

# In which memory and descriptors must be freed; the server returns memory every ten seconds.
RECOVERY_SECONDS = 70
# By then a server has freed the memory of its filling, which is 8 MB.
SETTLED_SECONDS = 12
# Memory for caches, later threads and the good client's records; at most 3.4 MB were seen. Other descriptors: a
# database and its WAL for each of four readers of long reads.
KEPT_MB, KEPT_SOCKETS, KEPT_DESCRIPTORS = 6, 2, 8
# With a larger share of other processes, a missed p99 is measured again.
NOISE = 0.15
ATTEMPTS = 3
CALM_SECONDS = 2.0


@dataclass
class Scenario:
    """A name for `--only`, a line for `--list`, the attacks, and the settings (`limits.body_bytes`) they need."""
    name: str
    summary: str
    attacks: Callable[[Target], list[Swarm | Probes]]
    settings: dict[str, str] = field(default_factory=dict)
    # Some time limits need longer attacks.
    seconds: float = 0


class Trial:
    """`run` attacks and measures; `finish` waits for the recovery, also while the next trial runs."""

    def __init__(self, scenario: Scenario, binary: str, directory: Path, seconds: float, fault: Callable | None = None):
        self.scenario, self.binary, self.directory = scenario, binary, directory
        self.seconds, self.fault = max(seconds, scenario.seconds), fault
        self.row = Row(scenario.name)
        self.target: Target | None = None

    def run(self) -> None:
        self.target = Target(self.binary, self.directory, self.scenario.settings)
        attacks = self.scenario.attacks(self.target)
        good = GoodClient(self.target.port, self.target.token, self.target.records[0], self.directory)
        try:
            for attempt in range(1, ATTEMPTS + 1):
                self._attempt(attacks, good)
                self.row.attempts = attempt
                if not self._may_be_repeated():
                    break
            self.row.findings += self.row.check_good()
        finally:
            good.stop()
            for attack in attacks:
                attack.remove_files(self.directory)

    def _may_be_repeated(self) -> bool:
        """Only the timing may be measured again, and only if the machine was busy: findings of checks and failed
        requests stay."""
        row = self.row
        if row.findings or row.failed or not self.target.is_alive():
            return False
        noisy = row.foreign > NOISE or row.control_ms >= BUSY_MS
        return noisy and bool(row.check_good() or row.inconclusive)

    def _attempt(self, attacks: list[Swarm | Probes], good: GoodClient) -> None:
        row, target, clock = self.row, self.target, time.monotonic
        row.notes = []
        time.sleep(0.5)
        begin = clock()
        time.sleep(CALM_SECONDS)
        before = good.window(begin, clock())
        begin = clock()
        self._attack(attacks, min(self.seconds, 4), sink=True)
        control = good.window(begin, clock())
        if not row.rss_before_mb:
            time.sleep(max(0.0, target.started + SETTLED_SECONDS - clock()))
            row.rss_before_mb = target.rss_mb()
            self.descriptors, self.threads = target.descriptors(), target.threads()
            row.descriptors_before = self.descriptors[1]
        foreign, cpu, begin = ForeignShare(), target.cpu_seconds(), clock()
        with MemorySampler(target.server.pid) as memory, LoadSampler(target.server.pid) as load:
            results = self._attack(attacks, self.seconds, sink=False)
        end = clock()
        row.foreign, row.server_cpu = foreign.share(), (target.cpu_seconds() - cpu) / (end - begin)
        during = good.window(begin, end)
        calm = clock()
        time.sleep(CALM_SECONDS)
        after = good.window(calm, clock())
        row.before_ms, row.control_ms, row.during_ms, row.after_ms = (
            one.p99_ms for one in (before, control, during, after))
        row.longest_ms, row.rss_peak_mb = during.max_ms, max(row.rss_peak_mb, memory.highest)
        row.good = len(during.latencies_ms)
        row.failed = before.failed + during.failed + after.failed
        for name, window in (("before", before), ("during", during), ("after", after)):
            if window.failures:
                row.notes.append(f"good requests that failed {name}: {dict(window.failures)}")
        loops = ", ".join(f"{name} {spent / (end - begin):.0%}" for name, spent in load.loops.items())
        row.notes.append(f"good requests during: {during.describe()}; loops: {loops}; TCP in the kernel: "
                         f"{load.kernel_mb:.0f} MB")
        for attack, result in zip(attacks, results):
            row.notes.append(f"attack: {result}")
            row.findings += result.findings
            for check in attack.checks:
                row.findings += check(result)

    def _attack(self, attacks: list[Swarm | Probes], seconds: float, sink: bool) -> list:
        running = [one.start(self.target.port, seconds, self.directory, sink) for one in attacks]
        if sink:
            # Probes are too few for a control.
            time.sleep(seconds if all(isinstance(one, Probes) for one in attacks) else 0)
        elif self.fault:
            self.fault(self.target)
        return [one.finish() for one in running]

    def finish(self) -> None:
        """Waits until memory and descriptors are freed, and makes the final checks."""
        row, target = self.row, self.target
        try:
            begin = time.monotonic()
            while target.is_alive():
                row.rss_after_mb, row.recovered_s = target.rss_mb(), time.monotonic() - begin
                left = self._left()
                if not left or row.recovered_s > RECOVERY_SECONDS:
                    row.findings += left
                    break
                time.sleep(1)
            row.findings += self._final_checks()
        except (Problem, OSError) as problem:
            row.findings.append(str(problem))
        finally:
            target.server.kill()
            target.remove()

    def _left(self) -> list[str]:
        found = []
        if self.row.rss_after_mb > self.row.rss_before_mb + KEPT_MB:
            found.append(f"{self.row.rss_after_mb:.0f} MB are still in use {RECOVERY_SECONDS} s after the attack; "
                         f"{self.row.rss_before_mb:.0f} MB were before")
        sockets, others = self.target.descriptors()
        self.row.descriptors_after = others
        if sockets > self.descriptors[0] + KEPT_SOCKETS:
            found.append(f"{sockets} sockets are still open, {self.descriptors[0]} were before")
        if others > self.descriptors[1] + KEPT_DESCRIPTORS:
            found.append(f"{others} descriptors other than sockets are open, {self.descriptors[1]} were before")
        return found

    def _final_checks(self) -> list[str]:
        if not self.target.is_alive():
            return [f"the server has ended: {self.target.server.last_words()}"]
        threads = self.target.threads()
        # Threads of the Swift runtime's pool may end.
        found = [f"the thread {name} is gone" for id, name in self.threads.items()
                 if id not in threads and name.startswith(("http-", "fog", "access-log"))]
        found += self.target.failures_in_metrics()
        self.target.server.stop()
        return found + self.target.crashes_in_log()


class Recovery:
    """Trials that finish in the background."""

    def __init__(self, done: Callable[[Trial], None]):
        self.done, self.threads, self.trials = done, [], []

    def abandon(self) -> None:
        """Ends the servers that still recover."""
        for trial in self.trials:
            trial.target.server.kill()

    def add(self, trial: Trial) -> None:
        self.trials.append(trial)
        thread = threading.Thread(target=self._finish, args=(trial,))
        thread.start()
        self.threads.append(thread)

    def _finish(self, trial: Trial) -> None:
        trial.finish()
        self.done(trial)

    def wait(self) -> None:
        for thread in self.threads:
            thread.join()
