"""How busy the machine was with what is not ours."""
import os

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
        with open("/proc/stat") as stat:
            # user, nice, system, idle, iowait, irq, softirq, steal
            values = [int(value) * TICK for value in stat.readline().split()[1:9]]
        return sum(values), sum(values) - values[3] - values[4], process.cpu_seconds(os.getpid())

    def share(self) -> float:
        total, busy, own = self._read()
        spent = total - self.total
        return max(0.0, busy - self.busy - (own - self.own)) / spent if spent > 0 else 0.0
