"""Receivers of webhooks that hang, answer garbage, redirect, or never end their response."""
import contextlib
import socket
import threading
import time

from Tests.abuse.attack import Probes, Result
from Tests.abuse.target import Target
from Tests.abuse.trial import Scenario
from Tests.harness.client import Client
from Tests.harness.errors import Problem

LIMITS = {"webhooks.allow_private": "127.0.0.1/32"}
# The server allows 50 webhooks.
PER_KIND = 8
# Kinds whose attempts end soon.
QUICK = ("garbage", "redirect", "closing")


class Receivers(Probes):
    """A listener per kind, and webhooks that send to it. The probes read what became of the messages."""

    def __init__(self, target: Target):
        self.target, self.admin = target, target.server.admin
        self.trap = listener()
        self.caught = 0
        kinds = {"hanging": self.hang, "garbage": self.garbage, "redirect": self.redirect, "endless": self.endless,
                 "dripping": self.drip, "closing": lambda connection: None}
        self.sockets = {name: listener() for name in kinds} | {"trap": self.trap}
        self.is_over = threading.Event()
        for name, serve in kinds.items():
            threading.Thread(target=self.accept, args=(self.sockets[name], serve), daemon=True).start()
        threading.Thread(target=self.accept, args=(self.trap, self.catch), daemon=True).start()
        client = target.client(self.admin)
        self.webhooks = [(name, client.call("POST", "/webhooks", {
            "url": f"http://127.0.0.1:{self.sockets[name].getsockname()[1]}/", "types": ["Note"]},
            expect=(201,)).json()["id"])
            for name in kinds for _ in range(PER_KIND)]
        client.close()
        super().__init__(self.probe_deliveries, self.webhooks, checks=[self.check])

    def accept(self, socket_: socket.socket, serve) -> None:
        with contextlib.suppress(OSError):
            while True:
                connection, _ = socket_.accept()
                threading.Thread(target=self.answer, args=(connection, serve), daemon=True).start()

    @staticmethod
    def answer(connection: socket.socket, serve) -> None:
        with connection, contextlib.suppress(OSError):
            connection.settimeout(60)
            connection.recv(65536)
            serve(connection)

    def hang(self, connection: socket.socket) -> None:
        self.is_over.wait(60)

    def garbage(self, connection: socket.socket) -> None:
        connection.sendall(b"\x00\xff HTTP/9.9 -1 \r\r\n\n" + bytes(range(256)) * 64)

    def redirect(self, connection: socket.socket) -> None:
        address = f"http://127.0.0.1:{self.trap.getsockname()[1]}/latest/meta-data/"
        connection.sendall(f"HTTP/1.1 307 Moved\r\nLocation: {address}\r\nContent-Length: 0\r\n\r\n".encode())

    def endless(self, connection: socket.socket) -> None:
        connection.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        while not self.is_over.is_set():
            connection.sendall(b"10000\r\n" + b"a" * 65536 + b"\r\n")

    def drip(self, connection: socket.socket) -> None:
        connection.sendall(b"HTTP/1.1 200 OK\r\nX: ")
        while not self.is_over.wait(0.5):
            connection.sendall(b"a")

    def catch(self, connection: socket.socket) -> None:
        self.caught += 1

    def probe_deliveries(self, port: int, attempt: tuple[str, str]) -> list[str]:
        kind, webhook = attempt
        client = Client(port, self.admin)
        found = client.call("GET", f"/webhooks/{webhook}/deliveries").json()["deliveries"]
        client.close()
        return [f"a message to the {kind} receiver counts as delivered: {one}" for one in found
                if one["delivered"] and kind != "endless"]

    def check(self, result: Result) -> list[str]:
        """The messages were sent, and no redirect was followed."""
        client = self.target.client(self.admin)
        attempts = {name: len(client.call("GET", f"/webhooks/{webhook}/deliveries").json()["deliveries"])
                    for name, webhook in self.webhooks if name in QUICK}
        client.close()
        found = [f"no message to the {name} receiver was tried" for name, count in attempts.items() if not count]
        return found + ([f"{self.caught} redirects were followed"] if self.caught else [])

    def remove_files(self, directory) -> None:
        self.is_over.set()
        client = self.target.client(self.admin)
        with contextlib.suppress(Problem, OSError):
            for _, webhook in self.webhooks:
                client.call("DELETE", f"/webhooks/{webhook}")
        client.close()
        for one in self.sockets.values():
            one.close()


def listener() -> socket.socket:
    return socket.create_server(("127.0.0.1", 0), backlog=128)


def receivers(target: Target) -> list[Probes]:
    attack = Receivers(target)
    # The first messages are on their way before the attack counts.
    time.sleep(0.5)
    return [attack]


SCENARIOS = [
    Scenario("webhook-receivers", "receivers that hang, answer garbage, redirect, drip, close or never end",
             receivers, LIMITS, seconds=8),
]
