"""A small keep-alive HTTP client, and the raw messages that the load generator repeats."""
import http.client
import json
import socket
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import quote

from Tests.harness.errors import Problem

# Why a sync token ends in suites that restore no backup, delete no zone and purge no tombstone.
RIGHTS_CHANGED = "The caller's rights have changed"


@dataclass
class Response:
    """One response; `size` counts head and body in bytes, within a few."""
    status: int
    headers: http.client.HTTPMessage
    body: bytes
    size: int

    def json(self):
        return json.loads(self.body)


def message(method: str, path: str, token: str | None = None, body: bytes | dict | list | None = None,
            headers: tuple[str, ...] = ()) -> bytes:
    """The bytes of one HTTP/1.1 request. A body is JSON unless `headers` have another Content-Type; bytes are sent as
    they are."""
    lines = [f"{method} {path} HTTP/1.1", "Host: 127.0.0.1", *headers]
    if token:
        lines.append(f"Authorization: Bearer {token}")
    content = b"" if body is None else body if isinstance(body, bytes) else encode(body)
    if body is not None:
        if not any(one.lower().startswith("content-type:") for one in headers):
            lines.append("Content-Type: application/json")
        lines.append(f"Content-Length: {len(content)}")
    return ("\r\n".join(lines) + "\r\n\r\n").encode() + content


def encode(value) -> bytes:
    """Compact UTF-8 JSON."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def quoted(text: str) -> str:
    """A text as one segment of a path, or one value of a query string."""
    return quote(text, safe="")


def values(record: dict) -> dict:
    """The fields of a record as plain values."""
    return {name: field["value"] for name, field in record["fields"].items()}


class UnexpectedStatus(Problem):
    """A response with a status that the caller does not expect."""

    def __init__(self, request: str, response: Response, expect: tuple[int, ...]):
        text = response.body[:400].decode(errors="replace")
        super().__init__(f"{request} answered {response.status} where {expect} is expected: {text}")
        self.status, self.body = response.status, response.body


class Client:
    """One connection to 127.0.0.1; opens again after the server has closed it."""

    def __init__(self, port: int, token: str | None = None, timeout: float = 60):
        self._socket: socket.socket | None = None
        self.port, self.token, self.timeout = port, token, timeout

    def send(self, request: bytes) -> Response:
        """Sends the bytes of one request and reads the response."""
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
        return Response(response.status, response.headers, body, head + len(body))

    def call(self, method: str, path: str, body=None, expect: tuple[int, ...] = (200,),
             headers: tuple[str, ...] = (), token: str | None = None) -> Response:
        """Sends a request; `UnexpectedStatus` with the server's own words for any status but those of `expect`."""
        response = self.send(message(method, path, token or self.token, body, headers))
        if response.status not in expect:
            raise UnexpectedStatus(f"{method} {path[:120]}", response, expect)
        return response

    def pages(self, path: str, key: str) -> Iterator[dict]:
        """The members `key` of all pages of a list, by its cursors."""
        cursor = ""
        while True:
            page = self.call("GET", path + cursor).json()
            yield from page[key]
            if "cursor" not in page:
                return
            cursor = f"{'&' if '?' in path else '?'}cursor={quoted(page['cursor'])}"

    def query(self, kind: str, **parts) -> Iterator[dict]:
        """The records of all pages of a query."""
        body = {"recordType": kind, "limit": 1000, **parts}
        while True:
            page = self.call("POST", "/query", body).json()
            yield from page["records"]
            if "cursor" not in page:
                return
            body["cursor"] = page["cursor"]

    def batch(self, operations: list[dict]) -> list[dict]:
        """`POST /records`; every operation must succeed."""
        records = self.call("POST", "/records", {"operations": operations}).json()["records"]
        check_batch(records, len(operations))
        return records

    def close(self) -> None:
        if self._socket:
            self._socket.close()
            self._socket = None

    def __del__(self):
        self.close()


def check_batch(records: list[dict], count: int) -> None:
    """Raises if an operation of a batch failed: the batch itself gets 200 then."""
    for record in records:
        if "serverErrorCode" in record:
            raise Problem(f"an operation of a batch failed: {json.dumps(record)[:400]}")
    if len(records) != count:
        raise Problem(f"a batch of {count} operations gave {len(records)} results.")
