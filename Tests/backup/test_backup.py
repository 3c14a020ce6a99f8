"""Self tests: each planted fault must be found. FOGBASE names the server."""
import unittest

from Tests.harness.arguments import ROOT
from Tests.harness.testing import run_suite

PLANTED = {"loss": "has version 0, and", "change": "the feed of the copy is not its table",
           "late": "a write is missing that was acknowledged", "damage": "is damaged",
           "expire": "is refused, and", "skip": "does not lead to the table"}


class PlantedFaultTests(unittest.TestCase):
    def test_planted_faults_are_found(self):
        for fault, sentence in PLANTED.items():
            with self.subTest(fault):
                done = run_suite("backup", "--rounds", "1", "--no-kills", "--writers", "12", "--plant", fault,
                                 "--work", str(ROOT / f".backup/{fault}"))
                self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
                self.assertIn(sentence, done.stdout)


if __name__ == "__main__":
    unittest.main()
