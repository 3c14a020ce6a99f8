#!/usr/bin/env python3
"""Sends mutated requests to a running server, which must answer each of them and lose nothing; see README.md."""
import argparse
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import paths  # noqa: F401
from crew import Crew, process_is_gone
from problem import Problem
from routes import rehearse
from samples import Sample, samples
from scene import Scene
from server import Server

# What the requests leave behind is records; memory beyond this is a leak. The address sanitizer keeps a byte for every
# eight, and does not use again soon what is given back.
MOST_MB, MOST_SANITIZED_MB = 200, 1_500
KEPT = 200
# Named accounts and administrators are made anew with every so many scenes, as their passwords take long.
SCENES_OF_NAMES = 25
LEAKS = Path(__file__).resolve().parents[1] / "lint" / "leaks.txt"
# A trap is reported with the calls that led to it, too.
SANITIZER = {
    "ASAN_OPTIONS": "handle_sigill=2:handle_sigtrap=2:handle_abort=2:quarantine_size_mb=128:detect_leaks=1",
    "LSAN_OPTIONS": f"suppressions={LEAKS}:print_suppressions=0",
    "SWIFT_BACKTRACE": "enable=no",
}
SETTINGS = {"FOGBASE_ASSETS_UNREFERENCED_BYTES": str(1 << 40), "FOGBASE_ACCOUNTS_ANONYMOUS": "on"}


def main() -> int:
    options = arguments()
    if options.sanitized:
        demand_sanitizer(Path(options.binary))
        os.environ.update(SANITIZER)
    data = options.work / "requests"
    shutil.rmtree(data, ignore_errors=True)
    # As the server itself makes it; fogbase doctor looks.
    data.mkdir(parents=True, mode=0o700)
    server = Server(options.binary, data, SETTINGS).start()
    print(f"seed {options.seed}: {options.requests:,} requests by {options.workers} clients to {options.binary}",
          flush=True)
    try:
        findings = judge(server, options)
    finally:
        stopped = stop(server)
    findings += stopped
    findings += doctor(options.binary, data)
    for finding in findings:
        print(f"FINDING: {finding}")
    print(f"{len(findings)} findings" if findings else "No findings.")
    return 1 if findings else 0


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--binary", default=".build/release/fogbase")
    parser.add_argument("--work", type=Path, default=Path(".fuzz"))
    parser.add_argument("--requests", type=int, default=1_000_000)
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--sanitized", action="store_true", help="the binary is built with the address sanitizer")
    return parser.parse_args()


def demand_sanitizer(binary: Path) -> None:
    """A server that has none reports nothing."""
    if b"__asan_init" not in binary.read_bytes():
        sys.exit(f"{binary} is built without the address sanitizer.")


def judge(server: Server, options: argparse.Namespace) -> list[str]:
    kept = keep_records(server)
    findings = right_requests(server)
    crew = Crew(options.work, options.requests, options.workers, options.seed)
    findings += crew.run(server, lambda: Scenery(server.port, server.admin))
    if process_is_gone(server):
        return findings
    if server.rss_anon() > (MOST_SANITIZED_MB if options.sanitized else MOST_MB):
        findings.append(f"The server holds {server.rss_anon():.0f} MB.")
    return findings + check_records(server, kept)


def stop(server: Server) -> list[str]:
    """A clean end; of leaks the sanitizer speaks there."""
    if process_is_gone(server):
        return []
    try:
        server.stop()
    except Problem as problem:
        return [str(problem)]
    return []


def right_requests(server: Server) -> list[str]:
    """Each sample as it is, before anything is mutated."""
    document = server.client().call("GET", "/openapi.json").json()
    try:
        return rehearse(server.port, document, samples(Scene(server.port, server.admin)))
    except Problem as problem:
        return [str(problem)]


class Scenery:
    """One scene after the other for a client, and their samples."""

    def __init__(self, port: int, token: str):
        self.port, self.token, self.scenes, self.last = port, token, 0, None

    def __call__(self) -> list[Sample]:
        earlier = self.last if self.scenes % SCENES_OF_NAMES else None
        self.scenes += 1
        self.last = Scene(self.port, self.token, earlier)
        return samples(self.last)


def keep_records(server: Server) -> dict[str, str]:
    """Records of a type that no request names: they must be there afterwards, as they were."""
    client = server.client(server.admin)
    answers = [
        client.call("PUT", f"/records/Kept/k{number}", {"fields": {"n": number}}, expect=(201,)).json()
        for number in range(KEPT)]
    return {answer["recordName"]: answer["recordChangeTag"] for answer in answers}


def check_records(server: Server, kept: dict[str, str]) -> list[str]:
    client = server.client(server.admin)
    findings = []
    for number, (name, tag) in enumerate(kept.items()):
        answer = client.call("GET", f"/records/Kept/{name}", expect=(200,)).json()
        if answer.get("recordChangeTag") != tag or answer["fields"]["n"]["value"] != number:
            findings.append(f"The record {name} is another: {json.dumps(answer)[:200]}")
    return findings


def doctor(binary: str, data: Path) -> list[str]:
    done = subprocess.run([binary, "doctor", "--data", str(data)], capture_output=True, text=True, check=False)
    return [] if done.returncode == 0 else [f"fogbase doctor: {done.stdout[-500:]}{done.stderr[-500:]}"]


if __name__ == "__main__":
    sys.exit(main())
