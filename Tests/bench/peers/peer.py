"""The interface of each compared server: a start, a filling, and the messages of each kind of work."""
import subprocess
import time
from abc import ABC, abstractmethod
from pathlib import Path

from Tests.bench.peers.posts import THREADS
from Tests.harness.client import Client, encode
from Tests.harness.errors import Problem

# As many posts as are created in turn, and as are read or changed in turn.
CREATES = 512
TOUCHED = 4000


class Peer(ABC):
    """A server over a directory of its own. `name` is its label, `statuses` has the success status of each work."""
    name: str
    statuses = {"create": 201, "read": 200, "page": 200, "update": 200, "delete": 204}

    def __init__(self, directory: Path):
        self.directory = directory
        self.port = 0
        self.made = 0

    @abstractmethod
    def start(self) -> None:
        """Starts the server, empty, and returns when it responds."""

    @abstractmethod
    def stop(self) -> None:
        """Ends all its processes."""

    @abstractmethod
    def pids(self) -> list[int]:
        """The processes whose families are the server; the first one takes the requests."""

    @abstractmethod
    def facts(self) -> dict:
        """Versions, settings and commands."""

    @abstractmethod
    def add(self, count: int) -> list[str]:
        """Adds posts by the fastest way there is, not measured, and returns the paths of all or some of them."""

    @abstractmethod
    def create(self, number: int) -> bytes:
        """A message that creates a post."""

    @abstractmethod
    def update(self, path: str, title: str) -> bytes:
        """A message that changes one field of a post."""

    @abstractmethod
    def delete(self, path: str) -> bytes:
        """A message that deletes a post."""

    @abstractmethod
    def page(self, thread: str) -> bytes:
        """A message that asks for the 50 newest posts of a thread."""

    @abstractmethod
    def newest(self, body: bytes) -> list[int]:
        """The timestamps in the response to `page`, in its order."""

    def read(self, path: str) -> bytes:
        return request("GET", path)

    def check(self) -> None:
        """One page is looked at, so that no server is measured with a response that is not the right one."""
        response = Client(self.port).send(self.page(THREADS[0]))
        if response.status != 200:
            raise Problem(f"{self.name}: a page answered {response.status}: {response.body[:300]!r}")
        found = self.newest(response.body)
        if len(found) != 50 or found != sorted(found, reverse=True):
            raise Problem(f"{self.name}: a page is not the 50 newest posts of its thread: {found[:5]} …")


def request(method: str, path: str, authorization: str = "", body: dict | None = None) -> bytes:
    """The bytes of one HTTP/1.1 request."""
    content = b"" if body is None else encode(body)
    lines = [f"{method} {path} HTTP/1.1", "Host: 127.0.0.1"]
    if authorization:
        lines.append(f"Authorization: {authorization}")
    if body is not None:
        lines += ["Content-Type: application/json", f"Content-Length: {len(content)}"]
    return ("\r\n".join(lines) + "\r\n\r\n").encode() + content


def wait_for(child: subprocess.Popen, port: int, path: str, log: Path, seconds: float = 60) -> None:
    """Waits until `path` gets any status below 500."""
    limit = time.monotonic() + seconds
    while time.monotonic() < limit:
        if child.poll() is not None:
            break
        client = Client(port, timeout=5)
        try:
            if client.send(request("GET", path)).status < 500:
                return
        except OSError:
            time.sleep(0.05)
        finally:
            client.close()
    words = log.read_text(errors="replace")[-600:].strip() if log.exists() else ""
    raise Problem(f"{child.args[0]} did not answer on {path}: {words or 'it said nothing'}")


def end(child: subprocess.Popen | None, signal_number: int, seconds: float = 20) -> None:
    """Asks a process to end, and makes it end if it does not."""
    if child is None or child.poll() is not None:
        return
    child.send_signal(signal_number)
    try:
        child.wait(seconds)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()
