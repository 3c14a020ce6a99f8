"""Runs bare_loop.c over a copy of the server's database."""
import json
import subprocess
from pathlib import Path

from Tests.bench.load import Measurement
from Tests.harness.errors import Problem


class BareLoop:
    """The bare loop over one copy, which grows from run to run just as the server's database does."""

    def __init__(self, program: str, database: Path, template: str, cache_kb: int, mmap_bytes: int):
        self.program, self.database, self.template = program, database, template
        self.pragmas = [str(cache_kb), str(mmap_bytes)]

    def write(self, rows_per_commit: int, seconds: float) -> Measurement:
        """Inserts copies of the template's row, so many per commit; an operation is a row."""
        return self._run("write", [str(rows_per_commit), str(seconds)])

    def group(self, producers: int, seconds: float) -> Measurement:
        """Inserts rows for threads that each wait until theirs is durable; an operation is a row."""
        return self._run("group", [str(producers), str(seconds)])

    def read(self, seconds: float) -> Measurement:
        """Reads rows by (zone, name); an operation is a read."""
        return self._run("read", [str(seconds)])

    def _run(self, mode: str, arguments: list[str]) -> Measurement:
        command = [self.program, mode, str(self.database), self.template, *arguments, *self.pragmas]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            raise Problem(done.stderr.strip() or f"bare_loop ended with {done.returncode}")
        found = json.loads(done.stdout)
        return Measurement(found["rows"], found["seconds"], found["cpu_seconds"], extra=found)
