#!/usr/bin/env python3
"""What writers notice of a backup: 8 of them, on a database of some hundred megabytes, without one and beside one.

    python3 Tests/Backup/latency.py
    python3 Tests/Backup/latency.py --megabytes 1000
"""
import os
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(1, str(ROOT / "Tests/Bench"))

from server import Server  # noqa: E402
from suite import parse, parser_of, server_binary  # noqa: E402


def measure(binary: str, options) -> int:
    place = options.work / "latency"
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    server = Server(binary, place / "data", options.settings).start()
    client = server.client(server.admin)
    for batch in range(options.megabytes * 2):
        body = {"operations": [{"operationType": "create", "record": {
            "recordType": "Old", "recordName": f"o{batch}-{one}", "fields": {"text": os.urandom(2_500).hex()}}}
            for one in range(100)]}
        client.call("POST", "/records", body, expect=(200,))
    for name in ("without", "beside a backup", "without", "beside a backup"):
        done, times = threading.Event(), []
        threads = [threading.Thread(target=time_writes, args=(server, number, done, times)) for number in range(8)]
        for one in threads:
            one.start()
        begun = time.monotonic()
        if name == "without":
            time.sleep(options.seconds)
        else:
            target = place / "backup"
            shutil.rmtree(target, ignore_errors=True)
            subprocess.run([binary, "backup", "create", str(target), "--data", str(server.data)], check=True,
                           env=server.environment, stdout=subprocess.DEVNULL)
        seconds = time.monotonic() - begun
        done.set()
        for one in threads:
            one.join()
        times.sort()
        print(f"{name}: {len(times) / seconds:.0f} writes/s in {seconds:.1f} s; "
              f"p50 {times[len(times) // 2] * 1e3:.2f} ms, p99 {times[len(times) * 99 // 100] * 1e3:.2f} ms, "
              f"longest {times[-1] * 1e3:.1f} ms", flush=True)
    size = sum(one.stat().st_size for one in server.data.rglob("*") if one.is_file())
    print(f"the data directory has {size >> 20} MiB")
    server.kill()
    shutil.rmtree(place)
    return 0


def time_writes(server: Server, number: int, done: threading.Event, times: list[float]) -> None:
    client = server.client(server.admin)
    count = 0
    while not done.is_set():
        count += 1
        begun = time.perf_counter()
        client.call("PUT", f"/records/New/n{number}-{count % 100}", {"fields": {"n": count}}, expect=(200, 201))
        times.append(time.perf_counter() - begun)
    client.close()


def main() -> int:
    parser = parser_of(__doc__, ".backup")
    parser.add_argument("--megabytes", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=5, help="of the load without a backup")
    options = parse(parser)
    binary = server_binary(options)
    return 2 if binary is None else measure(binary, options)


if __name__ == "__main__":
    sys.exit(main())
