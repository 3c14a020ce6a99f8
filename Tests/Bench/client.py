"""A small keep-alive HTTP client, and the raw messages that the load generator repeats."""
import http.client
import json
import socket
from dataclasses import dataclass
from urllib.parse import quote

from problem import Problem


@dataclass
class Answer:
    """One response; `size` counts head and body in bytes, within a few."""
    status: int
    headers: http.client.HTTPMessage
    body: bytes
    size: int

    def json(self):
        return json.loads(self.body)


def message(method: str, path: str, token: str | None = None, body: bytes | dict | None = None) -> bytes:
    """The bytes of one HTTP/1.1 request."""
    lines = [f"{method} {path} HTTP/1.1", "Host: 127.0.0.1"]
    if token:
        lines.append(f"Authorization: Bearer {token}")
    if body is None:
        content = b""
    else:
        content = body if isinstance(body, bytes) else encode(body)
        lines += ["Content-Type: application/json", f"Content-Length: {len(content)}"]
    return ("\r\n".join(lines) + "\r\n\r\n").encode() + content


def encode(value) -> bytes:
    """Compact UTF-8 JSON."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def segment(name: str) -> str:
    """A record name as one segment of a path."""
    return quote(name, safe="")


class Client:
    """One connection to 127.0.0.1; opens again after the server has closed it."""

    def __init__(self, port: int, token: str | None = None, timeout: float = 60):
        self.port, self.token, self.timeout = port, token, timeout
        self._socket: socket.socket | None = None

    def send(self, request: bytes) -> Answer:
        """Sends the bytes of one request and reads its answer."""
        if self._socket is None:
            self._socket = socket.create_connection(("127.0.0.1", self.port), self.timeout)
            self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            self._socket.sendall(request)
            response = http.client.HTTPResponse(self._socket, method=request.split(b" ", 1)[0].decode())
            response.begin()
            body = response.read()
        except (OSError, http.client.HTTPException):
            self.close()
            raise
        head = len(f"HTTP/1.1 {response.status} {response.reason}\r\n\r\n")
        head += sum(len(name) + len(value) + 4 for name, value in response.headers.items())
        if response.will_close:
            self.close()
        return Answer(response.status, response.headers, body, head + len(body))

    def call(self, method: str, path: str, body=None, expect: tuple[int, ...] = (200,)) -> Answer:
        """Sends a request; any status that is not expected is a `Problem` with the server's own words."""
        answer = self.send(message(method, path, self.token, body))
        if answer.status not in expect:
            text = answer.body[:400].decode(errors="replace")
            raise Problem(f"{method} {path[:120]} answered {answer.status} where {expect} is expected: {text}")
        return answer

    def batch(self, operations: list[dict]) -> list[dict]:
        """`POST /records`; every operation must succeed."""
        records = self.call("POST", "/records", {"operations": operations}).json()["records"]
        check_batch(records, len(operations))
        return records

    def close(self) -> None:
        if self._socket:
            self._socket.close()
            self._socket = None


def check_batch(records: list[dict], count: int) -> None:
    """A batch answers 200 even where its operations fail; this says so."""
    for record in records:
        if "serverErrorCode" in record:
            raise Problem(f"an operation of a batch failed: {json.dumps(record)[:400]}")
    if len(records) != count:
        raise Problem(f"a batch of {count} operations gave {len(records)} results.")
