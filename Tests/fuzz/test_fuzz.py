"""Self tests: servers and fuzzers with one fault each, which must be found, and some without."""
import argparse
import contextlib
import io
import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from collections import Counter
from pathlib import Path

from Tests.fuzz import readers, requests
from Tests.fuzz.exchange import RESET, UNFINISHED, Exchange, exchange, outcome
from Tests.fuzz.fake_server import FakeServer, document_of
from Tests.fuzz.mutation import chosen
from Tests.fuzz.response_counts import ResponseCounts
from Tests.fuzz.routes import send_samples
from Tests.fuzz.samples import Sample
from Tests.fuzz.workers import Workers
from Tests.harness.arguments import ROOT
from Tests.harness.errors import Problem
from Tests.harness.server import Server

SAMPLES = [Sample("GET", "/a", [("Authorization", "Bearer token")]), Sample("POST", "/a", [], b'{"a":1}')]
REQUEST = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n"
TIMEOUT = 1.0
FUZZER = ROOT / ".build" / "fuzz" / "release" / "fuzz"
# Overflows with an argument.
OVERFLOW = "print(Int.max - 1 + Int(CommandLine.argc))\n"


def fine() -> list[Sample]:
    return SAMPLES


class CrewTests(unittest.TestCase):
    def found(self, fault: str, count: int, samples=fine, workers: int = 2) -> list[str]:
        with (tempfile.TemporaryDirectory(prefix="fuzz-") as work, FakeServer(fault) as server,
              contextlib.redirect_stdout(io.StringIO())):
            found = Workers(Path(work), count, workers, 1, TIMEOUT).run(server, lambda: samples)
            self.kept = sorted(os.listdir(work))
            return found

    def test_a_server_that_answers_is_accepted(self):
        self.assertEqual(self.found("", 400), [])

    def test_a_server_that_dies_is_found_soon_with_the_last_request(self):
        begun = time.monotonic()
        found = self.found("dies", 100_000)
        self.assertLess(time.monotonic() - begun, 20)
        self.assertEqual(found[0], "The server ended with status 3: its last words")
        self.assertTrue(any("No connection" in one for one in found), found)
        self.assertGreater(len(self.kept), 1)

    def test_a_server_that_resets_everything_is_found(self):
        found = self.found("resets", 100)
        self.assertTrue(any("were answered" in one for one in found), found)
        self.assertTrue(any("were reset" in one for one in found), found)

    def test_a_response_that_drips_is_found(self):
        self.assertTrue(all("No end of the response" in one for one in self.found("drips", 4)[:4]))
        self.assertEqual(len(self.kept), 4)

    def test_a_response_that_never_comes_is_found(self):
        self.assertIn("No end of the response", self.found("hangs", 4)[0])

    def test_a_server_that_closes_without_a_word_is_found(self):
        self.assertIn("No response", self.found("says nothing", 40)[0])

    def test_an_internal_error_is_found(self):
        self.assertIn("An internal error", self.found("says 500", 40)[0])

    def test_a_server_that_refuses_everything_is_found(self):
        self.assertTrue(any("responses are 200 to 299" in one for one in self.found("refuses", 400)))

    def test_a_client_that_ends_without_a_word_is_found(self):
        self.assertIn("The client 0 ended with status 9.", self.found("", 100, lambda: os._exit(9)))

    def test_valid_requests_that_are_rejected_later_are_found(self):
        class Refusing:
            calls = 0

            def __call__(self) -> list[Sample]:
                self.calls += 1
                if self.calls > 1:
                    raise Problem("PUT /roles/a answered 400")
                return SAMPLES

        found = self.found("", 2_002, Refusing())
        self.assertEqual(len(found), 1, found)
        self.assertIn("fixtures could not be made: PUT /roles/a", found[0])


class ExchangeTests(unittest.TestCase):
    def test_a_port_without_a_listener_is_a_finding(self):
        with FakeServer() as server:
            port = server.port
        found = exchange(port, REQUEST, TIMEOUT)
        self.assertTrue(found.is_refused)
        self.assertIn("No connection", outcome(REQUEST, found)[1])

    def test_only_a_head_without_an_end_and_a_reset_may_have_no_response(self):
        self.assertEqual(outcome(REQUEST[:-2], Exchange(b"")), (UNFINISHED, None))
        self.assertEqual(outcome(b"\r\n\r\n" + REQUEST[:-2], Exchange(b"")), (UNFINISHED, None))
        self.assertEqual(outcome(REQUEST, Exchange(b"", was_reset=True)), (RESET, None))
        self.assertEqual(outcome(REQUEST, Exchange(b""))[1], "No response")

    def test_an_interim_response_does_not_count(self):
        interim = b"HTTP/1.1 100 Continue\r\n\r\n"
        self.assertEqual(outcome(REQUEST, Exchange(interim + b"HTTP/1.1 201 Created\r\n\r\n")), (201, None))
        self.assertEqual(outcome(REQUEST, Exchange(interim))[1], "No response")

    def test_an_incomplete_response_is_found(self):
        for response in (b"nonsense", b"HTTP/1.1 20", b"HTTP/1.1 200 OK\r\nContent-Le", b"HTTP/1.1 999 No\r\n\r\n"):
            self.assertIsNotNone(outcome(REQUEST, Exchange(response))[1], response)


class SanitizedTests(unittest.TestCase):
    """The properties of a server with the address sanitizer."""

    def test_a_binary_without_the_sanitizer_is_rejected(self):
        with tempfile.TemporaryDirectory(prefix="fuzz-") as work:
            program = Path(work) / "fogbase"
            program.write_text("#!/bin/sh\n")
            with self.assertRaisesRegex(SystemExit, "without the address sanitizer"):
                requests.require_sanitizer(program)

    def test_the_beginning_of_a_report_is_printed(self):
        with tempfile.TemporaryDirectory(prefix="fuzz-") as work:
            server = Server("none", Path(work) / "data", {})
            server.log.write_text("==7==ERROR: AddressSanitizer: heap-buffer-overflow\n" + "shadow\n" * 1_000)
            self.assertTrue(server.last_words().startswith("==ERROR: AddressSanitizer: heap-buffer-overflow"))


class TallyTests(unittest.TestCase):
    def found(self, **statuses: int) -> list[str]:
        counts = ResponseCounts()
        counts.statuses = Counter({
            {"reset": RESET, "unfinished": UNFINISHED}.get(name, int(name[1:]) if name[0] == "s" else name): count
            for name, count in statuses.items()})
        return counts.findings(1_000)

    def test_the_limits(self):
        self.assertEqual(self.found(s200=300, s400=670, unfinished=25, reset=5), [])
        self.assertIn("were answered", self.found(s200=300, s400=590, unfinished=110)[0])
        self.assertIn("were reset", self.found(s200=300, s400=680, reset=20)[0])
        self.assertIn("200 to 299", self.found(s200=50, s400=950)[0])
        self.assertIn("were sent", self.found(s200=900)[0])


class RouteTests(unittest.TestCase):
    def found(self, samples: list[Sample], *routes: str) -> list[str]:
        document = document_of(*routes)
        with FakeServer(document=document) as server:
            return send_samples(server.port, document, samples)

    def test_right_samples_of_all_routes_are_accepted(self):
        self.assertEqual(self.found([*SAMPLES, Sample("GET", "/b/c?d=e", [])], "GET /a", "POST /a", "GET /b/{c}"), [])

    def test_a_route_without_a_sample_is_found(self):
        self.assertEqual(self.found(SAMPLES, "GET /a", "POST /a", "PUT /a"), ["The route PUT /a has no right sample"])

    def test_a_sample_of_words_is_no_sample_of_a_parameter(self):
        self.assertEqual(self.found([Sample("GET", "/a/me", [])], "GET /a/{name}", "GET /a/me"),
                         ["The route GET /a/{name} has no right sample"])

    def test_a_sample_that_is_rejected_is_found(self):
        found = self.found([Sample("GET", "/missing", [])], "GET /missing")
        self.assertEqual(len(found), 2, found)
        self.assertIn("is answered 404", found[0])
        self.assertIn("GET /missing has no right sample", found[1])

    def test_a_refusal_that_is_wanted_proves_no_route(self):
        found = self.found([Sample("GET", "/missing", []).rejected_with(404)], "GET /missing")
        self.assertEqual(found, ["The route GET /missing has no right sample"])

    def test_costly_requests_are_chosen_rarely_and_are_chosen(self):
        choose, samples = random.Random(1), [SAMPLES[0], SAMPLES[1].costly]
        count = sum(chosen(samples, choose).is_costly for _ in range(10_000))
        self.assertTrue(300 < count < 800, count)


class ReaderTests(unittest.TestCase):
    """readers.py, with a script as libFuzzer."""

    def does_well(self, script: str) -> bool:
        with tempfile.TemporaryDirectory(prefix="fuzz-") as work, contextlib.redirect_stdout(io.StringIO()):
            program = Path(work) / "fuzz"
            program.write_text(f"#!/bin/sh\n{script}\n")
            program.chmod(0o755)
            return readers.run("gzip", argparse.Namespace(binary=program, work=Path(work), seconds=1, seed=1))

    def test_a_run_with_a_summary_is_accepted(self):
        self.assertTrue(self.does_well("echo '#77\tDONE   cov: 10 ft: 20 corp: 5/50b lim: 4 exec/s: 7' >&2"))

    def test_a_run_without_a_summary_is_found(self):
        self.assertFalse(self.does_well("true"))

    def test_a_run_that_reached_nothing_is_found(self):
        self.assertFalse(self.does_well("echo '#77\tDONE   cov: 0 ft: 0 corp: 1/1b' >&2"))
        self.assertFalse(self.does_well("echo '#0\tDONE   cov: 10 ft: 0 corp: 1/1b' >&2"))

    def test_a_run_that_fails_is_found(self):
        self.assertFalse(self.does_well("echo '#77\tDONE   cov: 10 ft: 20 corp: 5/50b' >&2; exit 77"))


class StretchTests(unittest.TestCase):
    def test_a_part_is_repeated_up_to_the_longest(self):
        choose = random.Random(1)
        made = [readers.stretched(b'{"a":[1,2,3],"b":"c"}', choose) for _ in range(1_000)]
        self.assertTrue(all(readers.SHORT <= len(one) <= readers.LONG + 21 for one in made), {len(one) for one in made})
        self.assertGreater(max(map(len, made)), readers.LONG * 0.9)

    def test_some_of_them_are_lists_that_can_be_read(self):
        choose, read = random.Random(1), 0
        for _ in range(100):
            with contextlib.suppress(ValueError, RecursionError):
                read += len(json.loads(readers.stretched(b"[1,2,3,4]", choose))) > 1_000
        self.assertGreater(read, 5)


def setUpModule():
    if not FUZZER.exists():
        print("skipping CanaryTests: `make fuzz` builds the readers", file=sys.stderr)


@unittest.skipUnless(FUZZER.exists(), "`make fuzz` builds the readers")
class CanaryTests(unittest.TestCase):
    """The parser with faults (Sources/Canary.swift), in the program that was built."""

    def said(self, data: bytes | None, *arguments: str) -> tuple[int, str]:
        with tempfile.TemporaryDirectory(prefix="fuzz-") as work:
            files = [f"{work}/input"] if data is not None else []
            if data is not None:
                Path(files[0]).write_bytes(data)
            done = readers.fuzz("canary", argparse.Namespace(binary=FUZZER), [
                f"-artifact_prefix={work}/", *arguments, *files])
            return done.returncode, done.stderr

    def finds(self, data: bytes, words: str) -> None:
        status, said = self.said(data)
        self.assertNotEqual(status, 0)
        self.assertIn(words, said)

    def test_a_correct_program_is_accepted(self):
        for data in (b"", b"fog", b"fox-", b"fogz"):
            self.assertEqual(self.said(data)[0], 0)

    def test_a_byte_after_an_allocation_is_found(self):
        for data in (b"fogp", b"fogp12345", b"fogp" + b"x" * 60):
            self.finds(data, "heap-buffer-overflow")

    def test_a_byte_after_a_buffer_inside_its_allocation_is_found(self):
        self.finds(b"fogb", "Fatal error")

    def test_an_overflow_is_found(self):
        self.finds(b"fogo", "deadly signal")

    def test_an_assertion_is_found(self):
        self.finds(b"foga", "An assertion")

    def test_a_leak_is_found(self):
        self.finds(b"fogl", "detected memory leaks")

    def test_coverage_leads_to_a_fault(self):
        status, said = self.said(None, "-seed=1", "-max_total_time=60")
        self.assertNotEqual(status, 0, said[-500:])
        self.assertIn("Test unit written to", said)


class ReleaseTests(unittest.TestCase):
    """The compiler flags of the released server."""

    def flags(self) -> set[tuple[str, ...]]:
        """The flags of the product's targets, with those of the build command."""
        with tempfile.TemporaryDirectory(prefix="fuzz-") as scratch:
            package = json.loads(subprocess.run(
                ["swift", "package", "--scratch-path", scratch, "dump-package"], cwd=ROOT, check=True,
                capture_output=True).stdout)
        targets = {target["name"]: target for target in package["targets"]}
        wanted, open_ends = set(), ["fogbase"]
        while open_ends:
            if (name := open_ends.pop()) not in wanted:
                wanted.add(name)
                open_ends += [one["byName"][0] for one in targets[name]["dependencies"] if "byName" in one]
        self.assertGreater(len(wanted), 10)
        self.assertNotIn("swift build", (ROOT / "docker" / "Dockerfile").read_text(), "the image is built by make")
        commands = subprocess.run(["make", "-n", "build"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
        builds = re.findall(r"swift build -c release.*(?:\n\t.*)*", commands)
        self.assertEqual(len(builds), 1)
        return {tuple(of_target(targets[name])) + tuple(re.findall(r"-Xswiftc (\S+)", build))
                for name in wanted for build in builds if targets[name]["type"] != "system"}

    def status(self, flags: tuple[str, ...], *arguments: str) -> int:
        with tempfile.TemporaryDirectory(prefix="fuzz-") as work:
            source, program = Path(work) / "main.swift", Path(work) / "main"
            source.write_text(OVERFLOW)
            subprocess.run(["swiftc", "-O", *flags, str(source), "-o", str(program)], cwd=work, check=True,
                           capture_output=True)
            return subprocess.run([program, *arguments], env={**os.environ, "SWIFT_BACKTRACE": "enable=no"},
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode

    def test_an_overflow_ends_the_released_server(self):
        found = self.flags()
        self.assertTrue(any(found))
        for flags in found:
            self.assertEqual(self.status(flags), 0)
            self.assertIn(self.status(flags, "more"), (-signal.SIGILL, -signal.SIGTRAP), flags)

    def test_a_build_without_checks_would_be_noticed(self):
        self.assertEqual(self.status(("-Ounchecked",), "more"), 0)


def of_target(target: dict) -> list[str]:
    """The compiler flags of a target in release on Linux."""
    found = []
    for setting in target["settings"]:
        condition = setting.get("condition", {})
        if (setting["tool"] == "swift" and condition.get("config", "release") == "release"
                and "linux" in (condition.get("platformNames") or ["linux"])):
            found += setting["kind"].get("unsafeFlags", {}).get("_0", [])
    return found


class CorpusTests(unittest.TestCase):
    def test_each_reader_with_a_finding_of_old_has_it(self):
        for target, finding in (("gzip", "finding-ratio-by-cut"), ("semantics", "finding-name-cut-at-a-blank")):
            lines = (readers.CORPUS / f"{target}.txt").read_text().splitlines()
            self.assertIn(finding, [one.split(" ")[0] for one in lines])


if __name__ == "__main__":
    unittest.main()
