"""Samples of values that must not grow in a running server."""
import os
import sys
import time
from collections import Counter

from Tests.harness import process
from Tests.harness.server import Server
from Tests.soak.checks import Sample

# How the names of the threads of the two pools for reads begin.
POOLS = ("fog-query-", "fog-page-")


class Sampler:
    def __init__(self, server: Server):
        self.server, self.begun = server, time.monotonic()
        self.least: int | None = None

    def watch(self, seconds: float) -> None:
        """Waits, and keeps the least memory for the next sample.

        Hashing a password takes 34 MB for a moment, so a single sample shows how often it meets a hash. A leak shows in
        the least too.
        """
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0 and self.server.child.poll() is None:
            self.least = min(process.status(self.server.pid).get("RssAnon", 0), self.least or sys.maxsize)
            time.sleep(min(left, 0.2))

    def read(self, requests: int) -> Sample:
        """A sample; `requests` is the number that the clients have sent."""
        # Before the request for metrics, whose connection the server may not have closed yet when it is counted.
        opened = process.descriptors(self.server.pid)
        metrics = self.server.metrics()
        status = process.status(self.server.pid)
        least, self.least = min(status["RssAnon"], self.least or sys.maxsize), None
        return Sample(
            seconds=time.monotonic() - self.begun, rss_anon=least * 1024, rss=status["VmRSS"] * 1024,
            threads=status["Threads"], descriptors=opened.total(),
            connections=round(metrics["fogbase_http_connections"]), database=self.size("records.sqlite"),
            log=self.size("records.sqlite-wal"), files=self.files(),
            cpu_seconds=process.cpu_seconds(self.server.pid), requests=requests,
            database_descriptors=opened["records.sqlite"],
            pool_threads=sum(name.startswith(POOLS) for name in process.threads(self.server.pid).values()))

    def resources(self) -> Counter[str]:
        """Descriptors and threads by their names."""
        names = process.threads(self.server.pid).values()
        return process.descriptors(self.server.pid) + Counter(f"thread {name}" for name in names)

    def size(self, name: str) -> int:
        return sum(one.stat().st_size for one in self.server.data.rglob(name))

    def files(self) -> int:
        """All files of assets, unfinished uploads and thumbnails."""
        count = 0
        for directory, _, names in os.walk(self.server.data):
            if "assets" in directory or "thumbnails" in directory:
                count += len(names)
        return count
