"""Bodies that crawl in or never end."""
from attack import Swarm
from expectations import answered, busy, closed_within, every_message, no_failures, not_before
from wire import head
from stage import Stage
from trial import Scenario

# As in heads_scenarios.
LINGER = 2 + 1.5
CHUNKED = "Transfer-Encoding: chunked"
JSON = "Content-Type: application/json"
# Of two addresses: connections that linger count while their successors are there.
CRAWL = {"connections": 1000, "sources": 2, "open_rate": 2000, "step": 1, "pause": 100}


def _crawl(start: bytes, body: bytes, **flags) -> Swarm:
    """A head at once, then a body byte by byte: ten a second, where 512 are demanded."""
    # The head is sent in the steps as well, so it must fit one: what comes after crawls.
    return Swarm([start, body], answered(408), closed_within(3 + LINGER), not_before(3), after="endless",
                 **CRAWL | {"step": max(len(start), 1)} | flags)


def slow_json(stage: Stage) -> list[Swarm]:
    start = head("POST", "/records/Post", stage.attacker, JSON, "Content-Length: 1000000") + b'{"fields":{"title":"'
    return [_crawl(start, b"a")]


def slow_upload(stage: Stage) -> list[Swarm]:
    start = head("POST", "/assets", stage.attacker, "Content-Type: text/plain", "Content-Length: 1000000")
    return [_crawl(start, b"a", connections=500)]


def slow_chunked(stage: Stage) -> list[Swarm]:
    return [_crawl(head("POST", "/records/Post", stage.attacker, JSON, CHUNKED), b"1\r\n \r\n")]


def slow_form(stage: Stage) -> list[Swarm]:
    start = head("POST", "/assets", stage.attacker, "Content-Type: multipart/form-data; boundary=b", CHUNKED)
    part = b"--b\r\nContent-Disposition: form-data; name=f; filename=f.txt\r\n\r\n"
    return [_crawl(start + b"%x\r\n%s\r\n" % (len(part), part), b"1\r\na\r\n", connections=500)]


def slow_tus(stage: Stage) -> list[Swarm]:
    client, starts = stage.client(), []
    for _ in range(100):
        made = client.send(head("POST", "/assets/uploads", stage.attacker, "Tus-Resumable: 1.0.0",
                                "Upload-Length: 100000"))
        path = made.headers["Location"].split("://")[-1]
        starts.append(head("PATCH", path[path.index("/"):], stage.attacker, "Tus-Resumable: 1.0.0", "Upload-Offset: 0",
                           "Content-Type: application/offset+octet-stream", "Content-Length: 100000"))
    client.close()
    # A part at a place that another has begun meanwhile is refused or takes over: both are right.
    return [Swarm([*starts, b"a"], no_failures, closed_within(3 + LINGER), after="endless", connections=100,
                  step=max(map(len, starts)), pause=100)]


def silent_bodies(stage: Stage) -> list[Swarm]:
    """Bodies of which nothing comes at all: what is announced must not be taken from memory."""
    starts = [head("POST", path, stage.attacker, kind, "Content-Length: 16000000")
              for path, kind in (("/records/Post", JSON), ("/records", JSON), ("/query", JSON),
                                 ("/assets", "Content-Type: image/png"))]
    return [Swarm(starts, answered(408, 413), closed_within(3 + LINGER), every_message, connections=1000, sources=2)]


def _endless(stage: Stage, path: str, piece: bytes, *statuses: int, kind: str = JSON,
             first: bytes = b"") -> list[Swarm]:
    return [Swarm([head("POST", path, stage.attacker, kind, CHUNKED) + first, piece], answered(*statuses), busy(10),
                  connections=32, after="endless")]


def endless_tiny_chunks(stage: Stage) -> list[Swarm]:
    return _endless(stage, "/records/Post", b"1\r\n \r\n" * 4000, 413, 503)


def endless_chunks(stage: Stage) -> list[Swarm]:
    # 503: all of them together are more than `limits.bodies_in_flight_bytes`.
    return _endless(stage, "/records/Post", b"4000\r\n" + b" " * 0x4000 + b"\r\n", 413, 503)


def endless_upload(stage: Stage) -> list[Swarm]:
    return _endless(stage, "/assets", b"1\r\n \r\n" * 4000, 413, kind="Content-Type: text/plain")


def endless_trailers(stage: Stage) -> list[Swarm]:
    return _endless(stage, "/records/Post", b"X-Trailer: value\r\n" * 100, 400, first=b"2\r\n{}\r\n0\r\n")


def endless_extension(stage: Stage) -> list[Swarm]:
    return _endless(stage, "/records/Post", b"extension;" * 1000, 400, first=b"1;")


def many_extensions(stage: Stage) -> list[Swarm]:
    return _endless(stage, "/records/Post", b"1;a=bcdefgh\r\n \r\n" * 1000, 400)


def unread_bodies(stage: Stage) -> list[Swarm]:
    """Endless bodies for routes that read none."""
    starts = [head(method, path, None, CHUNKED) for method, path in
              (("GET", "/records/Post"), ("GET", "/nothing"), ("POST", "/health/live"), ("DELETE", "/records/Post/x"))]
    return [Swarm([*starts, b"4000\r\n" + b" " * 0x4000 + b"\r\n"], no_failures, closed_within(LINGER), busy(100),
                  every_message, connections=64, after="endless")]


def continue_unsent(stage: Stage) -> list[Swarm]:
    """Clients that wait for `100 Continue`, get it, and send nothing."""
    start = head("POST", "/records/Post", stage.attacker, JSON, "Content-Length: 100000", "Expect: 100-continue")
    return [Swarm([start], answered(100, 408), closed_within(3 + LINGER), connections=1000, sources=2)]


def continue_wrong(stage: Stage) -> list[Swarm]:
    """Expectations that nobody knows, or that come without a body, doubled, or where the body comes all the same."""
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
    # Three gigabytes pass before the limits answer.
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
