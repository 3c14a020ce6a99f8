"""Makes syncs and writes of a watched process fail, from any moment to any other: see faults.h."""
import mmap
import struct
from pathlib import Path

FORMAT = struct.Struct("<iiiiiIIi64s64s")
ALWAYS = -1


class Faults:
    """The file that the library maps too; writes to it take effect at once."""

    def __init__(self, path: Path):
        path.write_bytes(bytes(FORMAT.size))
        self.attach(path)

    def attach(self, path: Path) -> None:
        """Continues with an existing file."""
        with open(path, "r+b") as file:
            self._map = mmap.mmap(file.fileno(), FORMAT.size)

    def fail_syncs(self, error: int, name: str = "", count: int = ALWAYS, is_hidden: bool = False) -> None:
        """From now on `count` syncs of paths that contain `name` (that end with it if `$` follows) fail with
        `error`."""
        struct.pack_into("<i", self._map, 28, int(is_hidden))
        struct.pack_into("64s", self._map, 32, name.encode())
        struct.pack_into("<i", self._map, 4, count)
        struct.pack_into("<i", self._map, 0, error)

    def fail_writes(self, error: int, name: str = "", count: int = ALWAYS, share: float = 1) -> None:
        struct.pack_into("64s", self._map, 96, name.encode())
        struct.pack_into("<i", self._map, 16, round(share * 1000))
        struct.pack_into("<i", self._map, 12, count)
        struct.pack_into("<i", self._map, 8, error)

    def end(self) -> None:
        """Ends all faults."""
        struct.pack_into("<i", self._map, 0, 0)
        struct.pack_into("<i", self._map, 8, 0)

    @property
    def failed_syncs(self) -> int:
        return FORMAT.unpack(self._map[:])[5]

    @property
    def failed_writes(self) -> int:
        return FORMAT.unpack(self._map[:])[6]

    @property
    def is_on(self) -> bool:
        """Whether anything still fails."""
        sync_error, sync_left, write_error, write_left, *_ = FORMAT.unpack(self._map[:])
        return bool(sync_error and sync_left) or bool(write_error and write_left)
