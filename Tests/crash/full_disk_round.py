"""The round on a full disk: a small tmpfs or, where nothing can be mounted, injected write errors."""
import contextlib
import errno
import shutil
import subprocess
import time
from pathlib import Path

from Tests.crash.process_rounds import ProcessRound
from Tests.harness.errors import Problem
from Tests.harness.server import doctor
from Tests.powercut import journal
from Tests.powercut.faults import Faults
from Tests.powercut.traced_server import TracedServer


def unmount(directory: Path) -> None:
    if directory.is_mount():
        subprocess.run(["umount", str(directory)], check=True)


class FullRound(ProcessRound):
    kind = "full"

    def __init__(self, binary, directory, library, options, random, name, initial=None):
        super().__init__(binary, directory, library, options, random, name, None)
        self.size = random.choice([12, 20, 32])
        self.mounted = options.mount and self.mount(self.disk, f"size={self.size}m,mode=700")
        self.tolerated = frozenset({503, 507})
        self.way = ""  # how the round continued with a full disk

    @staticmethod
    def mount(directory, arguments: str) -> bool:
        return subprocess.run(["mount", "-t", "tmpfs", "-o", arguments, "fogbase-crash", str(directory)],
                              capture_output=True).returncode == 0

    def settings(self, grace: float | None = None) -> dict[str, str]:
        # The free bytes that uploads leave for records. With 0, uploads fill the disk themselves.
        return super().settings(grace) | {"FOGBASE_ASSETS_FREE_BYTES": "2MiB" if self.size != 20 else "0"}

    def new_server(self) -> TracedServer:
        server = super().new_server()
        if not self.mounted:
            server.environment |= journal.environment(self.library, self.disk, self.log)
            server.environment["POWERCUT_FAULTS"] = str(self.directory / "faults")
        return server

    def load(self) -> None:
        self.faults = None if self.mounted else Faults(self.directory / "faults")
        server = self.serve()
        self.work(server, self.options.seconds / 2, first=True)
        if self.faults:
            self.faults.fail_writes(errno.ENOSPC)
        limit = time.monotonic() + self.options.full_seconds
        while not any(one.rejections.get(507) for one in self.workers if one.name.split("-")[1][:4] == "item"):
            if time.monotonic() > limit:
                self.problems.append("the disk did not become full")
                break
            time.sleep(0.02)
        time.sleep(self.random.uniform(0, 0.5))
        self.check_while_full(server)
        ways = ["continues", "continues", "killed while full"]
        way = self.random.choice(ways + ["restarted while full", "stopped while full"] if self.mounted else ways)
        self.way = way
        self.ending = f"{self.size} MB full ({'tmpfs' if self.mounted else 'library'}), {way}"
        if way == "continues":
            self.free_space()
            self.check_with_space(server)
            time.sleep(self.random.uniform(0.2, 0.5))
            self.kill(server)
        else:
            if way == "stopped while full":
                self.allow_disconnects()
                server.stop()
            self.kill(server)
            self.stop_workers()
            if way == "stopped while full":
                self.start_without_space()
            if way == "restarted while full":
                self.restart_while_full()
            self.free_space()
        self.stop_workers()
        if self.faults:
            self.fired["writes of anything"] = self.faults.failed_writes

    def check_while_full(self, server: TracedServer) -> None:
        for path in ("/records/Item?limit=5", "/changes?limit=5", "/health/live"):
            response = server.client().call("GET", path, expect=(200, 500, 503, 507))
            if response.status != 200:
                self.problems.append(f"GET {path} returns {response.status} while the disk is full")
        # Half a megabyte each: as many tries as the whole disk could hold, however slow the machine.
        self.expect(server, {507}, "while the disk is full", 2, tries=2 * self.size)
        response = server.client().call("GET", "/health/ready", expect=(200, 503))
        if response.status != 503 or response.json()["details"]["cause"] != "STORAGE_FULL":
            self.problems.append(f"/health/ready returns {response.status} while the disk is full: {response.body!r}")

    def check_with_space(self, server: TracedServer) -> None:
        self.expect(server, {201}, "after space was freed", 5)
        before, limit = self.acknowledged(), time.monotonic() + 5
        while self.acknowledged() == before and time.monotonic() < limit:
            time.sleep(0.02)
        if self.acknowledged() == before:
            self.problems.append("no client gets a response after space was freed")
        try:
            server.wait_for("/health/ready", 10)
        except Problem as error:
            self.problems.append(f"after space was freed: {error}")

    def expect(self, server: TracedServer, statuses: set[int], when: str, seconds: float, tries: int = 1) -> None:
        """A large write must get one of `statuses` within the time, or the tries if those take longer. A small write
        may still find space in a page."""
        client, limit, seen = server.client(server.admin), time.monotonic() + seconds, []
        body = {"fields": {"version": 1, "text": "x" * 500_000}}
        while time.monotonic() < limit or len(seen) < tries:
            response = client.call("POST", "/records/Item", body, expect=(201, 500, 503, 507))
            seen.append(response.status)
            if response.status in statuses:
                return
            time.sleep(0.1)
        self.problems.append(f"writes return {sorted(set(seen))} {when}: {response.body[:200]!r}")

    def restart_while_full(self) -> None:
        """Reads must work. Writes must be rejected until there is space."""
        server = self.new_server()
        try:
            self.starts.append(server.start_within(self.options.start_seconds, "/records/Item?limit=1"))
            self.check_while_full(server)
            self.free_space()
            self.expect(server, {201}, "after space was freed under a server that had started without", 5)
        except (Problem, OSError) as error:
            self.problems.append(f"started on a full disk: {error}")
        self.kill(server)

    def start_without_space(self) -> None:
        """After a clean stop even the index of the WAL must be created, in the space that the start reserve keeps.
        Doctor must name the disk as the cause: it must not advise to restore a backup of a database that is whole."""
        filler = self.disk / "filler"
        with open(filler, "wb", buffering=0) as file, contextlib.suppress(OSError):
            while True:
                file.write(bytes(4096))
        server = self.new_server()
        try:
            server.start_within(self.options.start_seconds, "/health/live")
            self.check_while_full(server)
        except (Problem, OSError) as error:
            self.problems.append(f"started without any space: {error}")
        self.problems += [crash] if (crash := server.crash()) else []
        server.kill()
        if (sentence := doctor(self.binary, self.disk / "data")) and "backup" in sentence:
            self.problems.append(f"without any space: {sentence}")
        filler.unlink()

    def free_space(self) -> None:
        if self.mounted:
            subprocess.run(["mount", "-o", "remount,size=512m", str(self.disk)], check=True)
        elif self.faults:
            self.faults.end()

    def close(self) -> None:
        super().close()
        if self.mounted:
            # A failed round keeps a copy.
            shutil.copytree(self.disk, self.directory / "disk-kept", dirs_exist_ok=True)
            unmount(self.disk)

    def next_disk(self, target):
        return None
