"""Fetches memory of the machine before a measurement.

A virtual machine may give its free pages back to the host. The next write to such a page waits until the host
has found another, several µs of system time each, and a file of 1 GiB has 262,144 of them: up to three times of what a
server does with it. So these pages are fetched before the clock starts.
"""
from pathlib import Path

BLOCK = 1 << 20


def fetch(source: Path, size: int) -> None:
    """Frees somewhat more than `size` bytes of pages that were written to just now, and reads as much of `source`.

    The pages of a file that is deleted are the first to be taken for the next; they stay for some seconds.
    """
    path = source.with_name("fetched")
    with open(source, "rb") as given, open(path, "wb") as taken:
        for _ in range(size // BLOCK):
            taken.write(given.read(BLOCK))
        taken.write(bytes(size // 4))
        path.unlink()
