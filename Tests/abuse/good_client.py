"""The well-behaved client: runs good.c and evaluates its requests over a period."""
import os
import subprocess
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from Tests.abuse.attack import compiled, write_messages
from Tests.harness.client import message
from Tests.harness.errors import Problem

RATE, LANES = 120, 8
KINDS = ("create", "get", "query")


@dataclass
class Window:
    """The requests of one period."""
    latencies_ms: list[float]
    failures: Counter
    kinds: dict[str, list[float]]

    @property
    def p99_ms(self) -> float:
        return percentile(self.latencies_ms, 0.99)

    @property
    def max_ms(self) -> float:
        return max(self.latencies_ms, default=0)

    @property
    def failed(self) -> int:
        return sum(self.failures.values())

    def describe(self) -> str:
        parts = [f"{kind} {percentile(sorted(values), 0.99):.1f}" for kind, values in self.kinds.items() if values]
        return f"p99 {self.p99_ms:.1f} ms ({', '.join(parts)}), longest {self.max_ms:.0f} ms"


def percentile(ordered: list[float], share: float) -> float:
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))] if ordered else 0.0


class GoodClient:
    """Creates, gets and queries, a third each; half of the requests on new connections."""

    def __init__(self, port: int, token: str, record: str, directory: Path, rate: int = RATE):
        self.file, self.rate = directory / f"good-{port}", rate
        asked = directory / f"good-messages-{port}"
        write_messages(asked, [
            (201, message("POST", "/records/Note", token, {"fields": {"text": "a good note", "number": 7}})),
            (200, message("GET", f"/records/Post/{record}")),
            (200, message("GET", "/query/Post?where=likes%20%3E%3D%20500&sort=-likes&limit=10&fields=title,likes")),
        ])
        command = [compiled("good", directory), str(port), str(asked), str(rate), str(LANES), str(self.file)]
        # It represents clients on other machines, which do not wait for these processors.
        prefix = ["nice", "-n", "-10"] if os.geteuid() == 0 else []
        self.child = subprocess.Popen(prefix + command)

    def stop(self) -> None:
        self.child.kill()
        self.child.wait()

    def window(self, begin: float, end: float) -> Window:
        """The requests that were due between two times of the monotonic clock. Waits for outstanding ones."""
        self._wait(end)
        latencies, failures, kinds = [], Counter(), {kind: [] for kind in KINDS}
        with open(self.file) as lines:
            for line in lines:
                due, _, kind, took, outcome = line.split()
                if begin <= float(due) < end:
                    latencies.append(float(took) / 1e3)
                    kinds[KINDS[int(kind)]].append(float(took) / 1e3)
                    if outcome != "ok":
                        failures[outcome] += 1
        # A lane that hangs has not written its requests.
        missing = int((end - begin) * self.rate) - len(latencies)
        if missing > LANES:
            failures["missing"] = missing
        return Window(sorted(latencies), failures, kinds)

    def _wait(self, end: float) -> None:
        """Waits until every lane is past `end`, or has reached its timeout."""
        limit = time.monotonic() + 15
        while time.monotonic() < limit:
            if self.child.poll() is not None:
                raise Problem(f"the good client ended with status {self.child.returncode}.")
            with open(self.file) as lines:
                past = {line.split()[1] for line in lines
                        if line.endswith("\n") and float(line.split(" ", 1)[0]) >= end}
            if len(past) >= LANES:
                return
            time.sleep(0.1)
