#!/usr/bin/env python3
"""Shows that the verdicts can fail: each trial here hides a fault that must be found, but for one that has none.

    python3 Tests/Abuse/selftest.py --binary .build/release/fogbase
"""
import argparse
import http.server
import os
import shutil
import signal
import socket
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Tests/Bench"))

import machine_share
import trial
from attack import Probes, Result, Swarm
from expectations import answered, every_message
from protocol_scenarios import ATTEMPTS, smuggle
from server import raise_descriptor_limit
from stage import Stage
from trial import Scenario, Trial
from verdicts import Row, all_hold, last_line
from wire import LIVE, get

HELD: list[socket.socket] = []


def stop_for_a_while(stage: Stage) -> None:
    """The server stands still for 200 ms."""
    time.sleep(1)
    os.kill(stage.server.pid, signal.SIGSTOP)
    time.sleep(0.2)
    os.kill(stage.server.pid, signal.SIGCONT)


def kill(stage: Stage) -> None:
    time.sleep(1)
    os.kill(stage.server.pid, signal.SIGKILL)


def hold_answers(stage: Stage) -> None:
    """Somebody goes on to hold 20 pages of 4 MiB, and 20 sockets."""
    for _ in range(20):
        one = socket.socket()
        one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        one.connect(("127.0.0.1", stage.port))
        one.sendall(get("/records/Post?limit=1000"))
        HELD.append(one)


def confess(stage: Stage) -> None:
    with open(stage.server.log, "a") as log:
        log.write("Fatal error: Index out of range\n")


CASES: list[tuple[str, Callable | None, int, str | None]] = [
    # What is done, what the attack should be answered, and a part of the sentence that must come.
    ("nothing is wrong", None, 200, None),
    ("the server stands still for 200 ms", stop_for_a_while, 200, "p99 was"),
    ("the server is killed", kill, 200, "good requests failed"),
    ("the attacker gets what it should not", None, 418, "answers"),
    ("memory does not come back", hold_answers, 200, "MB are still in use"),
    ("sockets do not come back", hold_answers, 200, "sockets are still open"),
    ("the log tells of a crash", confess, 200, "the log says"),
]


def carry_out(one: Trial) -> None:
    try:
        one.run()
        one.finish()
    finally:
        if one.stage:
            one.stage.server.kill()


def play(name: str, sabotage: Callable | None, status: int, demanded: str | None, binary: str, folder: Path) -> bool:
    scenario = Scenario("selftest", name, lambda stage: [
        Swarm([LIVE], answered(status), connections=8, after="again", step=1000, pause=20)])
    one = Trial(scenario, binary, folder, 3, sabotage)
    carry_out(one)
    for socket_ in HELD:
        socket_.close()
    HELD.clear()
    found = any(demanded in finding for finding in one.row.findings) if demanded else not one.row.findings
    return said(found, f"{name}: {one.row.verdict}: {'; '.join(one.row.findings) or 'no finding'}")


class Lenient(http.server.BaseHTTPRequestHandler):
    """A server that guesses: it goes on behind whatever it has understood."""
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", "15")
        self.end_headers()
        self.wfile.write(b'{"status":"ok"}')

    do_POST = do_GET

    def log_message(self, *_) -> None:
        pass


def lenient_is_caught() -> bool:
    """The attempts at smuggling, on a server that is known to fall for them."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Lenient) as server:
        server.handle_error = lambda *_: None
        threading.Thread(target=server.serve_forever, daemon=True).start()
        found = sum(bool(smuggle(server.server_address[1], attempt)) for attempt in ATTEMPTS[:12])
        server.shutdown()
    return said(found == 12, f"a lenient server fell for {found} of 12 attempts at smuggling")


def said(found: bool, what: str) -> bool:
    print(f"{'ok' if found else 'NOT FOUND'}: {what}", flush=True)
    return found


def first_finding_stays(binary: str, folder: Path) -> bool:
    """A wrong answer beside a missed p99 on a noisy machine: the timing may be measured again, the answer stays."""
    attacks = []

    def once(result: Result) -> list[str]:
        attacks.append(result)
        return ["a fault of the first attempt"] if len(attacks) == 1 else []

    def stop_first(stage: Stage) -> None:
        if not attacks:
            stop_for_a_while(stage)

    one = Trial(Scenario("selftest", "", lambda stage: [Swarm([LIVE], once, connections=8, after="again", pause=20)]),
                binary, folder, 3, stop_first)
    with mock.patch.object(trial, "NOISE", -1):
        carry_out(one)
    return said("a fault of the first attempt" in one.row.findings, "what the first attempt found stays")


def timing_is_repeated(binary: str, folder: Path) -> bool:
    """The server stands still in the first attempt alone, on a noisy machine: that is measured again, and holds."""
    stops = []

    def stop_first(stage: Stage) -> None:
        if not stops:
            stops.append(stop_for_a_while(stage))

    one = Trial(Scenario("selftest", "", lambda stage: [Swarm([LIVE], connections=8, after="again", pause=20)]),
                binary, folder, 3, stop_first)
    with mock.patch.object(trial, "NOISE", -1):
        carry_out(one)
    return said(one.row.attempts > 1 and not one.row.findings, f"a p99 is measured again: {one.row.attempts} attempts")


def subtraction_is_bounded() -> bool:
    """What the control explains, and what nothing can be told from."""
    quiet, much, little = (Row(name, during_ms=during, control_ms=control) for name, during, control in
                           (("quiet", 30, 980), ("much", 1000, 980), ("little", 60, 24)))
    words = [row.verdict for row in (quiet, much, little)]
    ended = last_line([quiet, much, little])
    return said(words == ["holds", "INCONCLUSIVE", "holds*"] and not all_hold([quiet, much])
                and all_hold([quiet, little]) and "inconclusive: much" in ended and "subtraction alone: little" in ended
                and "subtraction alone: little" in last_line([quiet, little]),
                f"no more is subtracted than a busy machine explains: {', '.join(words)}")


def unsent_is_noticed(folder: Path) -> bool:
    """Probes whose time is over before each was judged, one that no server takes, and messages that were not sent."""
    def judged(port: int, attempt: int) -> list[str]:
        if attempt == port:
            raise ConnectionRefusedError("nobody listens")
        return []

    late = Probes(judged, list(range(1000)), threads=1).start(-1, 0.1, folder, sink=False).finish().findings
    refused = Probes(judged, [1, 2, 3]).start(3, 0.5, folder, sink=False).finish().findings
    all_ = Probes(judged, [1, 2, 3]).start(-1, 0.5, folder, sink=False).finish().findings
    crawl = Swarm([LIVE] * 50, connections=1, step=10, pause=500, after="again")
    slow = crawl.start(1, 0.5, folder, sink=True).finish()
    return said("never judged" in str(late) and "1 of 3 probes" in str(refused) and not all_
                and every_message(slow) and not every_message(Result()),
                "probes that were not judged and messages that were not sent")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", default=str(ROOT / ".build/release/fogbase"))
    parser.add_argument("--work", type=Path, default=ROOT / ".abuse")
    parser.add_argument("--priority", type=int, default=0, metavar="NICE", help="as that of abuse.py")
    given = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    if given.priority:
        machine_share.go_before_others(given.priority)
    raise_descriptor_limit()
    given.work.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix="selftest-", dir=given.work)).resolve()
    # What is held here is never given back, so there is no need to wait for long.
    trial.RECOVERY_SECONDS = 3
    binary = str(Path(given.binary).resolve())
    outcomes = [subtraction_is_bounded(), unsent_is_noticed(folder), lenient_is_caught(),
                *[play(*case, binary, folder) for case in CASES],
                first_finding_stays(binary, folder), timing_is_repeated(binary, folder)]
    shutil.rmtree(folder, ignore_errors=True)
    return 0 if all(outcomes) else 1


if __name__ == "__main__":
    sys.exit(main())
