"""A server that webhooks send to. It fails in many ways, and can be killed and started again."""
import contextlib
import http.client
import random
import socket
import struct
import threading
import time
from dataclasses import dataclass
from io import BytesIO

from Tests.harness.errors import Problem
from Tests.streams.hook import Hook

# What a receiver does with a message, and how often.
BEHAVIORS = {"ok": 60, "slow": 6, "lost": 6, "error": 6, "busy": 6, "closes": 6, "half": 4, "garbage": 3, "hangs": 3,
             "redirects": 3, "endless": 2}
RESPONSES = {
    "error": b"HTTP/1.1 500 Internal Server Error\r\nContent-Length: 4\r\n\r\noops",
    "redirects": b"HTTP/1.1 302 Found\r\nLocation: /stolen\r\nContent-Length: 0\r\n\r\n",
    "half": b"HTTP/1.1 200 OK\r\nContent-Len",
    "garbage": b"\x16\x03\x01 no HTTP at all\r\n\r\n",
}
# It then has processed the message. Of those that are not settled the sender may not know.
PROCESSED = ("ok", "slow", "lost", "endless")
SETTLED = ("ok", "slow")
OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"


@dataclass
class Message:
    path: str
    fields: http.client.HTTPMessage
    body: bytes
    is_kept_alive: bool


class Receiver:
    """Serves hooks by their paths at one port."""

    def __init__(self, port: int, seed: str, most_failures: int):
        self.port, self.random = port, random.Random(seed)
        # After so many failures of a hook in a row the receiver is well: the pauses between attempts double.
        self.most_failures = most_failures
        self.hooks: dict[str, Hook] = {}
        self.problems: list[str] = []
        self.is_calm = False  # from now on all messages are taken
        self.stops = 0
        self.counts: dict[str, int] = dict.fromkeys(BEHAVIORS, 0)
        self._lock = threading.Lock()
        self._listener: socket.socket | None = None
        self._connections: set[socket.socket] = set()

    @property
    def is_running(self) -> bool:
        return self._listener is not None

    def start(self) -> None:
        listener = socket.socket()
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("127.0.0.1", self.port))
        listener.listen(64)
        self._listener = listener
        threading.Thread(target=self._accept, args=(listener,), daemon=True).start()

    def kill(self) -> None:
        """Resets all connections, and refuses new ones."""
        with self._lock:
            listener, self._listener = self._listener, None
            connections, self._connections = self._connections, set()
            self.stops += 1
        if listener:
            with contextlib.suppress(OSError):
                listener.shutdown(socket.SHUT_RDWR)
            listener.close()
        for one in connections:
            _reset(one)
        # A response may have been on its way.
        for hook in self.hooks.values():
            hook.disturb()

    def _accept(self, listener: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while True:
                connection, _ = listener.accept()
                with self._lock:
                    is_open = self._listener is listener
                    if is_open:
                        self._connections.add(connection)
                if not is_open:
                    _reset(connection)
                    continue
                threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        try:
            with connection, contextlib.suppress(OSError):
                connection.settimeout(30)
                while (message := _read(connection)) and self._take(message, connection):
                    pass
        except Exception as error:
            self.problems.append(f"the receiver failed: {error if isinstance(error, Problem) else repr(error)}")
        finally:
            with self._lock:
                self._connections.discard(connection)

    def _take(self, message: Message, connection: socket.socket) -> bool:
        """Handles a message; whether another may follow on the connection."""
        path, _, query = message.path.partition("?")
        if path not in self.hooks:
            self.problems.append(f"a message was sent to {path}, which no webhook has")
            return False
        hook = self.hooks[path]
        found = hook.begin(message.fields, message.body, query, connection)
        behavior = "ok" if found.kind == "webhook.test" else self._behavior(hook)
        self.counts[behavior] += 1
        if behavior in ("slow", "hangs"):
            time.sleep(self.random.uniform(0.05, 0.8) if behavior == "slow" else self.random.uniform(0.5, 1.5))
        if found.kind != "webhook.test":
            hook.finish(found, behavior in PROCESSED, behavior in SETTLED)
        return self._respond(behavior, connection) and message.is_kept_alive

    def _behavior(self, hook: Hook) -> str:
        if self.is_calm or hook.failures >= self.most_failures:
            return "ok"
        return self.random.choices(list(BEHAVIORS), list(BEHAVIORS.values()))[0]

    def _respond(self, behavior: str, connection: socket.socket) -> bool:
        if behavior in SETTLED:
            connection.sendall(OK)
            return True
        if behavior == "busy":
            status = self.random.choice([b"429 Too Many Requests", b"503 Service Unavailable"])
            connection.sendall(b"HTTP/1.1 %s\r\nRetry-After: 1\r\nContent-Length: 0\r\n\r\n" % status)
            return True
        if behavior == "endless":
            connection.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
            ends = time.monotonic() + 5
            while time.monotonic() < ends:
                connection.sendall(b"1000\r\n" + b"x" * 4096 + b"\r\n")
        elif behavior in RESPONSES:
            connection.sendall(RESPONSES[behavior])
        return behavior in ("error", "redirects")


def _read(connection: socket.socket) -> Message | None:
    """The next message; `None` at the end of the connection."""
    received = b""
    while b"\r\n\r\n" not in received:
        if not (piece := connection.recv(65536)):
            return None
        received += piece
    head, _, body = received.partition(b"\r\n\r\n")
    line, _, lines = head.partition(b"\r\n")
    fields = http.client.parse_headers(BytesIO(lines + b"\r\n\r\n"))
    method, path, _ = line.decode().split()
    if method != "POST":
        raise Problem(f"a webhook sent {line.decode()}")
    if fields.get("Expect", "").lower() == "100-continue":
        connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
    while len(body) < int(fields["Content-Length"]):
        if not (piece := connection.recv(65536)):
            return None
        body += piece
    return Message(path, fields, body, fields.get("Connection", "").lower() != "close")


def _reset(connection: socket.socket) -> None:
    with contextlib.suppress(OSError):
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.shutdown(socket.SHUT_RDWR)
    connection.close()
