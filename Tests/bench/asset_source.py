"""The file that all uploads are sent from, and the cost of hashing it alone."""
import os
import subprocess
from pathlib import Path

from Tests.bench.asset_load import GIB, MIB
from Tests.harness import tools

NAME = "asset-source"


def source(directory: Path, size: int) -> Path:
    """A file of `size` random bytes, created once per run and removed with the directory."""
    path = directory / NAME
    if not path.exists():
        with open(path, "wb") as out:
            for _ in range(size // MIB):
                out.write(os.urandom(MIB))
            # Its way to the disk is not to be paid for by the first upload.
            os.fsync(out.fileno())
    return path


def hash_seconds_per_gib(path: Path) -> float:
    """CPU seconds of `openssl sha256` per GiB of the file."""
    child = subprocess.Popen([tools.path("openssl"), "sha256", str(path)], stdout=subprocess.DEVNULL)
    _, child.returncode, usage = os.wait4(child.pid, 0)
    return (usage.ru_utime + usage.ru_stime) / path.stat().st_size * GIB
