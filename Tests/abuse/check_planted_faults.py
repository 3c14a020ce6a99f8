"""Self tests: each trial here has one fault, which must be found, except the first.

    python3 -m Tests.abuse.check_planted_faults --binary .build/release/fogbase
"""
import http.server
import os
import shutil
import signal
import socket
import threading
import time
from collections.abc import Callable
from pathlib import Path
from unittest import mock

from Tests.abuse import trial
from Tests.abuse.attack import Probes, Result, Swarm
from Tests.abuse.expectations import answered, every_message
from Tests.abuse.machine_load import add_priority_option, prepare
from Tests.abuse.requests import LIVE, get
from Tests.abuse.results import Row, all_hold, last_line
from Tests.abuse.scenarios.protocol import ATTEMPTS, smuggle
from Tests.abuse.target import Target
from Tests.abuse.trial import Scenario, Trial
from Tests.harness.arguments import make_parser, parse, run_main

HELD: list[socket.socket] = []


def stop_for_a_while(target: Target) -> None:
    """Stops the server for 200 ms."""
    time.sleep(1)
    os.kill(target.server.pid, signal.SIGSTOP)
    time.sleep(0.2)
    os.kill(target.server.pid, signal.SIGCONT)


def kill(target: Target) -> None:
    time.sleep(1)
    os.kill(target.server.pid, signal.SIGKILL)


def hold_responses(target: Target) -> None:
    """Leaves 20 sockets open, with 20 pages of 4 MiB unread."""
    for _ in range(20):
        one = socket.socket()
        one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        one.connect(("127.0.0.1", target.port))
        one.sendall(get("/records/Post?limit=1000"))
        HELD.append(one)


def log_a_crash(target: Target) -> None:
    with open(target.server.log, "a") as log:
        log.write("Fatal error: Index out of range\n")


CASES: list[tuple[str, Callable | None, int, str | None]] = [
    # The fault, the status that the attack expects, and a part of the finding.
    ("nothing is wrong", None, 200, None),
    ("the server stops for 200 ms", stop_for_a_while, 200, "p99 was"),
    ("the server is killed", kill, 200, "good requests failed"),
    ("the attacker gets a wrong status", None, 418, "responses"),
    ("memory is not freed", hold_responses, 200, "MB are still in use"),
    ("sockets are not closed", hold_responses, 200, "sockets are still open"),
    ("the log has a crash", log_a_crash, 200, "the log says"),
]


def carry_out(one: Trial) -> None:
    try:
        one.run()
        one.finish()
    finally:
        if one.target:
            one.target.server.kill()


def run(name: str, fault: Callable | None, status: int, demanded: str | None, binary: str, directory: Path) -> bool:
    scenario = Scenario("selftest", name, lambda target: [
        Swarm([LIVE], answered(status), connections=8, after="again", step=1000, pause=20)])
    one = Trial(scenario, binary, directory, 3, fault)
    carry_out(one)
    for socket_ in HELD:
        socket_.close()
    HELD.clear()
    found = any(demanded in finding for finding in one.row.findings) if demanded else not one.row.findings
    return report(found, f"{name}: {one.row.result}: {'; '.join(one.row.findings) or 'no finding'}")


class Lenient(http.server.BaseHTTPRequestHandler):
    """A server that guesses: it continues after the part that it has understood."""
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", "15")
        self.end_headers()
        self.wfile.write(b'{"status":"ok"}')

    do_POST = do_GET

    def log_message(self, *_) -> None:
        pass


def lenient_server_is_found() -> bool:
    """The smuggling attempts on a server that accepts them."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Lenient) as server:
        server.handle_error = lambda *_: None
        threading.Thread(target=server.serve_forever, daemon=True).start()
        found = sum(bool(smuggle(server.server_address[1], attempt)) for attempt in ATTEMPTS[:12])
        server.shutdown()
    return report(found == 12, f"a lenient server fell for {found} of 12 attempts at smuggling")


def report(found: bool, what: str) -> bool:
    print(f"{'ok' if found else 'NOT FOUND'}: {what}", flush=True)
    return found


def first_finding_stays(binary: str, directory: Path) -> bool:
    """A wrong response together with a missed p99 on a busy machine: only the timing may be measured again."""
    attacks = []

    def once(result: Result) -> list[str]:
        attacks.append(result)
        return ["a fault of the first attempt"] if len(attacks) == 1 else []

    def stop_first(target: Target) -> None:
        if not attacks:
            stop_for_a_while(target)

    one = Trial(Scenario("selftest", "", lambda target: [Swarm([LIVE], once, connections=8, after="again", pause=20)]),
                binary, directory, 3, stop_first)
    with mock.patch.object(trial, "NOISE", -1):
        carry_out(one)
    return report("a fault of the first attempt" in one.row.findings, "what the first attempt found stays")


def timing_is_repeated(binary: str, directory: Path) -> bool:
    """The server stops in the first attempt only, on a busy machine: the second measurement counts."""
    stops = []

    def stop_first(target: Target) -> None:
        if not stops:
            stops.append(stop_for_a_while(target))

    one = Trial(Scenario("selftest", "", lambda target: [Swarm([LIVE], connections=8, after="again", pause=20)]),
                binary, directory, 3, stop_first)
    with mock.patch.object(trial, "NOISE", -1):
        carry_out(one)
    return report(one.row.attempts > 1 and not one.row.findings,
                  f"a p99 is measured again: {one.row.attempts} attempts")


def subtraction_is_bounded() -> bool:
    """The limits of the subtraction, and the inconclusive result."""
    quiet, much, little = (Row(name, during_ms=during, control_ms=control) for name, during, control in
                           (("quiet", 30, 980), ("much", 1000, 980), ("little", 60, 24)))
    words = [row.result for row in (quiet, much, little)]
    ended = last_line([quiet, much, little])
    return report(words == ["holds", "INCONCLUSIVE", "holds*"] and not all_hold([quiet, much])
                and all_hold([quiet, little]) and "inconclusive: much" in ended and "subtraction alone: little" in ended
                and "subtraction alone: little" in last_line([quiet, little]),
                f"no more is subtracted than a busy machine explains: {', '.join(words)}")


def unsent_is_found(directory: Path) -> bool:
    """Probes that were not checked in time, one that no server accepts, and messages that were not sent."""
    def judged(port: int, attempt: int) -> list[str]:
        if attempt == port:
            raise ConnectionRefusedError("nobody listens")
        return []

    late = Probes(judged, list(range(1000)), threads=1).start(-1, 0.1, directory, sink=False).finish().findings
    refused = Probes(judged, [1, 2, 3]).start(3, 0.5, directory, sink=False).finish().findings
    all_ = Probes(judged, [1, 2, 3]).start(-1, 0.5, directory, sink=False).finish().findings
    crawl = Swarm([LIVE] * 50, connections=1, step=10, pause=500, after="again")
    slow = crawl.start(1, 0.5, directory, sink=True).finish()
    return report("never judged" in str(late) and "1 of 3 probes" in str(refused) and not all_
                and every_message(slow) and not every_message(Result()),
                "probes that were not judged and messages that were not sent")


def main() -> int:
    parser = make_parser(__doc__, ".abuse")
    add_priority_option(parser)
    options = parse(parser)
    directory = prepare(options, "selftest-")
    # Memory held by a fault is never freed, so a long wait is needless.
    trial.RECOVERY_SECONDS = 3
    outcomes = [subtraction_is_bounded(), unsent_is_found(directory), lenient_server_is_found(),
                *[run(*case, options.binary, directory) for case in CASES],
                first_finding_stays(options.binary, directory), timing_is_repeated(options.binary, directory)]
    shutil.rmtree(directory, ignore_errors=True)
    return 0 if all(outcomes) else 1


if __name__ == "__main__":
    run_main(main)
