"""The visitors with accounts, those without manners, and those who do not stay."""
import http.client
import secrets
import socket

import paths  # noqa: F401
from visitor import Visitor, gzipped, request_of
from watched import Problem


class Guest(Visitor):
    """Signs up rarely, and signs in and out: accounts stay, sessions end."""

    kind, rate = "accounts", 0.25

    def begin(self) -> None:
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
        self.tell("sessions")

    @staticmethod
    def body(account: tuple[str, str]) -> dict:
        return {"name": account[0], "password": account[1]}


class Rude(Visitor):
    """Requests that are wrong, each with the answer that it must have."""

    kind, rate = "wrong requests", 4

    def act(self) -> None:
        token = self.town.token
        item = "/records/Item"
        big = {"fields": {"text": "x" * 1_100_000}}
        statuses, request = self.random.choice([
            ((400,), request_of("POST", item, token, b'{"fields":{"version":')),
            ((400,), request_of("POST", item, token, {"fields": {"version": "no number"}})),
            ((400,), request_of("POST", item, token, {"fields": {}, "unknown": 1})),
            ((400,), request_of("GET", "/query/Item?where=bucket%20%3D%3D", token)),
            ((400,), request_of("GET", "/query/Item?cursor=AAAA", token)),
            ((400, 410), request_of("GET", "/changes?since=AAAA", token)),
            ((404,), request_of("GET", "/records/Item/there-is-none", token)),
            ((404,), request_of("GET", "/no/such/route", token)),
            ((404,), request_of("DELETE", "/records/Item/there-is-none", token)),
            ((405,), request_of("PUT", "/records", token, {})),
            ((415,), request_of("POST", item, token, b"<a/>", ("Content-Type: application/xml",))),
            ((401,), request_of("GET", "/users/me", "no-such-token")),
            ((413,), request_of("POST", item, token, big)),
            ((400,), request_of("POST", item, token, gzipped(b'{"fields"')[:-4], ("Content-Encoding: gzip",))),
            ((400,), b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"),
            ((400,), b"GET /records/Item HTTP/1.1\r\nHost : a\r\n\r\n"),
            ((400,), b"nonsense\r\n\r\n"),
            ((413,), request_of("POST", item, token, None, ("Content-Length: 30000000",))),
            ((431,), request_of("GET", item, token, None, tuple(f"X-{n}: {'y' * 900}" for n in range(80)))),
            ((414,), request_of("GET", "/query/Item?where=" + "a" * 70_000, token)),
            ((505,), b"GET / HTTP/9.1\r\nHost: a\r\n\r\n"),
        ])
        try:
            answer = self.send(request)
        except (ConnectionError, http.client.HTTPException):
            # It had refused the request before all of it had come, and the answer was lost with the connection.
            self.tell("resets")
            return
        if answer.status not in statuses:
            raise Problem(f"{request[:80]!r} answered {answer.status}, expected {statuses}: {answer.body[:200]!r}")


class Bird(Visitor):
    """Connections that are opened and closed at once, or in the middle of a request, or of an answer."""

    kind, rate = "connections", 8

    def act(self) -> None:
        self.random.choice([self.touch, self.touch, self.flock, self.half_head, self.half_body, self.half_upload,
                            self.deaf, self.hasty])()
        self.tell("connections")

    def line(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.town.port), 20)

    def touch(self) -> None:
        self.line().close()

    def flock(self) -> None:
        lines = [self.line() for _ in range(20)]
        for one in lines:
            one.sendall(request_of("GET", "/health/live", None))
        for one in lines:
            one.close()

    def half(self, request: bytes) -> None:
        with self.line() as line:
            line.sendall(request)
            self.stopping.wait(self.random.choice([0, 0, 0.05, 1]))

    def half_head(self) -> None:
        request = request_of("GET", "/records/Item?limit=5", self.town.token)
        self.half(request[:self.random.randrange(1, len(request) - 2)])

    def half_body(self) -> None:
        request = request_of("POST", "/records/Item", self.town.token, {"fields": {"text": "x" * 50_000}})
        self.half(request[:self.random.randrange(300, len(request) - 2)])

    def half_upload(self) -> None:
        request = request_of("POST", "/assets", self.town.token, b"x" * 400_000, ("Content-Type: image/png",))
        self.half(request[:self.random.randrange(300, len(request) - 2)])

    def deaf(self) -> None:
        """Asks for much and does not wait for it."""
        self.half(request_of("GET", "/records/Item?limit=1000", self.town.token) * 3)

    def hasty(self) -> None:
        """Several requests at once on one connection; all are answered."""
        count = 12
        with self.line() as line:
            line.sendall(request_of("GET", "/health/live", None) * (count - 1)
                         + request_of("GET", "/health/live", None, None, ("Connection: close",)))
            received = b""
            while piece := line.recv(65_536):
                received += piece
        self.require(received.count(b"HTTP/1.1 200") == count, f"{count} requests at once gave {received[:200]!r}")
