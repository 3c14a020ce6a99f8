"""Attacks: a swarm of connections driven by attacker.c, or probes that look at each answer."""
import itertools
import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "Bench"))

import tools
from problem import Problem

FOLDER = Path(__file__).resolve().parent
# A swarm's file of messages has a name that no other has.
NUMBERS = itertools.count(1)
# Probes are about what is answered, not about load.
PROBE_PAUSE = 0.01


@dataclass
class Result:
    """What came of an attack, as attacker.c counted it; a probe has its findings alone."""
    answers: dict[str, int] = field(default_factory=dict)
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
    most_answers: int = 0
    sent: int = 0
    received: int = 0
    # Messages of which no byte was sent.
    untried: int = 0
    findings: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        answers = ", ".join(f"{count:,} × {status}" for status, count in self.answers.items()) or "no answers"
        text = f"{self.opened:,} connections, {self.sent / 1e6:,.1f} MB sent; {answers}"
        ended = self.closed + self.reset
        if ended:
            text += (f"; {self.closed:,} closed and {self.reset:,} reset after "
                     f"{self.shortest:.2f}–{self.longest:.2f} s")
        return text + (f"; {self.open:,} open at the end" if self.open else "")


Check = Callable[[Result], list[str]]


@dataclass
class Swarm:
    """Connections that all do the same: flags of attacker.c, messages to send, and what must come of it."""
    messages: list[bytes]
    checks: list[Check]
    flags: dict[str, object]

    def __init__(self, messages: list[bytes], *checks: Check, **flags):
        self.messages, self.checks, self.flags = messages, list(checks), flags
        self.number = next(NUMBERS)

    def forget(self, folder: Path) -> None:
        """Removes the file of messages, which may be large."""
        (folder / f"attack-{self.number}").unlink(missing_ok=True)

    def start(self, port: int, seconds: float, folder: Path, sink: bool) -> "Running":
        """Begins the attack; with `sink`, the same load on the machine without the server."""
        file = folder / f"attack-{self.number}"
        if not file.exists():
            write_messages(file, [(0, message) for message in self.messages])
        # The attackers of a real server do not run on it: they give way to the server and to the good client.
        command = ["nice", "-n", "10", compiled("attacker", folder), "--seconds", str(seconds)]
        for name, value in self.flags.items():
            command += [f"--{name.replace('_', '-')}"] + ([] if value is True else [str(value)])
        return Running(subprocess.Popen(command + (["--sink"] if sink else []) + [str(port), str(file)],
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True))


class Running:
    """An attack under way in a process of its own."""

    def __init__(self, child: subprocess.Popen):
        self.child = child

    def finish(self) -> Result:
        output, errors = self.child.communicate()
        if self.child.returncode != 0:
            raise Problem(f"the attacker failed: {errors.strip()[-300:]}")
        return Result(**json.loads(output))


@dataclass
class Probes:
    """Single requests whose answers are looked at one by one, in turn and each at least once: `probe(port, attempt)`
    returns what was wrong."""
    probe: Callable[[int, object], list[str]]
    attempts: list
    threads: int = 4
    checks: list[Check] = field(default_factory=list)

    def forget(self, folder: Path) -> None:
        """A probe leaves no files."""

    def start(self, port: int, seconds: float, folder: Path, sink: bool) -> "Probing":
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
    """In the form of messages.h: what status is expected, and the bytes."""
    with open(file, "wb") as out:
        for status, message in messages:
            out.write(b"%d %d\n" % (status, len(message)) + message)


def compiled(name: str, folder: Path) -> str:
    """The path of a program of this folder, compiled into `folder` unless that was done."""
    program = folder / name
    if not program.exists():
        command = [tools.path("gcc"), "-O2", "-Wall", "-Wextra", "-std=c11", "-o", str(program),
                   str(FOLDER / f"{name}.c"), "-lpthread"]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            raise Problem(f"{name}.c does not compile:\n{done.stderr}")
    return str(program)
