"""How busy the machine was with what is not ours."""
import os

import process

TICK = 1 / os.sysconf("SC_CLK_TCK")


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
