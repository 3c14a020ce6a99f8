"""One exchange with the server, and what may be wrong with it."""
import re
import socket
import time
from typing import NamedTuple

# An answer whose end has not come by then never does, however much of it keeps coming.
PATIENCE = 20.0
# Of what a request without an answer is counted as.
UNFINISHED, RESET = "a head without an end", "reset"
# The server asks with these whether somebody who says nothing more still reads; the answer comes behind them.
INTERIM = re.compile(rb"\A(HTTP/1\.1 1[0-9][0-9] [^\n]*\r\n\r\n)+")


class Exchange(NamedTuple):
    answer: bytes
    # What is wrong; the server may yet be right about the rest.
    fault: str | None = None
    was_reset: bool = False
    # Nobody listens.
    is_refused: bool = False


def exchange(port: int, data: bytes, patience: float = PATIENCE) -> Exchange:
    """Sends all, says that nothing more comes, and reads to the end."""
    limit, answer = time.monotonic() + patience, b""
    try:
        connection = socket.create_connection(("127.0.0.1", port), timeout=patience)
    except OSError as error:
        return Exchange(b"", f"No connection: {error}", is_refused=True)
    with connection:
        try:
            connection.sendall(data)
            connection.shutdown(socket.SHUT_WR)
            while piece := connection.recv(65536):
                answer += piece
                # Each piece makes the time for the next one shorter: an answer that drips has no more than another.
                connection.settimeout(max(0.001, limit - time.monotonic()))
        except TimeoutError:
            return Exchange(answer, f"No end of the answer in {patience:g} s")
        except OSError:
            # It may have refused the request before all of it had come.
            return Exchange(answer, was_reset=True)
    return Exchange(answer)


def judged(data: bytes, found: Exchange) -> tuple[int | str, str | None]:
    """A status, or in words why there may be none, and what is wrong.

    Only two requests may end without an answer: one whose head has no end, and one that the server cuts off while it
    comes. How often it cuts off is bounded by whoever counts.
    """
    answer = INTERIM.sub(b"", found.answer)
    if found.fault:
        return "none", found.fault
    if not answer:
        if found.was_reset:
            return RESET, None
        return (UNFINISHED, None) if not has_whole_head(data) else ("none", "No answer")
    if not re.match(rb"HTTP/1\.1 [2-5][0-9][0-9] ", answer):
        return "none", f"An answer that is none: {answer[:60]!r}"
    if b"HTTP/1.1 500" in answer:
        return 500, "An internal error"
    if b"\r\n\r\n" not in answer:
        return (RESET, None) if found.was_reset else ("none", f"An answer that breaks off: {answer[-60:]!r}")
    return int(answer[9:12]), None


def has_whole_head(data: bytes) -> bool:
    """Whether the first request comes to the end of its head; empty lines in front of it are none of it."""
    return b"\r\n\r\n" in data.lstrip(b"\r\n")
