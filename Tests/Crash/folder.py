"""Rounds that are judged by the folder itself: what a process wrote stays, whatever becomes of the process."""
import shutil
import time
from pathlib import Path

import paths  # noqa: F401
import behind
from actors import Actor, Survivor
from power import CrewRound
from round import Cut
from survivors import Contents, Names
from watched import WatchedServer

# After everything that was answered.
END = 1 << 62


class Moments:
    """Tells the time in nanoseconds."""

    def now(self) -> int:
        return time.monotonic_ns()


class FolderRound(CrewRound):
    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.clock = Moments()

    def watched(self) -> WatchedServer:
        server = WatchedServer(self.binary, self.disk, self.settings())
        self.servers.append(server)
        return server

    def play(self) -> list[str]:
        try:
            self.load()
            if self.options.forge in behind.KINDS:
                behind.forge(self)
            self.cuts = [Cut(1, END, Contents.ALL, Names.ALL, 0)]
            return self.findings() + self.judge_folder(self.disk, self.cuts[0])
        finally:
            self.close()

    def heir(self, target: Path) -> Path | None:
        shutil.rmtree(target, ignore_errors=True)
        size = sum(one.stat().st_size for one in self.disk.rglob("*") if one.is_file())
        if self.random.random() < 0.4 or size > 100_000_000:
            return None
        shutil.copytree(self.disk, target)
        return target


class KillRound(FolderRound):
    """`kill -9` at a random moment, also of a server that has just begun, and that follows a killed one."""

    kind = "kill"

    def load(self) -> None:
        if self.random.random() < self.options.stumbles:
            self.stumble()
        server = self.serve()
        self.work(server, self.options.seconds, first=True)
        while True:
            self.kill(server)
            self.rest()
            if self.random.random() < 0.6:
                break
            self.note_end(self.disk)
            self.restarts += 1
            server = self.watched()
            self.starts.append(server.start_within(self.options.start_seconds))
            self.work(server, self.options.seconds / 2)
        self.ending = f"killed {self.restarts + 1} × after {self.stumbles} broken starts"


class StopRound(FolderRound):
    """SIGTERM in the middle of the work: what was not answered is not done."""

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
            took = time.monotonic() - begun
            self.ending = f"stopped in {took:.2f} s"
            if status != 0:
                self.problems.append(f"the server ended with status {status} after SIGTERM: {server.last_words()}")
        except Exception as error:
            self.ending = "did not stop"
            self.problems.append(f"the server did not end within {self.options.stop_seconds:.0f} s: {error}")
        server.kill()
        self.rest()
        self.problems += [f"{one.name}: an answer broke off" for one in self.actors if one.was_cut_off]
        self.forget_unanswered()

    @staticmethod
    def ask(actor: Actor, cut: Cut, survivor: Survivor) -> list[str]:
        return [f"{one} ({actor.end})" for one in FolderRound.ask(actor, cut, survivor)]

    def forget_unanswered(self) -> None:
        """Whoever was not answered was not served: none of these may be there."""
        self.unanswered = 0
        for one in self.actors:
            histories = list(getattr(one, "histories", {}).values())
            histories += [group[1] if isinstance(group, tuple) else group for group in getattr(one, "groups", [])]
            for history in histories:
                before = len(history.steps)
                history.steps = [step for step in history.steps if step.answered is not None]
                self.unanswered += before - len(history.steps)
            if counter := getattr(one, "counter", None):
                before = len(counter.steps)
                counter.steps = [step for step in counter.steps if step.answered is not None]
                self.unanswered += before - len(counter.steps)
        self.ending += f", {self.unanswered} unanswered"
