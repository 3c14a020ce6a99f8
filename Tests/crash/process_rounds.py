"""Rounds that end a process. The disk is checked unchanged: writes of a process stay, however it ended."""
import shutil
import time
from pathlib import Path

from Tests.crash import planted_faults
from Tests.crash.client import RecoveredState, Worker
from Tests.crash.round import Cut, Round
from Tests.harness.rounds import description
from Tests.powercut.disk_model import Contents, Names
from Tests.powercut.traced_server import TracedServer

END = 1 << 62  # after everything that was acknowledged


class MonotonicClock:
    """Returns the time in nanoseconds."""

    def now(self) -> int:
        return time.monotonic_ns()


class ProcessRound(Round):
    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.clock = MonotonicClock()

    def new_server(self) -> TracedServer:
        self.servers.append(TracedServer(self.binary, self.disk, self.settings()))
        return self.servers[-1]

    def run(self) -> list[str]:
        try:
            self.load()
            if self.options.plant in planted_faults.KINDS:
                planted_faults.plant(self)
            self.cuts = [Cut(1, END, Contents.ALL, Names.ALL, 0)]
            return self.findings() + self.check_disk(self.disk, self.cuts[0])
        finally:
            self.close()

    def next_disk(self, target: Path) -> Path | None:
        shutil.rmtree(target, ignore_errors=True)
        size = sum(one.stat().st_size for one in self.disk.rglob("*") if one.is_file())
        if self.random.random() < 0.4 or size > 100_000_000:
            return None
        return shutil.copytree(self.disk, target)


class KillRound(ProcessRound):
    """`kill -9` at a random moment, also just after a start, and of a server that follows a killed one."""

    kind = "kill"

    def load(self) -> None:
        if self.random.random() < self.options.broken_starts:
            self.break_starts()
        server = self.serve()
        self.work(server, self.options.seconds, first=True)
        while True:
            self.kill(server)
            self.stop_workers()
            if self.random.random() < 0.6:
                break
            self.note_end(self.disk)
            self.restarts += 1
            server = self.new_server()
            self.starts.append(server.start_within(self.options.start_seconds))
            self.work(server, self.options.seconds / 2)
        self.ending = f"killed {self.restarts + 1} × after {self.broken_starts} broken starts"


class StopRound(ProcessRound):
    """SIGTERM in the middle of the work: a request without a response must not have taken effect."""

    kind = "stop"

    def load(self) -> None:
        server = self.serve()
        self.work(server, self.options.seconds, first=True)
        process, begun = server.child, time.monotonic()
        if process.poll() is not None:
            self.problems.append(f"the server ended by itself, before SIGTERM: {server.last_words()}")
        self.terminate(server)
        try:
            status = process.wait(self.options.stop_seconds)
            self.ending = f"stopped in {time.monotonic() - begun:.2f} s"
            if status != 0:
                self.problems.append(f"the server ended with status {status} after SIGTERM: {server.last_words()}")
        except Exception as error:
            self.ending = "did not stop"
            self.problems.append(f"the server did not end in {self.options.stop_seconds:.0f} s: {description(error)}")
        server.kill()
        self.stop_workers()
        self.problems += [f"{one.name}: a response broke off" for one in self.workers if one.was_cut_off]
        self.forget_unanswered()

    def ask(self, worker: Worker, cut: Cut, recovered: RecoveredState) -> list[str]:
        return [f"{one} ({worker.end})" for one in super().ask(worker, cut, recovered)]

    def forget_unanswered(self) -> None:
        """Removes the writes without a response: their states must not exist."""
        removed = 0
        for one in self.workers:
            counter = getattr(one, "counter", None)
            for history in [*one.histories.values(), *([counter] if counter else [])]:
                before = len(history.steps)
                history.steps = [step for step in history.steps if step.answered is not None]
                removed += before - len(history.steps)
        self.ending += f", {removed} without a response"
