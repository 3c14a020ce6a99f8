"""The board that somebody would write in an afternoon: FastAPI, and SQLite in the worker's own process.

Each worker has one connection and works on its event loop: a statement takes microseconds, and a commit waits for the
disk, which another worker would have to wait for as well. Handing statements to a pool of threads costs more than it
saves.
"""
import hashlib
import os
import sqlite3
import time
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated

from fastapi import Depends, FastAPI, Header, HTTPException, Query
from pydantic import BaseModel


class NewPost(BaseModel):
    title: str
    body: str
    author: str
    likes: int = 0
    rating: float = 0
    thread: str
    timestamp: int


class Changes(BaseModel):
    title: str | None = None
    body: str | None = None
    likes: int | None = None
    rating: float | None = None


class Post(NewPost):
    id: int
    created: int
    modified: int


class Page(BaseModel):
    posts: list[Post]


COLUMNS = ", ".join(Post.model_fields)


# This process's connection, made when it starts.
database: sqlite3.Connection


def connect() -> sqlite3.Connection:
    """A connection whose commits are on the disk before they are answered."""
    # isolation_level=None: each statement is a transaction of its own.
    connection = sqlite3.connect(os.environ["BOARD_DATABASE"], timeout=10, isolation_level=None)
    connection.row_factory = sqlite3.Row
    connection.execute("PRAGMA journal_mode = WAL")
    # A self-test of the comparison asks for NORMAL, to see that it is found out.
    connection.execute(f"PRAGMA synchronous = {os.environ.get('BOARD_SYNCHRONOUS', 'FULL')}")
    connection.execute("PRAGMA cache_size = -65536")
    connection.execute("PRAGMA mmap_size = 1073741824")
    return connection


@asynccontextmanager
async def lifespan(_: FastAPI):
    global database
    database = connect()
    database.executescript(Path(__file__).with_name("schema.sql").read_text())
    yield
    database.close()


app = FastAPI(lifespan=lifespan)


async def current_user(authorization: Annotated[str, Header()] = "") -> int:
    kind, _, token = authorization.partition(" ")
    digest = hashlib.sha256(token.encode()).digest()
    found = database.execute("SELECT user FROM session WHERE token_hash = ?", (digest,)).fetchone()
    if kind != "Bearer" or not found:
        raise HTTPException(401, "sign in first")
    return found["user"]


User = Annotated[int, Depends(current_user)]


@app.get("/posts/{post_id}")
async def read(post_id: int) -> Post:
    found = database.execute(f"SELECT {COLUMNS} FROM post WHERE id = ?", (post_id,)).fetchone()
    if not found:
        raise HTTPException(404, "no such post")
    return Post(**found)


@app.get("/posts")
async def newest(thread: str, limit: Annotated[int, Query(ge=1, le=200)] = 50) -> Page:
    rows = database.execute(f"SELECT {COLUMNS} FROM post WHERE thread = ? ORDER BY timestamp DESC LIMIT ?",
                            (thread, limit))
    return Page(posts=[Post(**row) for row in rows])


@app.post("/posts", status_code=201)
async def create(new: NewPost, user: User) -> Post:
    values = new.model_dump() | {"owner": user, "created": now(), "modified": now()}
    names = ", ".join(values)
    marks = ", ".join(f":{name}" for name in values)
    return written(f"INSERT INTO post ({names}) VALUES ({marks}) RETURNING {COLUMNS}", values)


@app.patch("/posts/{post_id}")
async def update(post_id: int, changes: Changes, user: User) -> Post:
    values = changes.model_dump(exclude_none=True) | {"modified": now()}
    assignments = ", ".join(f"{name} = :{name}" for name in values)
    return written(f"UPDATE post SET {assignments} WHERE id = :id AND owner = :owner RETURNING {COLUMNS}",
                   values | {"id": post_id, "owner": user})


@app.delete("/posts/{post_id}", status_code=204)
async def delete(post_id: int, user: User) -> None:
    written("DELETE FROM post WHERE id = :id AND owner = :owner RETURNING " + COLUMNS, {"id": post_id, "owner": user})


def written(statement: str, values: dict) -> Post:
    # All rows are fetched, as the statement commits with its end.
    rows = database.execute(statement, values).fetchall()
    if not rows:
        raise HTTPException(404, "no such post of yours")
    return Post(**rows[0])


def now() -> int:
    return time.time_ns() // 1_000_000
