"""The load of the machine by other processes, and the load of the server's threads."""
import argparse
import contextlib
import os
import tempfile
import threading
from pathlib import Path

from Tests.harness import process
from Tests.harness.server import raise_descriptor_limit

def add_priority_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--priority", type=int, default=0, metavar="NICE",
                        help="as root, on a shared machine: the scheduling of this whole run, such as -15")


def prepare(options: argparse.Namespace, prefix: str) -> Path:
    """Sets the priority and the limit of descriptors, and returns a new directory."""
    if options.priority:
        go_before_others(options.priority)
    raise_descriptor_limit()
    options.work.mkdir(parents=True, exist_ok=True)
    return Path(tempfile.mkdtemp(prefix=prefix, dir=options.work)).resolve()


def go_before_others(nice: int) -> None:
    """Makes this process and its children one scheduling group that precedes other sessions.

    Priorities within the group stay. Needs root, and a process that is not a group leader, such as one that a script or
    `timeout` has started.
    """
    try:
        os.setsid()
    except PermissionError:
        # A group leader has a session of its own already, or the shell's.
        pass
    with open("/proc/self/autogroup", "w") as group:
        group.write(str(nice))


class ForeignShare:
    """The share of all processors that other processes and the hypervisor have used since its creation."""

    def __init__(self):
        self.total, self.busy, self.own = self._read()

    def _read(self) -> tuple[float, float, float]:
        values = process.processor_seconds()
        return sum(values), sum(values) - values[3] - values[4], process.cpu_seconds(os.getpid())

    def share(self) -> float:
        total, busy, own = self._read()
        spent = total - self.total
        return max(0.0, busy - self.busy - (own - self.own)) / spent if spent > 0 else 0.0


class LoadSampler:
    """During its `with` block: the highest TCP memory of the kernel in MB, for the whole machine, and the processor
    time of each event loop."""

    def __init__(self, pid: int):
        self.pid, self.kernel_mb, self.loops = pid, 0.0, {}
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._sample, daemon=True)

    def _sample(self) -> None:
        while not self._stop.wait(0.1):
            self.kernel_mb = max(self.kernel_mb, tcp_memory_mb())

    def __enter__(self) -> "LoadSampler":
        self.before = loop_seconds(self.pid)
        self._thread.start()
        return self

    def __exit__(self, *_) -> None:
        self._stop.set()
        self._thread.join()
        after = loop_seconds(self.pid)
        self.loops = {name: after[name] - self.before.get(name, 0) for name in sorted(after)}


def tcp_memory_mb() -> float:
    with open("/proc/net/sockstat") as lines:
        for line in lines:
            if line.startswith("TCP:"):
                return int(line.split()[-1]) * os.sysconf("SC_PAGESIZE") / 1e6
    return 0.0


def loop_seconds(pid: int) -> dict[str, float]:
    """Processor time of the server's event loops, by the names of their threads."""
    found = {}
    for thread, name in process.threads(pid).items() if os.path.exists(f"/proc/{pid}") else ():
        if name.startswith("http-"):
            with contextlib.suppress(FileNotFoundError, ProcessLookupError):
                found[name] = process.thread_seconds(pid, thread)
    return found
