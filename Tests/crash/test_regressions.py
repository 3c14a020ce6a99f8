"""Defects that rounds of this suite have found, each reduced to a small test. FOGBASE names the server."""
import contextlib
import errno
import os
import threading
import time
import unittest
from pathlib import Path
from random import Random

from Tests.crash.asset_clients import Resumable, Upload, content, examine, is_safe, send_part, send_tus
from Tests.crash.full_disk_round import FullRound, unmount
from Tests.harness.arguments import BINARY
from Tests.harness.client import Response
from Tests.harness.errors import Problem
from Tests.harness.server import doctor
from Tests.harness.testing import DirectoryTest
from Tests.powercut.disk_model import Contents, Disk, Names
from Tests.powercut.faults import Faults
from Tests.powercut.journal import Journal, build
from Tests.powercut.journal_repair import repair
from Tests.powercut.traced_server import TracedServer


class DiskTest(DirectoryTest):
    """A disk, and the servers that use it."""

    def setUp(self):
        super().setUp()
        self.disk = self.directory / "disk"
        self.disk.mkdir(mode=0o700)
        self.addCleanup(unmount, self.disk)

    def server(self, disk: Path, *watch, settings: dict[str, str] | None = None) -> TracedServer:
        server = TracedServer(BINARY, disk, settings or {}, *watch)
        self.addCleanup(server.kill)
        return server

    def watched(self, settings: dict[str, str] | None = None, pause: int = 0) -> tuple[TracedServer, Faults]:
        """A server under the library, whose syncs and writes can be made to fail."""
        server, faults = self.server(self.disk, build(self.directory), self.log, pause), Faults(
            self.directory / "faults")
        server.environment |= {"POWERCUT_FAULTS": str(self.directory / "faults")} | (settings or {})
        return server.start(10), faults

    @property
    def log(self) -> Path:
        return self.directory / "journal"

    def after_a_cut(self, contents: Contents, names: Names) -> TracedServer:
        """A server on the disk that a power cut leaves now, with nothing of a failed sync."""
        disk = Disk(share=0)
        disk.advance(Journal(self.log))
        return self.on_what_was_left(disk, contents, names)

    def on_what_was_left(self, disk: Disk, contents=Contents.NONE, names=Names.STRICT) -> TracedServer:
        disk.survive(self.directory / "survivor", contents, names, Random(1))
        return self.server(self.directory / "survivor").start(10)

    @staticmethod
    def create(server: TracedServer, name: str, size: int = 10) -> int:
        body = {"recordName": name, "fields": {"text": "x" * size}}
        return server.client(server.admin).call("POST", "/records/Item", body, expect=(201, 500, 503, 507)).status

    @staticmethod
    def read(server: TracedServer, name: str) -> int:
        return server.client(server.admin).call("GET", f"/records/Item/{name}", expect=(200, 404)).status


class Findings(DiskTest):
    def after_a_failed_sync(self, place: str) -> list[int]:
        """A sync of the log fails once, the process is started again on the same system, and then the power fails.
        Returns the result of reading the acknowledged records."""
        first, faults = self.watched()
        self.assertEqual(self.create(first, "before"), 201)
        faults.fail_syncs(errno.EIO, place, 1)
        self.assertEqual(self.create(first, "during"), 503)
        first.kill()
        third = self.after_another_process_and_a_cut()
        return [self.read(third, name) for name in ("before", "after")]

    def after_another_process_and_a_cut(self) -> TracedServer:
        """A process that continues with the directory and writes, then a power cut that keeps nothing of failed
        syncs."""
        repair(self.log, Disk(share=0), self.disk)
        second = self.server(self.disk, self.directory / "powercut.so", self.log, 0)
        second.start(10)
        self.assertEqual(self.create(second, "after"), 201)
        second.kill()
        return self.after_a_cut(Contents.NONE, Names.ALL)

    def test_writes_acknowledged_after_a_failed_sync_and_a_restart_survive_a_power_cut(self):
        # The log's pages that the failed sync left are clean, so the sync of the next start does not write them. Later
        # pages of the log count only if these are on the disk too.
        self.assertEqual(self.after_a_failed_sync("records.sqlite-wal$"), [200, 200])

    def test_a_sync_of_the_database_that_fails_while_the_server_ends_loses_nothing(self):
        # The log is the only good copy then: it must not go because a second sync of the same pages succeeds.
        server, faults = self.watched()
        for number in range(5):
            self.assertEqual(self.create(server, f"before-{number}", 20_000), 201)
        faults.fail_syncs(errno.EIO, "records.sqlite$", 1)
        server.terminate()
        server.child.wait(20)
        self.assertEqual(faults.failed_syncs, 1)
        third = self.after_another_process_and_a_cut()
        for number in range(5):
            self.assertEqual(self.read(third, f"before-{number}"), 200)

    def batch(self, server: TracedServer, name: str, records: int = 12) -> int:
        """A write that takes so many pages of the log that two of them need a second part of its index, or one of twice
        as many records alone."""
        fields = {"text": "x" * 900_000}
        operations = [{"operationType": "create",
                       "record": {"recordName": f"{name}-{number}", "recordType": "Item", "fields": fields}}
                      for number in range(records)]
        return server.client(server.admin).call("POST", "/records", {"operations": operations},
                                                expect=(200, 500, 503, 507)).status

    def test_a_write_rejected_for_lack_of_space_does_not_reappear(self):
        # SQLite writes the commit into the log before it makes room for it in the log's index. When there is none, the
        # commit fails, and the next start would find it whole. Also in a log that was copied and cut it has no room.
        server, faults = self.watched({"FOGBASE_LIMITS_BODY_BYTES": "32MiB"})
        self.assertEqual(self.batch(server, "before"), 200)
        faults.fail_writes(errno.ENOSPC, "records.sqlite-shm$")
        self.assertEqual(self.batch(server, "during", 24), 507)
        self.assertGreater(faults.failed_writes, 0)
        faults.end()
        server.kill()
        again = self.server(self.disk).start(10)
        found = {name: self.read(again, f"{name}-11") for name in ("before", "during")}
        self.assertEqual(found, {"before": 200, "during": 404})
        self.assertEqual(self.create(again, "after"), 201)

    def mount(self, size: str) -> None:
        self.assertTrue(FullRound.mount(self.disk, f"size={size},mode=700"), "this test needs the right to mount")

    def reserves(self) -> list[int]:
        """The bytes that the data directory and its one database keep for the next start."""
        return [file.stat().st_blocks * 512 for file in (self.disk / "data").rglob(".reserve")]

    def wait_for_reserves(self) -> None:
        limit = time.monotonic() + 20
        while self.reserves() != [256 << 10] * 2:
            self.assertLess(time.monotonic(), limit, f"of reserves there are {self.reserves()}")
            time.sleep(0.02)

    def fill(self) -> None:
        with self.assertRaises(OSError), open(self.disk / "filler", "wb", buffering=0) as file:
            while True:
                file.write(bytes(4096))

    def fill_disk(self) -> None:
        """A small disk with a database that was closed, and no room for anything."""
        self.mount("12m")
        server = self.server(self.disk).start(10)
        self.wait_for_reserves()
        self.assertEqual(self.create(server, "before", 100_000), 201)
        server.stop()
        self.fill()

    def judge_without_room(self, acknowledged: str) -> None:
        """A server starts, reads, rejects writes until there is space, and then keeps some for the next start."""
        server = self.server(self.disk).start(10, "/health/live")
        self.assertEqual(self.read(server, acknowledged), 200)
        self.assertEqual(self.create(server, "during", 900_000), 507)
        self.assertEqual(server.client().call("GET", "/health/ready", expect=(200, 503)).status, 503)
        server.kill()
        again = self.server(self.disk).start(10, "/health/live")
        self.assertEqual(self.read(again, acknowledged), 200)
        (self.disk / "filler").unlink()
        self.wait_for_reserves()
        self.assertEqual(self.create(again, "after", 900_000), 201)

    def test_a_server_starts_on_a_disk_without_room_that_was_stopped_before(self):
        # SQLite takes the index of the log away with the last connection.
        self.fill_disk()
        self.judge_without_room("before")

    def test_a_server_starts_on_a_disk_without_room_whose_log_has_outgrown_its_index(self):
        # The next start reads the content of the log, even if its index had no space.
        self.mount("64m")
        server = self.server(self.disk, settings={"FOGBASE_LIMITS_BODY_BYTES": "16MiB"}).start(10)
        self.wait_for_reserves()
        for name in ("before", "later"):
            self.assertEqual(self.batch(server, name), 200)
        server.kill()
        index = next(self.disk.rglob("records.sqlite-shm"))
        self.assertGreater(index.stat().st_size, 32 << 10)
        os.truncate(index, 32 << 10)
        self.fill()
        self.judge_without_room("later-11")

    def test_a_start_that_finds_no_room_says_that_the_disk_is_full(self):
        self.fill_disk()
        for file in list(self.disk.rglob(".reserve")):
            file.unlink()
        with open(self.disk / "another", "wb", buffering=0) as file, contextlib.suppress(OSError):
            while True:
                file.write(bytes(4096))
        server = self.server(self.disk)
        begun = server.log.stat().st_size
        with self.assertRaises(Problem):
            server.start(10)
        said = server.log.read_bytes()[begun:].decode().lower()
        self.assertTrue("full" in said or "room" in said or "space" in said, said)

    def test_doctor_does_not_advise_a_backup_for_a_disk_without_room(self):
        self.fill_disk()
        self.assertNotIn("backup", doctor(BINARY, self.disk / "data") or "")


class UploadFindings(DiskTest):
    """Of files that are uploaded whole, or in parts that can be resumed."""

    @staticmethod
    def begin(server: TracedServer, length: int) -> str:
        response = send_tus(server.client(), "POST", "/assets/uploads", server.admin, None, f"Upload-Length: {length}")
        return response.headers["Location"]

    @staticmethod
    def send(server: TracedServer, path: str, offset: int, part: bytes) -> int:
        """The status of a part."""
        return send_part(server.client(), path, server.admin, offset, part).status

    @staticmethod
    def offset(server: TracedServer, path: str) -> tuple[int, str | None]:
        """The status of a request for an upload's offset, and the offset."""
        response = send_tus(server.client(), "HEAD", path, server.admin)
        return response.status, response.headers["Upload-Offset"]

    def lose_a_sync(self, length: int, sent: int) -> tuple[TracedServer, str]:
        """An upload under a new server, of which the first sync of a part fails."""
        server, faults = self.watched()
        path = self.begin(server, length)
        faults.fail_syncs(errno.EIO, path.split("/")[-1] + "$", 1)
        self.assertEqual(self.send(server, path, 0, bytes(sent)), 500)
        self.assertEqual(faults.failed_syncs, 1)
        return server, path

    def send_again(self, length: int, sent: int) -> None:
        # Linux takes the pages for clean, so another sync would succeed and cover nothing of them.
        server, path = self.lose_a_sync(length, sent)
        self.assertEqual(self.offset(server, path), (200, "0"))
        self.assertEqual(self.send(server, path, 0, bytes(sent)), 204)
        server.kill()
        again = self.after_a_cut(Contents.NONE, Names.ALL)
        self.assertEqual(self.offset(again, path), (200, str(sent)))
        if sent < length:
            self.assertEqual(self.send(again, path, sent, bytes(length - sent)), 204)

    def test_the_last_part_of_an_upload_is_sent_again_when_its_sync_failed(self):
        self.send_again(70_000, 70_000)

    def test_a_part_of_an_upload_is_sent_again_when_its_sync_failed(self):
        self.send_again(70_000, 500)

    def test_a_large_part_is_sent_again_of_which_pages_could_not_be_written(self):
        self.send_again(3_000_000, 2_500_000)

    def test_nothing_is_noted_of_a_part_whose_sync_failed(self):
        server, path = self.lose_a_sync(70_000, 70_000)
        server.kill()
        again = self.after_a_cut(Contents.NONE, Names.ALL)
        self.assertEqual(self.offset(again, path), (200, "0"))
        self.assertEqual(self.send(again, path, 0, bytes(70_000)), 204)

    def test_an_upload_with_pages_that_could_not_be_written_is_rejected(self):
        # The system reports that once: here to the wait for a part of the file, before the sync.
        server, faults = self.watched()
        faults.fail_syncs(errno.EIO, "/assets/uploads/", 1)
        self.assertEqual(self.send_whole(server, bytes(3_000_000)).status, 500)
        self.assertEqual(faults.failed_syncs, 1)

    @staticmethod
    def send_whole(server: TracedServer, body: bytes) -> Response:
        """An upload in one request."""
        headers = ("Content-Type: application/octet-stream",)
        return server.client(server.admin).call("POST", "/assets", body, (201, 500), headers)

    def wait_for_directory(self, path: str) -> None:
        limit = time.monotonic() + 20
        while not any(one.first.endswith(path) for one in Journal(self.log).entries()):
            self.assertLess(time.monotonic(), limit, f"nobody makes {path}")

    def test_a_file_is_safe_whose_directory_another_one_makes_at_this_moment(self):
        # Both belong into the directory of one first byte; the other one has made it and still waits for its name to be
        # durable.
        server, _ = self.watched({"POWERCUT_SLOW": "/assets"}, 20_000)
        first, second = (content(Random(number), 1_000, 0xAB) for number in (1, 2))
        other = threading.Thread(target=lambda: self.send_whole(server, first))
        other.start()
        self.wait_for_directory("/assets/ab")
        response = self.send_whole(server, second)
        disk = Disk()
        disk.advance(Journal(self.log))
        self.assertEqual(response.status, 201)
        upload = Upload(0, 0, 0, response.json()["asset"], server.admin)
        self.assertTrue(is_safe(disk, upload))
        other.join()
        server.kill()
        again = self.on_what_was_left(disk)
        client = again.client(again.admin)
        client.call("PUT", "/records/File/second", {"fields": {"file": upload.asset}}, expect=(201,))
        self.assertEqual(list(examine(client, "second", upload.checksum)), [])

    def test_an_upload_is_safe_whose_directory_another_one_makes_at_this_moment(self):
        # The other one has made the directory and still waits for its name to be durable.
        server, _ = self.watched({"POWERCUT_SLOW": "/assets"}, 10_000)
        first, second = self.begin(server, 1_000), self.begin(server, 1_000)
        other = threading.Thread(target=lambda: self.send(server, first, 0, bytes(500)))
        other.start()
        self.wait_for_directory("/assets/uploads")
        self.assertEqual(self.send(server, second, 0, bytes(500)), 204)
        disk = Disk()
        disk.advance(Journal(self.log))
        self.assertTrue(Resumable(second, bytes(1_000), server.admin, []).is_safe(500, disk))
        server.kill()
        other.join()
        again = self.after_a_cut(Contents.NONE, Names.STRICT)
        self.assertEqual(self.offset(again, second), (200, "500"))
        self.assertEqual(self.send(again, second, 500, bytes(500)), 204)

    def test_an_upload_whose_file_has_lost_its_end_is_gone(self):
        server = self.server(self.disk)
        server.start(10)
        paths = {500: self.begin(server, 1_000), 1_000: self.begin(server, 1_001)}
        for sent, path in paths.items():
            self.assertEqual(self.send(server, path, 0, bytes(sent)), 204)
            file = next(self.disk.rglob(path.split("/")[-1]))
            file.write_bytes(bytes(sent - 1))
            self.assertEqual(self.send(server, path, sent, bytes(1)), 410)


if __name__ == "__main__":
    unittest.main()
