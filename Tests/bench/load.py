"""Load by wrk: keep-alive connections, no pipelining, ready-made requests in turn."""
import json
import os
import signal
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from Tests.harness import process, tools
from Tests.harness.client import Client
from Tests.harness.errors import Problem

PERCENTILES = ("p50", "p75", "p90", "p99", "p99.9")
SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "load.lua")


@dataclass
class Measurement:
    """One run. An operation is a request, or one of the records that a request carries."""
    operations: int
    seconds: float
    cpu_seconds: float
    p50_ms: float | None = None
    p99_ms: float | None = None
    max_ms: float | None = None
    rss_mb: float | None = None
    errors: int = 0
    faults: list[str] = field(default_factory=list)
    extra: dict = field(default_factory=dict)
    # The share of all processors that the host took for others meanwhile.
    stolen: float = 0.0
    # Milliseconds by the name of the percentile: p50, p75, p90, p99, p99.9.
    percentiles: dict[str, float] = field(default_factory=dict)

    @property
    def cpu_us(self) -> float:
        """CPU microseconds per operation."""
        return self.cpu_seconds / max(1, self.operations) * 1e6

    @property
    def rate(self) -> float:
        """Operations per second."""
        return self.operations / self.seconds


class Load:
    """A set of messages for one server, written to a file that wrk's script reads.

    With `once` no message is sent twice, as a deletion succeeds only once, and a run ends after the last.
    """

    def __init__(self, directory: Path, pid: int, port: int, messages: list[bytes], *, expect: int = 200,
                 connections: int = 64, operations: int = 1, once: bool = False):
        self.pid, self.port, self.connections, self.operations, self.once = pid, port, connections, operations, once
        directory.mkdir(parents=True, exist_ok=True)
        number = len(os.listdir(directory))
        self.file = directory / f"messages-{number}"
        with open(self.file, "wb") as out:
            for one in messages[1:] if once else messages:
                out.write(b"%d\n%s" % (len(one), one))
        # The first message is tried before it is repeated a million times.
        client = Client(port)
        response = client.send(messages[0])
        client.close()
        if response.status != expect:
            start = messages[0].split(b"\r\n")[0].decode()
            raise Problem(f"{start} answered {response.status} where {expect} is expected: {response.body[:400]!r}")
        self.sample = response

    def run(self, seconds: float) -> Measurement:
        """One run of wrk, with the server's CPU time around it and its memory during it.

        With `once` it lasts as long as the messages, but at most ten times `seconds`.
        """
        if self.once:
            return self._measure(f"{max(10, round(seconds * 10))}s", _end_when_done)
        return self._measure(f"{max(1, round(seconds))}s", lambda wrk: "")

    def during(self, work: Callable[[], None]) -> Measurement:
        """A run that lasts as long as `work`."""
        def wait(wrk: subprocess.Popen) -> str:
            work()
            # wrk takes this as the end of its time, and reports.
            wrk.send_signal(signal.SIGINT)
            return ""

        return self._measure("3600s", wait)

    def _measure(self, duration: str, wait: Callable[[subprocess.Popen], str]) -> Measurement:
        command = [tools.path("wrk"), "-t", "1", "-c", str(self.connections), "-d", duration,
                   "--timeout", "10s", "-s", SCRIPT, f"http://127.0.0.1:{self.port}/", "--", str(self.file)]
        if self.once:
            command.append("once")
        with process.MemorySampler(self.pid) as memory, process.StolenShare() as stolen:
            before = process.cpu_seconds(self.pid)
            wrk = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            try:
                output = wait(wrk)
                output += wrk.communicate()[0]
            finally:
                wrk.kill()
            spent = process.cpu_seconds(self.pid) - before
        lines = [line for line in output.splitlines() if line.startswith("{")]
        if wrk.returncode != 0 or not lines:
            raise Problem(f"wrk failed: {output.strip()[-400:]}")
        summary = json.loads(lines[-1])
        requests = summary["requests"]
        errors = {kind: summary[kind] for kind in ("connect", "read", "write", "status", "timeout") if summary[kind]}
        faults = [f"{count} {kind} errors" for kind, count in errors.items()]
        if requests == 0:
            faults.append("no request was answered")
        elif not 0.75 < summary["bytes"] / requests / self.sample.size < 1.33:
            # A batch whose operations fail still gets 200, but fewer bytes.
            faults.append(f"responses of {summary['bytes'] // requests} bytes where the first had {self.sample.size}")
        return Measurement(requests * self.operations, summary["duration"] / 1e6, spent, summary["p50"] / 1e3,
                           summary["p99"] / 1e3, summary["max"] / 1e3, memory.highest,
                           sum(errors.values()) + (len(faults) > len(errors)), faults, stolen=stolen.share,
                           percentiles={name: summary[name] / 1e3 for name in PERCENTILES})


def _end_when_done(wrk: subprocess.Popen) -> str:
    """Ends wrk when its script reports responses to all messages; returns its output until then."""
    output = ""
    while line := wrk.stdout.readline():
        output += line
        if line == "done\n":
            wrk.send_signal(signal.SIGINT)
            break
    return output
