"""The clients that sign in and out, that send invalid requests, and that open and close connections."""
import http.client
import secrets
import socket

from Tests.harness.client import message
from Tests.harness.errors import Problem
from Tests.soak.client import SoakClient, gzipped

ONE_PIECE = 16_384  # bytes of a request that the server reads at once


class AccountClient(SoakClient):
    """Signs up rarely, and signs in and out."""

    kind, rate = "accounts", 0.25

    def prepare(self) -> None:
        self.names: list[tuple[str, str]] = []

    def act(self) -> None:
        if not self.names or (len(self.names) < 40 and self.random.random() < 0.2):
            account = f"{self.name}-{secrets.token_hex(6)}", secrets.token_hex(12)
            token = self.call("POST", "/users", self.body(account), (201,)).json()["token"]
            self.names.append(account)
        else:
            account = self.random.choice(self.names)
            token = self.call("POST", "/sessions", self.body(account), (201,)).json()["token"]
        me = self.call("GET", "/users/me", token=token).json()
        self.require(me["name"] == account[0], f"{account[0]} is {me}")
        self.call("DELETE", "/sessions/current", expect=(204,), token=token)
        self.call("GET", "/users/me", expect=(401,), token=token)
        if self.random.random() < 0.3:
            self.call("POST", "/sessions", {"name": account[0], "password": "not the password"}, (401,))
        self.add("sessions")

    @staticmethod
    def body(account: tuple[str, str]) -> dict:
        return {"name": account[0], "password": account[1]}


class InvalidRequestClient(SoakClient):
    """Invalid requests, each with the status that it must get."""

    kind, rate = "wrong requests", 4

    def act(self) -> None:
        token = self.shared.token
        item = "/records/Item"
        big = {"fields": {"text": "x" * 1_100_000}}
        statuses, request = self.random.choice([
            ((400,), message("POST", item, token, b'{"fields":{"version":')),
            ((400,), message("POST", item, token, {"fields": {"version": "no number"}})),
            ((400,), message("POST", item, token, {"fields": {}, "unknown": 1})),
            ((400,), message("GET", "/query/Item?where=bucket%20%3D%3D", token)),
            ((400,), message("GET", "/query/Item?cursor=AAAA", token)),
            ((400,), message("GET", "/changes?since=AAAA", token)),
            ((404,), message("GET", "/records/Item/there-is-none", token)),
            ((404,), message("GET", "/no/such/route", token)),
            ((404,), message("DELETE", "/records/Item/there-is-none", token)),
            ((405,), message("PUT", "/records", token, {})),
            ((415,), message("POST", item, token, b"<a/>", ("Content-Type: application/xml",))),
            ((401,), message("GET", "/users/me", "no-such-token")),
            ((413,), message("POST", item, token, big)),
            ((400,), message("POST", item, token, gzipped(b'{"fields"')[:-4], ("Content-Encoding: gzip",))),
            ((400,), b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"),
            ((400,), b"GET /records/Item HTTP/1.1\r\nHost : a\r\n\r\n"),
            ((400,), b"nonsense\r\n\r\n"),
            ((413,), message("POST", item, token, None, ("Content-Length: 30000000",))),
            ((431,), message("GET", item, token, None, tuple(f"X-{n}: {'y' * 900}" for n in range(80)))),
            ((414,), message("GET", "/query/Item?where=" + "a" * 70_000, token)),
            ((505,), b"GET / HTTP/9.1\r\nHost: a\r\n\r\n"),
        ])
        try:
            response = self.send(request)
        except (ConnectionError, http.client.HTTPException):
            # The server rejected the request before all of it had come, and the reset discarded the response. One that
            # comes in one piece cannot be rejected before.
            self.require(len(request) > ONE_PIECE, f"{request[:80]!r} was reset")
            self.add("resets")
            return
        if response.status not in statuses:
            raise Problem(f"{request[:80]!r} returned {response.status}, expected {statuses}: {response.body[:200]!r}")


class ConnectionClient(SoakClient):
    """Connections that are closed at once, or in the middle of a request or a response."""

    kind, rate = "connections", 8

    def act(self) -> None:
        self.random.choice([self.touch, self.touch, self.flock, self.half_head, self.half_body, self.half_upload,
                            self.deaf, self.hasty])()
        self.add("connections")

    def line(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.shared.port), 20)

    def touch(self) -> None:
        self.line().close()

    def flock(self) -> None:
        lines = [self.line() for _ in range(20)]
        for one in lines:
            one.sendall(message("GET", "/health/live", None))
        for one in lines:
            one.close()

    def half(self, request: bytes) -> None:
        with self.line() as line:
            line.sendall(request)
            self.stopping.wait(self.random.choice([0, 0, 0.05, 1]))

    def half_head(self) -> None:
        request = message("GET", "/records/Item?limit=5", self.shared.token)
        self.half(request[:self.random.randrange(1, len(request) - 2)])

    def half_body(self) -> None:
        request = message("POST", "/records/Item", self.shared.token, {"fields": {"text": "x" * 50_000}})
        self.half(request[:self.random.randrange(300, len(request) - 2)])

    def half_upload(self) -> None:
        request = message("POST", "/assets", self.shared.token, b"x" * 400_000, ("Content-Type: image/png",))
        self.half(request[:self.random.randrange(300, len(request) - 2)])

    def deaf(self) -> None:
        """Requests large pages and does not wait for them."""
        self.half(message("GET", "/records/Item?limit=1000", self.shared.token) * 3)

    def hasty(self) -> None:
        """Pipelines requests on one connection; each must get a response."""
        count = 12
        with self.line() as line:
            line.sendall(message("GET", "/health/live", None) * (count - 1)
                         + message("GET", "/health/live", None, None, ("Connection: close",)))
            received = b""
            while piece := line.recv(65_536):
                received += piece
        self.require(received.count(b"HTTP/1.1 200") == count, f"{count} requests at once gave {received[:200]!r}")
