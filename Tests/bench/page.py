"""Writes the figures of `bench.py --json` and `peers.py --json` into the page of benchmarks, or prints a short table.

Only the text between the two marks of the page is replaced. A table lists the rows whose day, host or commit differs
from most others. With --keep, rows that the page has and the files lack stay there.
"""
import argparse
from pathlib import Path

from Tests.bench import origins, previous_page, result_lines
from Tests.bench.previous_page import ELSEWHERE, FIGURES, OTHERS, OTHER_SERVERS, Kept
from Tests.bench.result_lines import Lines
from Tests.harness.arguments import ROOT, run_main
from Tests.harness.errors import Problem

PAGE = ROOT / "Sources/fogbase/fogbase.docc/Benchmarks.md"
BEGIN, END = "<!-- figures: begin -->", "<!-- figures: end -->"
# The rows of README.md's table: the name in the results, words for people, and words for the reference.
SHORT = (
    ("point-read", "read of a record", "nginx with a file of the same bytes"),
    ("create", "durable create, 64 clients", "a C loop that commits in groups"),
    ("page-1m", "page of 50 by filter and sort, of a million", "that of 100,000"),
)
# The columns of the page's table, and the alignment of their contents.
HEADINGS = ("row", "measured", "reference", "ratio", "floor", "target", "verdict", "CPU µs/op", "reference's CPU µs/op",
            "op/s", "reference's op/s", "p50 ms", "p99 ms", "RssAnon MB")
SIDES = "lrlrrrlrrrrrrr"
# The tables of the page: a title, a line about the rows, and the prefixes of their names. Other rows come last.
TOPICS = (
    ("Reads", "One record of about 400 bytes. `live` is `GET /health/live`; `-session` sends a token; `-c1` uses one "
     "connection and its value is the p50.", ("live", "point-read")),
    ("Writes", "Creates have 7 fields; a batch has 200. `-syncs` counts creates per sync. `increment-image` changes a "
     "counter next to a 1,000,000-byte field.", ("create", "batch", "update", "increment")),
    ("Connections", "Reads and durable creates at 1 to 256 connections.", ("connections-",)),
    ("Memory and start", "Anonymous memory at rest, under all loads, and with 10,000 idle connections; time from "
     "the start of the process to the first response and read, with a million records.", ("rss-", "idle-", "start-")),
    ("Queries", "A page has 50 records, filtered and sorted. `creator` is a page of the caller's ten records out of a "
     "million. `-examined` is the number of index entries and records read.", ("page-", "creator", "count")),
    ("Access control", "Reads with a session, an API key, access lists, field grants and rate limits. `access-page-N` "
     "is a page of records whose access lists admit the caller to 1 of N.", ("access-",)),
    ("Data size", "The same work on 1,000 to 10,000,000 records; the reference is the smallest size.", ("scale-",)),
    ("Bulk deletes and index builds", "100,000 deletes and an index on a million records, alone and (`-beside`, "
     "`-p99`) while 64 clients create records.", ("delete-", "index-")),
    ("Assets", "Uploads are CPU seconds per GiB. `asset-beside` is the p99 of 64 clients that create during an upload. "
     "A thumbnail is of a 12-megapixel JPEG.", ("asset-", "thumbnail-")),
    ("Hostile load", "How much longer reads of a good client take next to expensive queries; CPU time of the longest "
     "request on an event loop.", ("hostile-", "loop-")),
    ("JSON", "CPU time in one process, compared with Foundation's coders.", ("request-", "model-")),
    ("Debian package index", "An import of 60,000 packages, then reads, pages, changes and the change feed.",
     ("debian-",)),
)
OTHER_TOPIC = "Other", "", ("",)
SIGN_INS = "sign-ins take 33 MB more for a moment"
WORKS = {"read": "read", "page": "page of 50 newest of a thread", "create": "create", "update": "update",
         "delete": "delete"}
SERVERS = {"fogbase": "Fogbase", "fastapi": "FastAPI + SQLite", "kinto": "Kinto + PostgreSQL"}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", type=Path, nargs="+", metavar="FILE",
                        help="JSON lines; the last line of each row counts")
    parser.add_argument("--page", type=Path, default=PAGE, help="the page (default: %(default)s)")
    parser.add_argument("--keep", action="store_true",
                        help="keep rows that the page has and the files lack, with their date")
    parser.add_argument("--readme", action="store_true", help="print the table of README.md and change nothing")
    given = parser.parse_args()
    found = result_lines.read(given.files)
    if given.readme:
        print(short(found))
        return 0
    text = given.page.read_text()
    head, begin, rest = text.partition(BEGIN)
    old, end, tail = rest.partition(END)
    if not begin or not end:
        raise Problem(f"{given.page} lacks the marks {BEGIN} and {END}.")
    written = figures(found, previous_page.read(old) if given.keep else Kept())
    given.page.write_text(f"{head}{BEGIN}\n\n{written}\n\n{END}{tail}")
    print(f"wrote {len(found.rows)} rows and {len(found.results)} results of other servers into {given.page}")
    return 0


def figures(found: Lines, page: Kept = Kept()) -> str:
    """The text between the marks; the rest of `page` stays."""
    measured = _origins(found, page)
    parts = [_machine(found, page, origins.usual(measured))]
    if elsewhere := origins.others(measured):
        parts += [ELSEWHERE, _table(("rows", "date", "host", "commit"), elsewhere, "llll")]
    if found.rows or page.rows:
        parts += [FIGURES, _bench(found, page)]
    if found.results:
        parts += [OTHERS, _servers(found), _results(found)]
    elif page.others:
        parts.append(page.others)
    return "\n\n".join(part for part in parts if part)


def _origins(found: Lines, page: Kept) -> dict[str, origins.Origin]:
    """The date, place and build of each row; results of other servers are one row unless they differ."""
    results = {f"{work} at {connections} on {SERVERS.get(server, server)}": origins.of(one)
               for (server, work, connections), one in found.results.items()}
    if len(set(results.values())) == 1:
        results = {OTHER_SERVERS: next(iter(results.values()))}
    stays = {name: origin for name, origin in page.origins.items() if name != OTHER_SERVERS or not results}
    return stays | {f"`{name}`": origins.of(row) for name, row in found.rows.items()} | results


def short(found: Lines) -> str:
    """The table of README.md, for people in a hurry, and how many creates other servers take."""
    rows = [(words, _microseconds(found, name), _beside(found, name, reference)) for name, words, reference in SHORT]
    rows.append(("memory at rest; the most under these loads",
                 f"{_megabytes(found, 'rss-idle')}; {_megabytes(found, 'rss-load')}",
                 SIGN_INS + _reproach(found, "rss-idle") + _reproach(found, "rss-load")))
    table = ["| | measured | beside |", "|---|---:|---|", *map(_line, rows)]
    return "\n".join(table) + (f"\n\n{_creates(found)}" if found.results else "")


def _microseconds(found: Lines, name: str) -> str:
    row = found.rows.get(name)
    return f"{_number(row['cpu_us'])} µs" if row and row["cpu_us"] is not None else "not measured"


def _beside(found: Lines, name: str, reference: str) -> str:
    row = found.rows.get(name)
    if not row or row.get("ratio") is None:
        return ""
    # Measured in the turns of the row: elsewhere on the page the same work may have another figure.
    cost = f" ({_number(row['reference_cpu_us'])} µs)" if row.get("reference_cpu_us") is not None else ""
    return f"{row['ratio']:.2f} × {reference}{cost}{_reproach(found, name)}"


def _megabytes(found: Lines, name: str) -> str:
    row = found.rows.get(name)
    if not row or row["value"] is None:
        return "not measured"
    return f"{row['value']:.0f} MB" if row["value"] >= 10 else f"{row['value']:.1f} MB"


def _reproach(found: Lines, name: str) -> str:
    """Figures that must be shown for a row that misses its floor."""
    row = found.rows.get(name)
    if not row or row["verdict"] not in ("MISSED", "ERRORS", "NOT SHOWN"):
        return ""
    return f"; **misses** its floor of {_number(row['floor'])}" if row["verdict"] == "MISSED" else f"; {row['verdict']}"


def _creates(found: Lines) -> str:
    """Durable creates at the most connections, as a sentence."""
    most = max(connections for _, _, connections in found.results)
    rates = {server: _rate(one["rate"]) for (server, work, connections), one in found.results.items()
             if (work, connections) == ("create", most)}
    theirs = [f"on {SERVERS[server].replace(' + ', ' with ')} {rates[server]}" for server in SERVERS
              if server in rates and server != "fogbase"]
    ours = rates.get("fogbase", "an unmeasured number of")
    parts = [f"Everything durable, {most} clients create {ours} records a second", ", ".join(theirs)]
    return "; ".join(part for part in parts if part) + "."


def _machine(found: Lines, page: Kept, usual: origins.Origin) -> str:
    """The machine of most rows: its newest line in the files, or the one on the page."""
    known = [*found.machines.get("peers", []), *found.machines.get("bench", [])]
    of_most = [line for line in known if origins.of(line["machine"]) == usual]
    if page.machine and not of_most:
        return page.machine
    return _facts((of_most or known)[-1]) if known else ""


def _facts(line: dict) -> str:
    facts = line["machine"]
    rows = [("machine", f"{facts['processor']}, {facts['cores']} cores, {facts['memory_mb'] / 1024:.0f} GB"),
            ("system", f"{facts['system']}, Linux {facts['kernel']}"),
            ("disk", f"{facts['disk']}; fdatasync p50 {facts['fdatasync_p50_ms']} ms, "
                     f"p99 {facts['fdatasync_p99_ms']} ms"),
            ("references", f"{facts['nginx'].removeprefix('nginx version: ')}, {' '.join(facts['wrk'].split()[:2])}"),
            ("runs", f"{line['rounds']} rounds of {line['seconds']:g} s, "
                     f"load average {facts['load_average']:.1f} before"),
            ("commit", facts.get(origins.COMMIT, origins.UNKNOWN[2])),
            ("date", facts["date"][:10])]
    text = _table(("", ""), rows, "ll")
    if line.get("quick"):
        text += "\n\n**Measured with `--quick`: these figures show that the bench works, not how fast the server is.**"
    return text


def _bench(found: Lines, page: Kept) -> str:
    """A table per topic, with rows in the page's order and new ones below."""
    stay = {name: tuple(cells.get(heading, "") for heading in HEADINGS) for name, cells in page.rows.items()}
    rest = stay | {name: _row(row) for name, row in found.rows.items()}
    parts = []
    for title, note, beginnings in (*TOPICS, OTHER_TOPIC):
        rows = [rest.pop(name) for name in [*rest] if name.startswith(beginnings)]
        if rows:
            parts += [f"### {title}", note, _table(HEADINGS, rows, SIDES)]
    return "\n\n".join(part for part in parts if part)


def _row(row: dict) -> tuple[str, ...]:
    value = "–" if row["value"] is None else f"{_number(row['value'])} {row['unit']}"
    return (f"`{row['name']}`", value, row.get("against") or "", _number(row.get("ratio")), _bound(row),
            "" if row.get("target") is None else _sign(row) + _number(row["target"]), row["verdict"],
            _number(row["cpu_us"]), _number(row.get("reference_cpu_us")), _rate(row.get("rate")),
            _rate(row.get("reference_rate")), _number(row["p50_ms"]), _number(row["p99_ms"]), _number(row["rss_mb"]))


def _servers(found: Lines) -> str:
    rows = []
    for name, line in found.servers.items():
        facts = line["facts"]
        versions = ", ".join(f"{package} {version}" for package, version in facts["versions"].items()
                             if package != "sha256")
        syncs = "not counted" if line["syncs"] is None else f"{line['syncs']} for {line['creates']} creates"
        rows.append((SERVERS.get(name, name), versions, facts["settings"], syncs, _number(line["memory_mb"])))
    return _table(("server", "versions", "settings", "syncs", "memory at rest, MB"), rows, "lllrr")


def _results(found: Lines) -> str:
    rows = []
    for (server, work, connections), one in sorted(found.results.items(), key=_order):
        base = found.results.get(("fogbase", work, connections))
        ratio = ""
        if base and base["cpu_seconds_per_1000"] and one["operations"]:
            ratio = _number(one["cpu_seconds_per_1000"] / base["cpu_seconds_per_1000"])
        rows.append((WORKS[work], str(connections), SERVERS.get(server, server), _rate(one["rate"]),
                     _number(one["p50_ms"]), _number(one["p99_ms"]), _number(one["cpu_seconds_per_1000"]), ratio,
                     _number(one["memory_mb"]),
                     f"{one['errors']:,} of {one['operations']:,}" if one["errors"] else "0"))
    return _table(("work", "connections", "server", "op/s", "p50 ms", "p99 ms", "CPU s per 1,000", "× Fogbase's CPU",
                   "memory MB", "errors"), rows, "lrlrrrrrrr")


def _order(item) -> tuple:
    (server, work, connections), _ = item
    return list(WORKS).index(work), connections, list(SERVERS).index(server)


def _sign(row: dict) -> str:
    return "≥ " if row["at_least"] else "≤ "


def _bound(row: dict) -> str:
    return "" if row["floor"] is None else _sign(row) + _number(row["floor"])


def _rate(value: float | None) -> str:
    return "" if value is None else _number(value)


def _number(value: float | None) -> str:
    """Three digits that count."""
    if value is None:
        return ""
    if abs(value) >= 100:
        return f"{value:,.0f}"
    if abs(value) >= 10:
        return f"{value:.1f}"
    return f"{value:.2f}" if abs(value) >= 1 else f"{value:.3f}"


def _table(headings: tuple, rows: list[tuple], sides: str) -> str:
    rules = ["---:" if side == "r" else "---" for side in sides]
    return "\n".join(map(_line, (headings, rules, *rows)))


def _line(cells: tuple) -> str:
    return "| " + " | ".join(cells) + " |"


if __name__ == "__main__":
    run_main(main)
