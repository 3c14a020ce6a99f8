"""Reads off a running server what must not grow."""
import os
import sys
import time
from collections import Counter
from pathlib import Path

import paths  # noqa: F401
import process
from verdict import Sample
from watched import WatchedServer


class Gauge:
    def __init__(self, server: WatchedServer):
        self.server, self.begun = server, time.monotonic()
        self.least: int | None = None

    def watch(self, seconds: float) -> None:
        """Waits, and keeps the least memory that it saw for `read`.

        A password is hashed in 34 MB that are given back at once; a single look tells how often it falls into a hash.
        What leaks stays in the least too.
        """
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0 and self.server.child.poll() is None:
            self.least = min(self.status().get("RssAnon", 0), self.least or sys.maxsize)
            time.sleep(min(left, 0.2))

    def read(self, requests: int) -> Sample:
        """`requests` is what the clients say that they have sent."""
        # Before the connection that asks for the metrics, which the server may not have closed yet when it is counted.
        opened = self.opened()
        metrics = self.server.metrics()
        status = self.status()
        least, self.least = min(status["RssAnon"], self.least or sys.maxsize), None
        return Sample(
            seconds=time.monotonic() - self.begun, rss_anon=least * 1024, rss=status["VmRSS"] * 1024,
            threads=status["Threads"], descriptors=opened.total(),
            connections=round(metrics["fogbase_http_connections"]), database=self.size("records.sqlite"),
            log=self.size("records.sqlite-wal"), files=self.files(),
            cpu_seconds=process.cpu_seconds(self.server.pid), requests=requests,
            database_descriptors=opened["records.sqlite"])

    def opened(self) -> Counter[str]:
        """How many descriptors there are of each name: files without folders, sockets by their kind."""
        found, folder = Counter(), f"/proc/{self.server.pid}/fd"
        for number in os.listdir(folder):
            try:
                name = os.readlink(f"{folder}/{number}")
            except FileNotFoundError:
                continue  # closed in the meantime
            found[name.removesuffix(" (deleted)").rsplit("/", 1)[-1].partition(":[")[0]] += 1
        return found

    def held(self) -> Counter[str]:
        """Descriptors and threads by their names."""
        found, folder = self.opened(), Path(f"/proc/{self.server.pid}/task")
        for thread in folder.iterdir():
            try:
                found[f"thread {(thread / 'comm').read_text().strip()}"] += 1
            except FileNotFoundError:
                continue  # ended in the meantime
        return found

    def status(self) -> dict[str, int]:
        """The numbers of /proc/PID/status; sizes are in KiB."""
        found = {}
        for line in Path(f"/proc/{self.server.pid}/status").read_text().splitlines():
            name, _, value = line.partition(":")
            if (words := value.split()) and words[0].isdigit():
                found[name] = int(words[0])
        return found

    def size(self, name: str) -> int:
        return sum(one.stat().st_size for one in self.server.data.rglob(name))

    def files(self) -> int:
        """All files of assets, those that are being uploaded and smaller pictures among them."""
        count = 0
        for folder, _, names in os.walk(self.server.data):
            if "assets" in folder or "thumbnails" in folder:
                count += len(names)
        return count
