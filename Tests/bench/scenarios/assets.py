"""Assets: the cost of uploads and downloads, their memory, and the latency of other requests meanwhile."""
import base64
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median

from Tests.bench import free_memory
from Tests.bench.asset_load import GIB, MIB, AssetLoad, seconds_per_gib, uploaded
from Tests.bench.asset_source import hash_seconds_per_gib, source
from Tests.bench.bare_upload import BareUpload
from Tests.bench.context import HERE, Context, Scenario
from Tests.bench.load import Measurement
from Tests.bench.report import Row, beside_row, measured_row
from Tests.bench.rounds import interleave, middle, ratio
from Tests.bench.scenarios.writes import CLIENTS, creates
from Tests.bench.static_site import PATH, StaticSite
from Tests.harness import tools
from Tests.harness.errors import Problem
from Tests.harness.server import Server

# Uploads of the bench are never linked to a record.
SETTINGS = {"FOGBASE_ASSETS_UNREFERENCED_BYTES": str(1 << 40)}
CONNECTIONS = 8
# As many at once, of so many bytes each.
CROWD, CROWD_BYTES = 64, 32 * MIB
# A run of small uploads ends with its time, or with so many.
MOST_SMALL = 1024


def upload_small(context: Context) -> Iterator[Row]:
    """Many assets of 1 MiB, each synced by itself."""
    with asset_server(context) as (_, load), _bare(context) as bare:
        def upload(to: AssetLoad, seconds: float) -> Measurement:
            most = min(MOST_SMALL, _large(context) // MIB)
            free_memory.fetch(to.source, most * MIB)
            return to.upload(MIB, connections=CONNECTIONS, seconds=seconds, requests=most)

        yield _upload_row(context, "asset-upload-1m", 2.0, load, bare, upload)


def upload_large(context: Context) -> Iterator[Row]:
    """One asset at a time of as many bytes as the source has."""
    size = _large(context)
    with asset_server(context) as (_, load), _bare(context) as bare:
        def upload(to: AssetLoad, _: float) -> Measurement:
            free_memory.fetch(to.source, size)
            return to.upload(size, requests=1)

        yield _upload_row(context, "asset-upload-1g", 1.6, load, bare, upload)


def download(context: Context) -> Iterator[Row]:
    for name, size in (("1m", MIB), ("50m", 50 * MIB)):
        with asset_server(context) as (server, load):
            asset = load.make_asset(size)
            with StaticSite(context.fresh_directory("nginx"), _file(server, asset)) as site:
                nginx = AssetLoad(load.program, load.source, site.pid, site.port)

                def ours(seconds: float) -> Measurement:
                    return context.noted(load.download(asset["downloadURL"], size, connections=CONNECTIONS,
                                                       seconds=seconds))

                def theirs(seconds: float) -> Measurement:
                    return nginx.download(PATH, size, connections=CONNECTIONS, seconds=seconds)

                measured, reference = interleave(context.options.rounds, context.options.seconds, ours, theirs)
        yield measured_row(f"asset-download-{name}", measured, reference, floor=1.5, against="nginx",
                           notes=[f"{_per_gib(measured)} s/GiB at {_rate(measured)}; "
                                  f"nginx: {_per_gib(reference)} s/GiB at {_rate(reference)}; "
                                  f"with the client's: {_with_client(measured)} and {_with_client(reference)} s/GiB"])


def memory(context: Context) -> Iterator[Row]:
    """One server for all, so that the leftovers of an upload count against later ones."""
    size = _large(context)
    with asset_server(context) as (server, load):
        # The memory that a server needs for its first asset is not the cost of the next one.
        load.download(load.make_asset(MIB)["downloadURL"], MIB, requests=1)
        time.sleep(1)
        before = server.rss_anon()
        one = [load.upload(size, requests=1)]
        one.append(load.download(uploaded(one[0])["downloadURL"], size, requests=1))
        yield _memory_row(context, "asset-memory", before, one, 4, f"an upload and a download of {size // MIB:,} MiB")
        crowd = load.upload(CROWD_BYTES, connections=CROWD, requests=CROWD)
        yield _memory_row(context, "asset-memory-uploads", before, [crowd], 32,
                          f"{CROWD} uploads of {CROWD_BYTES // MIB} MiB at once")
        crowd = load.download(uploaded(crowd)["downloadURL"], CROWD_BYTES, connections=CROWD, requests=CROWD)
        yield _memory_row(context, "asset-memory-downloads", before, [crowd], 32,
                          f"{CROWD} downloads of {CROWD_BYTES // MIB} MiB at once")


def beside(context: Context) -> Iterator[Row]:
    size = _large(context)
    with context.board(posts=2000, settings=SETTINGS) as board:
        load = _load(context, board.server, board.token)
        ours = context.load(board.server, creates(board), expect=201, connections=CLIENTS)
        ours(1)
        alone, beside, uploads = [], [], []
        for _ in range(context.options.rounds):
            alone.append(ours(context.options.seconds))
            free_memory.fetch(load.source, size)
            beside.append(ours.during(lambda: uploads.append(load.upload(size, requests=1))))
        row = beside_row("asset-beside", beside, alone)
        row.errors += sum(one.errors for one in uploads)
        row.notes += [fault for one in uploads for fault in one.faults]
        row.notes.append(f"beside an upload of {size // MIB:,} MiB, which went at {_rate(uploads)}, there were "
                         f"{middle(beside, lambda one: one.rate):,.0f} creates/s")
        yield row


@contextmanager
def asset_server(context: Context) -> Iterator[tuple[Server, AssetLoad]]:
    """A server without a bound for assets that no record refers to, and a load for it."""
    with context.server(settings=SETTINGS) as server:
        yield server, _load(context, server, server.sign_up())


def _load(context: Context, server: Server, token: str) -> AssetLoad:
    return AssetLoad(_client(context), _source(context), server.pid, server.port, token)


@contextmanager
def _bare(context: Context) -> Iterator[AssetLoad]:
    program = tools.compile_program(HERE / "bare_upload.c", context.directory, "crypto")
    with BareUpload(program, context.fresh_directory("bare")) as bare:
        yield AssetLoad(_client(context), _source(context), bare.pid, bare.port)


def _client(context: Context) -> str:
    return tools.compile_program(HERE / "asset_client.c", context.directory)


def _source(context: Context) -> Path:
    return source(context.directory, _large(context))


def _large(context: Context) -> int:
    return 64 * MIB if context.options.quick else GIB


def _file(server: Server, asset: dict) -> Path:
    """The file in which the server keeps an asset."""
    digest = base64.b64decode(asset["fileChecksum"]).hex()
    found = [path for path in server.data.rglob(f"{digest[2:]}*") if path.parent.name == digest[:2]]
    if len(found) != 1:
        raise Problem(f"{len(found)} files below {server.data} are named after the hash {digest}.")
    return found[0]


def _upload_row(context: Context, name: str, floor: float, ours: AssetLoad, bare: AssetLoad, upload) -> Row:
    measured, reference = interleave(context.options.rounds, context.options.seconds,
                                     lambda seconds: context.noted(upload(ours, seconds)),
                                     lambda seconds: upload(bare, seconds))
    return measured_row(name, measured, reference, value=middle(measured, seconds_per_gib), unit="s/GiB", floor=floor,
                        against="bare upload",
                        notes=[f"at {_rate(measured)}; the bare program: {_per_gib(reference)} s/GiB at "
                               f"{_rate(reference)}, so the server takes {ratio(measured, reference):.2f} × as much; "
                               f"openssl sha256 alone: {hash_seconds_per_gib(_source(context)):.2f} s/GiB"])


def _memory_row(context: Context, name: str, before: float, loads: list[Measurement], floor: float, what: str) -> Row:
    highest = max(context.noted(one).rss_mb for one in loads)
    return measured_row(name, loads, None, value=highest - before, unit="MB more", floor=floor,
                        notes=[f"{what}; {before:.1f} MB before"])


def _per_gib(measured: list[Measurement]) -> str:
    return f"{middle(measured, seconds_per_gib):.2f}"


def _with_client(measured: list[Measurement]) -> str:
    """The cost at both ends: over loopback either may move the other's packets."""
    both = [(one.cpu_seconds + one.extra["cpu_seconds"]) / max(one.operations, 1) for one in measured]
    return f"{median(both) * GIB / MIB:.2f}"


def _rate(measured: list[Measurement]) -> str:
    return f"{median(one.rate for one in measured):,.0f} MiB/s"


SCENARIOS = [
    Scenario("asset-upload-1m", "uploads of 1 MiB at 8 connections; reference: bare upload",
             upload_small),
    Scenario("asset-upload-1g", "one upload of 1 GiB; reference: bare upload", upload_large),
    Scenario("asset-download", "downloads of 1 MiB and 50 MiB; reference: nginx with sendfile", download),
    Scenario("asset-memory", "RssAnon during uploads and downloads of 1 GiB, and during 64 at once", memory),
    Scenario("asset-beside", "p99 of 64 clients that create during an upload of 1 GiB", beside),
]
