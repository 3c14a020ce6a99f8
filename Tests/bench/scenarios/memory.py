"""Memory: at rest, and with ten thousand connections that do nothing."""
import errno
import selectors
import socket
import time
from collections.abc import Callable, Iterator

from Tests.bench.context import Context, Scenario
from Tests.bench.report import Row
from Tests.harness.errors import Problem
from Tests.harness.server import raise_descriptor_limit

REQUEST = b"GET /health/live HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"


def rss_idle(context: Context) -> Iterator[Row]:
    with context.server() as server:
        time.sleep(2)
        memory = server.rss_anon()
        yield Row("rss-idle", memory, "MB", floor=25, rss_mb=memory, notes=["RssAnon 2 s after the start"])


def rss_load(context: Context) -> Iterator[Row]:
    """Not in the list: bench.py asks for it after the loads of the same run."""
    if context.highest_rss:
        name, memory = max(context.highest_rss.items(), key=lambda item: item[1])
        yield Row("rss-load", memory, "MB", floor=60, rss_mb=memory, notes=[f"the highest was during {name}"])


def idle_connections(context: Context) -> Iterator[Row]:
    wanted = 1000 if context.options.quick else 10_000
    if raise_descriptor_limit() < wanted + 200:
        raise Problem(f"{wanted} connections need more open files than the system allows: raise `ulimit -Hn`.")
    with context.server() as server:
        time.sleep(1)
        idle = server.rss_anon()
        start = time.monotonic()
        connections = connect(server.port, wanted, _ask)
        try:
            opened = time.monotonic() - start
            time.sleep(1)
            memory = server.rss_anon()
            closed = _closed(connections)
            for one in connections[:: max(1, wanted // 100)]:
                _ask(one)
        finally:
            for one in connections:
                one.close()
        notes = [f"{wanted} connections opened in {opened:.1f} s, {(memory - idle) * 1e6 / wanted:,.0f} bytes each"]
        if closed:
            notes.append(f"the server closed {closed} of them")
        yield Row("idle-connections", memory, "MB", floor=100, rss_mb=memory, errors=closed, notes=notes)


def connect(port: int, count: int, ask: Callable[[socket.socket], None]) -> list[socket.socket]:
    """Connections that have each passed `ask`. A source address that runs out of ports is followed by the next."""
    connections, source = [], 1
    while len(connections) < count:
        one = socket.socket()
        one.settimeout(20)
        try:
            if source > 1:
                # The port is chosen at connect, so that the pair with the server's must be free, not the port alone.
                one.setsockopt(socket.IPPROTO_IP, getattr(socket, "IP_BIND_ADDRESS_NO_PORT", 24), 1)
                one.bind((f"127.0.0.{source}", 0))
            one.connect(("127.0.0.1", port))
            ask(one)
        except OSError as error:
            one.close()
            if error.errno in (errno.EADDRNOTAVAIL, errno.EADDRINUSE) and source < 20:
                source += 1
                continue
            raise Problem(f"connection {len(connections) + 1} failed: {error}; does a limit of connections stand "
                          "in the way (see --env)?") from None
        connections.append(one)
    return connections


def _ask(connection: socket.socket) -> None:
    connection.sendall(REQUEST)
    response = connection.recv(65536)
    if not response.startswith(b"HTTP/1.1 200"):
        raise OSError(errno.EPROTO, f"answered {response[:60]!r}")


def _closed(connections: list[socket.socket]) -> int:
    """How many connections have something to read: after their one response that can only be their end."""
    with selectors.DefaultSelector() as selector:
        for one in connections:
            selector.register(one, selectors.EVENT_READ)
        # epoll reports at most as many as it has room for, which Python sizes by the registrations.
        return len(selector.select(timeout=0))


SCENARIOS = [
    Scenario("rss-idle", "RssAnon of an idle server", rss_idle),
    Scenario("idle-connections", "RssAnon with 10,000 idle keep-alive connections", idle_connections),
]
