"""Self tests: the suite finds each fault that its clients can inject. FOGBASE names the server."""
import unittest

from Tests.consistency.fault_injection import FAULTS
from Tests.harness.arguments import ROOT
from Tests.harness.testing import run_suite


class FaultTests(unittest.TestCase):
    def test_injected_faults_are_found(self):
        for fault, (meaning, mix) in FAULTS.items():
            with self.subTest(fault, meaning=meaning):
                done = run_suite("consistency", "--work", str(ROOT / ".consistency/faults"), "--rounds", "1",
                                 "--seconds", "3", "--fault", fault, "--mix", mix)
                output = done.stdout + done.stderr
                self.assertEqual(done.returncode, 1, output)
                self.assertIn("\n    ", done.stdout)
                # A client that ends by a fault is a finding too, but hides whether a check would have found the fault.
                self.assertNotIn("Traceback", output)


if __name__ == "__main__":
    unittest.main()
