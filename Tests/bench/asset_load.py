"""Load by asset_client.c: uploads and downloads that cost the client little."""
import json
import subprocess
from pathlib import Path

from Tests.bench.load import Measurement
from Tests.harness import process
from Tests.harness.errors import Problem

MIB = 1 << 20
GIB = 1 << 30


class AssetLoad:
    """Uploads to one server and downloads from it. An operation is a MiB, so that sizes can be compared."""

    def __init__(self, program: str, source: Path, pid: int, port: int, token: str = "none"):
        self.program, self.source, self.pid, self.port, self.token = program, source, pid, port, token

    def upload(self, size: int, *, connections: int = 1, seconds: float = 0, requests: int = 0) -> Measurement:
        """Uploads of new contents, until `seconds` are over or there were so many `requests`; 0 is no bound."""
        return self._run("upload", size, connections, seconds, requests,
                         ["/assets?filename=bench.bin", self.token, str(self.source)])

    def download(self, path: str, size: int, *, connections: int = 1, seconds: float = 0,
                 requests: int = 0) -> Measurement:
        """Downloads of one path, whose content has `size` bytes."""
        return self._run("download", size, connections, seconds, requests, [path])

    def make_asset(self, size: int) -> dict:
        """Uploads one and returns its dictionary."""
        return uploaded(self.upload(size, requests=1))

    def _run(self, mode: str, size: int, connections: int, seconds: float, requests: int,
             arguments: list[str]) -> Measurement:
        command = [self.program, mode, str(self.port), str(connections), str(seconds), str(requests), str(size),
                   *arguments]
        with process.MemorySampler(self.pid) as memory:
            before = process.cpu_seconds(self.pid)
            done = subprocess.run(command, capture_output=True, text=True, errors="replace")
            spent = process.cpu_seconds(self.pid) - before
        if done.returncode != 0:
            raise Problem(done.stderr.strip() or f"asset_client ended with {done.returncode}")
        summary, _, response = done.stdout.partition("\n")
        found = json.loads(summary)
        faults = [f"{found['errors']} of {found['errors'] + found['requests']} {mode}s failed: {response.strip()[:300]}"
                  ] if found["errors"] else []
        if found["requests"] == 0:
            faults.append(f"no {mode} succeeded")
        return Measurement(found["requests"] * size / MIB, found["seconds"], spent, found.get("p50"),
                           found.get("p99"), found.get("max"), memory.highest, len(faults) and max(1, found["errors"]),
                           faults, found | {"response": response})


def uploaded(upload: Measurement) -> dict:
    """The dictionary of the asset that was uploaded last."""
    if upload.errors:
        raise Problem(", ".join(upload.faults))
    return json.loads(upload.extra["response"])["asset"]


def seconds_per_gib(found: Measurement) -> float:
    """CPU seconds per GiB."""
    return found.cpu_seconds / max(found.operations, 1) * (GIB / MIB)
