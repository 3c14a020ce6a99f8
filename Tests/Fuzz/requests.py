#!/usr/bin/env python3
"""Sends mutated requests to a running server, which must answer each of them and lose nothing; see README.md."""
import argparse
import json
import multiprocessing
import random
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "Bench"))

from mutation import request
from samples import samples
from server import Server

# A server that says nothing for so long hangs.
PATIENCE = 20.0
# What the requests leave behind is records; memory beyond this is a leak.
MOST_MB = 200
KEPT = 200


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--binary", default=".build/release/fogbase")
    parser.add_argument("--work", type=Path, default=Path(".fuzz"))
    parser.add_argument("--requests", type=int, default=1_000_000)
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    options = parser.parse_args()
    data = options.work / "requests"
    shutil.rmtree(data, ignore_errors=True)
    # As the server itself makes it; fogbase doctor looks.
    data.mkdir(parents=True, mode=0o700)
    server = Server(options.binary, data, {"FOGBASE_ASSETS_UNREFERENCED_BYTES": str(1 << 40)}).start()
    print(f"seed {options.seed}: {options.requests:,} requests by {options.workers} clients", flush=True)
    try:
        kept = keep_records(server)
        findings = run(options, server)
        findings += check_records(server, kept)
    finally:
        if not process_is_gone(server):
            server.stop()
    findings += doctor(options.binary, data)
    for finding in findings:
        print(f"FINDING: {finding}")
    print(f"{len(findings)} findings" if findings else "No findings.")
    return 1 if findings else 0


def run(options: argparse.Namespace, server: Server) -> list[str]:
    """Lets the clients work, and looks after the server meanwhile."""
    queue: multiprocessing.Queue = multiprocessing.Queue()
    each = -(-options.requests // options.workers)
    workers = [
        multiprocessing.Process(target=work, args=(queue, server.port, server.admin, options.seed * 1000 + n, each))
        for n in range(options.workers)]
    for worker in workers:
        worker.start()
    findings: list[str] = []
    done, statuses, ended, shown = 0, {}, 0, time.monotonic()
    while ended < len(workers):
        kind, value = queue.get()
        if kind == "done":
            done += value[0]
            for status, count in value[1].items():
                statuses[status] = statuses.get(status, 0) + count
        elif kind == "finding":
            path = options.work / f"request-{len(findings)}.bin"
            path.write_bytes(value[1])
            findings.append(f"{value[0]}: {path}")
        else:
            ended += 1
        if time.monotonic() - shown > 20:
            shown = time.monotonic()
            print(f"{done:>9,} requests, {server.rss_anon():.0f} MB", flush=True)
        if process_is_gone(server) or len(findings) >= 20:
            for worker in workers:
                worker.terminate()
            return findings + ([f"The server ended: {server.last_words()}"] if process_is_gone(server) else [])
    print(f"{done:,} requests; answers: " + ", ".join(f"{status}: {statuses[status]:,}" for status in sorted(statuses)))
    if server.rss_anon() > MOST_MB:
        findings.append(f"The server holds {server.rss_anon():.0f} MB.")
    return findings


def process_is_gone(server: Server) -> bool:
    return server.child is None or server.child.poll() is not None


def work(queue: multiprocessing.Queue, port: int, token: str, seed: int, count: int) -> None:
    """One client: a connection for every few requests, each of them wrong in its way."""
    choose = random.Random(seed)
    all_samples = samples(token)
    statuses: dict[int, int] = {}
    done = 0
    for number in range(count):
        data = b"".join(
            request(choose.choice(all_samples), all_samples, choose) for _ in range(choose.choice((1, 1, 1, 3))))
        answer, fault = exchange(port, data)
        status = int(answer[9:12]) if answer[:9] == b"HTTP/1.1 " and answer[9:12].isdigit() else 0
        statuses[status] = statuses.get(status, 0) + 1
        if answer and status == 0:
            fault = f"An answer that is none: {answer[:60]!r}"
        if b"HTTP/1.1 500" in answer:
            fault = "An internal error"
        if fault:
            queue.put(("finding", (fault, data)))
        done += 1
        if number % 1000 == 999:
            queue.put(("done", (done, statuses)))
            done, statuses = 0, {}
    queue.put(("done", (done, statuses)))
    queue.put(("end", None))


def exchange(port: int, data: bytes) -> tuple[bytes, str | None]:
    """Sends all, says that nothing more comes, and reads to the end."""
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as connection:
        answer = b""
        try:
            connection.sendall(data)
            connection.shutdown(socket.SHUT_WR)
            while piece := connection.recv(65536):
                answer += piece
        except TimeoutError:
            return answer, f"No end of the answer in {PATIENCE:.0f} s"
        except OSError:
            # Reset: it had refused the request before all of it had come.
            pass
        return answer, None


def keep_records(server: Server) -> dict[str, str]:
    """Records of a type that no request names: they must be there afterwards, as they were."""
    client = server.client(server.admin)
    answers = [
        client.call("PUT", f"/records/Kept/k{number}", {"fields": {"n": number}}, expect=(201,)).json()
        for number in range(KEPT)]
    return {answer["recordName"]: answer["recordChangeTag"] for answer in answers}


def check_records(server: Server, kept: dict[str, str]) -> list[str]:
    if process_is_gone(server):
        return []
    client = server.client(server.admin)
    findings = []
    for number, (name, tag) in enumerate(kept.items()):
        answer = client.call("GET", f"/records/Kept/{name}", expect=(200,)).json()
        if answer.get("recordChangeTag") != tag or answer["fields"]["n"]["value"] != number:
            findings.append(f"The record {name} is another: {json.dumps(answer)[:200]}")
    return findings


def doctor(binary: str, data: Path) -> list[str]:
    done = subprocess.run([binary, "doctor", "--data", str(data)], capture_output=True, text=True, check=False)
    return [] if done.returncode == 0 else [f"fogbase doctor: {done.stdout[-500:]}{done.stderr[-500:]}"]


if __name__ == "__main__":
    sys.exit(main())
