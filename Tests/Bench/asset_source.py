"""The file that all uploads are sent from, and what hashing it costs alone."""
import os
import subprocess
from pathlib import Path

import tools
from asset_load import GIB, MIB

NAME = "asset-source"


def source(folder: Path, size: int) -> Path:
    """A file of `size` random bytes, made once in a run; it goes with the folder."""
    path = folder / NAME
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
