"""Self tests: each planted fault must be found. FOGBASE names the server."""
import unittest

from Tests.harness.arguments import ROOT
from Tests.harness.testing import run_suite
from Tests.streams.hook import PLANTS


class PlantedFaultTests(unittest.TestCase):
    def test_a_follower_that_lost_a_record_is_found(self):
        for fault, words in {"skip": "lacks", "reset": "have a cause"}.items():
            with self.subTest(fault=fault):
                done = run_suite("streams", "--rounds", "1", "--plant", fault, "--work", str(ROOT / ".streams/planted"))
                self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
                self.assertIn(words, done.stdout)

    def test_each_fault_of_webhooks_is_found(self):
        for fault, words in PLANTS.items():
            with self.subTest(fault=fault):
                done = run_suite("streams.webhooks", "--rounds", "1", "--seconds", "2", "--plant", fault, "--sentences",
                                 "500", "--work", str(ROOT / ".streams/planted"))
                self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
                self.assertIn(words, done.stdout)


if __name__ == "__main__":
    unittest.main()
