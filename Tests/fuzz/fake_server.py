"""A server with one fault, for the self tests."""
import contextlib
import multiprocessing
import os
import socket
import struct
import threading
import time

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"
# The number of requests after which a server with the fault `dies` ends.
LIFE = 60


class FakeServer:
    """The interface of `Server` that the workers use. `fault` is empty, dies, resets, drips, hangs, says nothing, says
    500 or refuses."""

    def __init__(self, fault: str = "", document: dict | None = None, timeout: float = 10):
        self.fault, self.document, self.timeout = fault, document or {}, timeout
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=256)
        self.port, self.admin = self.listener.getsockname()[1], "token"
        self.child: FakeChild | None = None

    def __enter__(self) -> "FakeServer":
        process = multiprocessing.Process(target=self.serve, daemon=True)
        process.start()
        # Only the child listens, so that the port is closed when it ends.
        self.listener.close()
        self.child = FakeChild(process)
        return self

    def __exit__(self, *_) -> None:
        self.child.process.kill()
        self.child.process.join()

    def rss_anon(self) -> float:
        return 1.0

    def last_words(self) -> str:
        return "its last words"

    # In the child

    def serve(self) -> None:
        for number in range(1_000_000):
            connection, _ = self.listener.accept()
            if self.fault == "dies" and number >= LIFE:
                os._exit(3)
            threading.Thread(target=self.answer, args=(connection,), daemon=True).start()

    def answer(self, connection: socket.socket) -> None:
        with connection, contextlib.suppress(OSError):
            request = self.read(connection)
            match self.fault:
                case "resets":
                    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                case "drips": self.drip(connection)
                case "hangs": time.sleep(self.timeout)
                case "says nothing": pass
                case "says 500": connection.sendall(OK.replace(b"200 OK", b"500 Oh"))
                case "refuses": connection.sendall(OK.replace(b"200 OK", b"403 No"))
                case _: connection.sendall(self.right_response(request))

    def read(self, connection: socket.socket) -> bytes:
        """Reads to the end of the client's data; clients with samples keep their connection, so to the end of a head.
        """
        request = b""
        while b"\r\n\r\n" not in request and (piece := connection.recv(65536)):
            request += piece
        if not self.document:
            while piece := connection.recv(65536):
                request += piece
        return request

    def drip(self, connection: socket.socket) -> None:
        for byte in OK * 1_000:
            connection.sendall(bytes([byte]))
            time.sleep(0.05)

    def right_response(self, request: bytes) -> bytes:
        if b"\r\n\r\n" not in request.lstrip(b"\r\n"):
            return b""
        if self.document and b"/missing" in request:
            return b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        return OK.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n")


class FakeChild:
    """The part of `Popen` that is used."""

    def __init__(self, process: multiprocessing.Process):
        self.process = process

    def poll(self) -> int | None:
        return self.process.exitcode


def document_of(*routes: str) -> dict:
    """The /openapi.json of routes such as `GET /a/{b}`."""
    paths: dict[str, dict] = {}
    for route in routes:
        method, path = route.split(" ")
        paths.setdefault(path, {})[method.lower()] = {}
    return {"paths": paths}
