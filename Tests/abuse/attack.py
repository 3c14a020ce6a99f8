"""Attacks: many connections driven by attacker.c, or probes whose responses are checked."""
import itertools
import json
import subprocess
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from Tests.harness import tools
from Tests.harness.errors import Problem

# Each swarm has a file of messages with a number of its own.
NUMBERS = itertools.count(1)
# Probes test responses, not load.
PROBE_PAUSE = 0.01


@dataclass
class Result:
    """The counts of attacker.c; a probe has only findings."""
    responses: dict[str, int] = field(default_factory=dict)
    ends: dict[str, int] = field(default_factory=dict)
    opened: int = 0
    refused: int = 0
    closed: int = 0
    reset: int = 0
    ours: int = 0
    unanswered: int = 0
    open: int = 0
    oldest: float = 0
    shortest: float = 0
    middle: float = 0
    longest: float = 0
    most_responses: int = 0
    sent: int = 0
    received: int = 0
    # Messages that were not begun.
    untried: int = 0
    findings: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        responses = ", ".join(f"{count:,} × {status}" for status, count in self.responses.items()) or "no responses"
        text = f"{self.opened:,} connections, {self.sent / 1e6:,.1f} MB sent; {responses}"
        ended = self.closed + self.reset
        if ended:
            text += (f"; {self.closed:,} closed and {self.reset:,} reset after "
                     f"{self.shortest:.2f}–{self.longest:.2f} s")
        return text + (f"; {self.open:,} open at the end" if self.open else "")


Check = Callable[[Result], list[str]]


@dataclass
class Swarm:
    """Connections that all do the same: options of attacker.c, messages to send, and checks of the result."""
    messages: list[bytes]
    checks: list[Check]
    flags: dict[str, object]

    def __init__(self, messages: list[bytes], *checks: Check, **flags):
        self.messages, self.checks, self.flags = messages, list(checks), flags
        self.number = next(NUMBERS)

    def remove_files(self, directory: Path) -> None:
        """Removes the file of messages, which may be large."""
        (directory / f"attack-{self.number}").unlink(missing_ok=True)

    def start(self, port: int, seconds: float, directory: Path, sink: bool) -> "Running":
        """Starts the attack; with `sink`, the same load on the machine without the server."""
        file = directory / f"attack-{self.number}"
        if not file.exists():
            write_messages(file, [(0, message) for message in self.messages])
        # Real attackers run elsewhere, so these have a lower priority than the server and the good client.
        command = ["nice", "-n", "10", compiled("attacker", directory), "--seconds", str(seconds)]
        for name, value in self.flags.items():
            command += [f"--{name.replace('_', '-')}"] + ([] if value is True else [str(value)])
        return Running(subprocess.Popen(command + (["--sink"] if sink else []) + [str(port), str(file)],
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True))


class Running:
    """An attack in a process of its own."""

    def __init__(self, child: subprocess.Popen):
        self.child = child

    def finish(self) -> Result:
        output, errors = self.child.communicate()
        if self.child.returncode != 0:
            raise Problem(f"the attacker failed: {errors.strip()[-300:]}")
        return Result(**json.loads(output))


@dataclass
class Probes:
    """Single requests whose responses are checked, in turn and each at least once: `probe(port, attempt)` returns
    findings."""
    probe: Callable[[int, object], list[str]]
    attempts: list
    threads: int = 4
    checks: list[Check] = field(default_factory=list)

    def remove_files(self, directory: Path) -> None:
        """A probe leaves no files."""

    def start(self, port: int, seconds: float, directory: Path, sink: bool) -> "Probing":
        return Probing(self, port, 0 if sink else seconds)


class Probing:
    def __init__(self, probes: Probes, port: int, seconds: float):
        self.result, self.end = Result(), time.monotonic() + seconds
        self.attempts, self.turns, self.judged = probes.attempts, itertools.cycle(range(len(probes.attempts))), set()
        self.lock = threading.Lock()
        self.threads = [threading.Thread(target=self.run, args=(probes, port)) for _ in range(probes.threads)]
        for thread in self.threads:
            thread.start()

    def run(self, probes: Probes, port: int) -> None:
        while time.monotonic() < self.end:
            with self.lock:
                number = next(self.turns)
            try:
                found, judged = probes.probe(port, self.attempts[number]), True
            except OSError as error:
                found, judged = [f"a probe failed: {error}"], False
            with self.lock:
                self.result.opened += 1
                self.judged |= {number} if judged else set()
                self.result.findings += [one for one in found if one not in self.result.findings]
            time.sleep(PROBE_PAUSE)

    def finish(self) -> Result:
        for thread in self.threads:
            thread.join()
        missing = [number for number in range(len(self.attempts)) if number not in self.judged]
        if missing:
            self.result.findings.append(f"{len(missing)} of {len(self.attempts)} probes were never judged, such as "
                                        f"{str(self.attempts[missing[0]])[:160]}")
        return self.result


def write_messages(file: Path, messages: list[tuple[int, bytes]]) -> None:
    """Writes the format of messages.h: the expected status, and the bytes."""
    with open(file, "wb") as out:
        for status, message in messages:
            out.write(b"%d %d\n" % (status, len(message)) + message)


def compiled(name: str, directory: Path) -> str:
    """The path of a program of this package, compiled into `directory`."""
    return tools.compile_program(Path(__file__).with_name(f"{name}.c"), directory)
