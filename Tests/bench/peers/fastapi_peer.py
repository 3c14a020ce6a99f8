"""FastAPI on uvicorn with SQLite: the application in `board/`, one process per core."""
import hashlib
import json
import os
import secrets
import signal
import sqlite3
import subprocess
from pathlib import Path

from Tests.bench.packages import versions
from Tests.bench.peers.peer import Peer, end, request, wait_for
from Tests.bench.peers.posts import DOOMED_THREAD, NEW_THREAD, THREADS, fields
from Tests.harness.server import free_port

APPLICATION = Path(__file__).with_name("board")


class FastAPIPeer(Peer):
    name = "fastapi"

    def __init__(self, directory: Path, binaries: Path):
        super().__init__(directory)
        self.binaries, self.database = binaries, directory / "board.sqlite"
        self.authorization = "Bearer " + secrets.token_hex(16)
        self.child: subprocess.Popen | None = None
        self.command: list[str] = []

    def start(self) -> None:
        self.directory.mkdir(parents=True)
        with sqlite3.connect(self.database) as connection:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.executescript((APPLICATION / "schema.sql").read_text())
            token = self.authorization.removeprefix("Bearer ").encode()
            connection.execute("INSERT INTO session VALUES (?, 1)", (hashlib.sha256(token).digest(),))
        connection.close()
        self.port = free_port()
        self.command = [str(self.binaries / "uvicorn"), "board:app", "--app-dir", str(APPLICATION),
                        "--host", "127.0.0.1", "--port", str(self.port), "--workers", str(os.cpu_count()),
                        "--loop", "uvloop", "--http", "httptools", "--no-access-log", "--log-level", "warning"]
        log = self.directory / "uvicorn.log"
        environment = os.environ | {"BOARD_DATABASE": str(self.database), "PYTHONDONTWRITEBYTECODE": "1"}
        with open(log, "wb") as out:
            self.child = subprocess.Popen(self.command, stdout=out, stderr=out, env=environment)
        wait_for(self.child, self.port, "/posts?thread=none", log)

    def stop(self) -> None:
        end(self.child, signal.SIGTERM)

    def pids(self) -> list[int]:
        return [self.child.pid]

    def facts(self) -> dict:
        found = versions(self.binaries)
        names = ("fastapi", "uvicorn", "uvloop", "httptools", "pydantic")
        return {"versions": {name: found.get(name) for name in names}
                | {"python": _python(self.binaries), "sqlite": sqlite3.sqlite_version},
                "settings": f"{os.cpu_count()} processes, a connection each; journal_mode=WAL, synchronous=FULL, "
                            "cache 64 MB, mmap 1 GB; index on (thread, timestamp DESC)",
                "commands": [" ".join(self.command)]}

    def add(self, count: int) -> list[str]:
        thread = THREADS if self.made == 0 else [DOOMED_THREAD]
        rows = [{"owner": 1, "created": 0, "modified": 0} | fields(number, thread[number % len(thread)])
                for number in range(self.made, self.made + count)]
        self.made += count
        names = list(rows[0])
        connection = sqlite3.connect(self.database, timeout=30)
        with connection:
            first = connection.execute("SELECT coalesce(max(id), 0) + 1 FROM post").fetchone()[0]
            connection.executemany(f"INSERT INTO post (id, {', '.join(names)}) VALUES (:id, :{', :'.join(names)})",
                                   (row | {"id": first + place} for place, row in enumerate(rows)))
        connection.close()
        return [f"/posts/{first + place}" for place in range(count)]

    def create(self, number: int) -> bytes:
        return request("POST", "/posts", self.authorization, fields(number, NEW_THREAD))

    def update(self, path: str, title: str) -> bytes:
        return request("PATCH", path, self.authorization, {"title": title})

    def delete(self, path: str) -> bytes:
        return request("DELETE", path, self.authorization)

    def page(self, thread: str) -> bytes:
        return request("GET", f"/posts?thread={thread}&limit=50")

    def newest(self, body: bytes) -> list[int]:
        return [post["timestamp"] for post in json.loads(body)["posts"]]


def _python(binaries: Path) -> str:
    done = subprocess.run([str(binaries / "python"), "--version"], capture_output=True, text=True)
    return done.stdout.removeprefix("Python ").strip()
