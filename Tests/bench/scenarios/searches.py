"""Searches for words, within texts and for places among a million articles; reference: SQLite's FTS5 and R*Tree."""
import math
from collections.abc import Iterator
from urllib.parse import quote

from Tests.bench.articles import COMMON, RARE_HITS, Articles, articles, ask, rare_word
from Tests.bench.context import Context, Scenario
from Tests.bench.load import Measurement
from Tests.bench.report import Row, measured_row
from Tests.bench.rounds import middle

# What a search may cost: CPU milliseconds, and relative to FTS5.
RARE_MS, COMMON_MS, PART_MS, RATIO = 3, 60, 10, 2.0
# A circle with about a hundred of a million places, which are distributed evenly.
RADIUS_KM = 128


def search(context: Context) -> Iterator[Row]:
    with articles(context, context.options.records) as data:
        names = max(1, data.records // RARE_HITS)
        yield from _rows(
            context, data, "search-rare", 4_000, RARE_MS,
            lambda number: _query(f"SELF CONTAINS '{rare_word(number * 7919 % names)}'", limit=RARE_HITS),
            "SELECT a.number FROM words JOIN article AS a ON a.id = words.rowid WHERE words MATCH ? LIMIT 100",
            lambda number: (rare_word(number * 7919 % names),))
        yield from _rows(
            context, data, "search-common-ranked", 50, COMMON_MS,
            lambda number: _query(f"SELF CONTAINS '{COMMON}'", sort="-rank()", limit=20),
            "SELECT a.number FROM (SELECT rowid FROM words WHERE words MATCH ? ORDER BY rank LIMIT 20) AS w "
            "JOIN article AS a ON a.id = w.rowid", lambda number: (COMMON,))
        yield from _rows(
            context, data, "search-newest", 8_000, RARE_MS,
            lambda number: _query(f"SELF CONTAINS '{COMMON}'", sort="-createdTimestamp", limit=20),
            "SELECT a.number FROM (SELECT rowid FROM words WHERE words MATCH ? ORDER BY rowid DESC LIMIT 20) AS w "
            "JOIN article AS a ON a.id = w.rowid", lambda number: (COMMON,))
        yield from _rows(
            context, data, "search-both", 60, COMMON_MS,
            lambda number: _query(f"SELF CONTAINS_ALL_TOKENS '{COMMON} kami'", sort="-rank()", limit=20),
            "SELECT a.number FROM (SELECT rowid FROM words WHERE words MATCH ? ORDER BY rank LIMIT 20) AS w "
            "JOIN article AS a ON a.id = w.rowid", lambda number: (f"{COMMON} kami",))
        yield from _rows(
            context, data, "contains-three-letters", 4_000, PART_MS,
            lambda number: _query(f"title CONTAINS[cd] '{number * 37 % 900 + 100}'", limit=100),
            "SELECT a.number FROM parts JOIN article AS a ON a.id = parts.rowid WHERE parts MATCH ? LIMIT 100",
            lambda number: (f'"{number * 37 % 900 + 100}"',))
        radius = RADIUS_KM * (1_000_000 / data.records) ** 0.5
        yield from _rows(
            context, data, "radius", 2_000, RARE_MS,
            lambda number: _query(f"distance(place, loc({_latitude(number)}, {_longitude(number)})) < {radius} km"),
            # The R*Tree finds the places in a box; those in the circle are tested, and come in the order of creation.
            "SELECT a.number FROM places JOIN article AS a ON a.id = places.id WHERE south >= ?3 - ?4 "
            "AND north <= ?3 + ?4 AND west >= ?1 - ?2 AND east <= ?1 + ?2 AND acos(min(1, sin(radians(?3)) * "
            "sin(radians(south)) + cos(radians(?3)) * cos(radians(south)) * cos(radians(west - ?1)))) < radians(?4) "
            "ORDER BY a.id LIMIT 100", lambda number: _circle(number, radius))
        yield from _rows(
            context, data, "contains-long", 300, PART_MS,
            lambda number: _query(f"title CONTAINS[cd] 'banlo {number % 10}'", limit=100),
            "SELECT a.number FROM parts JOIN article AS a ON a.id = parts.rowid WHERE parts MATCH ? LIMIT 100",
            lambda number: (f'"banlo {number % 10}"',))


def _rows(
    context: Context, data: Articles, name: str, count: int, most_ms: float, path, sql: str, arguments
) -> Iterator[Row]:
    """The CPU of a search, and how it compares with that of FTS5."""
    if context.options.quick:
        count = max(1, count // 10)
    measured: list[Measurement] = []
    reference: list[Measurement] = []
    ask(data, max(1, count // 4), path)
    data.bare.run(max(1, count // 4), sql, arguments)
    for _ in range(context.options.rounds):
        reference.append(data.bare.run(count, sql, arguments))
        measured.append(ask(data, count, path))
    cpu = middle(measured, lambda one: one.cpu_us)
    notes = [f"{measured[0].extra['rows']:,.0f} records, the reference {reference[0].extra['rows']:,.0f}"]
    yield measured_row(name, measured, None, value=cpu / 1000, unit="ms", floor=most_ms, notes=notes)
    # FTS5's trigrams know their places in a text, so it finds a long part without reading the texts.
    yield measured_row(f"{name}-ratio", measured, reference, floor=None if name == "contains-long" else RATIO,
                       against="R*Tree" if name == "radius" else "FTS5")


def _latitude(number: int) -> float:
    return number * 37 % 120 - 60 + 0.5


def _longitude(number: int) -> float:
    return number * 97 % 300 - 150 + 0.25


def _circle(number: int, radius: float) -> tuple[float, float, float, float]:
    """The longitude and half the width of the box around a circle, the latitude and half the height: in degrees."""
    height = radius / 111.195
    width = math.degrees(math.asin(math.sin(math.radians(height)) / math.cos(math.radians(_latitude(number)))))
    return _longitude(number), width, _latitude(number), height


def _query(where: str, sort: str = "", limit: int = 100) -> str:
    return f"/query/Article?where={quote(where)}&limit={limit}&fields=number" + (f"&sort={quote(sort)}" if sort else "")


SCENARIOS = [Scenario("search", "searches among a million articles; reference: FTS5 and R*Tree", search)]
