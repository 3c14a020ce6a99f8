#!/usr/bin/env python3
"""How soon a large database is ready after `kill -9` in the middle of writes.

    python3 Tests/Crash/large.py                        # 1 GB, five times
    python3 Tests/Crash/large.py --bytes 200000000 --times 2

It is filled once and kept in the work folder. Every other start finds none of its files in the system's cache.
"""
import argparse
import http.client
import os
import sys
import threading
import time
from pathlib import Path
from random import Random

import paths  # noqa: F401
from client import Client
from suite import parse, parser_of, server_binary
from watched import Problem, WatchedServer

TEXT = 1_800  # a record takes about 2 KB
BATCH = 200


def main() -> int:
    options = arguments()
    binary = server_binary(options)
    if binary is None:
        return 2
    disk = options.work / "large"
    disk.mkdir(parents=True, exist_ok=True, mode=0o700)
    fill(WatchedServer(binary, disk, options.settings), options.bytes)
    slowest, lost = 0.0, 0
    for number in range(1, options.times + 1):
        took, log, missing = once(WatchedServer(binary, disk, options.settings), binary, disk, is_cold=number % 2 == 0,
                                  seconds=options.seconds, random=Random(number))
        slowest, lost = max(slowest, took), lost + missing
        print(f"kill {number}: ready after {took:.3f} s with {size(disk) / 1e9:.2f} GB, {log / 1e6:.0f} MB of them in "
              f"the log, {'nothing' if number % 2 == 0 else 'all'} in the cache; {missing} acknowledged batches lost",
              flush=True)
    print(f"ready within {slowest:.2f} s; {options.start_seconds:.0f} s are allowed")
    return 1 if slowest > options.start_seconds or lost else 0


def size(disk: Path) -> int:
    return sum(one.stat().st_size for one in disk.rglob("records.sqlite*"))


def fill(server: WatchedServer, wanted: int) -> None:
    """Writes batches until the files have the size; what is there already counts."""
    if size(server.disk) >= wanted:
        return
    begun = time.monotonic()
    server.start(60)
    # As an application would have it: records are found and sorted by two of their fields.
    admin = server.client(server.admin)
    admin.call("PUT", "/schema", {"types": {"Large": {"fields": {
        "number": {"type": "INT64", "indexes": ["QUERYABLE", "SORTABLE"]},
        "word": {"type": "STRING", "indexes": ["QUERYABLE"]}, "text": {"type": "STRING"}}}}})
    writers = [Writer(server, f"fill-{number}-{os.getpid()}", Random(number)) for number in range(3)]
    for one in writers:
        one.start()
    while size(server.disk) < wanted and any(one.is_alive() for one in writers):
        time.sleep(0.2)
    for one in writers:
        one.stopping.set()
    for one in writers:
        one.join()
    server.stop()
    print(f"filled with {sum(one.acknowledged for one in writers) * BATCH} records in {time.monotonic() - begun:.0f} s")


class Writer(threading.Thread):
    """Sends atomic batches of new records, one after another."""

    def __init__(self, server: WatchedServer, name: str, random: Random):
        super().__init__(name=name, daemon=True)
        self.client: Client = server.client(server.admin)
        self.random, self.acknowledged, self.stopping = random, 0, threading.Event()

    def run(self) -> None:
        try:
            while not self.stopping.is_set():
                self.client.batch([self.operation(number) for number in range(BATCH)])
                self.acknowledged += 1
        except (OSError, http.client.HTTPException):
            pass  # the server was killed

    def operation(self, number: int) -> dict:
        return {"operationType": "create", "record": {
            "recordType": "Large", "recordName": f"{self.name}-{self.acknowledged}-{number}",
            "fields": {"number": {"value": self.random.randrange(10**9)},
                       "word": {"value": self.random.randbytes(4).hex()},
                       "text": {"value": self.random.randbytes(TEXT // 2).hex()}}}}


def once(server: WatchedServer, binary: str, disk: Path, is_cold: bool, seconds: float, random: Random):
    """Returns how long the start after the kill took, how long the log was, how many acknowledged batches are gone."""
    server.start(60)
    writers = [Writer(server, f"w{number}-{time.time_ns()}", Random(number)) for number in range(4)]
    for one in writers:
        one.start()
    time.sleep(random.uniform(0.3, seconds))
    server.kill()
    for one in writers:
        one.join()
    log = sum(one.stat().st_size for one in disk.rglob("records.sqlite-wal"))
    if is_cold:
        drop_from_cache(disk)
    after = WatchedServer(binary, disk, {})
    took = after.start_within(60)
    client, missing = after.client(after.admin), 0
    for one in writers:
        for batch in range(one.acknowledged):
            name = f"{one.name}-{batch}-{random.randrange(BATCH)}"
            missing += client.call("GET", f"/records/Large/{name}", expect=(200, 404)).status != 200
    after.kill()
    return took, log, missing


def drop_from_cache(disk: Path) -> None:
    for one in disk.rglob("records.sqlite*"):
        file = os.open(one, os.O_RDONLY)
        os.fsync(file)
        os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(file)


def arguments() -> argparse.Namespace:
    parser = parser_of(__doc__, ".crash")
    parser.add_argument("--bytes", type=int, default=1_000_000_000)
    parser.add_argument("--times", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=3, help="the longest load before a kill")
    parser.add_argument("--start-seconds", type=float, default=2, help="in which the server must be ready")
    return parse(parser)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Problem as problem:
        print(problem)
        sys.exit(1)
