"""The large data sets: a forum of threads in the public database, and the private forums of many users.

Each is filled once and kept below the directory of the bench.
"""
import json
import secrets
import shutil
import sqlite3
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from Tests.bench.bare_query import BareQuery
from Tests.bench.context import HERE, Context
from Tests.bench.index_keys import KeyRange
from Tests.bench.sample_records import fields
from Tests.harness import tools
from Tests.harness.client import Client, message
from Tests.harness.errors import Problem
from Tests.harness.server import Server

TYPE = "Post"
THREAD_POSTS = 1000
BOARDS = 10
PRIVATE_POSTS = 100
# The users of the private forums who can sign in; the others are rows that no request reads.
SIGNED_UP = 32
BATCH = 200
SCHEMA = {"types": {TYPE: {
    "fields": {"title": {"type": "STRING"}, "body": {"type": "STRING"}, "author": {"type": "STRING"},
               "likes": {"type": "INT64"}, "rating": {"type": "DOUBLE"}, "threadname": {"type": "STRING"},
               "timestamp": {"type": "TIMESTAMP"}, "board": {"type": "STRING", "indexes": ["QUERYABLE"]}},
    "indexes": [{"fields": ["threadname", "-timestamp"]}],
}}}
# Of a forum with access lists: each reader may see one record of so many.
SHARES = (1, 10, 1000)


@dataclass
class Forum:
    """A running server over a data set of so many posts."""
    server: Server
    records: int
    token: str
    directory: Path

    @property
    def threads(self) -> list[str]:
        return [thread(number) for number in range(max(1, self.records // THREAD_POSTS))]

    @property
    def database(self) -> Path:
        return next(self.directory.rglob("records.sqlite"))


def thread(number: int) -> str:
    return f"thread-{number:05}"


def board(number: int) -> str:
    return f"board-{number}"


@contextmanager
def forum(context: Context, records: int, copy: bool = False) -> Iterator[Forum]:
    """A forum of threads of a thousand posts each, which lie in turn in the file: thread 0, 1, 2 … and again.

    With `copy` the scenario may change it.
    """
    directory = filled(context, f"forum-{records}", lambda server: _fill_forum(server, records))
    made = json.loads((directory / "filled.json").read_text())
    with running(context, directory / "data", copy) as server:
        token = sign_in(server, made["user"])
        yield Forum(server, records, token, server.data)


@dataclass
class PrivateForum(Forum):
    """`users` are the callers: record names and tokens."""
    users: list[tuple[str, str]]


@contextmanager
def private_forums(context: Context, users: int, copy: bool = False) -> Iterator[PrivateForum]:
    """So many users with a hundred private posts each, three in four of them in the first thread.

    With `copy` another server may run over the same data.
    """
    directory = filled(context, f"private-{users}", lambda server: _fill_private(server, users))
    made = json.loads((directory / "filled.json").read_text())
    with running(context, directory / "data", copy) as server:
        signed_in = [(user["record"], sign_in(server, user)) for user in made["users"]]
        yield PrivateForum(server, users * PRIVATE_POSTS, signed_in[0][1], server.data, signed_in)


@dataclass
class ListedForum(Forum):
    """The tokens of the `readers` by `SHARES`."""
    readers: list[str]


@contextmanager
def listed_forum(context: Context, records: int) -> Iterator[ListedForum]:
    """A forum whose posts have access lists: a role may read all of them, another a tenth, another a thousandth."""
    directory = filled(context, f"listed-{records}", lambda server: _fill_listed(server, records))
    made = json.loads((directory / "filled.json").read_text())
    with running(context, directory / "data", copy=False) as server:
        yield ListedForum(server, records, sign_in(server, made["user"]), server.data,
                          [sign_in(server, user) for user in made["readers"]])


def bare_query(context: Context, forum: Forum, ranges: list[KeyRange], database: Path | None = None) -> BareQuery:
    program = tools.compile_program(HERE / "bare_query.c", context.directory, "sqlite3")
    return BareQuery(program, database or forum.database, ranges, context.fresh_directory("keys"),
                     context.options.mmap_bytes)


def copy_data(source: Path, directory: Path) -> Path:
    """Copies the data directory of a server that does not run."""
    shutil.copytree(source, directory, ignore=shutil.ignore_patterns("*-shm", "*.lock"))
    return directory


def post(number: int, thread_name: str, board_name: str) -> bytes:
    """The fields of a post as JSON; the title and the text repeat after 64 posts."""
    likes, rating = number * 7919 % 100_003, number * 104_729 % 1_000 / 100 + 0.005
    return (b'{%s,"author":"writer-%03d","likes":%d,"rating":%.3f,"threadname":"%s",'
            b'"timestamp":{"value":%d,"type":"TIMESTAMP"},"board":"%s"}'
            % (_TEXTS[number % len(_TEXTS)], number % 100, likes, rating, thread_name.encode(),
               1_700_000_000_000 + number, board_name.encode()))


def batch(posts: list[bytes]) -> bytes:
    """The body of a batch that creates posts."""
    operations = (b'{"operationType":"create","record":{"recordType":"%s","fields":%s}}' % (TYPE.encode(), one)
                  for one in posts)
    return b'{"operations":[%s]}' % b",".join(operations)


def _text(number: int) -> bytes:
    given = fields(number)
    return ('"title":%s,"body":%s' % (json.dumps(given["title"]), json.dumps(given["body"]))).encode()


_TEXTS = [_text(number) for number in range(64)]


# Filling

@contextmanager
def running(context: Context, data: Path, copy: bool) -> Iterator[Server]:
    if not copy:
        with context.server(data) as server:
            yield server
        return
    directory = copy_data(data, context.fresh_directory("copy"))
    try:
        with context.server(directory) as server:
            yield server
    finally:
        shutil.rmtree(directory, ignore_errors=True)


def filled(context: Context, name: str, fill: Callable[[Server], dict]) -> Path:
    """Fills the data directory unless that was done; `fill` returns the facts that are stored with it."""
    directory = context.options.work.resolve() / name
    marker = directory / "filled.json"
    if context.options.refill and name not in context.refilled:
        shutil.rmtree(directory, ignore_errors=True)
    context.refilled.add(name)
    if marker.exists():
        return directory
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    began = time.monotonic()
    with context.server(directory / "data") as server:
        made = fill(server)
    marker.write_text(json.dumps(made))
    print(f"filled {name} in {time.monotonic() - began:.0f} s", flush=True)
    return directory


def _fill_forum(server: Server, records: int) -> dict:
    user = sign_up(server)
    token = sign_in(server, user)
    server.client(server.admin).call("PUT", "/schema", SCHEMA)
    threads = max(1, records // THREAD_POSTS)

    def posts(start: int) -> bytes:
        return batch([post(number, thread(number % threads), board(number % BOARDS))
                      for number in range(start, min(start + BATCH, records))])

    send_all(server, lambda start: message("POST", "/records", token, posts(start)), range(0, records, BATCH))
    return {"user": user}


def _fill_listed(server: Server, records: int) -> dict:
    user, readers = sign_up(server), [sign_up(server) for _ in SHARES]
    token, admin = sign_in(server, user), server.client(server.admin)
    admin.call("PUT", "/schema", SCHEMA)
    for share, reader in zip(SHARES, readers):
        admin.call("PUT", f"/roles/one_of_{share}", {"members": [reader["record"]]}, expect=(201,))
    threads = max(1, records // THREAD_POSTS)

    def operation(number: int) -> bytes:
        names = [f'"role:one_of_{share}":["read"]' for share in SHARES
                 if number // BOARDS % share == 0]
        return b'{"operationType":"create","record":{"recordType":"%s","fields":%s,"acl":{%s}}}' % (
            TYPE.encode(), post(number, thread(number % threads), board(number % BOARDS)), ",".join(names).encode())

    def posts(start: int) -> bytes:
        return b'{"operations":[%s]}' % b",".join(
            operation(number) for number in range(start, min(start + BATCH, records)))

    send_all(server, lambda start: message("POST", "/records", token, posts(start)), range(0, records, BATCH))
    return {"user": user, "readers": readers}


def _fill_private(server: Server, count: int) -> dict:
    users = [sign_up(server) for _ in range(min(SIGNED_UP, count))]
    server.client(server.admin).call("PUT", "/schema", SCHEMA)
    owners = [user["record"] for user in users] + _add_users(server, count - len(users))
    body = batch([post(number, thread(number % 4 == 3), board(number % BOARDS)) for number in range(PRIVATE_POSTS)])

    def request(number: int) -> bytes:
        return message("POST", f"/records?database=private&owner={owners[number]}", server.admin, body)

    # The owners with requests are spread among the others.
    order = sorted(range(count), key=lambda number: number * 7919 % 10_007)
    send_all(server, request, order)
    return {"users": users}


def _add_users(server: Server, count: int) -> list[str]:
    """Accounts without a password, written into the file: hashing ten thousand passwords would take an hour."""
    server.stop()
    names = ["_" + secrets.token_hex(16) for _ in range(count)]
    with sqlite3.connect(next(server.data.rglob("records.sqlite"))) as connection:
        connection.executemany("INSERT INTO account (record_name, name, name_key, created) VALUES (?, ?, ?, ?)",
                               [(name, f"user{name}", f"user{name}", 1_700_000_000_000) for name in names])
    connection.close()
    server.start()
    return names


def send_all(server: Server, request: Callable[[int], bytes], numbers) -> None:
    """Sends a request for each number over four connections."""
    def lane(share) -> None:
        client = Client(server.port)
        for number in share:
            response = client.send(request(number))
            if response.status != 200 or b'"serverErrorCode"' in response.body:
                raise Problem(f"a batch failed with {response.status}: {response.body[:400]!r}")
        client.close()

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lane, [numbers[start::4] for start in range(4)]))


def sign_up(server: Server) -> dict:
    user = {"name": f"bench-{secrets.token_hex(6)}", "password": secrets.token_hex(16)}
    made = server.client().call("POST", "/users", user, expect=(201,)).json()
    return user | {"record": made["user"]["userRecordName"]}


def sign_in(server: Server, user: dict) -> str:
    body = {"name": user["name"], "password": user["password"]}
    return server.client().call("POST", "/sessions", body, expect=(200, 201)).json()["token"]
