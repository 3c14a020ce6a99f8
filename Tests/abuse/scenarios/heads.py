"""Heads that are slow, endless or missing."""
from Tests.abuse.attack import Swarm
from Tests.abuse.expectations import answered, busy, closed_within, every_message, kept_open, not_before, some
from Tests.abuse.requests import LIVE
from Tests.abuse.target import Target
from Tests.abuse.trial import Scenario

LONG_HEAD = b"GET /records/Post HTTP/1.1\r\nHost: a\r\n" + b"X-Slow: 12345678\r\n" * 90
# The connection lingers for two seconds after a rejection; the rest allows for a busy machine.
LINGER = 2 + 1.5


def slow_heads(target: Target) -> list[Swarm]:
    return [Swarm([LONG_HEAD], answered(408), closed_within(2 + LINGER), not_before(2), busy(3000),
                  connections=3000, sources=4, open_rate=4000, step=1, pause=200)]


def slow_heads_12000(target: Target) -> list[Swarm]:
    return [Swarm([LONG_HEAD], kept_open(12_000), connections=12_000, sources=16, open_rate=6000, step=1, pause=1000,
                  once=True)]


def byte_heads(target: Target) -> list[Swarm]:
    """Large heads in hundreds of small segments, which are slow to parse from the start each time."""
    long = b"GET /health/live HTTP/1.1\r\nHost: a\r\n" + b"".join(
        b"X-%d: %s\r\n" % (number, b"v" * 7000) for number in range(4)) + b"\r\n"
    return [Swarm([long], answered(200, 408), busy(256), connections=256, step=256, pause=1, after="again")]


def endless_fields(target: Target) -> list[Swarm]:
    return [Swarm([b"GET / HTTP/1.1\r\nHost: a\r\n", b"X-Field-Of-Mine: value\r\n" * 100],
                  answered(431), closed_within(LINGER), busy(100), connections=64, after="endless")]


def endless_field(target: Target) -> list[Swarm]:
    return [Swarm([b"GET / HTTP/1.1\r\nHost: a\r\nX-Long: ", b"v" * 65536], answered(431), closed_within(LINGER),
                  busy(100), connections=64, after="endless")]


def endless_target(target: Target) -> list[Swarm]:
    return [Swarm([b"GET /", b"a/" * 32768], answered(414), closed_within(LINGER), busy(100), connections=64,
                  after="endless")]


def endless_deaf(target: Target) -> list[Swarm]:
    """The same from clients that continue after the rejection: lingering must not cost others anything."""
    return [Swarm([b"GET / HTTP/1.1\r\nHost: a\r\nX-Long: ", b"v" * 65536], closed_within(LINGER), busy(100),
                  connections=64, after="endless", read="deaf")]


def endless_blank_lines(target: Target) -> list[Swarm]:
    return [Swarm([b"\r\n", b"\r\n" * 32768], closed_within(LINGER), busy(100), connections=64, after="endless")]


def slow_blank_lines(target: Target) -> list[Swarm]:
    return [Swarm([b"\r\n", b"\r\n"], closed_within(2 + LINGER), busy(500), connections=500, after="endless", step=2,
                  pause=100)]


def garbage(target: Target) -> list[Swarm]:
    """Not HTTP: TLS, HTTP/2, SSH, noise."""
    noise = bytes((number * 151 + 17) % 256 for number in range(4096))
    return [Swarm([b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + noise, b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
                   b"SSH-2.0-OpenSSH_9.6\r\n", noise, b"\0" * 4096, b"GET / HTTP/9.9\r\n\r\n", b"get\r\n\r\n"],
                  answered(400, 405, 501, 505), closed_within(LINGER), busy(500), every_message, connections=128)]


def idle(target: Target) -> list[Swarm]:
    """10,000 connections without a request."""
    return [Swarm([b""], kept_open(10_000), connections=10_000, sources=16, open_rate=5000, once=True)]


def idle_after_request(target: Target) -> list[Swarm]:
    """10,000 connections that stay open after a response."""
    return [Swarm([LIVE], kept_open(10_000), answered(200), connections=10_000, sources=16, open_rate=5000, once=True)]


def idle_limit(target: Target) -> list[Swarm]:
    return [Swarm([b""], closed_within(2 + 1.5), not_before(2), busy(2000), connections=2000, sources=4)]


def too_many_of_one(target: Target) -> list[Swarm]:
    """4,000 connections from one address that may have 1,024."""
    return [Swarm([LIVE], answered(200, 503), some(200, 1000), some(503, 1000), connections=4000, open_rate=4000,
                  once=True)]


LIMITS = {"timeouts.head": "2s", "timeouts.idle": "2s"}
SCENARIOS = [
    Scenario("slow-heads", "3,000 heads that come byte by byte", slow_heads, LIMITS),
    Scenario("slow-heads-12000", "12,000 heads that come byte by byte, within their time", slow_heads_12000),
    Scenario("byte-heads", "heads of 28 KB in segments of 256 bytes", byte_heads),
    Scenario("endless-fields", "heads whose fields never end", endless_fields),
    Scenario("endless-field", "heads with a field that never ends", endless_field),
    Scenario("endless-target", "targets that never end", endless_target),
    Scenario("endless-deaf", "fields that never end, also when they have been refused", endless_deaf),
    Scenario("endless-blank-lines", "nothing but blank lines, as fast as can be", endless_blank_lines),
    Scenario("slow-blank-lines", "nothing but blank lines, ten a second", slow_blank_lines, LIMITS),
    Scenario("garbage", "TLS, HTTP/2, SSH and noise", garbage),
    Scenario("idle-10000", "10,000 connections that say nothing", idle),
    Scenario("idle-10000-used", "10,000 connections that have had a response", idle_after_request),
    Scenario("idle-limit", "2,000 idle connections at a time beyond their limit", idle_limit, LIMITS),
    Scenario("too-many-of-one", "4,000 connections from one address", too_many_of_one),
]
