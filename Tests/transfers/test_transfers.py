"""Self test: a planted fault must be found. FOGBASE names the server."""
import unittest

from Tests.harness.arguments import ROOT
from Tests.harness.testing import run_suite


class PlantedFaultTests(unittest.TestCase):
    def test_rows_that_are_imported_twice_are_found(self):
        done = run_suite("transfers", "--rows", "20000", "--kills", "1", "--plant", "position", "--work",
                         str(ROOT / ".transfers/planted"))
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("good and", done.stderr)


if __name__ == "__main__":
    unittest.main()
