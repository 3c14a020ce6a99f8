"""The server under the watch of the library, and on what a power cut left."""
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "Bench"))

from problem import Problem  # noqa: E402
from server import Server  # noqa: E402

import journal  # noqa: E402

__all__ = ["Problem", "WatchedServer", "Clock", "doctor"]

# What a log of requests would cost; and clients come from one address.
SETTINGS = {"FOGBASE_LOG_ACCESS": "off", "FOGBASE_LIMITS_RATES": "off"}


class Clock:
    """Tells the time in bytes of the journal: what has been done to the disk is before, what comes is after."""

    def __init__(self, log: Path):
        self.log = log

    def now(self) -> int:
        try:
            return os.stat(self.log).st_size
        except FileNotFoundError:
            return 0


class WatchedServer(Server):
    """A server whose data is `disk/data`; with a library, all that it does to `disk` goes to the journal."""

    def __init__(self, binary: str, disk: Path, extra: dict[str, str], library: Path | None = None,
                 log: Path | None = None, sync_microseconds: int | None = None):
        settings = SETTINGS | extra
        if library and log:
            settings |= journal.environment(library, disk, log, sync_microseconds)
        super().__init__(binary, disk / "data", settings)
        self.disk = disk
        self.was_asked = False  # to end, by SIGTERM

    @property
    def log(self) -> Path:
        return self.disk.with_name(self.disk.name + ".log")

    def spawn(self) -> None:
        # The folder is not made here: making it durably is the server's own task.
        arguments = [self.binary, "serve", "--host", "127.0.0.1", "--port", str(self.port), "--data", str(self.data)]
        with open(self.log, "ab") as log:
            self.child = subprocess.Popen(arguments, env=self.environment, stdout=log, stderr=log,
                                          stdin=subprocess.DEVNULL)
        self.was_asked = False

    def start_within(self, seconds: float, path: str = "/health/ready") -> float:
        """Starts the server; `Problem` if it is not ready in time. Returns how long it took."""
        begun = time.monotonic()
        self.spawn()
        self.wait_for(path, seconds)
        return time.monotonic() - begun

    def terminate(self) -> None:
        """Asks the server to end and does not wait."""
        if self.child and self.child.poll() is None:
            self.child.send_signal(signal.SIGTERM)
            self.was_asked = True

    def crash(self) -> str | None:
        """By which signal the process has ended, if by any: it may refuse to start, but not die of it."""
        if self.child is None or (status := self.child.poll()) is None or status >= 0:
            return None
        return f"the server was ended by signal {-status}; it said: {self.last_words()}"

    def kill_living(self) -> str | None:
        """`kill -9`, in the middle of the work. A sentence, if the process had ended in a way that nobody intended."""
        if (child := self.child) is None:
            return None
        had_ended = child.poll() is not None and not self.was_asked
        self.kill()
        # It may also have ended since.
        if not had_ended and child.returncode in ((0, -signal.SIGKILL) if self.was_asked else (-signal.SIGKILL,)):
            return None
        way = "after SIGTERM" if self.was_asked else "by itself"
        return f"the server ended {way}, with status {child.returncode}; it said: {self.last_words()}"


def doctor(binary: str, data: Path) -> str | None:
    """What `fogbase doctor` complains of; `None` if it is content."""
    found = subprocess.run([binary, "doctor", "--data", str(data)], capture_output=True, text=True, timeout=120)
    if found.returncode == 0:
        return None
    return f"doctor ended with {found.returncode}: {found.stdout[-1500:]}{found.stderr[-300:]}"
