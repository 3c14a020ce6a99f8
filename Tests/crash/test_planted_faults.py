"""Self tests: each kind of round finds each planted fault. FOGBASE names the server; they take half an hour."""
import subprocess
import tempfile
import unittest

from Tests.harness.testing import run_suite

# (kind of round, planted fault, words of which one must be among the findings)
PLANTED = [
    ("kill", "ack", ["must be"]),
    ("kill", "record", ["must be"]),
    ("kill", "index", ["doctor", "found", "sorted by"]),
    ("kill", "key", ["is valid with"]),
    ("kill", "session", ["the sessions"]),
    ("kill", "password", ["signs in with"]),
    ("kill", "feed", ["by a feed"]),
    ("kill", "undone", ["by a feed resumed"]),
    ("kill", "file", ["is gone: "]),
    ("kill", "bytes", ["has the hash"]),
    ("kill", "batch", ["is not whole"]),
    ("kill", "mixed", ["the mixed batch of"]),
    ("kill", "family", ["of the families of"]),
    ("kill", "unbuilt", ["Shelf sorted by"]),
    ("kill", "seen", ["a reader had seen version"]),
    ("kill", "deletion", ["a reader had seen that"]),
    ("kill", "stream", ["by a feed resumed"]),
    ("kill", "message", ["by a feed of a webhook"]),
    ("kill", "signature", ["with a wrong signature"]),
    ("kill", "twice", ["must be all of them, changed by one of"]),
    ("kill", "progress", ["had done", "records ended as"]),
    ("kill", "die", ["the server ended by itself, with status -11"]),
    ("power", "die", ["the server ended by itself, with status -11"]),
    ("sync", "die", ["the server ended"]),
    ("full", "die", ["its connection ended before the server was to end"]),
    ("stop", "die", ["the server ended by itself, before SIGTERM"]),
    ("stop", "log", ["the log has"]),
    ("power", "forget", ["must be", "gone", "is now", "feed", "doctor", "not ready", "did not answer", "journal"]),
    ("power", "ack", ["must be"]),
    ("power", "restart", ["must be", "is gone", "a reader had seen"]),
    ("sync", "sync", ["must be", "gone", "is now", "feed"]),
    ("sync", "forget", ["must be", "gone", "is now", "feed", "doctor", "did not answer"]),
    ("full", "ack", ["must be"]),
    ("full", "record", ["must be"]),
    ("full", "index", ["doctor", "found", "sorted by"]),
    ("stop", "ack", ["must be"]),
    ("stop", "record", ["must be"]),
    ("stop", "index", ["doctor", "found", "sorted by"]),
]


class PlantedFaultTests(unittest.TestCase):
    """Each kind of round must find the planted fault."""

    def test_planted_faults_are_found(self):
        for kind, fault, words in PLANTED:
            with self.subTest(kind=kind, fault=fault), tempfile.TemporaryDirectory(prefix="crash-") as work:
                done = run_suite("crash", "--work", work, "--rounds", "1", "--kinds", kind, "--plant", fault, "--seed",
                                 "5", "--seconds", "1.5", "--sentences", "200", "--start-seconds", "20",
                                 "--large-type", "1" if fault == "unbuilt" else "0")
                subprocess.run(["umount", "-q", f"{work}/round-1/disk"], capture_output=True)
                self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
                findings = [line for line in done.stdout.splitlines() if line.startswith("    ")]
                self.assertTrue(any(word in line for word in words for line in findings), done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
