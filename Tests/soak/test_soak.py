"""Self tests: the checks on artificial samples, and two short runs on a real server. FOGBASE names the server."""
import json
import subprocess
import tempfile
import unittest
from dataclasses import replace
from pathlib import Path
from random import Random

from Tests.harness.arguments import ROOT
from Tests.harness.client import Client, Response
from Tests.harness.testing import suite_command
from Tests.soak.checks import Limits, Sample, check, demand, sample_of, slope
from Tests.soak.client import Cancelled, Shared, SoakClient, Unavailable
from Tests.soak.reading_clients import FeedClient

QUIET = Sample(0, 20_000_000, 40_000_000, 18, 22, 1, 5_000_000, 17_000_000, 40, 0, 0)


def series(seed: int = 1, seconds: int = 3600, **growth: float) -> list[Sample]:
    """Samples of an hour: much memory at first, then a sawtooth per minute with noise; `growth` is per second."""
    random, found = Random(seed), []
    for moment in range(0, seconds, 5):
        warm = 30e6 * 0.99 ** moment
        saw = moment % 60 * 60e3
        one = replace(QUIET, seconds=moment, rss_anon=round(28e6 + warm + saw + random.gauss(0, 1.5e6)),
                      descriptors=50 + random.randrange(-6, 7), connections=28, files=60 + random.randrange(-15, 16))
        for name, rate in growth.items():
            setattr(one, name, getattr(one, name) + round(rate * moment))
        found.append(one)
    return found


class CheckTests(unittest.TestCase):
    def found(self, samples: list[Sample], after: Sample = QUIET, **limits) -> list[str]:
        return check(samples, QUIET, after, Limits(**limits))

    def test_noisy_samples_without_growth_are_accepted(self):
        for seed in range(50):
            self.assertEqual(self.found(series(seed)), [])
        self.assertEqual(self.found(series(rss_anon=-2_000)), [])

    def test_a_leak_of_a_kilobyte_per_second_is_found(self):
        for seed in range(50):
            found = self.found(series(seed, rss_anon=1_024))
            self.assertTrue(found and all("memory" in one for one in found), found)
        self.assertEqual(self.found(series(rss_anon=1_024), growth=5e6), [])

    def test_a_step_is_found(self):
        samples = series()
        for one in samples[len(samples) // 2:]:
            one.rss_anon += 3_000_000
        self.assertIn("memory grew", self.found(samples)[0])

    def test_other_growth_and_too_few_samples_are_found(self):
        for growth, expected in (({"descriptors": 0.005}, "descriptors more"), ({"log": 25_000}, "the log was"),
                                 ({"files": 0.05}, "files of assets"), ({"seconds": 30}, "only")):
            self.assertIn(expected, self.found(series(**growth))[0])

    def test_growth_after_the_load_is_found(self):
        for name, count in (("descriptors", 1), ("threads", 3), ("connections", 1)):
            found = self.found(series(), replace(QUIET, **{name: getattr(QUIET, name) + count}), threads=2)
            self.assertEqual(len(found), 1, found)
            self.assertIn(f"{name} are left", found[0])

    def test_descriptors_that_sqlite_keeps_for_its_next_connection_are_accepted(self):
        for more, of_database, is_accepted in ((2, 2, True), (3, 2, False), (30, 30, False)):
            left = replace(QUIET, descriptors=QUIET.descriptors + more, database_descriptors=of_database)
            self.assertEqual(self.found(series(), left) == [], is_accepted)

    def test_threads_that_a_pool_starts_when_all_others_have_work_are_accepted(self):
        for more, of_pools, is_accepted in ((3, 3, True), (4, 4, True), (3, 0, False), (5, 2, False), (30, 30, False)):
            left = replace(QUIET, threads=QUIET.threads + more, pool_threads=QUIET.pool_threads + of_pools)
            self.assertEqual(self.found(series(), left, threads=2, pool_threads=4) == [], is_accepted)

    def test_the_slope_is_within_its_error(self):
        far = 0
        for seed in range(100):
            rise = slope(series(seed, rss_anon=1_024)[200:], "rss_anon")
            far += abs(rise.value - 1_024 * 3600) > 3 * rise.error
        self.assertLess(far, 5)

    def test_a_sample_can_be_written_and_read(self):
        self.assertEqual(sample_of(json.loads(json.dumps(QUIET.as_dict() | {"what": "sample"}))), QUIET)


class DemandTests(unittest.TestCase):
    """A server that rejects everything does not grow either."""

    def test_too_few_acts_and_too_many_rejections_are_found(self):
        served = {"records acts": 800, "indexes acts": 1}
        for counts, expected in (
                ({}, []), ({"records unavailable": 20, "indexes unavailable": 2}, []),
                ({"records unavailable": 80}, ["records: 80 of 880 times it was rejected"]),
                ({"indexes unavailable": 3}, ["indexes: 3 of 4"]), ({"records acts": 200}, ["records: only 200 times"]),
                ({"indexes acts": 0}, ["indexes: only 0 times"])):
            found = demand(served | counts, {"records": 1_000.0, "indexes": 0.5})
            self.assertEqual(len(found), len(expected), found)
            for one, start in zip(found, expected):
                self.assertTrue(one.startswith(start), one)

    def test_a_rejected_act_is_not_counted_as_done(self):
        for outcome, what in ((None, "acts"), (Unavailable(), "unavailable"), (Cancelled(), "cancelled"),
                              (OSError(), "failures")):
            client = SoakClient(Shared(1, "", "", 1_000), "client", Random(1))

            def act():
                client.stopping.set()
                if outcome:
                    raise outcome

            client.act = act
            client.run()
            counts = client.shared.counts
            kinds = [f"client {one}" for one in ("acts", "unavailable", "cancelled") if counts[f"client {one}"]]
            self.assertEqual((counts[what], kinds), (1, [f"client {what}"] if what != "failures" else []))


class RejectionTests(unittest.TestCase):
    """What the server may reject for now, and for which cause."""

    def outcome(self, path: str, status: int, body: str, kind: type[SoakClient] = SoakClient) -> list[str]:
        client = kind(Shared(1, "", "", 1), "feedclient1-soak", Random(1))
        client.attach(Client(1, ""))
        client.send = lambda _: Response(status, {}, body.encode(), 0)
        client.attempt(client.prepare)
        client.stopping.set()
        client.attempt(client.act if kind is FeedClient else lambda: client.call("GET", path))
        return [one for one in ("failures", "unavailable") if client.shared.counts[one]]

    def test_only_queries_may_be_rejected_for_a_known_cause(self):
        for path, status, cause, expected in (
                ("/query/Item", 503, "INDEX_BUILDING", "unavailable"),
                ("/query/Item", 400, "NOT_INDEXED", "unavailable"),
                ("/query/Item", 500, "INDEX_BUILDING", "failures"), ("/query/Item", 503, "UNAVAILABLE", "failures"),
                ("/records/Item", 503, "INDEX_BUILDING", "failures"), ("/records", 503, "UNAVAILABLE", "failures")):
            body = json.dumps({"reason": "", "details": {"cause": cause}})
            self.assertEqual(self.outcome(path, status, body), [expected], (path, status, cause))

    def test_an_expired_token_is_a_failure(self):
        body = '{"reason":"","details":{"cause":"TOKEN_EXPIRED"}}'
        self.assertEqual(self.outcome("", 410, body, FeedClient), ["failures"])


class RunTests(unittest.TestCase):
    """Both runs wait most of the time, so they run at once."""

    RUNS = {"right": ("--seconds", "20", "--pace", "0.7"),
            # Uploads of 1 MB are among the load.
            "wrong": ("--seconds", "6", "--env", "FOGBASE_ASSETS_MAX_BYTES=50000")}

    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="soak-")
        self.addCleanup(temporary.cleanup)
        self.work = temporary.name

    def start(self, name: str, *arguments: str) -> subprocess.Popen:
        command = suite_command("soak", "--work", f"{self.work}/{name}", "--interval", "0.5", "--growth", "60",
                                *arguments)
        with open(f"{self.work}/{name}.txt", "w") as output:
            child = subprocess.Popen(command, cwd=ROOT, stdout=output, stderr=subprocess.STDOUT)
        # Before the directory is removed; after SIGTERM the child ends its server too.
        self.addCleanup(child.wait)
        self.addCleanup(child.terminate)
        return child

    def result(self, name: str, child: subprocess.Popen) -> tuple[int, str, dict]:
        status, output = child.wait(), Path(f"{self.work}/{name}.txt").read_text()
        lines = Path(f"{self.work}/{name}/soak.jsonl").read_text().splitlines()
        return status, output, json.loads(lines[-1])

    def test_a_short_run_does_everything_and_an_unexpected_rejection_is_found(self):
        children = {name: self.start(name, *arguments) for name, arguments in self.RUNS.items()}
        status, output, last = self.result("right", children["right"])
        self.assertEqual(status, 0, output)
        for what in ("records acts", "uploads links", "uploads downloads", "accounts sessions", "feed acts",
                     "wrong requests acts", "connections connections", "bulk changes acts", "increments increments"):
            self.assertGreater(last["counts"].get(what, 0), 0, what)
        status, output, last = self.result("wrong", children["wrong"])
        self.assertEqual(status, 1, output)
        self.assertTrue(any("413" in one for one in last["findings"]), output)


if __name__ == "__main__":
    unittest.main()
