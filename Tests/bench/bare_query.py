"""Runs bare_query.c: the same pages, counts and deletions without a server."""
import json
import subprocess
from pathlib import Path

from Tests.bench.index_keys import KeyRange, write_ranges
from Tests.bench.load import Measurement
from Tests.harness.errors import Problem


class BareQuery:
    """The bare program over the file of a running server (pages and counts), or over a copy (deletions)."""

    def __init__(self, program: str, database: Path, ranges: list[KeyRange], file: Path, mmap_bytes: int):
        self.program, self.database, self.mmap_bytes = program, database, mmap_bytes
        self.file = write_ranges(file, ranges)

    def page(self, limit: int, seconds: float) -> Measurement:
        """Reads pages in turn; an operation is a page."""
        return self._run("page", [str(limit), str(seconds)], cache_kb=1024)

    def count(self, seconds: float) -> Measurement:
        """Counts ranges in turn; an operation is a count."""
        return self._run("count", [str(seconds)], cache_kb=1024)

    def delete(self, rows_per_commit: int) -> Measurement:
        """Makes tombstones of the first range's records; an operation is a record."""
        return self._run("delete", [str(rows_per_commit)], cache_kb=8192)

    def _run(self, mode: str, arguments: list[str], cache_kb: int) -> Measurement:
        # The caches are those of the server's readers and of its writer.
        command = [self.program, mode, str(self.database), str(self.file), *arguments,
                   str(cache_kb), str(self.mmap_bytes)]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            raise Problem(done.stderr.strip() or f"bare_query ended with {done.returncode}")
        found = json.loads(done.stdout)
        return Measurement(found["rows"], found["seconds"], found["cpu_seconds"], extra=found)
