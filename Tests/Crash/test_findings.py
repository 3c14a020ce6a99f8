#!/usr/bin/env python3
"""What rounds have found, each as small as it can be told.

    python3 Tests/Crash/test_findings.py [BINARY]
"""
import errno
import sys
import tempfile
import unittest
from pathlib import Path
from random import Random

from paths import ROOT
from amends import go_on
from client import Client
from faults import Faults
from full import FullRound, unmount
from journal import Journal, build
from survivors import Contents, Disk, Names
from watched import Problem, WatchedServer, doctor

BINARY = str(ROOT / ".build/release/fogbase")


class Findings(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory(prefix="crash-")
        self.place = Path(self.temporary.name)
        self.disk = self.place / "disk"
        self.disk.mkdir(mode=0o700)
        self.servers: list[WatchedServer] = []

    def tearDown(self):
        for one in self.servers:
            one.kill()
        unmount(self.disk)
        self.temporary.cleanup()

    def server(self, disk: Path, *watch) -> WatchedServer:
        self.servers.append(WatchedServer(BINARY, disk, {}, *watch))
        return self.servers[-1]

    @staticmethod
    def create(server: WatchedServer, name: str, size: int = 10) -> int:
        client: Client = server.client(server.admin)
        status = client.call("POST", "/records/Item", {"recordName": name, "fields": {"text": "x" * size}},
                             expect=(201, 500, 503, 507)).status
        client.close()
        return status

    def after_a_failed_sync(self, place: str) -> list[int]:
        """A sync of the log fails once, the process is started again on the same system, and then the power goes.
        Returns what reading the records answers that were acknowledged."""
        log, faults = self.place / "journal", Faults(self.place / "faults")
        first = self.server(self.disk, build(self.place), log, 0)
        first.environment["POWERCUT_FAULTS"] = str(self.place / "faults")
        first.start(10)
        self.assertEqual(self.create(first, "before"), 201)
        faults.fail_syncs(errno.EIO, place, 1)
        self.assertEqual(self.create(first, "during"), 503)
        first.kill()
        third = self.after_another_process_and_a_cut(log)
        return [third.client(third.admin).call("GET", f"/records/Item/{name}", expect=(200, 404)).status
                for name in ("before", "after")]

    def after_another_process_and_a_cut(self, log: Path) -> WatchedServer:
        """A process that goes on with the folder and writes, then a power cut that keeps nothing of failed syncs."""
        go_on(log, Disk(share=0), self.disk)
        second = self.server(self.disk, self.place / "powercut.so", log, 0)
        second.start(10)
        self.assertEqual(self.create(second, "after"), 201)
        second.kill()
        disk = Disk(share=0)
        disk.advance(Journal(log))
        disk.survive(self.place / "survivor", Contents.NONE, Names.ALL, Random(1))
        return self.server(self.place / "survivor").start(10)

    def test_what_is_acknowledged_after_a_failed_sync_and_a_restart_survives_a_power_cut(self):
        # The log's pages that the failed sync left are clean, so the sync of the next start does not write them. What
        # comes behind them in the log counts only if they are on the disk too.
        self.assertEqual(self.after_a_failed_sync("records.sqlite-wal$"), [200, 200])

    def test_a_sync_of_the_database_that_fails_while_the_server_ends_loses_nothing(self):
        # The log is the only good copy then: it must not go because a second sync of the same pages succeeds.
        log, faults = self.place / "journal", Faults(self.place / "faults")
        server = self.server(self.disk, build(self.place), log, 0)
        server.environment["POWERCUT_FAULTS"] = str(self.place / "faults")
        server.start(10)
        for number in range(5):
            self.assertEqual(self.create(server, f"before-{number}", 20_000), 201)
        faults.fail_syncs(errno.EIO, "records.sqlite$", 1)
        server.terminate()
        server.child.wait(20)
        self.assertEqual(faults.failed_syncs, 1)
        third = self.after_another_process_and_a_cut(log)
        for number in range(5):
            third.client(third.admin).call("GET", f"/records/Item/before-{number}")

    def batch(self, server: WatchedServer, name: str) -> int:
        """A write that takes so many pages of the log that two of them need a second part of its index."""
        client: Client = server.client(server.admin)
        fields = {"text": "x" * 900_000}
        operations = [{"operationType": "create",
                       "record": {"recordName": f"{name}-{number}", "recordType": "Item", "fields": fields}}
                      for number in range(12)]
        status = client.call("POST", "/records", {"operations": operations}, expect=(200, 500, 503, 507)).status
        client.close()
        return status

    def test_what_was_refused_for_want_of_room_does_not_come_back(self):
        # SQLite writes the commit into the log before it makes room for it in the log's index. When there is none, the
        # commit fails, and the next start would find it whole.
        faults = Faults(self.place / "faults")
        server = self.server(self.disk, build(self.place), self.place / "journal", 0)
        server.environment["POWERCUT_FAULTS"] = str(self.place / "faults")
        server.start(10)
        self.assertEqual(self.batch(server, "before"), 200)
        faults.fail_writes(errno.ENOSPC, "records.sqlite-shm$")
        self.assertEqual(self.batch(server, "during"), 507)
        self.assertGreater(faults.failed_writes, 0)
        faults.end()
        server.kill()
        again = self.server(self.disk).start(10)
        found = {name: again.client(again.admin).call("GET", f"/records/Item/{name}-11", expect=(200, 404)).status
                 for name in ("before", "during")}
        self.assertEqual(found, {"before": 200, "during": 404})
        self.assertEqual(self.create(again, "after"), 201)

    def fill_disk(self) -> None:
        self.assertTrue(FullRound.mount(self.disk, "size=12m,mode=700"), "this test needs the right to mount")
        server = self.server(self.disk)
        server.start(10)
        self.assertEqual(self.create(server, "before", 100_000), 201)
        server.stop()
        with self.assertRaises(OSError), open(self.disk / "filler", "wb", buffering=0) as file:
            while True:
                file.write(bytes(4096))

    def test_a_start_that_finds_no_room_says_that_the_disk_is_full(self):
        self.fill_disk()
        server = self.server(self.disk)
        begun = server.log.stat().st_size
        try:
            server.start(10)
        except Problem:
            said = server.log.read_bytes()[begun:].decode().lower()
            self.assertTrue("full" in said or "room" in said or "space" in said, said)

    def test_doctor_does_not_advise_a_backup_for_a_disk_without_room(self):
        self.fill_disk()
        self.assertNotIn("backup", doctor(BINARY, self.disk / "data") or "")


if __name__ == "__main__":
    if len(sys.argv) > 1 and not sys.argv[1].startswith("-"):
        BINARY = str(Path(sys.argv.pop(1)).resolve())
    unittest.main()
