"""A server whose file operations are recorded in a journal, and the clock that the journal is."""
import os
import signal
import time
from pathlib import Path

from Tests.harness.server import Server
from Tests.powercut import journal


class JournalClock:
    """Returns the time in bytes of the journal: a smaller position is an earlier state of the disk."""

    def __init__(self, log: Path):
        self.log = log

    def now(self) -> int:
        try:
            return os.stat(self.log).st_size
        except FileNotFoundError:
            return 0


class TracedServer(Server):
    """A server whose data is `disk/data`. With a library, all that it does to `disk` is recorded in the journal
    `log`."""

    def __init__(self, binary: str, disk: Path, extra: dict[str, str], library: Path | None = None,
                 log: Path | None = None, sync_microseconds: int | None = None):
        traced = journal.environment(library, disk, log, sync_microseconds) if library and log else {}
        super().__init__(binary, disk / "data", extra | traced)
        self.disk = disk
        self.was_terminated = False  # by SIGTERM

    @property
    def log(self) -> Path:
        """Outside of the directory that is traced."""
        return self.disk.with_name(self.disk.name + ".log")

    def spawn(self) -> None:
        super().spawn()
        self.was_terminated = False

    def start_within(self, seconds: float, path: str = "/health/ready") -> float:
        """Starts the server and returns how long that took; `Problem` if it is not ready in time."""
        begun = time.monotonic()
        self.start(seconds, path)
        return time.monotonic() - begun

    def terminate(self) -> None:
        """Sends SIGTERM and does not wait."""
        if self.child and self.child.poll() is None:
            self.child.send_signal(signal.SIGTERM)
            self.was_terminated = True

    def crash(self) -> str | None:
        """A sentence if a signal ended the process: it may exit with an error, but not crash."""
        if self.child is None or (status := self.child.poll()) is None or status >= 0:
            return None
        return f"the server was ended by signal {-status}; its log ends: {self.last_words()}"

    def kill_living(self) -> str | None:
        """`kill -9` in the middle of the work. A sentence if the process had already ended in another way."""
        if (child := self.child) is None:
            return None
        had_ended = child.poll() is not None and not self.was_terminated
        self.kill()
        # It may also have ended since.
        expected = (0, -signal.SIGKILL) if self.was_terminated else (-signal.SIGKILL,)
        if not had_ended and child.returncode in expected:
            return None
        way = "after SIGTERM" if self.was_terminated else "by itself"
        return f"the server ended {way}, with status {child.returncode}; its log ends: {self.last_words()}"
