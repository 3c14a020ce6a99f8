"""Requests that two servers in a row could parse differently, and targets that are not paths."""
import re
import socket

from Tests.abuse.attack import Probes
from Tests.abuse.target import Target
from Tests.abuse.trial import Scenario

# A request after each attempt that must never get a response.
SMUGGLED = b"GET /health/live HTTP/1.1\r\nHost: a\r\nX-Smuggled: 1\r\n\r\n"


def _post(*fields: str, body: bytes = b"", line: str = "POST /records/Post HTTP/1.1") -> bytes:
    return "\r\n".join([line, "Host: a", *fields]).encode("latin-1") + b"\r\n\r\n" + body


CHUNKED = "Transfer-Encoding: chunked"
ATTEMPTS = [
    # Two lengths, or a length and chunks.
    _post("Content-Length: 5", CHUNKED, body=b"0\r\n\r\n"), _post(CHUNKED, "Content-Length: 5", body=b"0\r\n\r\n"),
    _post("Content-Length: 5", "Content-Length: 6", body=b"hello"), _post("Content-Length: 5, 6", body=b"hello"),
    _post("Content-Length: 5", "Content-Length: 5", body=b"hello"), _post("Content-Length: 5, 5", body=b"hello"),
    # Invalid lengths.
    *[_post(f"Content-Length: {text}", body=b"hello") for text in
      ("+5", "-5", "5 5", "0x5", "5.0", "5,", ",5", "", "5\x0b", "５".encode().decode("latin-1"),
       "99999999999999999999",
       "18446744073709551621", "5;a=b", "\"5\"", "1_0")],
    # Invalid and hidden codings.
    *[_post(f"Transfer-Encoding: {text}", body=b"0\r\n\r\n") for text in
      ("xchunked", "chunked, chunked", "chunked, identity", "identity", "gzip, chunked", "chunked;a=b", "\x0bchunked",
       "chunked\x0b", "\"chunked\"", "chunked,", "", "cow", "chunked, gzip",
       "ch\u0131nked".encode().decode("latin-1"))],
    _post(CHUNKED, CHUNKED, body=b"0\r\n\r\n"), _post(CHUNKED, "Transfer-Encoding: x", body=b"0\r\n\r\n"),
    _post("Transfer-Encoding : chunked", body=b"0\r\n\r\n"), _post("Transfer-Encoding\t: chunked", body=b"0\r\n\r\n"),
    _post(" Transfer-Encoding: chunked", body=b"0\r\n\r\n"), _post("Transfer-Encoding:\r\n chunked", body=b"0\r\n\r\n"),
    _post("X: y\rTransfer-Encoding: chunked", body=b"0\r\n\r\n"), _post("X: y\nTransfer-Encoding: chunked", body=b""),
    _post("Transfer-Encoding\0: chunked"), _post("X: a\0b"), _post("Content-Length : 5", body=b"hello"),
    _post(": 5"), _post("No colon"), _post("Bad Name: x"), _post("Näme: x"), _post("X@: y"),
    _post(CHUNKED, line="POST /records/Post HTTP/1.0", body=b"0\r\n\r\n"),
    # Invalid chunks. The body is rejected with or without a token.
    *[_post(CHUNKED, "Content-Type: application/json", body=body) for body in
      (b"0x5\r\nhello\r\n0\r\n\r\n", b"+5\r\nhello\r\n0\r\n\r\n", b"-1\r\n\r\n", b"5 \r\nhello\r\n0\r\n\r\n",
       b"5\nhello\r\n0\r\n\r\n", b"5\r\nhelloX0\r\n\r\n", b"5\r\nhello\n0\r\n\r\n", b"ffffffffffffffff\r\n",
       b"10000000000000005\r\nhello\r\n0\r\n\r\n", b"5;a\nb\r\nhello\r\n0\r\n\r\n", b"5;\r\r\n\r\nhello\r\n0\r\n\r\n",
       b"\r\n5\r\nhello\r\n0\r\n\r\n", b"0\r\nContent-Length 5\r\n\r\n", b"0\r\n X: y\r\n\r\n", b"0\n\n", b"5_\r\n",
       b"g\r\n",
       b"00000000000000000000005\r\nhello\r\n0\r\n\r\n")],
    # Invalid lines.
    b"GET /health/live HTTP/1.1\nHost: a\n\n", b"GET /health/live HTTP/1.1\r\nHost: a\n\r\n",
    b"GET /health/live HTTP/1.1\r\n\r\n", b"GET /health/live HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
    b"GET /health/live HTTP/1.1\r\nHost: a\r\nhost: a\r\n\r\n", b"GET /health/live HTTP/1.1\r\nHost: a b\r\n\r\n",
    b"GET /health/live HTTP/1.1\r\nHost: a/b\r\n\r\n", b"GET /health/live HTTP/1.1\r\nHost: u@a\r\n\r\n",
    b"GET /health/live HTTP/1.1\r\nHost: a, b\r\n\r\n", b"GET  /health/live HTTP/1.1\r\nHost: a\r\n\r\n",
    b"GET /health/live  HTTP/1.1\r\nHost: a\r\n\r\n", b"GET\t/health/live\tHTTP/1.1\r\nHost: a\r\n\r\n",
    b" GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n", b"GET /health/live HTTP/1.1 \r\nHost: a\r\n\r\n",
    b"GET /health/live\r\n", b"GET /health/live HTTP/0.9\r\nHost: a\r\n\r\n",
    b"GET /health/live http/1.1\r\nHost: a\r\n\r\n",
    b"GET /health/live HTTP/1.10\r\nHost: a\r\n\r\n", b"GET /health/live HTTP/2.0\r\nHost: a\r\n\r\n",
    b"G@T /health/live HTTP/1.1\r\nHost: a\r\n\r\n", b"GET /health\x00/live HTTP/1.1\r\nHost: a\r\n\r\n",
    b"GET /health/live\r HTTP/1.1\r\nHost: a\r\n\r\n", b"GET /h\xc3\xa9 HTTP/1.1\r\nHost: a\r\n\r\n",
    b"GET /health/live#x HTTP/1.1\r\nHost: a\r\n\r\n", b"GET /health/live HTTP/1.1\r\n Host: a\r\n\r\n",
    b"GET /health/live HTTP/1.1\r\nHost: a\r\n folded\r\n\r\n",
]
# Other forms of targets with their allowed statuses: none may bypass the routes or make the server a proxy.
TARGETS = [
    ("GET http://a/health/live HTTP/1.1", "a", (200, 400)),
    ("GET http://evil/health/live HTTP/1.1", "a", (200, 400, 421)),
    ("GET https://a:443/health/live HTTP/1.1", "a", (200, 400, 421)),
    ("GET http://a HTTP/1.1", "a", (200, 301, 302, 307, 308, 400, 404)),
    ("GET http:///health/live HTTP/1.1", "a", (400,)), ("GET http://u:p@a/health/live HTTP/1.1", "a", (400,)),
    ("GET ftp://a/health/live HTTP/1.1", "a", (400,)), ("GET file:///etc/passwd HTTP/1.1", "a", (400,)),
    ("GET //evil/health/live HTTP/1.1", "a", (400, 404)), ("GET a:80 HTTP/1.1", "a", (400,)),
    ("GET * HTTP/1.1", "a", (400,)),
    ("CONNECT a:80 HTTP/1.1", "a", (400, 404, 405, 501)), ("CONNECT /health/live HTTP/1.1", "a", (400, 404, 405, 501)),
    ("OPTIONS * HTTP/1.1", "a", (200, 204, 400, 404, 405)), ("TRACE /health/live HTTP/1.1", "a", (400, 404, 405, 501)),
    ("GET health/live HTTP/1.1", "a", (400,)), ("GET http://a:99999/health/live HTTP/1.1", "a", (400, 200)),
    *[(f"GET {path} HTTP/1.1", "a", (400, 404)) for path in
      ("/%zz", "/%", "/../etc/passwd", "/_/%2e%2e/secret", "/_/..%2fsecret", "/_/%252e%252e/secret", "/_/..\\secret",
       "/_//etc/passwd", "/./health/live", "/health/../health/live", "/%00", "/_/index.html%00.js")],
    ("GET http://[::1/health/live HTTP/1.1", "a", (400,)), ("GET http://a\\b/health/live HTTP/1.1", "a", (400,)),
]
FIRST_LINE = re.compile(rb"HTTP/1\.1 (\d{3}) ")


def _exchange(port: int, request: bytes) -> tuple[bytes, str]:
    """All that the server sends until it closes, and how the connection ended."""
    with socket.create_connection(("127.0.0.1", port), 10) as connection:
        connection.settimeout(5)
        connection.sendall(request)
        received = b""
        try:
            while piece := connection.recv(65536):
                received += piece
            return received, "closed"
        except TimeoutError:
            return received, "left open"
        except ConnectionResetError:
            return received, "reset"


def smuggle(port: int, attempt: bytes) -> list[str]:
    received, end = _exchange(port, attempt + SMUGGLED)
    statuses = [int(one) for one in FIRST_LINE.findall(received)]
    if len(statuses) != 1 or not 400 <= statuses[0] < 600 or b'"ok"' in received or end != "closed":
        return [f"{attempt[:160]!r} was answered {statuses} and {end}"]
    return []


def aim(port: int, target: tuple[str, str, tuple[int, ...]]) -> list[str]:
    line, host, allowed = target
    received, end = _exchange(port, f"{line}\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())
    statuses = [int(one) for one in FIRST_LINE.findall(received)]
    if len(statuses) != 1 or statuses[0] not in allowed or end != "closed" or b"root:" in received:
        return [f"{line} was answered {statuses} and {end}, where {allowed} are right"]
    return []


def smuggling(target: Target) -> list[Probes]:
    return [Probes(smuggle, ATTEMPTS)]


def targets(target: Target) -> list[Probes]:
    return [Probes(aim, TARGETS)]


SCENARIOS = [
    Scenario("smuggling", "requests that two servers in a row could read differently", smuggling),
    Scenario("targets", "absolute, authority and asterisk targets", targets),
]
