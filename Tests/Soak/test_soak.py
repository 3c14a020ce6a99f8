#!/usr/bin/env python3
"""Tests of the judgement, on samples that are made up, and a short run on a real server.

    python3 Tests/Soak/test_soak.py [BINARY]
"""
import json
import subprocess
import sys
import tempfile
import unittest
from collections import Counter
from dataclasses import replace
from pathlib import Path
from random import Random

from paths import ROOT
from verdict import Limits, Sample, demand, judge, sample_of, slope
from visitor import GivenUp, Passing, Town, Visitor

BINARY = str(ROOT / ".build/release/fogbase")
QUIET = Sample(0, 20_000_000, 40_000_000, 18, 22, 1, 5_000_000, 17_000_000, 40, 0, 0)


def series(seed: int = 1, seconds: int = 3600, **growth: float) -> list[Sample]:
    """Samples of an hour: much memory to begin with, then the saw of each minute with noise; `growth` is per second."""
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


class VerdictTests(unittest.TestCase):
    def found(self, samples: list[Sample], after: Sample = QUIET, **limits) -> list[str]:
        return judge(samples, QUIET, after, Limits(**limits))

    def test_a_noisy_flat_series_is_accepted(self):
        for seed in range(50):
            self.assertEqual(self.found(series(seed)), [])

    def test_memory_that_falls_is_accepted(self):
        self.assertEqual(self.found(series(rss_anon=-2_000)), [])

    def test_a_leak_of_a_kilobyte_per_second_is_found(self):
        for seed in range(50):
            found = self.found(series(seed, rss_anon=1_024))
            self.assertTrue(found and all("memory" in one for one in found), found)

    def test_a_leak_of_a_step_is_found(self):
        samples = series()
        for one in samples[len(samples) // 2:]:
            one.rss_anon += 3_000_000
        self.assertIn("memory grew", self.found(samples)[0])

    def test_the_limit_is_an_argument(self):
        self.assertEqual(self.found(series(rss_anon=1_024), growth=5e6), [])

    def test_descriptors_that_add_up_are_found(self):
        self.assertIn("descriptors more", self.found(series(descriptors=0.005))[0])

    def test_what_is_left_when_the_load_has_gone_is_found(self):
        for name, count in (("descriptors", 1), ("threads", 3), ("connections", 1)):
            found = self.found(series(), replace(QUIET, **{name: getattr(QUIET, name) + count}), threads=2)
            self.assertEqual(len(found), 1, found)
            self.assertIn(f"{name} are left", found[0])

    def test_what_the_database_library_keeps_for_its_next_connection_is_accepted(self):
        left = replace(QUIET, descriptors=QUIET.descriptors + 2, database_descriptors=2)
        self.assertEqual(self.found(series(), left), [])
        left.descriptors += 1
        self.assertIn("descriptors are left", self.found(series(), left)[0])
        left = replace(QUIET, descriptors=QUIET.descriptors + 30, database_descriptors=30)
        self.assertIn("descriptors are left", self.found(series(), left)[0])

    def test_a_log_that_is_never_taken_over_is_found(self):
        self.assertIn("the log was", self.found(series(log=25_000))[0])

    def test_files_that_nobody_collects_are_found(self):
        self.assertIn("files of assets", self.found(series(files=0.05))[0])

    def test_too_few_samples_say_nothing(self):
        self.assertIn("only", self.found(series(seconds=30))[0])

    def test_the_slope_is_within_its_error(self):
        far = 0
        for seed in range(100):
            rise = slope(series(seed, rss_anon=1_024)[200:], "rss_anon")
            far += abs(rise.value - 1_024 * 3600) > 3 * rise.error
        self.assertLess(far, 5)

    def test_a_sample_is_read_again_as_it_was_written(self):
        self.assertEqual(sample_of(json.loads(json.dumps(QUIET.as_dict() | {"what": "sample"}))), QUIET)


class DemandTests(unittest.TestCase):
    """A server that puts everybody off stays flat."""

    EXPECTED = {"records": 1_000.0, "indexes": 0.5}

    def found(self, **counts: int) -> list[str]:
        served = {"records acts": 800, "indexes acts": 1}
        return demand(served | {name.replace("_", " "): count for name, count in counts.items()}, self.EXPECTED)

    def test_visitors_who_are_served_are_accepted(self):
        self.assertEqual(self.found(), [])
        self.assertEqual(self.found(records_passing=20, indexes_passing=2), [])

    def test_a_server_that_puts_off_too_much_is_found(self):
        self.assertIn("records: 80 of 880 times it was put off", self.found(records_passing=80)[0])
        self.assertIn("indexes: 3 of 4", self.found(indexes_passing=3)[0])

    def test_visitors_who_could_do_little_are_found(self):
        self.assertIn("records: only 200 times", self.found(records_acts=200)[0])
        self.assertIn("indexes: only 0 times", self.found(indexes_acts=0)[0])

    def counted(self, outcome: Exception | None) -> Counter:
        """What is counted of a visitor whose every act has this outcome."""
        def act():
            visitor.stopping.set()
            if outcome:
                raise outcome

        visitor = Visitor(Town(1, "", "", 1_000), "visitor", Random(1))
        visitor.act = act
        visitor.run()
        return visitor.town.counts

    def test_who_is_put_off_has_done_nothing(self):
        for outcome, what in ((None, "acts"), (Passing(), "passing"), (GivenUp(), "given up"), (OSError(), "failures")):
            counts = self.counted(outcome)
            kinds = [f"visitor {one}" for one in ("acts", "passing", "given up") if counts[f"visitor {one}"]]
            self.assertEqual((counts[what], kinds), (1, [f"visitor {what}"] if what != "failures" else []))


class RunTests(unittest.TestCase):
    """The runs wait most of their time, so they go on beside each other."""

    RUNS = {"right": ("--seconds", "20", "--pace", "0.7"),
            # Uploads of 1 MB are among the load.
            "wrong": ("--seconds", "6", "--env", "FOGBASE_ASSETS_MAX_BYTES=50000")}

    @classmethod
    def setUpClass(cls) -> None:
        cls.work = tempfile.TemporaryDirectory(prefix="soak-")
        cls.addClassCleanup(cls.work.cleanup)
        cls.children = {name: cls.start(name, *arguments) for name, arguments in cls.RUNS.items()}

    @classmethod
    def start(cls, name: str, *arguments: str) -> subprocess.Popen:
        command = [sys.executable, str(ROOT / "Tests/Soak/soak.py"), "--binary", BINARY, "--work",
                   f"{cls.work.name}/{name}", "--interval", "0.5", "--growth", "60", *arguments]
        with open(f"{cls.work.name}/{name}.txt", "w") as said:
            child = subprocess.Popen(command, stdout=said, stderr=subprocess.STDOUT)
        # Before the folder goes; at SIGTERM the child ends its server too.
        cls.addClassCleanup(child.wait)
        cls.addClassCleanup(child.terminate)
        return child

    def soak(self, name: str) -> tuple[int, str, list[dict]]:
        status, said = self.children[name].wait(), Path(f"{self.work.name}/{name}.txt").read_text()
        lines = Path(f"{self.work.name}/{name}/soak.jsonl").read_text().splitlines()
        return status, said, [json.loads(one) for one in lines]

    def test_a_short_run_finds_nothing_and_has_done_everything(self):
        status, said, lines = self.soak("right")
        self.assertEqual(status, 0, said)
        counts = lines[-1]["counts"]
        for what in ("records acts", "uploads links", "uploads downloads", "accounts sessions", "feed acts",
                     "wrong requests acts", "connections connections", "sets acts", "increments increments"):
            self.assertGreater(counts.get(what, 0), 0, what)

    def test_a_server_that_refuses_what_it_should_not_is_found(self):
        status, said, lines = self.soak("wrong")
        self.assertEqual(status, 1, said)
        self.assertTrue(any("413" in one for one in lines[-1]["findings"]), said)


if __name__ == "__main__":
    if len(sys.argv) > 1 and not sys.argv[1].startswith("-"):
        BINARY = str(Path(sys.argv.pop(1)).resolve())
    unittest.main()
