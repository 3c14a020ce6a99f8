#!/usr/bin/env python3
"""Shows that the verdicts can fail: each trial here hides a fault that must be found, but for one that has none.

    python3 Tests/Abuse/selftest.py --binary .build/release/fogbase
"""
import argparse
import http.server
import itertools
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

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Tests/Bench"))

import machine_share
import trial
from attack import Swarm
from expectations import answered
from protocol_scenarios import ATTEMPTS, _smuggling
from server import raise_descriptor_limit
from stage import Stage
from trial import Scenario, Trial
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


def play(name: str, sabotage: Callable | None, status: int, demanded: str | None, binary: str, folder: Path) -> bool:
    scenario = Scenario("selftest", name, lambda stage: [
        Swarm([LIVE], answered(status), connections=8, after="again", step=1000, pause=20)])
    one = Trial(scenario, binary, folder, 3, sabotage)
    try:
        one.run()
        one.finish()
    finally:
        if one.stage:
            one.stage.server.kill()
    for socket_ in HELD:
        socket_.close()
    HELD.clear()
    found = any(demanded in finding for finding in one.row.findings) if demanded else not one.row.findings
    print(f"{'ok' if found else 'NOT FOUND'}: {name}: {one.row.verdict}: {'; '.join(one.row.findings) or 'no finding'}",
          flush=True)
    return found


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
        probe, found = _smuggling(itertools.cycle(ATTEMPTS[:12])), 0
        for _ in range(12):
            found += bool(probe(server.server_address[1]))
        server.shutdown()
    print(f"{'ok' if found == 12 else 'NOT FOUND'}: a lenient server fell for {found} of 12 attempts at smuggling")
    return found == 12


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
    outcomes = [play(*case, str(Path(given.binary).resolve()), folder) for case in CASES] + [lenient_is_caught()]
    shutil.rmtree(folder, ignore_errors=True)
    return 0 if all(outcomes) else 1


if __name__ == "__main__":
    sys.exit(main())
