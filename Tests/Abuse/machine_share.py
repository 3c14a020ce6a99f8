"""How busy the machine was with what is not ours."""
import os
import threading

import process

TICK = 1 / os.sysconf("SC_CLK_TCK")


def go_before_others(nice: int) -> None:
    """Makes this process and all that it starts one group that the scheduler prefers, as a whole, to other sessions.

    The priorities within the group, which set attackers back, are not touched. Needs root, and a process that leads no
    group, as one that a shell's script or `timeout` has started.
    """
    try:
        os.setsid()
    except PermissionError:
        # It leads its group: then it has a session of its own already, or has the shell's.
        pass
    with open("/proc/self/autogroup", "w") as group:
        group.write(str(nice))


class ForeignShare:
    """The share of all processors that processes other than ours, and the hypervisor, took since it was made."""

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
    """While its `with` block runs: the highest memory of TCP in the kernel, in MB, which is the whole machine's, and
    what each event loop used of a processor."""

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
    try:
        for thread in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{thread}/stat") as stat:
                head, _, rest = stat.read().rpartition(")")
            name, fields = head.partition("(")[2], rest.split()
            if name.startswith("http-"):
                found[name] = (int(fields[11]) + int(fields[12])) * TICK
    except (FileNotFoundError, ProcessLookupError):
        pass
    return found
