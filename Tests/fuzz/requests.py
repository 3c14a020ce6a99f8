"""Sends mutated requests to a running server, which must respond to each of them and lose nothing; see README.md."""
import argparse
import json
import os
import shutil
import sys
from pathlib import Path

from Tests.fuzz.apps import apps
from Tests.fuzz.callers import Audiences, callers
from Tests.fuzz.feeds import feeds
from Tests.fuzz.fixture import Fixture
from Tests.fuzz.routes import send_samples
from Tests.fuzz.samples import Caller, Sample, samples
from Tests.fuzz.workers import Workers, process_is_gone
from Tests.harness.arguments import ROOT, make_parser, parse, run_main
from Tests.harness.errors import Problem
from Tests.harness.server import Server, doctor

# The requests leave only records, so memory beyond this is a leak. The address sanitizer keeps a byte for every eight,
# and does not reuse freed memory soon.
MOST_MB, MOST_SANITIZED_MB = 200, 1_500
KEPT = 200
# Named accounts and administrators are created only with every 25th fixture, as their passwords take long.
FIXTURES_PER_NAMED = 25
LEAKS = ROOT / "Tests/lint/leaks.txt"
# A trap is reported with its stack, too.
SANITIZER = {
    "ASAN_OPTIONS": "handle_sigill=2:handle_sigtrap=2:handle_abort=2:quarantine_size_mb=128:detect_leaks=1",
    "LSAN_OPTIONS": f"suppressions={LEAKS}:print_suppressions=0",
    "SWIFT_BACKTRACE": "enable=no",
}
SETTINGS = {"FOGBASE_ASSETS_UNREFERENCED_BYTES": str(1 << 40), "FOGBASE_ACCOUNTS_ANONYMOUS": "on",
            "FOGBASE_WEBHOOKS_ALLOW_PRIVATE": "127.0.0.1/32"}


def main() -> int:
    options = arguments()
    if options.sanitized:
        require_sanitizer(Path(options.binary))
        os.environ.update(SANITIZER)
    data = options.work / "requests"
    shutil.rmtree(data, ignore_errors=True)
    print(f"seed {options.seed}: {options.requests:,} requests by {options.workers} clients to {options.binary}",
          flush=True)
    with Server(options.binary, data, SETTINGS | options.settings) as server:
        findings = check(server, options)
        if not process_is_gone(server):
            try:
                server.stop()  # the sanitizer reports leaks here
            except Problem as problem:
                findings.append(str(problem))
    if sentence := doctor(options.binary, data):
        findings.append(sentence)
    for finding in findings:
        print(f"FINDING: {finding}")
    print(f"{len(findings)} findings" if findings else "No findings.")
    return 1 if findings else 0


def arguments() -> argparse.Namespace:
    parser = make_parser(__doc__, ".fuzz")
    parser.add_argument("--requests", type=int, default=1_000_000)
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--sanitized", action="store_true", help="the binary is built with the address sanitizer")
    return parse(parser)


def require_sanitizer(binary: Path) -> None:
    """A server without the sanitizer reports nothing."""
    if b"__asan_init" not in binary.read_bytes():
        sys.exit(f"{binary} is built without the address sanitizer.")


def check(server: Server, options: argparse.Namespace) -> list[str]:
    kept = keep_records(server)
    findings = valid_requests(server)
    workers = Workers(options.work, options.requests, options.workers, options.seed)
    findings += workers.run(server, lambda: Fixtures(server.port, server.admin))
    if process_is_gone(server):
        return findings
    if server.rss_anon() > (MOST_SANITIZED_MB if options.sanitized else MOST_MB):
        findings.append(f"The server holds {server.rss_anon():.0f} MB.")
    return findings + check_records(server, kept)


def valid_requests(server: Server) -> list[str]:
    """Sends each sample unchanged, before anything is mutated."""
    document = server.client().call("GET", "/openapi.json").json()
    try:
        return send_samples(server.port, document, all_samples(Fixture(server.port, server.admin)))
    except Problem as problem:
        return [str(problem)]


def all_samples(fixture: Fixture) -> list[Sample]:
    """The samples of every kind of caller, then those of every route, some of which end sessions."""
    audiences, owner = Audiences(fixture), Caller(fixture.token)
    return [*callers(fixture, audiences, owner), *feeds(fixture, audiences, owner), *apps(fixture, owner),
            *samples(fixture)]


class Fixtures:
    """Makes one fixture after another for a client, and returns their samples."""

    def __init__(self, port: int, token: str):
        self.port, self.token, self.fixtures, self.last = port, token, 0, None

    def __call__(self) -> list[Sample]:
        earlier = self.last if self.fixtures % FIXTURES_PER_NAMED else None
        self.fixtures += 1
        self.last = Fixture(self.port, self.token, earlier)
        return all_samples(self.last)


def keep_records(server: Server) -> dict[str, str]:
    """Creates records of a type that no request names: they must exist unchanged afterwards."""
    client = server.client(server.admin)
    responses = [
        client.call("PUT", f"/records/Kept/k{number}", {"fields": {"n": number}}, expect=(201,)).json()
        for number in range(KEPT)]
    return {response["recordName"]: response["recordChangeTag"] for response in responses}


def check_records(server: Server, kept: dict[str, str]) -> list[str]:
    client = server.client(server.admin)
    findings = []
    for number, (name, tag) in enumerate(kept.items()):
        response = client.call("GET", f"/records/Kept/{name}", expect=(200,)).json()
        if response.get("recordChangeTag") != tag or response["fields"]["n"]["value"] != number:
            findings.append(f"The record {name} has changed: {json.dumps(response)[:200]}")
    return findings


if __name__ == "__main__":
    run_main(main)
