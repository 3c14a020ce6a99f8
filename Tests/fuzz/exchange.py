"""One exchange with the server, and its possible errors."""
import re
import socket
import time
from typing import NamedTuple

# A response that is not complete by then never will be, however slowly it continues.
TIMEOUT = 20.0
# The outcomes of requests without a response.
UNFINISHED, RESET = "a head without an end", "reset"
# The server sends these to a silent client, to find out whether it still reads; the response follows.
INTERIM = re.compile(rb"\A(HTTP/1\.1 1[0-9][0-9] [^\n]*\r\n\r\n)+")


class Exchange(NamedTuple):
    response: bytes
    # A finding.
    fault: str | None = None
    was_reset: bool = False
    # The connection was refused.
    is_refused: bool = False


def exchange(port: int, data: bytes, timeout: float = TIMEOUT) -> Exchange:
    """Sends everything, shuts down writing, and reads to the end."""
    limit, response = time.monotonic() + timeout, b""
    try:
        connection = socket.create_connection(("127.0.0.1", port), timeout=timeout)
    except OSError as error:
        return Exchange(b"", f"No connection: {error}", is_refused=True)
    with connection:
        try:
            connection.sendall(data)
            connection.shutdown(socket.SHUT_WR)
            while piece := connection.recv(65536):
                response += piece
                # Each piece shortens the timeout of the next one: a slow response has no more time than another.
                connection.settimeout(max(0.001, limit - time.monotonic()))
        except TimeoutError:
            return Exchange(response, f"No end of the response in {timeout:g} s")
        except OSError:
            # The server may have rejected the request before all of it had come.
            return Exchange(response, was_reset=True)
    return Exchange(response)


def outcome(data: bytes, found: Exchange) -> tuple[int | str, str | None]:
    """A status, or in words why there may be none, and a finding.

    Only two requests may end without a response: one whose head has no end, and one that the server resets while it
    comes. `ResponseCounts` limits the resets.
    """
    response = INTERIM.sub(b"", found.response)
    if found.fault:
        return "none", found.fault
    if not response:
        if found.was_reset:
            return RESET, None
        return (UNFINISHED, None) if not has_whole_head(data) else ("none", "No response")
    if not re.match(rb"HTTP/1\.1 [2-5][0-9][0-9] ", response):
        return "none", f"A response that is none: {response[:60]!r}"
    if b"HTTP/1.1 500" in response:
        return 500, "An internal error"
    if b"\r\n\r\n" not in response:
        return (RESET, None) if found.was_reset else ("none", f"A response that breaks off: {response[-60:]!r}")
    return int(response[9:12]), None


def has_whole_head(data: bytes) -> bool:
    """Whether the first request has the end of its head; empty lines before it do not count."""
    return b"\r\n\r\n" in data.lstrip(b"\r\n")
