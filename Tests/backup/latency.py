"""Compares the latency of 8 writers during a backup of some hundred megabytes with that without one.

    python3 -m Tests.backup.latency
    python3 -m Tests.backup.latency --megabytes 1000
"""
import os
import shutil
import subprocess
import threading
import time

from Tests.harness.arguments import make_parser, parse, run_main
from Tests.harness.server import Server


def measure(options) -> int:
    place = options.work / "latency"
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    server = Server(options.binary, place / "data", options.settings).start()
    client = server.client(server.admin)
    for batch in range(options.megabytes * 2):
        body = {"operations": [{"operationType": "create", "record": {
            "recordType": "Old", "recordName": f"o{batch}-{one}", "fields": {"text": os.urandom(2_500).hex()}}}
            for one in range(100)]}
        client.call("POST", "/records", body, expect=(200,))
    for name in ("without", "with a backup", "without", "with a backup"):
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
            subprocess.run([options.binary, "backup", "create", str(target), "--data", str(server.data)], check=True,
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
    parser = make_parser(__doc__, ".backup")
    parser.add_argument("--megabytes", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=5, help="of the load without a backup")
    return measure(parse(parser))


if __name__ == "__main__":
    run_main(main)
