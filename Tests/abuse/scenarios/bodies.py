"""Slow and endless bodies."""
from Tests.abuse.attack import Swarm
from Tests.abuse.expectations import answered, busy, closed_within, every_message, no_failures, not_before
from Tests.abuse.requests import head
from Tests.abuse.target import Target
from Tests.abuse.trial import Scenario

# As in heads.py.
LINGER = 2 + 1.5
CHUNKED = "Transfer-Encoding: chunked"
JSON = "Content-Type: application/json"
# From two addresses, as lingering connections count together with their successors.
CRAWL = {"connections": 1000, "sources": 2, "open_rate": 2000, "step": 1, "pause": 100}


def _crawl(start: bytes, body: bytes, **flags) -> Swarm:
    """A head at once, then a body byte by byte: 10 bytes per second, where 512 are required."""
    # The head must fit into the first step.
    return Swarm([start, body], answered(408), closed_within(3 + LINGER), not_before(3), after="endless",
                 **CRAWL | {"step": max(len(start), 1)} | flags)


def slow_json(target: Target) -> list[Swarm]:
    start = head("POST", "/records/Post", target.attacker, JSON, "Content-Length: 1000000") + b'{"fields":{"title":"'
    return [_crawl(start, b"a")]


def slow_upload(target: Target) -> list[Swarm]:
    start = head("POST", "/assets", target.attacker, "Content-Type: text/plain", "Content-Length: 1000000")
    return [_crawl(start, b"a", connections=500)]


def slow_chunked(target: Target) -> list[Swarm]:
    return [_crawl(head("POST", "/records/Post", target.attacker, JSON, CHUNKED), b"1\r\n \r\n")]


def slow_form(target: Target) -> list[Swarm]:
    start = head("POST", "/assets", target.attacker, "Content-Type: multipart/form-data; boundary=b", CHUNKED)
    part = b"--b\r\nContent-Disposition: form-data; name=f; filename=f.txt\r\n\r\n"
    return [_crawl(start + b"%x\r\n%s\r\n" % (len(part), part), b"1\r\na\r\n", connections=500)]


def slow_tus(target: Target) -> list[Swarm]:
    client, starts = target.client(), []
    for _ in range(100):
        made = client.send(head("POST", "/assets/uploads", target.attacker, "Tus-Resumable: 1.0.0",
                                "Upload-Length: 100000"))
        path = made.headers["Location"].split("://")[-1]
        starts.append(head("PATCH", path[path.index("/"):], target.attacker, "Tus-Resumable: 1.0.0", "Upload-Offset: 0",
                           "Content-Type: application/offset+octet-stream", "Content-Length: 100000"))
    client.close()
    # A part at an offset that another request has begun is rejected or takes over: both are correct.
    return [Swarm([*starts, b"a"], no_failures, closed_within(3 + LINGER), after="endless", connections=100,
                  step=max(map(len, starts)), pause=100)]


def silent_bodies(target: Target) -> list[Swarm]:
    """Announced bodies that never come: their length must not be allocated."""
    starts = [head("POST", path, target.attacker, kind, "Content-Length: 16000000")
              for path, kind in (("/records/Post", JSON), ("/records", JSON), ("/query", JSON),
                                 ("/assets", "Content-Type: image/png"))]
    return [Swarm(starts, answered(408, 413), closed_within(3 + LINGER), every_message, connections=1000, sources=2)]


def _endless(target: Target, path: str, piece: bytes, *statuses: int, kind: str = JSON,
             first: bytes = b"") -> list[Swarm]:
    return [Swarm([head("POST", path, target.attacker, kind, CHUNKED) + first, piece], answered(*statuses), busy(10),
                  connections=32, after="endless")]


def endless_tiny_chunks(target: Target) -> list[Swarm]:
    return _endless(target, "/records/Post", b"1\r\n \r\n" * 4000, 413, 503)


def endless_chunks(target: Target) -> list[Swarm]:
    # 503: together they exceed `limits.bodies_in_flight_bytes`.
    return _endless(target, "/records/Post", b"4000\r\n" + b" " * 0x4000 + b"\r\n", 413, 503)


def endless_upload(target: Target) -> list[Swarm]:
    return _endless(target, "/assets", b"1\r\n \r\n" * 4000, 413, kind="Content-Type: text/plain")


def endless_trailers(target: Target) -> list[Swarm]:
    return _endless(target, "/records/Post", b"X-Trailer: value\r\n" * 100, 400, first=b"2\r\n{}\r\n0\r\n")


def endless_extension(target: Target) -> list[Swarm]:
    return _endless(target, "/records/Post", b"extension;" * 1000, 400, first=b"1;")


def many_extensions(target: Target) -> list[Swarm]:
    return _endless(target, "/records/Post", b"1;a=bcdefgh\r\n \r\n" * 1000, 400)


def unread_bodies(target: Target) -> list[Swarm]:
    """Endless bodies for routes that read none."""
    starts = [head(method, path, None, CHUNKED) for method, path in
              (("GET", "/records/Post"), ("GET", "/nothing"), ("POST", "/health/live"), ("DELETE", "/records/Post/x"))]
    return [Swarm([*starts, b"4000\r\n" + b" " * 0x4000 + b"\r\n"], no_failures, closed_within(LINGER), busy(100),
                  every_message, connections=64, after="endless")]


def continue_unsent(target: Target) -> list[Swarm]:
    """Clients that wait for `100 Continue`, get it, and send nothing."""
    start = head("POST", "/records/Post", target.attacker, JSON, "Content-Length: 100000", "Expect: 100-continue")
    return [Swarm([start], answered(100, 408), closed_within(3 + LINGER), connections=1000, sources=2)]


def continue_wrong(target: Target) -> list[Swarm]:
    """Unknown, repeated and unnecessary expectations, and bodies that come anyway."""
    path = "/records/Post"
    return [Swarm([head("POST", path, None, "Content-Length: 10", "Expect: 200-ok"),
                   head("POST", path, None, "Content-Length: 10", "Expect: 100-continue", "Expect: 100-continue"),
                   head("POST", path, None, "Content-Length: 9999999", "Expect: 100-continue") + b"x" * 9999,
                   head("GET", path, None, "Expect: 100-continue"),
                   head("POST", path, None, "Content-Length: 99999999999", "Expect: 100-continue")],
                  answered(100, 200, 400, 401, 408, 413, 417), every_message, connections=64, after="half")]


LIMITS = {"timeouts.body": "3s"}
SMALL_FILES = {"assets.max_bytes": "4194304"}
SCENARIOS = [
    Scenario("slow-json", "1,000 bodies of JSON that come byte by byte", slow_json, LIMITS),
    Scenario("slow-upload", "500 uploads that come byte by byte", slow_upload, LIMITS),
    Scenario("slow-chunked", "1,000 bodies in slow chunks of a byte", slow_chunked, LIMITS),
    Scenario("slow-form", "500 forms with a file that comes byte by byte", slow_form, LIMITS),
    Scenario("slow-tus", "100 resumable uploads whose parts come byte by byte", slow_tus, LIMITS),
    Scenario("silent-bodies", "1,000 bodies that are announced and never come", silent_bodies, LIMITS),
    # Three gigabytes are sent before the limits apply.
    Scenario("endless-tiny-chunks", "bodies of chunks of a byte that never end", endless_tiny_chunks, seconds=20),
    Scenario("endless-chunks", "bodies of chunks of 16 KiB that never end", endless_chunks),
    Scenario("endless-upload", "uploads of chunks of a byte that never end", endless_upload, SMALL_FILES),
    Scenario("endless-trailers", "trailers that never end", endless_trailers),
    Scenario("endless-extension", "a chunk extension that never ends", endless_extension),
    Scenario("many-extensions", "a small extension at each chunk", many_extensions),
    Scenario("unread-bodies", "endless bodies for routes that read none", unread_bodies),
    Scenario("continue-unsent", "1,000 clients that wait for 100 Continue and send nothing", continue_unsent, LIMITS),
    Scenario("continue-wrong", "expectations that cannot be met", continue_wrong, LIMITS),
]
