"""The time from the start of the process to its first response, with a million records in the database."""
import json
import shutil
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import median

from Tests.bench.context import Context, Scenario
from Tests.bench.report import Row
from Tests.bench.sample_records import create_operation
from Tests.harness.client import Client, encode, message
from Tests.harness.errors import Problem
from Tests.harness.server import Server

BATCH = 200


def start(context: Context) -> Iterator[Row]:
    count = 50_000 if context.options.quick else 1_000_000
    directory = context.options.work.resolve() / f"filled-{count}"
    if context.options.refill:
        shutil.rmtree(directory, ignore_errors=True)
    try:
        names = _filled(context, directory, count)
        times = _measure(context, directory, names)
    except Problem:
        # The cache may stem from a build whose database this one does not read.
        print(f"filling {directory.name} again …", flush=True)
        shutil.rmtree(directory, ignore_errors=True)
        names = _filled(context, directory, count)
        times = _measure(context, directory, names)
    for column, name in enumerate(("start-live", "start-read")):
        values = [pair[column] for pair in times]
        notes = [f"{count:,} records; {min(values):.1f} to {max(values):.1f} ms over {len(values)} starts"]
        yield Row(name, median(values), "ms", floor=50, notes=notes)


def _filled(context: Context, directory: Path, count: int) -> list[str]:
    """Fills the data directory unless an earlier run has; returns some of the records' names."""
    marker = directory / "filled.json"
    if marker.exists():
        return json.loads(marker.read_text())["names"]
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    bodies = [encode({"operations": [create_operation(start * BATCH + number) for number in range(BATCH)]})
              for start in range(32)]
    with context.server(directory / "data") as server:
        token = server.sign_up()
        began = time.monotonic()
        with ThreadPoolExecutor(2) as pool:
            shares = [range(lane, count // BATCH, 2) for lane in range(2)]
            names = sum(pool.map(lambda share: _fill(server, token, bodies, share), shares), [])
        seconds = time.monotonic() - began
    marker.write_text(json.dumps({"records": count, "names": names}))
    print(f"filled {count:,} records in {seconds:.0f} s ({count / seconds:,.0f}/s)", flush=True)
    return names


def _fill(server: Server, token: str, bodies: list[bytes], share: range) -> list[str]:
    """Sends one lane's batches; keeps a few names of every hundredth."""
    client, names = server.client(token), []
    for number in share:
        response = client.send(message("POST", "/records", token, bodies[number % len(bodies)]))
        if response.status != 200 or b'"serverErrorCode"' in response.body:
            raise Problem(f"a batch failed with {response.status}: {response.body[:400]!r}")
        if number % 100 < 2:
            names += [record["recordName"] for record in response.json()["records"][:5]]
    return names


def _measure(context: Context, directory: Path, names: list[str]) -> list[tuple[float, float]]:
    """For each start, ms until the first 200 of /health/live and then of a point read."""
    times = []
    # The first start is not counted: it may have to take over the log of the filling.
    for number in range(context.options.rounds * 3 + 1):
        with context.server(directory / "data", start=False) as server:
            began = time.perf_counter()
            server.spawn()
            live = _first_response(server, "/health/live", began)
            read = _first_response(server, f"/records/Post/{names[number * 7 % len(names)]}", began)
        if number:
            times.append((live, read))
    return times


def _first_response(server: Server, path: str, began: float) -> float:
    request = message("GET", path)
    last = "no connection"
    while time.perf_counter() - began < 30:
        client = Client(server.port, timeout=30)
        try:
            response = client.send(request)
            if response.status == 200:
                return (time.perf_counter() - began) * 1e3
            last = f"{response.status} {response.body[:200]!r}"
            if response.status != 503:
                break
        except OSError as error:
            last = str(error)
        finally:
            client.close()
        if server.child.poll() is not None:
            break
        time.sleep(0.0005)
    raise Problem(f"{path} did not answer 200 after a start ({last}); the server said: {server.last_words()}")


SCENARIOS = [Scenario("start", "time from process start to the first response, with a million records", start)]
