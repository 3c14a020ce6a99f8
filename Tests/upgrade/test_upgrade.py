"""Self tests: each planted fault must be found. FOGBASE names the server."""
import os
import unittest

from Tests.harness.arguments import BINARY, ROOT
from Tests.harness.testing import run_suite


class PlantedFaultTests(unittest.TestCase):
    def test_a_lost_row_is_found(self):
        self.expect("values are others", "--plant", "loss")

    def test_an_older_version_that_opens_newer_data_is_found(self):
        self.expect("the older version opened the directory of the newer one")

    def expect(self, sentence: str, *arguments: str) -> None:
        done = run_suite("upgrade", "--before", os.path.abspath(BINARY), *arguments,
                         "--work", str(ROOT / ".upgrade/planted"))
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn(sentence, done.stderr)


if __name__ == "__main__":
    unittest.main()
