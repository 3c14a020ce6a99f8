#!/usr/bin/env python3
"""Writes the figures of `bench.py --json` and `peers.py --json` into the page of benchmarks, or prints a short table.

The page keeps its own words: only what lies between its two marks is replaced.
"""
import argparse
import sys
from collections.abc import Callable
from pathlib import Path

import lines
from lines import Lines
from problem import Problem

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "Sources/fogbase/fogbase.docc/Benchmarks.md"
BEGIN, END = "<!-- figures: begin -->", "<!-- figures: end -->"
# What each row of the short table shows: its name in the results, and words for people.
SHORT = (
    ("point-read", "read of a record, CPU"),
    ("point-read-c1", "the same over one connection, p50"),
    ("create", "durable create, 64 clients, CPU"),
    ("batch", "200 creates in a batch, CPU per record"),
    ("page-100k", "page of 50 by filter and sort out of 100,000, CPU"),
    ("page-1m", "the same out of 1,000,000, CPU"),
    ("count", "count of 100,000 matches, CPU"),
    ("asset-upload-1m", "upload of 1 MiB, CPU"),
    ("asset-download-1m", "download of 1 MiB, CPU"),
    ("start-live", "start with a million records"),
    ("rss-idle", "memory at rest"),
    ("rss-load", "most memory under any load"),
    ("idle-connections", "memory with 10,000 idle connections"),
)
WORKS = {"read": "read", "page": "page of 50 newest of a thread", "create": "create", "update": "update",
         "delete": "delete"}
SERVERS = {"fogbase": "Fogbase", "fastapi": "FastAPI + SQLite", "kinto": "Kinto + PostgreSQL"}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", type=Path, nargs="+", metavar="FILE",
                        help="JSON lines; of each row the last one counts")
    parser.add_argument("--page", type=Path, default=PAGE, help="the page (default: %(default)s)")
    parser.add_argument("--readme", action="store_true", help="print the short table, and change nothing")
    given = parser.parse_args()
    found = lines.read(given.files)
    if given.readme:
        print(short(found))
        return 0
    text = given.page.read_text()
    head, begin, rest = text.partition(BEGIN)
    _, end, tail = rest.partition(END)
    if not begin or not end:
        raise Problem(f"{given.page} lacks the marks {BEGIN} and {END}.")
    given.page.write_text(f"{head}{BEGIN}\n\n{figures(found)}\n\n{END}{tail}")
    print(f"wrote {len(found.rows)} rows and {len(found.results)} results of other servers into {given.page}")
    return 0


def figures(found: Lines) -> str:
    """All that is between the marks."""
    parts = []
    if machine := found.machines.get("bench") or found.machines.get("peers"):
        parts.append(_machine(machine))
    if found.rows:
        parts += ["## All figures", _bench(list(found.rows.values()))]
    if found.results:
        parts += ["## Beside other servers", _servers(found), _results(found)]
    return "\n\n".join(parts)


def short(found: Lines) -> str:
    """A few rows for people in a hurry: beside the references, and beside other servers."""
    rows = []
    for name, words in SHORT:
        row = found.rows.get(name)
        if not row or row["value"] is None:
            continue
        reference = row.get("against")
        if row.get("ratio") is None:
            beside = ""
        elif row["unit"] == "×" and not name.startswith("page-1m"):
            beside = f"{row['ratio']:.2f} × {reference}"
        else:
            beside = f"{row['ratio']:.2f} × {reference} (CPU)"
        measured = f"{_number(row['cpu_us'])} µs" if row["unit"] == "×" else f"{_number(row['value'])} {row['unit']}"
        rows.append((words, measured, beside, _bound(row)))
    text = _table(("", "measured", "beside", "promised"), rows, "lrll")
    if not found.results:
        return text
    return text + "\n\n" + _compared(
        found, lambda one: f"{_number(one['rate'])}/s, {_number(one['cpu_seconds_per_1000'])} s")


def _machine(line: dict) -> str:
    facts = line["machine"]
    rows = [("machine", f"{facts['processor']}, {facts['cores']} cores, {facts['memory_mb'] / 1024:.0f} GB"),
            ("system", f"{facts['system']}, Linux {facts['kernel']}"),
            ("disk", f"{facts['disk']}; fdatasync p50 {facts['fdatasync_p50_ms']} ms, "
                     f"p99 {facts['fdatasync_p99_ms']} ms"),
            ("references", f"{facts['nginx'].removeprefix('nginx version: ')}, {' '.join(facts['wrk'].split()[:2])}"),
            ("runs", f"{line['rounds']} rounds of {line['seconds']:g} s, "
                     f"load average {facts['load_average']:.1f} before"),
            ("date", facts["date"][:10])]
    text = _table(("", ""), rows, "ll")
    if line.get("quick"):
        text += "\n\n**Made with `--quick`: these figures say that the bench works, not how fast the server is.**"
    return text


def _bench(rows: list[dict]) -> str:
    cells = []
    for row in rows:
        value = "–" if row["value"] is None else f"{_number(row['value'])} {row['unit']}"
        cells.append((f"`{row['name']}`", value, row.get("against") or "", _number(row.get("ratio")), _bound(row),
                      "" if row.get("target") is None else _sign(row) + _number(row["target"]), row["verdict"],
                      _number(row["cpu_us"]), _rate(row.get("rate")), _number(row["p50_ms"]), _number(row["p99_ms"]),
                      _number(row["rss_mb"])))
    return _table(("row", "measured", "reference", "ratio", "floor", "target", "verdict", "CPU µs/op", "op/s", "p50 ms",
                   "p99 ms", "RssAnon MB"), cells, "lrlrrrlrrrrr")


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


def _compared(found: Lines, cell: Callable[[dict], str]) -> str:
    """One row per work at the most connections, one column per server: rate, and CPU seconds per 1,000 operations."""
    most = max(connections for _, _, connections in found.results)
    servers = [server for server in SERVERS if any(name == server for name, _, _ in found.results)]
    rows = []
    for work, words in WORKS.items():
        cells = [found.results.get((server, work, most)) for server in servers]
        if any(cells):
            rows.append((words, *(cell(one) if one else "–" for one in cells)))
    return _table((f"{most} connections", *(SERVERS[server] for server in servers)), rows, "l" + "r" * len(servers))


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
    return "\n".join("| " + " | ".join(cells) + " |" for cells in (headings, rules, *rows))


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Problem as problem:
        sys.exit(f"page: {problem}")
