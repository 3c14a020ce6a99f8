"""CPU time and memory of a running process, from /proc."""
import os
import threading
import time
from collections import Counter

TICK = 1 / os.sysconf("SC_CLK_TCK")


def cpu_seconds(pid: int) -> float:
    """User and system time of a process, all its threads, and its children, living or waited for."""
    total = 0
    for one in family(pid):
        fields = _stat(one)
        if fields:
            total += sum(int(value) for value in fields[11:15])  # utime, stime, cutime, cstime
    return total * TICK


def loop_milliseconds(pid: int) -> float:
    """Processor time of a server's event loops, to the nanosecond (Documentation/scheduler/sched-stats.rst)."""
    total = 0
    for thread in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{thread}/comm") as name:
            if not name.read().startswith("http-"):
                continue
        with open(f"/proc/{pid}/task/{thread}/schedstat") as times:
            total += int(times.read().split()[0])
    return total / 1e6


def processor_seconds() -> list[float]:
    """The work of all processors since the start of the machine: user, nice, system, idle, iowait, irq, softirq, and
    steal, which the host took for others (proc(5); 0 if the host does not report it)."""
    with open("/proc/stat") as stat:
        return [int(value) * TICK for value in stat.readline().split()[1:9]]


class StolenShare:
    """The share of all processors that the host took for others while the `with` block ran."""

    share = 0.0

    def __enter__(self) -> "StolenShare":
        self._before = processor_seconds()
        return self

    def __exit__(self, *_) -> None:
        spent = [after - before for after, before in zip(processor_seconds(), self._before)]
        self.share = spent[7] / sum(spent) if sum(spent) > 0 else 0.0


def family(pid: int) -> list[int]:
    """The process and all its living descendants."""
    children: dict[int, list[int]] = {}
    for name in os.listdir("/proc"):
        if name.isdigit() and (fields := _stat(int(name))):
            children.setdefault(int(fields[1]), []).append(int(name))
    found = [pid]
    for one in found:
        found.extend(children.get(one, []))
    return found


def status(pid: int) -> dict[str, int]:
    """The numbers of /proc/PID/status, sizes in KiB; none for a process that has ended."""
    found = {}
    try:
        with open(f"/proc/{pid}/status") as lines:
            for line in lines:
                name, _, value = line.partition(":")
                if (words := value.split()) and words[0].isdigit():
                    found[name] = int(words[0])
    except (FileNotFoundError, ProcessLookupError):
        pass
    return found


def rss_anon(pid: int) -> float:
    """RssAnon in MB (10^6 bytes); 0 for a process that has ended."""
    return status(pid).get("RssAnon", 0) * 1024 / 1e6


def descriptors(pid: int) -> Counter[str]:
    """The number of open descriptors by name: files without their directories, sockets and pipes by their kind."""
    found, directory = Counter(), f"/proc/{pid}/fd"
    for number in os.listdir(directory):
        try:
            name = os.readlink(f"{directory}/{number}")
        except FileNotFoundError:
            continue  # closed in the meantime
        found[name.removesuffix(" (deleted)").rsplit("/", 1)[-1].partition(":[")[0]] += 1
    return found


def threads(pid: int) -> dict[int, str]:
    """The names of the threads by their IDs."""
    found = {}
    for thread in os.listdir(f"/proc/{pid}/task"):
        try:
            with open(f"/proc/{pid}/task/{thread}/comm") as name:
                found[int(thread)] = name.read().strip()
        except (FileNotFoundError, ProcessLookupError):
            continue  # ended in the meantime
    return found


def thread_seconds(pid: int, thread: int) -> float:
    """User and system time of one thread."""
    with open(f"/proc/{pid}/task/{thread}/stat") as stat:
        fields = stat.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) * TICK


class MemorySampler:
    """Keeps the highest RssAnon of a process, read every 50 ms while the `with` block runs."""

    def __init__(self, pid: int):
        self.pid, self.highest = pid, 0.0
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._sample, daemon=True)

    def _sample(self) -> None:
        while True:
            self.highest = max(self.highest, rss_anon(self.pid))
            if self._stop.wait(0.05):
                return

    def __enter__(self) -> "MemorySampler":
        self._thread.start()
        return self

    def __exit__(self, *_) -> None:
        self._stop.set()
        self._thread.join()
        self.highest = max(self.highest, rss_anon(self.pid))


def wait_for_end(pid: int, seconds: float) -> bool:
    """Whether a process that is not our child ends within `seconds`."""
    limit = time.monotonic() + seconds
    while time.monotonic() < limit:
        if not _stat(pid):
            return True
        time.sleep(0.02)
    return False


def _stat(pid: int) -> list[str] | None:
    """The fields of /proc/PID/stat after the command's name: state, parent, …"""
    try:
        with open(f"/proc/{pid}/stat") as stat:
            return stat.read().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return None
