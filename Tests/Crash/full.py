"""The round on a disk that is full: a small one in memory, or, where nothing can be mounted, writes that fail."""
import contextlib
import errno
import shutil
import subprocess
import time
from pathlib import Path

import paths  # noqa: F401
import journal
from faults import Faults
from folder import FolderRound
from watched import Problem, WatchedServer, doctor


def unmount(folder: Path) -> None:
    if folder.is_mount():
        subprocess.run(["umount", str(folder)], check=True)


class FullRound(FolderRound):
    kind = "full"

    def __init__(self, binary, place, library, options, random, name, initial=None):
        super().__init__(binary, place, library, options, random, name, None)
        self.size = random.choice([12, 20, 32])
        self.mounted = options.mount and self.mount(self.disk, f"size={self.size}m,mode=700")
        self.patience = frozenset({503, 507})
        self.way = ""  # how it went on with a full disk

    @staticmethod
    def mount(folder, arguments: str) -> bool:
        return subprocess.run(["mount", "-t", "tmpfs", "-o", arguments, "fogbase-crash", str(folder)],
                              capture_output=True).returncode == 0

    def settings(self, grace: float | None = None) -> dict[str, str]:
        return super().settings(grace) | {"FOGBASE_ASSETS_FREE_BYTES": self.reserve}

    @property
    def reserve(self) -> str:
        """What uploads leave for records; with nothing, they fill the disk themselves."""
        return "2MiB" if self.size != 20 else "0"

    def watched(self) -> WatchedServer:
        server = super().watched()
        if not self.mounted:
            server.environment |= journal.environment(self.library, self.disk, self.log)
            server.environment["POWERCUT_FAULTS"] = str(self.place / "faults")
        return server

    def load(self) -> None:
        self.faults = None if self.mounted else Faults(self.place / "faults")
        server = self.serve()
        self.work(server, self.options.seconds / 2, first=True)
        if self.faults:
            self.faults.fail_writes(errno.ENOSPC)
        limit = time.monotonic() + self.options.full_seconds
        while not any(one.refusals.get(507) for one in self.actors if one.name.split("-")[1][:4] == "item"):
            if time.monotonic() > limit:
                self.problems.append("the disk did not become full")
                break
            time.sleep(0.02)
        time.sleep(self.random.uniform(0, 0.5))
        self.look_while_full(server)
        ways = ["goes on", "goes on", "killed while full"]
        way = self.random.choice(ways + ["restarted while full", "stopped while full"] if self.mounted else ways)
        self.way = way
        self.ending = f"{self.size} MB full ({'tmpfs' if self.mounted else 'library'}), {way}"
        if way == "goes on":
            self.make_room()
            self.look_with_room(server)
            time.sleep(self.random.uniform(0.2, 0.5))
            self.kill(server)
        else:
            if way == "stopped while full":
                self.let_go()
                server.stop()
            self.kill(server)
            self.rest()
            if way == "stopped while full":
                self.start_without_room()
            if way == "restarted while full":
                self.restart_while_full()
            self.make_room()
        self.rest()
        if self.faults:
            self.fired["writes of anything"] = self.faults.failed_writes

    def look_while_full(self, server: WatchedServer) -> None:
        for path in ("/records/Item?limit=5", "/changes?limit=5", "/health/live"):
            answer = server.client().call("GET", path, expect=(200, 500, 503, 507))
            if answer.status != 200:
                self.problems.append(f"GET {path} answers {answer.status} while the disk is full")
        # Half a megabyte each: as many as the whole disk would hold, however few of them a busy machine writes in
        # the time.
        self.expect(server, {507}, "while the disk is full", 2, tries=2 * self.size)
        answer = server.client().call("GET", "/health/ready", expect=(200, 503))
        if answer.status != 503 or answer.json()["details"]["cause"] != "STORAGE_FULL":
            self.problems.append(f"/health/ready answers {answer.status} while the disk is full: {answer.body!r}")

    def look_with_room(self, server: WatchedServer) -> None:
        self.expect(server, {201}, "after room was made", 5)
        before, limit = self.acknowledged(), time.monotonic() + 5
        while self.acknowledged() == before and time.monotonic() < limit:
            time.sleep(0.02)
        if self.acknowledged() == before:
            self.problems.append("nobody is answered after room was made")
        try:
            server.wait_for("/health/ready", 10)
        except Problem as problem:
            self.problems.append(f"after room was made: {problem}")

    def expect(self, server: WatchedServer, statuses: set[int], when: str, seconds: float, tries: int = 1) -> None:
        """That a large write is answered so, soon: within the time, or the tries if those take longer. A small one may
        still find room in a page."""
        client, limit, seen = server.client(server.admin), time.monotonic() + seconds, []
        body = {"fields": {"version": 1, "text": "x" * 500_000}}
        while time.monotonic() < limit or len(seen) < tries:
            answer = client.call("POST", "/records/Item", body, expect=(201, 500, 503, 507))
            seen.append(answer.status)
            if answer.status in statuses:
                return
            time.sleep(0.1)
        self.problems.append(f"writes answer {sorted(set(seen))} {when}: {answer.body[:200]!r}")

    def restart_while_full(self) -> None:
        """Reads go on."""
        server = self.watched()
        try:
            # It reads, and says that it does not write.
            self.starts.append(server.start_within(self.options.start_seconds, "/records/Item?limit=1"))
            self.look_while_full(server)
            self.make_room()
            self.expect(server, {201}, "after room was made under a server that had started without", 5)
        except (Problem, OSError) as problem:
            self.problems.append(f"started on a full disk: {problem}")
        self.kill(server)

    def start_without_room(self) -> None:
        """After a clean stop even the index of the log must be made anew, from what the folders keep for that. The
        words of the doctor are about the disk: nobody must restore a database from a backup that is whole."""
        filler = self.disk / "filler"
        with open(filler, "wb", buffering=0) as file, contextlib.suppress(OSError):
            while True:
                file.write(bytes(4096))
        server = self.watched()
        try:
            server.start_within(self.options.start_seconds, "/health/live")
            self.look_while_full(server)
        except (Problem, OSError) as problem:
            self.problems.append(f"started without any room: {problem}")
        self.problems += [crash] if (crash := server.crash()) else []
        server.kill()
        if (complaint := doctor(self.binary, self.disk / "data")) and "backup" in complaint:
            self.problems.append(f"without any room: {complaint}")
        filler.unlink()

    def make_room(self) -> None:
        if self.mounted:
            subprocess.run(["mount", "-o", "remount,size=512m", str(self.disk)], check=True)
        elif self.faults:
            self.faults.end()

    def close(self) -> None:
        super().close()
        if self.mounted:
            # What a failed round keeps is a copy.
            shutil.copytree(self.disk, self.place / "disk-kept", dirs_exist_ok=True)
            unmount(self.disk)

    def heir(self, target):
        return None
