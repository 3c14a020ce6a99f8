"""Searches for words and within texts among a million articles; reference: SQLite's FTS5 on the same data."""
from collections.abc import Iterator
from urllib.parse import quote

from Tests.bench.articles import COMMON, RARE_HITS, Articles, articles, ask, rare_word
from Tests.bench.context import Context, Scenario
from Tests.bench.load import Measurement
from Tests.bench.report import Row, measured_row
from Tests.bench.rounds import middle

# What a search may cost: CPU milliseconds, and relative to FTS5.
RARE_MS, COMMON_MS, PART_MS, RATIO = 3, 60, 10, 2.0


def search(context: Context) -> Iterator[Row]:
    with articles(context, context.options.records) as data:
        names = max(1, data.records // RARE_HITS)
        yield from _rows(
            context, data, "search-rare", 200, RARE_MS,
            lambda number: _query(f"SELF CONTAINS '{rare_word(number * 7919 % names)}'", limit=RARE_HITS),
            "SELECT a.* FROM words JOIN article AS a ON a.id = words.rowid WHERE words MATCH ? LIMIT 100",
            lambda number: (rare_word(number * 7919 % names),))
        yield from _rows(
            context, data, "search-common-ranked", 20, COMMON_MS,
            lambda number: _query(f"SELF CONTAINS '{COMMON}'", sort="-rank()", limit=20),
            "SELECT a.* FROM (SELECT rowid FROM words WHERE words MATCH ? ORDER BY rank LIMIT 20) AS w "
            "JOIN article AS a ON a.id = w.rowid", lambda number: (COMMON,))
        yield from _rows(
            context, data, "search-newest", 200, RARE_MS,
            lambda number: _query(f"SELF CONTAINS '{COMMON}'", sort="-createdTimestamp", limit=20),
            "SELECT a.* FROM (SELECT rowid FROM words WHERE words MATCH ? ORDER BY rowid DESC LIMIT 20) AS w "
            "JOIN article AS a ON a.id = w.rowid", lambda number: (COMMON,))
        yield from _rows(
            context, data, "search-both", 50, COMMON_MS,
            lambda number: _query(f"SELF CONTAINS_ALL_TOKENS '{COMMON} kami'", sort="-rank()", limit=20),
            "SELECT a.* FROM (SELECT rowid FROM words WHERE words MATCH ? ORDER BY rank LIMIT 20) AS w "
            "JOIN article AS a ON a.id = w.rowid", lambda number: (f"{COMMON} kami",))
        yield from _rows(
            context, data, "contains-three-letters", 100, PART_MS,
            lambda number: _query(f"title CONTAINS[cd] '{number * 37 % 900 + 100}'", limit=100),
            "SELECT a.* FROM parts JOIN article AS a ON a.id = parts.rowid WHERE parts MATCH ? LIMIT 100",
            lambda number: (f'"{number * 37 % 900 + 100}"',))
        yield from _rows(
            context, data, "contains-long", 100, PART_MS,
            lambda number: _query(f"title CONTAINS[cd] 'banlo {number % 10}'", limit=100),
            "SELECT a.* FROM parts JOIN article AS a ON a.id = parts.rowid WHERE parts MATCH ? LIMIT 100",
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
    notes = [f"{measured[0].extra['rows']:,.0f} records, FTS5 {reference[0].extra['rows']:,.0f}"]
    yield measured_row(name, measured, None, value=cpu / 1000, unit="ms", floor=most_ms, notes=notes)
    yield measured_row(f"{name}-fts5", measured, reference, floor=RATIO, against="FTS5")


def _query(where: str, sort: str = "", limit: int = 100) -> str:
    return f"/query/Article?where={quote(where)}&limit={limit}" + (f"&sort={quote(sort)}" if sort else "")


SCENARIOS = [Scenario("search", "searches among a million articles; reference: FTS5", search)]
