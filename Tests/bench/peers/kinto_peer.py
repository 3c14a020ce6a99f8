"""Kinto with PostgreSQL, on gunicorn with one process per core."""
import base64
import json
import os
import secrets
import signal
import subprocess
import uuid
from pathlib import Path

from Tests.bench.packages import versions
from Tests.bench.peers.peer import Peer, end, request, wait_for
from Tests.bench.peers.postgres import SETTINGS, Postgres
from Tests.bench.peers.posts import DOOMED_THREAD, NEW_THREAD, THREADS, fields
from Tests.harness.client import Client
from Tests.harness.errors import Problem
from Tests.harness.server import free_port

COLLECTION = "/v1/buckets/bench/collections/posts"
RECORDS = COLLECTION + "/records"
THREADS_PER_PROCESS = 8
# Versions are milliseconds, unique in a collection: those of filled records are earlier than all others.
FIRST_MODIFIED = 1_700_000_000_000

CONFIGURATION = """\
[app:main]
use = egg:kinto
kinto.userid_hmac_secret = {secret}
multiauth.policies = basicauth
kinto.bucket_create_principals = system.Authenticated
kinto.storage_backend = kinto.core.storage.postgresql
kinto.storage_url = {url}
kinto.storage_pool_size = {threads}
kinto.cache_backend = kinto.core.cache.postgresql
kinto.cache_url = {url}
kinto.cache_pool_size = {threads}
kinto.permission_backend = kinto.core.permission.postgresql
kinto.permission_url = {url}
kinto.permission_pool_size = {threads}

[loggers]
keys = root

[handlers]
keys = console

[formatters]
keys =

[logger_root]
level = ERROR
handlers = console

[handler_console]
class = StreamHandler
args = (sys.stderr,)
level = NOTSET
"""


class KintoPeer(Peer):
    name = "kinto"
    # Kinto sends the tombstone in the response to a deletion.
    statuses = Peer.statuses | {"delete": 200}

    def __init__(self, directory: Path, binaries: Path):
        super().__init__(directory)
        self.binaries, self.postgres = binaries, Postgres(directory / "postgres")
        password = base64.b64encode(f"bench:{secrets.token_hex(8)}".encode()).decode()
        self.authorization = f"Basic {password}"
        self.child: subprocess.Popen | None = None
        self.command: list[str] = []

    def start(self) -> None:
        self.directory.mkdir(parents=True)
        self.postgres.start()
        configuration = self.directory / "kinto.ini"
        configuration.write_text(CONFIGURATION.format(secret=secrets.token_hex(16), url=self.postgres.url,
                                                      threads=THREADS_PER_PROCESS))
        done = subprocess.run([str(self.binaries / "kinto"), "migrate", "--ini", str(configuration)],
                              capture_output=True, text=True, cwd=self.directory)
        if done.returncode != 0:
            raise Problem(f"kinto migrate failed: {done.stderr.strip()[-400:]}")
        self.port = free_port()
        self.command = [str(self.binaries / "gunicorn"), "--paste", str(configuration), "--worker-class", "gthread",
                        "--workers", str(os.cpu_count()), "--threads", str(THREADS_PER_PROCESS),
                        "--bind", f"127.0.0.1:{self.port}", "--keep-alive", "75", "--log-level", "warning"]
        log = self.directory / "gunicorn.log"
        with open(log, "wb") as out:
            self.child = subprocess.Popen(self.command, stdout=out, stderr=out, cwd=self.directory)
        wait_for(self.child, self.port, "/v1/__heartbeat__", log)
        everybody = {"permissions": {"read": ["system.Everyone"]}}
        for path in ("/v1/buckets/bench", COLLECTION):
            response = Client(self.port).send(request("PUT", path, self.authorization, everybody))
            if response.status not in (200, 201):
                raise Problem(f"Kinto refused {path}: {response.body[:300]!r}")

    def stop(self) -> None:
        end(self.child, signal.SIGTERM)
        self.postgres.stop()

    def pids(self) -> list[int]:
        return [self.child.pid, self.postgres.child.pid]

    def facts(self) -> dict:
        found = versions(self.binaries)
        return {"versions": {name: found.get(name) for name in ("kinto", "gunicorn", "SQLAlchemy", "psycopg2-binary")}
                | {"postgresql": self.postgres.version()},
                "settings": f"gunicorn: {os.cpu_count()} processes of {THREADS_PER_PROCESS} threads; storage, cache "
                            "and permissions in PostgreSQL; basic authentication; PostgreSQL: "
                            + ", ".join(f"{name}={value}" for name, value in SETTINGS.items()),
                "commands": [" ".join(self.command), " ".join(self.postgres.command)]}

    def add(self, count: int) -> list[str]:
        """Straight into Kinto's table: through its interface this would take a quarter of an hour."""
        first = self.made == 0
        thread = THREADS if first else [DOOMED_THREAD]
        names, rows = [str(uuid.uuid4()) for _ in range(count)], []
        for place, name in enumerate(names):
            number = self.made + place
            # One in COPY's own text form: a backslash would have to be doubled, and our posts have none.
            data = json.dumps(fields(number, thread[number % len(thread)]))
            rows.append(f"{name}\t/buckets/bench/collections/posts\trecord\t{number}\t{data}\n")
        self.made += count
        self.postgres.sql("CREATE TABLE IF NOT EXISTS incoming "
                          "(id text, parent text, resource text, number bigint, data jsonb)")
        self.postgres.sql("COPY incoming FROM STDIN", rows="".join(rows))
        self.postgres.sql(
            "INSERT INTO objects (id, parent_id, resource_name, last_modified, data, deleted) SELECT id, parent, "
            f"resource, from_epoch({FIRST_MODIFIED} + number), data, FALSE FROM incoming ORDER BY number")
        self.postgres.sql("TRUNCATE incoming")
        if first:
            self.postgres.sql("VACUUM ANALYZE objects")
        return [f"{RECORDS}/{name}" for name in names]

    def create(self, number: int) -> bytes:
        return request("POST", RECORDS, self.authorization, {"data": fields(number, NEW_THREAD)})

    def update(self, path: str, title: str) -> bytes:
        return request("PATCH", path, self.authorization, {"data": {"title": title}})

    def delete(self, path: str) -> bytes:
        return request("DELETE", path, self.authorization)

    def page(self, thread: str) -> bytes:
        return request("GET", f"{RECORDS}?thread={thread}&_sort=-timestamp&_limit=50")

    def newest(self, body: bytes) -> list[int]:
        return [record["timestamp"] for record in json.loads(body)["data"]]
