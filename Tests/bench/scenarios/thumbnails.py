"""Thumbnails of a photograph of twelve megapixels: when they are made, and when they are kept."""
import random
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

from Tests.bench.context import Context, Scenario
from Tests.bench.load import Measurement
from Tests.bench.report import Row, measured_row
from Tests.bench.rounds import middle
from Tests.harness import process
from Tests.harness.client import Client, message
from Tests.harness.errors import Problem, Skipped
from Tests.harness.server import Server

SIZE = "4032x3024"
CONNECTIONS = 8
# Thumbnails of a round, each of a width that was not requested before.
COUNT = 5


def thumbnail(context: Context) -> Iterator[Row]:
    program = shutil.which("vipsthumbnail")
    if not program:
        raise Skipped("vipsthumbnail is not installed (Debian: libvips-tools).", for_information=True)
    picture = _photograph(context.fresh_directory("picture"), program)
    with context.server() as server:
        url = _upload(server, server.sign_up(), picture)
        client = server.client()
        made = [_make(server, client, url, range(300 + COUNT * number, 300 + COUNT * (number + 1)))
                for number in range(context.options.rounds)]
        yield measured_row("thumbnail-made", made, None, value=middle(made, lambda one: one.p50_ms), unit="ms",
                           notes=[f"a JPEG of {SIZE}, {len(picture):,} bytes, to a width of 300; CPU is of the server "
                                  "and vipsthumbnail"])
        kept = context.load(server, [message("GET", _sized(url, 300))], connections=CONNECTIONS)
        kept(1)
        measured = [kept(context.options.seconds) for _ in range(context.options.rounds)]
        yield measured_row("thumbnail-kept", measured, None, value=middle(measured, lambda one: one.p50_ms), unit="ms",
                           notes=[f"one again and again at {CONNECTIONS} connections, {len(kept.sample.body):,} bytes"])


def _photograph(directory: Path, program: str) -> bytes:
    """A JPEG with coarse and fine detail, from noise of a few pixels that is made large."""
    directory.mkdir(parents=True)
    width, height = 504, 378
    noise = random.Random(1).randbytes(3 * width * height)
    (directory / "noise.ppm").write_bytes(b"P6 %d %d 255\n" % (width, height) + noise)
    done = subprocess.run([program, "noise.ppm", "-s", SIZE, "-o", "picture.jpg"], cwd=directory, capture_output=True,
                          text=True)
    if done.returncode != 0:
        raise Problem(f"vipsthumbnail made no picture: {done.stderr.strip()[-300:]}")
    return (directory / "picture.jpg").read_bytes()


def _upload(server: Server, token: str, picture: bytes) -> str:
    head = (f"POST /assets?filename=picture.jpg HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {token}\r\n"
            f"Content-Type: image/jpeg\r\nContent-Length: {len(picture)}\r\n\r\n")
    response = server.client().send(head.encode() + picture)
    if response.status != 201:
        raise Problem(f"an upload of a picture answered {response.status}: {response.body[:400]!r}")
    return response.json()["asset"]["downloadURL"]


def _make(server: Server, client: Client, url: str, widths: range) -> Measurement:
    """Asks for thumbnails one after the other."""
    times = []
    cpu, began = process.cpu_seconds(server.pid), time.monotonic()
    for width in widths:
        start = time.monotonic()
        client.call("GET", _sized(url, width))
        times.append((time.monotonic() - start) * 1e3)
    seconds, spent = time.monotonic() - began, process.cpu_seconds(server.pid) - cpu
    times.sort()
    return Measurement(len(times), seconds, spent, times[len(times) // 2], None, times[-1])


def _sized(url: str, width: int) -> str:
    return f"{url}{'&' if '?' in url else '?'}width={width}"


SCENARIOS = [Scenario("thumbnail", "thumbnails of a photograph: created, and cached; for information", thumbnail)]
