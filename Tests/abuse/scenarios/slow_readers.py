"""Clients that request much and read nothing, or a byte per second; ranges that multiply the output."""
from Tests.abuse.attack import Swarm
from Tests.abuse.expectations import answered, busy, closed_within, every_message, no_failures
from Tests.abuse.requests import get, head
from Tests.abuse.target import Target
from Tests.abuse.trial import Scenario

PAGE = get("/records/Post?limit=1000")
LIMITS = {"timeouts.write": "3s"}
LATE = 3 + 2.5


def stalled_pages(target: Target) -> list[Swarm]:
    """4 MiB each: more than the server buffers for a client that does not read."""
    return [Swarm([PAGE], closed_within(LATE), busy(200), connections=200, open_rate=200, read="none")]


def dripping_pages(target: Target) -> list[Swarm]:
    return [Swarm([PAGE], closed_within(LATE), busy(100), connections=100, open_rate=100, read="drip")]


def stalled_files(target: Target) -> list[Swarm]:
    return [Swarm([get(target.asset(32 << 20))], closed_within(LATE), busy(1000), connections=1000, read="none")]


def dripping_files(target: Target) -> list[Swarm]:
    return [Swarm([get(target.asset(32 << 20))], closed_within(LATE), busy(1000), connections=1000, read="drip")]


def stalled_pipelines(target: Target) -> list[Swarm]:
    """Endless requests whose responses are not read."""
    return [Swarm([get(f"/records/Post/{target.records[1]}") * 100], closed_within(LATE), busy(300), connections=300,
                  after="endless", read="none")]


def stalled_static(target: Target) -> list[Swarm]:
    return [Swarm([get("/openapi.json") * 20], closed_within(LATE), busy(1000), connections=1000, sources=2,
                  after="endless", read="none")]


def range_bombs(target: Target) -> list[Swarm]:
    """Many, overlapping and invalid ranges."""
    path = target.asset(8 << 20)
    values = [
        "bytes=" + ",".join("0-" for _ in range(1000)),
        "bytes=" + ",".join(f"{number}-" for number in range(1200)),
        "bytes=" + ",".join(f"{number * 2}-{number * 2}" for number in range(600)),
        "bytes=" + ",".join(f"-{number}" for number in range(1, 1000)),
        "bytes=0-18446744073709551616", "bytes=9223372036854775807-", "bytes=-9223372036854775808", "bytes=5-1",
        "bytes=" + "0" * 5000 + "-", "bytes=,,,,,,0-0", "bytes=0-0" + "," * 5000, "bytes=-0", "bytes=a-b", "lines=1-2",
    ]
    return [Swarm([head("GET", path, None, f"Range: {value}") for value in values], answered(200, 206, 400, 416, 431),
                  no_failures, busy(100), every_message, connections=16, after="again")]


SCENARIOS = [
    Scenario("stalled-pages", "200 pages of 4 MiB that nobody reads", stalled_pages, LIMITS),
    Scenario("dripping-pages", "100 pages of 4 MiB that are read a byte a second", dripping_pages, LIMITS),
    Scenario("stalled-files", "1,000 files of 32 MiB that nobody reads", stalled_files, LIMITS),
    Scenario("dripping-files", "1,000 files of 32 MiB that are read a byte a second", dripping_files, LIMITS),
    Scenario("stalled-pipelines", "requests without end, responses that nobody reads", stalled_pipelines, LIMITS),
    Scenario("stalled-static", "the same with prepared responses", stalled_static, LIMITS),
    Scenario("range-bombs", "a thousand ranges, ranges that overlap, ranges that are none", range_bombs),
]
