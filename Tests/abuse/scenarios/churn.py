"""Connections that open and close."""
from Tests.abuse.attack import Swarm
from Tests.abuse.expectations import busy, closed_within, no_failures
from Tests.abuse.requests import get
from Tests.abuse.target import Target
from Tests.abuse.trial import Scenario

# Ports are exhausted before the server is.
SOURCES = {"sources": 8, "connections": 64}


def connect_close(target: Target) -> list[Swarm]:
    return [Swarm([b""], busy(1000), after="close", **SOURCES)]


def connect_reset(target: Target) -> list[Swarm]:
    return [Swarm([b""], busy(1000), after="reset", **SOURCES)]


def half_closed(target: Target) -> list[Swarm]:
    """The server closes a connection that is shut down for writing before a request."""
    return [Swarm([b"", b"GET /records/Po", get("/health/live")], closed_within(3), no_failures, busy(1000),
                  after="half",
                  **SOURCES)]


def reset_in_head(target: Target) -> list[Swarm]:
    return [Swarm([b"GET /records/Post HTTP/1.1\r\nHost"], busy(1000), after="reset", **SOURCES)]


def reset_in_body(target: Target) -> list[Swarm]:
    start = b"POST /records/Post HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 90000\r\n" \
            b"Authorization: Bearer " + target.attacker.encode() + b"\r\n\r\n"
    return [Swarm([start + b'{"fields":{"title":"' + b"a" * 8000], busy(1000), after="reset", **SOURCES)]


def reset_in_upload(target: Target) -> list[Swarm]:
    start = b"POST /assets HTTP/1.1\r\nHost: a\r\nContent-Type: text/plain\r\nContent-Length: 900000\r\n" \
            b"Authorization: Bearer " + target.attacker.encode() + b"\r\n\r\n"
    return [Swarm([start + b"a" * 100_000], busy(500), after="reset", **SOURCES)]


def costly(after: str) -> list[Swarm]:
    """Requests the most expensive responses and disconnects: pages of 1,000 records, sorted queries."""
    return [Swarm([get("/records/Post?limit=1000"),
                   get("/query/Post?where=rating%20%3E%3D%200&sort=-title&limit=1000&count=true")],
                  busy(100), after=after, sources=8, connections=16, open_rate=200)]


def reset_before_response(target: Target) -> list[Swarm]:
    return costly("reset")


def close_before_response(target: Target) -> list[Swarm]:
    """Browsers close connections like this when they cancel a request."""
    return costly("close")


SCENARIOS = [
    Scenario("connect-close", "connections that are closed at once", connect_close),
    Scenario("connect-reset", "connections that are reset at once", connect_reset),
    Scenario("half-closed", "connections closed for writing at once", half_closed),
    Scenario("reset-in-head", "connections that are reset within a head", reset_in_head),
    Scenario("reset-in-body", "connections that are reset within a body", reset_in_body),
    Scenario("reset-in-upload", "connections that are reset within an upload", reset_in_upload),
    Scenario("reset-before-response", "large pages and costly queries, reset before the response",
             reset_before_response),
    Scenario("close-before-response", "large pages and costly queries, closed before the response",
             close_before_response),
]
