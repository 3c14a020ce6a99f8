"""Self test: the planted fault must be found. FOGBASE names the server."""
import unittest

from Tests.harness.arguments import ROOT
from Tests.harness.testing import run_suite


class PlantedFaultTests(unittest.TestCase):
    def test_a_follower_that_lost_a_record_is_found(self):
        done = run_suite("streams", "--rounds", "1", "--plant", "skip", "--work", str(ROOT / ".streams/planted"))
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("lacks", done.stdout)


if __name__ == "__main__":
    unittest.main()
