"""A PostgreSQL cluster of our own in the work directory, from Debian's package; the system's cluster is left alone."""
import os
import pwd
import shutil
import signal
import subprocess
import time
from pathlib import Path

from Tests.bench.peers.peer import end
from Tests.harness.errors import Problem

# Settings that differ from PostgreSQL's defaults. Durability is a default, but is set explicitly.
SETTINGS = {
    "fsync": "on",
    "synchronous_commit": "on",
    "full_page_writes": "on",
    "listen_addresses": "''",
    "shared_buffers": "512MB",
    "max_wal_size": "4GB",
    "max_connections": "100",
    "jit": "off",
}


class Postgres:
    """One cluster with a socket in its directory. `user` is its superuser and `database` its only database."""
    user, database = "kinto", "kinto"

    def __init__(self, directory: Path):
        self.directory, self.data, self.sockets = directory, directory / "cluster", directory / "socket"
        self.binaries = _binaries()
        self.child: subprocess.Popen | None = None
        self.command: list[str] = []
        # PostgreSQL does not run as root; Debian's package has an account for it.
        self.account = _account() if os.geteuid() == 0 else None

    def start(self) -> None:
        self.sockets.mkdir(parents=True)
        if self.account:
            for one in (self.directory, self.sockets):
                os.chown(one, self.account.pw_uid, self.account.pw_gid)
            self._check_reach()
        self._run("initdb", "-D", str(self.data), "-U", self.user, "--auth=trust", "--encoding=UTF8",
                  "--locale=C.UTF-8")
        self.command = [str(self.binaries / "postgres"), "-D", str(self.data), "-k", str(self.sockets)]
        for name, value in SETTINGS.items():
            self.command += ["-c", f"{name}={value.strip(chr(39))}"]
        with open(self.directory / "postgres.log", "wb") as log:
            self.child = subprocess.Popen(self.command, stdout=log, stderr=log, **self._as_account())
        for _ in range(200):
            if self._ready() or self.child.poll() is not None:
                break
            time.sleep(0.1)
        if not self._ready():
            raise Problem("PostgreSQL did not start: " + (self.directory / "postgres.log").read_text()[-400:])
        self.sql(f"CREATE DATABASE {self.database} ENCODING 'UTF8'", database="postgres")

    def stop(self) -> None:
        # SIGINT is its fast shutdown: it does not wait until clients have left.
        end(self.child, signal.SIGINT)

    def sql(self, text: str, database: str | None = None, rows: str | None = None) -> str:
        """Runs a statement; `rows` is the input of a COPY from stdin."""
        command = [str(self.binaries / "psql"), "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-h",
                   str(self.sockets), "-U", self.user, "-d", database or self.database, "-c", text]
        done = subprocess.run(command, input=rows or "", capture_output=True, text=True)
        if done.returncode != 0:
            raise Problem(f"PostgreSQL refused `{text[:80]}`: {done.stderr.strip()[-300:]}")
        return done.stdout.strip()

    @property
    def url(self) -> str:
        return f"postgresql://{self.user}@/{self.database}?host={self.sockets}"

    def version(self) -> str:
        return self.sql("SHOW server_version")

    def _ready(self) -> bool:
        command = [str(self.binaries / "pg_isready"), "-q", "-h", str(self.sockets)]
        return subprocess.run(command, capture_output=True).returncode == 0

    def _check_reach(self) -> None:
        done = subprocess.run(["ls", str(self.directory)], capture_output=True, **self._as_account())
        if done.returncode != 0:
            raise Problem(f"the account {self.account.pw_name} cannot reach {self.directory}: name a directory with "
                          "--work whose parents others may enter, or do not run this as root.")

    def _run(self, program: str, *arguments: str) -> None:
        done = subprocess.run([str(self.binaries / program), *arguments], capture_output=True, text=True,
                              cwd=self.directory, **self._as_account())
        if done.returncode != 0:
            raise Problem(f"{program} failed: {done.stderr.strip()[-300:]}")

    def _as_account(self) -> dict:
        if not self.account:
            return {}
        return {"user": self.account.pw_uid, "group": self.account.pw_gid, "extra_groups": []}


def _binaries() -> Path:
    """The newest of Debian's, which keeps them out of PATH, or those in PATH."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"), key=lambda one: int(one.parts[4].split(".")[0]))
    if found:
        return found[-1].parent
    if other := shutil.which("postgres"):
        return Path(other).resolve().parent
    raise Problem("PostgreSQL is missing: `apt-get install postgresql`, or leave Kinto out with --only.")


def _account() -> pwd.struct_passwd:
    try:
        return pwd.getpwnam("postgres")
    except KeyError:
        raise Problem("PostgreSQL does not run as root, and there is no account `postgres`: "
                      "run this as a user.") from None
