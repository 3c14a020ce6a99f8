"""Starts and stops the server under test."""
import contextlib
import os
import resource
import secrets
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path

from Tests.harness import process
from Tests.harness.client import Client
from Tests.harness.errors import Problem

# An unknown key is an error to the server, so `--env KEY=` takes one away, and `--env KEY=VALUE` adds one.
ENVIRONMENT = {
    "FOGBASE_LOG_ACCESS": "off",
    "FOGBASE_LIMITS_CONNECTIONS_PER_ADDRESS": "20000",
    # All clients come from one address, faster than any that is meant well.
    "FOGBASE_LIMITS_RATES": "off",
}
# For `make_anonymous_user`.
ANONYMOUS = {"FOGBASE_ACCOUNTS_ANONYMOUS": "on"}


# Below the range of ephemeral ports: while a server restarts, no client of another run can take its port.
PORTS = range(15_000, 32_000)


def free_port() -> int:
    """A free port, chosen independently of the seed: parallel runs with one seed must not collide."""
    for port in iter(lambda: PORTS[secrets.randbelow(len(PORTS))], None):
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(("127.0.0.1", port))
            return port


def raise_descriptor_limit(wanted: int = 65536) -> int:
    """Raises the limit of open files as far as the system lets us; the server inherits it."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < wanted:
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, wanted))
            return wanted
        except (ValueError, OSError):
            wanted = hard
    resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    return wanted


def doctor(binary: str, data: Path) -> str | None:
    """The problems that `fogbase doctor` finds in a data directory; `None` if all is consistent."""
    done = subprocess.run([binary, "doctor", "--data", str(data)], capture_output=True, text=True, timeout=300)
    if done.returncode == 0:
        return None
    return f"doctor ended with {done.returncode}: {done.stdout[-1500:]}{done.stderr[-500:]}"


class Server:
    """A `fogbase serve` process on a free port with one data directory."""

    def __init__(self, binary: str, data: Path, extra: dict[str, str], prefix: list[str] | None = None,
                 arguments: list[str] | None = None):
        self.binary, self.data, self.prefix, self.arguments = binary, data, prefix or [], arguments or []
        self.port, self.admin = free_port(), secrets.token_hex(24)
        self.child: subprocess.Popen | None = None
        self.environment = {key: value for key, value in os.environ.items() if not key.startswith("FOGBASE_")}
        settings = ENVIRONMENT | {"FOGBASE_ADMIN_TOKEN": self.admin} | extra
        self.environment.update({key: value for key, value in settings.items() if value})

    @property
    def pid(self) -> int:
        if self.child is None:
            raise Problem("the server is not running.")
        return self.child.pid

    def spawn(self) -> None:
        """Starts the process and returns at once."""
        # The server makes the data directory itself, with the permissions that `doctor` demands.
        self.data.parent.mkdir(parents=True, exist_ok=True)
        command = [*self.prefix, self.binary, "serve", "--host", "127.0.0.1", "--port", str(self.port),
                   "--data", str(self.data), *self.arguments]
        with open(self.log, "ab") as log:
            # close_fds=False lets Python use vfork, which keeps our own cost out of the start-up times.
            self.child = subprocess.Popen(command, env=self.environment, stdout=log, stderr=log,
                                          stdin=subprocess.DEVNULL, close_fds=False)

    def start(self, seconds: float = 60, path: str = "/health/ready") -> "Server":
        """Starts the process and waits until a path responds with 200."""
        self.spawn()
        self.wait_for(path, seconds)
        return self

    def wait_for(self, path: str, seconds: float = 60, pause: float = 0.02) -> None:
        limit = time.monotonic() + seconds
        client, last = Client(self.port, timeout=seconds), "no connection"
        while time.monotonic() < limit:
            if self.child and self.child.poll() is not None:
                raise Problem(f"the server ended with status {self.child.returncode}; it said: {self.last_words()}")
            try:
                response = client.send(b"GET %s HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" % path.encode())
                if response.status == 200:
                    client.close()
                    return
                last = f"status {response.status}"
            except OSError as error:
                last = str(error)
            time.sleep(pause)
        self.kill()
        raise Problem(f"{path} did not answer 200 within {seconds:.0f} s ({last}); {self.last_words()}")

    def stop(self, seconds: float = 60) -> None:
        """Sends SIGTERM and waits for a clean end."""
        if self.child is None:
            return
        if self.child.poll() is None:
            self.child.send_signal(signal.SIGTERM)
        try:
            status = self.child.wait(seconds)
        except subprocess.TimeoutExpired:
            self.kill()
            raise Problem(f"the server did not end within {seconds:.0f} s of SIGTERM.") from None
        self.child = None
        if status not in (0, -signal.SIGTERM, 128 + signal.SIGTERM):
            raise Problem(f"the server ended with status {status}; it said: {self.last_words()}")

    def kill(self) -> None:
        if self.child:
            self.child.kill()
            self.child.wait()
            self.child = None

    def __enter__(self) -> "Server":
        return self.start()

    def __exit__(self, *_) -> None:
        self.kill()

    def client(self, token: str | None = None) -> Client:
        return Client(self.port, token)

    def sign_up(self, name: str = "bench") -> str:
        """Makes a user and returns a session token."""
        body = {"name": f"{name}-{secrets.token_hex(6)}", "password": secrets.token_hex(16)}
        return self.client().call("POST", "/users", body, expect=(201,)).json()["token"]

    def make_anonymous_user(self) -> tuple[str, str]:
        """Makes a user without a password, which takes a third of a second of a processor to hash. Returns a session
        token and the record name. The server needs the settings `ANONYMOUS`."""
        made = self.client().call("POST", "/users/anonymous", {}, expect=(201,)).json()
        return made["token"], made["user"]["userRecordName"]

    def metrics(self) -> dict[str, float]:
        """The samples of /metrics by full name, labels included."""
        found = {}
        for line in self.client(self.admin).call("GET", "/metrics").body.decode().splitlines():
            name, _, value = line.rpartition(" ")
            if name and not name.startswith("#"):
                found[name] = float(value)
        return found

    def rss_anon(self) -> float:
        return process.rss_anon(self.pid)

    @property
    def log(self) -> Path:
        return self.data.with_name(self.data.name + ".log")

    def last_words(self) -> str:
        """The last lines of its output; of a sanitizer report the first ones, which name the error and its place."""
        try:
            said = self.log.read_text(errors="replace")
        except FileNotFoundError:
            return "nothing"
        report = said.find("==ERROR: ")
        return (said[report:report + 4_000] if report >= 0 else said[-600:]).strip() or "nothing"

    def copy_database(self, directory: Path) -> Path:
        """Stops the server, copies records.sqlite and its log into the directory `directory`, and starts it again."""
        self.stop()
        files = sorted(self.data.rglob("records.sqlite"), key=lambda one: one.stat().st_size)
        if not files:
            raise Problem(f"the server left no records.sqlite below {self.data}.")
        directory.mkdir(parents=True)
        for suffix in ("", "-wal"):
            source = files[-1].with_name(files[-1].name + suffix)
            if source.exists():
                shutil.copyfile(source, directory / source.name)
        self.start()
        return directory / "records.sqlite"
