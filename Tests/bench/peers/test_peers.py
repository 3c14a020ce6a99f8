"""Does the comparison notice a server that is not durable, and one that returns a wrong page?"""
import os
import shutil
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from Tests.bench import machine
from Tests.bench.load import Measurement
from Tests.bench.packages import environment
from Tests.bench.peers import __main__ as peers, meters, peer as peer_module
from Tests.bench.peers.fastapi_peer import FastAPIPeer
from Tests.bench.peers.fogbase_peer import FogbasePeer
from Tests.bench.peers.meters import count_syncs
from Tests.bench.peers.results import Result, summed_up, table
from Tests.bench.peers.work import Run
from Tests.harness.arguments import ROOT
from Tests.harness.errors import Problem

WORK = ROOT / ".bench/peers"
CREATES = 20


class Durability(unittest.TestCase):
    def syncs(self, synchronous: str) -> int:
        WORK.mkdir(parents=True, exist_ok=True)
        directory = Path(tempfile.mkdtemp(prefix="test-", dir=WORK))
        binaries = environment(WORK / "packages", Path(__file__).with_name("requirements.txt"))
        peer = FastAPIPeer(directory / "fastapi", binaries)
        try:
            with mock.patch.dict(os.environ, {"BOARD_SYNCHRONOUS": synchronous}):
                peer.start()
            creates = [peer.create(number) for number in range(CREATES)]
            found, reason = count_syncs(peer.pids(), peer.port, creates, str(directory / "strace"))
        finally:
            peer.stop()
            shutil.rmtree(directory)
        if found is None:
            self.skipTest(reason)
        return found

    def test_a_sync_is_counted_for_each_create(self):
        self.assertGreaterEqual(self.syncs("FULL"), CREATES)

    def test_a_server_that_does_not_sync_is_found_out(self):
        self.assertLess(self.syncs("NORMAL"), CREATES)


class Shown(unittest.TestCase):
    """Unknown facts about a server's syncs, and known deviations."""

    def durable(self, syncs: int | None) -> bool:
        peer = mock.Mock(spec=FastAPIPeer)
        peer.name, peer.port, peer.facts.return_value = "fastapi", 1, {"versions": {}, "settings": "", "commands": []}
        with mock.patch.object(peers, "count_syncs", return_value=(syncs, "ptrace is refused here")), \
                mock.patch.object(peers, "memory", return_value=(1, 1)), mock.patch("builtins.print"):
            return peers.shown_durable(peer, Path("."), [])

    def test_syncs_that_were_not_counted_show_nothing(self):
        self.assertFalse(self.durable(None))
        self.assertTrue(self.durable(50))
        with self.assertRaisesRegex(Problem, "not durable"):
            self.durable(49)

    def test_unproven_durability_is_reported_and_has_its_own_exit_status(self):
        good = Result("fogbase", "create", 1, 1, 1, 1, 1, 1, 1, 10, 0)
        self.assertEqual(peers.status([good], [], False), 0)
        self.assertEqual(peers.status([good], ["kinto"], False), 1)
        self.assertEqual(peers.status([good], ["kinto"], True), 0)
        self.assertIn("not shown: that creates are durable on kinto", peers.last_line([good], ["kinto"]))
        good.errors = 1
        self.assertEqual(peers.status([good], [], True), 1)

    def test_a_create_that_fails_while_syncs_are_counted_ends_the_comparison(self):
        tracer = mock.Mock(stderr=mock.MagicMock())
        tracer.stderr.__iter__.return_value = ["strace: Process 7 attached"]
        with mock.patch.object(meters.subprocess, "Popen", return_value=tracer), \
                mock.patch.object(meters, "Client") as client, \
                mock.patch.object(meters, "families", return_value=[7]), mock.patch.object(meters.tools, "path"):
            client.return_value.send.return_value = mock.Mock(status=500, body=b"")
            with self.assertRaisesRegex(Problem, "a create failed"):
                meters.count_syncs([7], 1, [b""], "")
        tracer.terminate.assert_called_once()


class Pages(unittest.TestCase):
    def test_a_page_of_too_few_posts_is_rejected(self):
        peer = mock.Mock(spec=FastAPIPeer)
        peer.name, peer.port = "fastapi", 1
        response = mock.Mock(status=200, body=b"")
        for timestamps in ([3, 2, 1], list(range(50))):
            peer.newest.return_value = timestamps
            with mock.patch.object(peer_module, "Client") as client:
                client.return_value.send.return_value = response
                with self.assertRaises(Problem):
                    FastAPIPeer.check(peer)


class Builds(unittest.TestCase):
    def test_fogbase_is_shown_with_its_commit_since_its_version_fits_many(self):
        with tempfile.TemporaryDirectory() as directory:
            binary = Path(directory) / "fogbase"
            binary.write_text("#!/bin/sh\nprintf 'Fogbase  0.1.0\\nSwift  6.3.1\\n\\nIt is a server.\\n'\n")
            binary.chmod(0o755)
            with mock.patch.object(machine, "commit", return_value="abc1234"):
                versions = FogbasePeer(Path(directory), str(binary)).facts()["versions"]
        self.assertEqual((versions["fogbase"], versions["swift"]), ("0.1.0 (commit abc1234)", "6.3.1"))


class Results(unittest.TestCase):
    def test_errors_and_the_ratio_show_in_the_table(self):
        ours = Run(Measurement(1000, 1, 0.1, 1, 2), 10, 5)
        theirs = Run(Measurement(1000, 1, 0.5, 1, 2, errors=7), 10, 5)
        text = table(summed_up({("fogbase", "read", 8): [ours], ("kinto", "read", 8): [theirs]}))
        self.assertIn("5.0 ×", text)
        self.assertIn("7 of 1,000", text)


if __name__ == "__main__":
    unittest.main()
