"""Self test: a planted fault must be found. FOGBASE names the server."""
import unittest

from Tests.harness.arguments import ROOT
from Tests.harness.testing import run_suite


class PlantedFaultTests(unittest.TestCase):
    def test_a_follower_that_lost_a_record_is_found(self):
        for fault, words in {"lose": "must have", "expire": "with 0 causes"}.items():
            with self.subTest(fault=fault):
                done = run_suite("followers", "--rounds", "1", "--plant", fault, "--sentences", "500", "--work",
                                 str(ROOT / ".followers/planted"))
                self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
                self.assertIn(words, done.stdout)


if __name__ == "__main__":
    unittest.main()
