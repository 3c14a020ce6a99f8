"""How often a server has had the disk sync."""
from pathlib import Path

from Tests.harness import tools


class SyncCounter:
    """Counts the calls of fsync and fdatasync of a process that is started with `prefix`; see sync_counter.c."""

    def __init__(self, directory: Path):
        directory.mkdir(parents=True, exist_ok=True)
        self.file = directory / "syncs"
        self.file.write_bytes(bytes(8))
        library = tools.compile_library([Path(__file__).with_name("sync_counter.c")], directory)
        self.prefix = ["env", f"LD_PRELOAD={library}", f"SYNC_COUNTER={self.file}"]

    @property
    def count(self) -> int:
        return int.from_bytes(self.file.read_bytes(), "little")
