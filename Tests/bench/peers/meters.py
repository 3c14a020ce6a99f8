"""CPU time, memory and syncs of a server that consists of several families of processes."""
import re
import subprocess
import threading
import time

from Tests.harness import process, tools
from Tests.harness.client import Client
from Tests.harness.errors import Problem


def families(pids: list[int]) -> list[int]:
    return [one for pid in pids for one in process.family(pid)]


def cpu_seconds(pids: list[int]) -> float:
    """User and system time of all of them and of their descendants."""
    return sum(process.cpu_seconds(pid) for pid in pids)


def memory(pids: list[int]) -> tuple[float, float]:
    """MB (10^6 bytes) of all processes by their share of each page: all in all, and without the pages of files.

    Pages of a mapped database are among the pages of files; PostgreSQL's shared buffers are not.
    """
    total = files = 0
    for pid in families(pids):
        try:
            with open(f"/proc/{pid}/smaps_rollup") as lines:
                for line in lines:
                    if line.startswith("Pss:"):
                        total += int(line.split()[1])
                    elif line.startswith("Pss_File:"):
                        files += int(line.split()[1])
        except (FileNotFoundError, ProcessLookupError, PermissionError):
            pass
    return total * 1024 / 1e6, (total - files) * 1024 / 1e6


def wait_until_idle(pids: list[int], seconds: float = 30) -> None:
    """Waits until the processes do next to nothing, but not for ever: PostgreSQL may be cleaning up."""
    limit = time.monotonic() + seconds
    while time.monotonic() < limit:
        before = cpu_seconds(pids)
        time.sleep(0.25)
        if cpu_seconds(pids) - before < 0.025:
            return


class HighestMemory:
    """Keeps the highest memory while the `with` block runs: looked at seldom, as looking costs the processes time."""

    def __init__(self, pids: list[int], pause: float):
        self.pids, self.pause, self.total, self.own = pids, pause, 0.0, 0.0
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._sample, daemon=True)

    def _sample(self) -> None:
        while not self._stop.wait(self.pause):
            total, own = memory(self.pids)
            self.total, self.own = max(self.total, total), max(self.own, own)

    def __enter__(self) -> "HighestMemory":
        self._thread.start()
        return self

    def __exit__(self, *_) -> None:
        self._stop.set()
        self._thread.join()


def _send_all(port: int, messages: list[bytes]) -> None:
    client = Client(port)
    for one in messages:
        response = client.send(one)
        if response.status not in (200, 201):
            raise Problem(f"a create failed while syncs were counted: {response.status}, {response.body[:300]!r}")
    client.close()


def count_syncs(pids: list[int], port: int, messages: list[bytes], output: str) -> tuple[int | None, str]:
    """How many syncs of files began while the messages were sent one after another, or why that is not known.

    A create that fails meanwhile is no reason for not knowing: it ends the comparison.
    """
    targets = [option for pid in families(pids) for option in ("-p", str(pid))]
    command = [tools.path("strace"), "-f", "-e", "trace=fsync,fdatasync,sync_file_range,msync", "-e", "signal=none",
               "-o", output, *targets]
    tracer = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        # It prints each process that it has attached to.
        for line in tracer.stderr:
            if re.search(r"not permitted|Could not attach", line):
                return None, f"ptrace is refused here: {line.strip()}"
            if f"Process {targets[-1]} attached" in line:
                break
        else:
            return None, "strace ended before it had attached to all processes"
        _send_all(port, messages)
        if tracer.poll() is not None:
            return None, "strace ended while syncs were counted"
    finally:
        tracer.terminate()
        tracer.wait()
        tracer.stderr.close()
    with open(output) as lines:
        # A call that another thread interrupts has a second line.
        found = [line for line in lines if "resumed" not in line and re.search(r"\b(fsync|fdatasync)\(", line)]
        return len(found), ""
