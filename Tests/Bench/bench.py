#!/usr/bin/env python3
"""Measures a Fogbase server beside nginx and bare SQLite. README.md tells what each row means."""
import argparse
import fnmatch
import json
import os
import signal
import sys
import traceback
from pathlib import Path

import access_scenarios
import asset_scenarios
import connection_scenarios
import debian_scenario
import hostile_scenario
import loop_scenario
import machine
import memory_scenarios
import model_scenario
import query_scenarios
import read_scenarios
import request_scenario
import scale_scenarios
import set_scenarios
import start_scenario
import thumbnail_scenario
import write_scenarios
from context import Context, Options
from problem import Problem, Skipped
from report import Row, json_line, last_line, status, table, verdicts
from server import raise_descriptor_limit

ROOT = Path(__file__).resolve().parents[2]
SIZES = [1000, 10_000, 100_000, 1_000_000]
MODULES = (read_scenarios, write_scenarios, connection_scenarios, memory_scenarios, start_scenario, query_scenarios,
           access_scenarios, scale_scenarios, set_scenarios, asset_scenarios, thumbnail_scenario, hostile_scenario,
           loop_scenario, request_scenario, model_scenario, debian_scenario)
SCENARIOS = [scenario for module in MODULES for scenario in module.SCENARIOS]


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--binary", default=str(ROOT / ".build/release/fogbase"),
                        help="the server (default: %(default)s)")
    parser.add_argument("--work", type=Path, default=ROOT / ".bench", help="a folder on a real disk (default: .bench)")
    parser.add_argument("--only", action="append", metavar="PATTERN",
                        help="run the scenarios whose name matches, e.g. 'point-*'; may be repeated")
    parser.add_argument("--seconds", type=float, help="length of one run (default 4)")
    parser.add_argument("--rounds", type=int, help="rounds of reference and measured thing (default 3)")
    parser.add_argument("--quick", action="store_true", help="one round of 1 s, small data: does it work, not how fast")
    parser.add_argument("--json", type=Path, metavar="FILE", help="append the rows as JSON lines")
    parser.add_argument("--env", action="append", default=[], metavar="KEY=VALUE",
                        help="a setting for the server; an empty value takes a default of the bench away")
    parser.add_argument("--refill", action="store_true", help="fill the databases that are kept anew")
    parser.add_argument("--records", type=int, metavar="N", default=int(os.environ.get("BENCH_RECORDS", 0)),
                        help="records of the large data sets of queries (default 1000000, or BENCH_RECORDS)")
    parser.add_argument("--sizes", type=int, nargs="+", metavar="N",
                        help="records of the data sets of `scale` (default 1000 10000 100000 1000000)")
    parser.add_argument("--cache-kb", type=int, default=Options.cache_kb,
                        help="cache_size of the bare loop in KB (default %(default)s)")
    parser.add_argument("--mmap-bytes", type=int, default=Options.mmap_bytes,
                        help="mmap_size of the bare loop (default %(default)s)")
    parser.add_argument("--allow-skips", action="store_true",
                        help="end with status 0 also if a scenario with a floor could not be run on this machine")
    parser.add_argument("--list", action="store_true", help="list the scenarios and end")
    return parser.parse_args()


def main() -> int:
    given = arguments()
    if given.list:
        for scenario in SCENARIOS:
            print(f"{scenario.name:20} {scenario.summary}")
        return 0
    chosen = [scenario for scenario in SCENARIOS
              if not given.only or any(fnmatch.fnmatch(scenario.name, pattern) for pattern in given.only)]
    if not chosen:
        raise Problem("no scenario matches; --list shows them.")
    if not Path(given.binary).exists():
        raise Problem(f"{given.binary} does not exist: run `make build`, or name another with --binary.")
    if wrong := [one for one in given.env if "=" not in one]:
        raise Problem(f"--env wants KEY=VALUE, not {wrong[0]}.")
    options = Options(str(Path(given.binary).resolve()), given.work,
                      given.seconds or (1 if given.quick else Options.seconds),
                      given.rounds or (1 if given.quick else Options.rounds), given.quick, given.refill,
                      given.records or (50_000 if given.quick else Options.records),
                      dict(one.split("=", 1) for one in given.env), given.cache_kb, given.mmap_bytes,
                      sorted(given.sizes or ([1000, 10_000] if given.quick else SIZES)))
    raise_descriptor_limit()
    # `finally` clauses end the servers; a plain SIGTERM would leave them running.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    context = Context(options)
    try:
        return run(context, chosen, given)
    finally:
        context.close()


def run(context: Context, chosen: list, given: argparse.Namespace) -> int:
    facts = machine.facts(context.folder, context.options.binary)
    print("\n".join(f"{name:18} {value}" for name, value in facts.items()), flush=True)
    log = open(given.json, "a") if given.json else None
    rows: list[Row] = []

    def keep(row: Row) -> None:
        rows.append(row)
        print(_short(row), flush=True)
        if log:
            print(json_line(row, machine.origin(facts)), file=log, flush=True)

    if log:
        print(json.dumps({"machine": facts, "seconds": context.options.seconds, "rounds": context.options.rounds,
                          "quick": context.options.quick}), file=log)
    for scenario in chosen:
        print(f"— {scenario.name}: {scenario.summary}", flush=True)
        context.scenario = scenario.name
        try:
            for row in scenario.run(context):
                keep(row)
        except Skipped as reason:
            keep(Row(scenario.name, None, "", notes=[f"skipped: {reason}"], unshown=not reason.for_information))
        except Problem as problem:
            keep(Row(scenario.name, None, "", errors=1, notes=[str(problem)]))
        except KeyboardInterrupt:
            raise
        except Exception as error:
            traceback.print_exc()
            keep(Row(scenario.name, None, "", errors=1, notes=[f"{type(error).__name__}: {error}"]))
    for row in memory_scenarios.rss_load(context):
        keep(row)
    if log:
        log.close()
    print("\n" + table(rows))
    print("\n" + verdicts(rows))
    print(last_line(rows))
    if context.options.quick:
        print("--quick: these figures say that the bench works, not how fast the server is.")
    return status(rows, given.allow_skips)


def _short(row: Row) -> str:
    value = "no figure" if row.value is None else f"{row.value:.3f} {row.unit}"
    return f"  {row.name}: {value}, {row.verdict}" + "".join(f"\n    {note}" for note in row.notes)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Problem as problem:
        sys.exit(f"bench: {problem}")
    except KeyboardInterrupt:
        sys.exit(130)
