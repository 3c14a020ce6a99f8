"""One attack from beginning to end: before, control, during, after, and what is left a minute later."""
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from attack import Probes, Swarm
from good import GoodClient
from machine_share import ForeignShare, LoadSampler
from problem import Problem
from process import MemorySampler
from stage import Stage
from verdicts import BUSY_MS, Row

# In which memory and descriptors are to be back; the server gives memory back every ten seconds.
RECOVERY_SECONDS = 70
# By then a server has given back what its filling took; until then RssAnon is 8 MB too high to compare anything with.
SETTLED_SECONDS = 12
# Of memory: what caches and later threads keep, and the good client's own records; 3.4 MB were seen at most. Of other
# descriptors: a database and its log for each of the two times two readers that wait for another long read.
KEPT_MB, KEPT_SOCKETS, KEPT_DESCRIPTORS = 6, 2, 8
# Beyond this share of the machine in others' hands a missed p99 is measured again.
NOISE = 0.15
ATTEMPTS = 3
CALM_SECONDS = 2.0


@dataclass
class Scenario:
    """A name for `--only`, one line for `--list`, what is sent, and the settings (`limits.body_bytes`) it needs."""
    name: str
    summary: str
    attacks: Callable[[Stage], list[Swarm | Probes]]
    settings: dict[str, str] = field(default_factory=dict)
    # Some limits of time show only after so long.
    seconds: float = 0


class Trial:
    """`run` attacks and measures; `finish` waits for the recovery. The latter may happen beside other trials: a server
    that recovers is idle."""

    def __init__(self, scenario: Scenario, binary: str, folder: Path, seconds: float, sabotage: Callable | None = None):
        self.scenario, self.binary, self.folder = scenario, binary, folder
        self.seconds, self.sabotage = max(seconds, scenario.seconds), sabotage
        self.row = Row(scenario.name)
        self.stage: Stage | None = None

    def run(self) -> None:
        self.stage = Stage(self.binary, self.folder, self.scenario.settings)
        attacks = self.scenario.attacks(self.stage)
        good = GoodClient(self.stage.port, self.stage.token, self.stage.records[0], self.folder)
        try:
            for attempt in range(1, ATTEMPTS + 1):
                self._attempt(attacks, good)
                self.row.attempts = attempt
                if not self._may_be_repeated():
                    break
            self.row.findings += self.row.judge_good()
        finally:
            good.stop()
            for attack in attacks:
                attack.forget(self.folder)

    def _may_be_repeated(self) -> bool:
        """The timing alone may be tried again, and only where the machine may have spoilt it: what a check has found
        and good requests that failed stay, whatever another attempt shows."""
        row = self.row
        if row.findings or row.failed or not self.stage.is_alive():
            return False
        noisy = row.foreign > NOISE or row.control_ms >= BUSY_MS
        return noisy and bool(row.judge_good() or row.inconclusive)

    def _attempt(self, attacks: list[Swarm | Probes], good: GoodClient) -> None:
        row, stage, clock = self.row, self.stage, time.monotonic
        row.notes = []
        time.sleep(0.5)
        begin = clock()
        time.sleep(CALM_SECONDS)
        before = good.window(begin, clock())
        begin = clock()
        self._attack(attacks, min(self.seconds, 4), sink=True)
        control = good.window(begin, clock())
        if not row.rss_before_mb:
            time.sleep(max(0.0, stage.started + SETTLED_SECONDS - clock()))
            row.rss_before_mb = stage.rss_mb()
            self.descriptors, self.threads = stage.descriptors(), stage.threads()
            row.descriptors_before = self.descriptors[1]
        foreign, cpu, begin = ForeignShare(), stage.cpu_seconds(), clock()
        with MemorySampler(stage.server.pid) as memory, LoadSampler(stage.server.pid) as load:
            results = self._attack(attacks, self.seconds, sink=False)
        end = clock()
        row.foreign, row.server_cpu = foreign.share(), (stage.cpu_seconds() - cpu) / (end - begin)
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
        running = [one.start(self.stage.port, seconds, self.folder, sink) for one in attacks]
        if sink:
            # Probes have no control: they are few.
            time.sleep(seconds if all(isinstance(one, Probes) for one in attacks) else 0)
        elif self.sabotage:
            self.sabotage(self.stage)
        return [one.finish() for one in running]

    def finish(self) -> None:
        """Waits until memory and descriptors are back, and looks at what is left."""
        row, stage = self.row, self.stage
        try:
            begin = time.monotonic()
            while stage.is_alive():
                row.rss_after_mb, row.recovered_s = stage.rss_mb(), time.monotonic() - begin
                lacking = self._lacking()
                if not lacking or row.recovered_s > RECOVERY_SECONDS:
                    row.findings += lacking
                    break
                time.sleep(1)
            row.findings += self._last_look()
        except (Problem, OSError) as problem:
            row.findings.append(str(problem))
        finally:
            stage.server.kill()
            stage.remove()

    def _lacking(self) -> list[str]:
        found = []
        if self.row.rss_after_mb > self.row.rss_before_mb + KEPT_MB:
            found.append(f"{self.row.rss_after_mb:.0f} MB are still in use {RECOVERY_SECONDS} s after the attack; "
                         f"{self.row.rss_before_mb:.0f} MB were before")
        sockets, others = self.stage.descriptors()
        self.row.descriptors_after = others
        if sockets > self.descriptors[0] + KEPT_SOCKETS:
            found.append(f"{sockets} sockets are still open, {self.descriptors[0]} were before")
        if others > self.descriptors[1] + KEPT_DESCRIPTORS:
            found.append(f"{others} descriptors other than sockets are open, {self.descriptors[1]} were before")
        return found

    def _last_look(self) -> list[str]:
        if not self.stage.is_alive():
            return [f"the server has ended: {self.stage.server.last_words()}"]
        threads = self.stage.threads()
        # The pool of the Swift runtime comes and goes.
        found = [f"the thread {name} is gone" for id, name in self.threads.items()
                 if id not in threads and name.startswith(("http-", "fog", "access-log"))]
        found += self.stage.failures_in_metrics()
        self.stage.server.stop()
        return found + self.stage.complaints_in_log()


class Recovery:
    """Trials that finish in the background."""

    def __init__(self, done: Callable[[Trial], None]):
        self.done, self.threads, self.trials = done, [], []

    def abandon(self) -> None:
        """Ends the servers that are waited for."""
        for trial in self.trials:
            trial.stage.server.kill()

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
