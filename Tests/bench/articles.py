"""A data set for searches: articles of words whose frequencies fall as in a language, with places."""
import json
import math
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random

from Tests.bench.context import Context
from Tests.bench.forum import BATCH, filled, running, send_all, sign_in, sign_up
from Tests.bench.load import Measurement
from Tests.harness import process
from Tests.harness.client import Client, message
from Tests.harness.server import Server

TYPE = "Article"
WORDS = 20_000
WORDS_PER_ARTICLE = 16
# One article in so many has the common word; so many articles have the same rare word.
COMMON, COMMON_SHARE = "harbour", 10
RARE_HITS = 100
SCHEMA = {"types": {TYPE: {
    "fields": {"title": {"type": "STRING"}, "body": {"type": "STRING", "indexes": ["SEARCHABLE"]},
               "place": {"type": "LOCATION", "indexes": ["QUERYABLE"]}, "number": {"type": "INT64"}},
    "indexes": [{"fields": ["title[cd,contains]"]}],
}}}
_SYLLABLES = ["ka", "lo", "mi", "ne", "ru", "sto", "ban", "der", "fin", "gol", "hus", "jam", "pel", "qui", "tra", "vex"]


@dataclass
class Articles:
    """A running server over a data set of so many articles, and the same data in bare SQLite."""
    server: Server
    records: int
    token: str
    bare: "BareSearch"


@contextmanager
def articles(context: Context, records: int) -> Iterator[Articles]:
    directory = filled(context, f"articles-{records}", lambda server: _fill(server, records))
    made = json.loads((directory / "filled.json").read_text())
    bare = BareSearch(directory / "bare.sqlite", records)
    with running(context, directory / "data", copy=False) as server:
        yield Articles(server, records, sign_in(server, made["user"]), bare)


def word(number: int) -> str:
    found = ""
    while True:
        found += _SYLLABLES[number % len(_SYLLABLES)]
        number //= len(_SYLLABLES)
        if not number:
            return found


def rare_word(number: int) -> str:
    return f"rare{number}"


def article(number: int, records: int) -> dict:
    """The fields of an article: words by Zipf's law, and a place that is distributed evenly on the sphere."""
    random = Random(number)
    # The inverse of a distribution in which the frequency of a word is in inverse proportion to its place.
    words = [word(int(math.exp(random.random() * math.log(WORDS))) - 1) for _ in range(WORDS_PER_ARTICLE)]
    words.append(rare_word(number % max(1, records // RARE_HITS)))
    if number % COMMON_SHARE == 0:
        words.insert(5, COMMON)
    latitude = math.degrees(math.asin(2 * random.random() - 1))
    longitude = random.uniform(-180, 180)
    return {"title": f"{words[0]} {words[3]} {number}", "body": " ".join(words), "number": number,
            "place": {"value": {"latitude": round(latitude, 6), "longitude": round(longitude, 6)}, "type": "LOCATION"}}


def batch(start: int, records: int) -> bytes:
    operations = [{"operationType": "create", "record": {"recordType": TYPE, "fields": article(number, records)}}
                  for number in range(start, min(start + BATCH, records))]
    return json.dumps({"operations": operations}).encode()


def _fill(server: Server, records: int) -> dict:
    user = sign_up(server)
    token = sign_in(server, user)
    server.client(server.admin).call("PUT", "/schema", SCHEMA)
    send_all(server, lambda start: message("POST", "/records", token, batch(start, records)), range(0, records, BATCH))
    return {"user": user}


class BareSearch:
    """The same articles in SQLite's FTS5, as words and as trigrams, and in its R*Tree."""

    def __init__(self, path: Path, records: int):
        if not path.exists():
            self._fill(path.with_suffix(".part"), records)
            path.with_suffix(".part").rename(path)
        self._connection = sqlite3.connect(path)

    @staticmethod
    def _fill(path: Path, records: int) -> None:
        path.unlink(missing_ok=True)
        with sqlite3.connect(path) as connection:
            connection.executescript("""
                CREATE TABLE article (id INTEGER PRIMARY KEY, title TEXT, body TEXT, number INTEGER, place TEXT);
                CREATE VIRTUAL TABLE words USING fts5(body, content='');
                CREATE VIRTUAL TABLE parts USING fts5(title, content='', tokenize='trigram');
                CREATE VIRTUAL TABLE places USING rtree(id, south, north, west, east);
                """)
            for number in range(records):
                fields = article(number, records)
                place = fields["place"]["value"]
                connection.execute("INSERT INTO article VALUES (?, ?, ?, ?, ?)", (
                    number, fields["title"], fields["body"], number, json.dumps(place)))
                connection.execute("INSERT INTO words (rowid, body) VALUES (?, ?)", (number, fields["body"]))
                connection.execute("INSERT INTO parts (rowid, title) VALUES (?, ?)", (number, fields["title"]))
                connection.execute("INSERT INTO places VALUES (?, ?, ?, ?, ?)", (
                    number, place["latitude"], place["latitude"], place["longitude"], place["longitude"]))
        connection.close()

    def run(self, count: int, sql: str, arguments) -> Measurement:
        """Runs a query so many times; an operation is a query. `arguments` makes those of each."""
        began, cpu = time.monotonic(), time.process_time()
        rows = 0
        for number in range(count):
            rows += len(self._connection.execute(sql, arguments(number)).fetchall())
        return Measurement(count, time.monotonic() - began, time.process_time() - cpu, extra={"rows": rows / count})


def ask(articles: Articles, count: int, path) -> Measurement:
    """Sends a query so many times over one connection; an operation is a query. `path` makes that of each."""
    client = Client(articles.server.port, articles.token)
    cpu, began = process.cpu_seconds(articles.server.pid), time.monotonic()
    rows = 0
    for number in range(count):
        page = client.call("GET", path(number)).json()
        rows += page.get("count", len(page["records"]))
    seconds, spent = time.monotonic() - began, process.cpu_seconds(articles.server.pid) - cpu
    client.close()
    return Measurement(count, seconds, spent, extra={"rows": rows / count})
