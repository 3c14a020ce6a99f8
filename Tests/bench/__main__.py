"""Measures the server against nginx and bare SQLite. README.md says what each row means.

    python3 -m Tests.bench --only 'point-*'
"""
import argparse
import json
import os
import traceback

from Tests.bench import machine
from Tests.bench.context import Context, Options
from Tests.bench.report import Row, json_line, last_line, status, table, verdicts
from Tests.bench.scenarios import (
    access, assets, bulk, cloudkit, connections, debian, hostile, loop, memory, models, queries, reads, requests, scale,
    searches, start, streams, thumbnails, writes)
from Tests.harness.arguments import add_scenario_options, make_parser, parse, run_main, select
from Tests.harness.errors import Problem, Skipped
from Tests.harness.server import raise_descriptor_limit

SIZES = [1000, 10_000, 100_000, 1_000_000]
MODULES = (reads, writes, connections, memory, streams, start, queries, searches, access, scale, bulk, cloudkit,
           assets, thumbnails, hostile, loop, requests, models, debian)
SCENARIOS = [scenario for module in MODULES for scenario in module.SCENARIOS]


def arguments() -> argparse.Namespace:
    parser = make_parser(__doc__, ".bench")
    add_scenario_options(parser)
    parser.add_argument("--seconds", type=float, help="length of one run (default 4)")
    parser.add_argument("--rounds", type=int, help="rounds of reference and server (default 3)")
    parser.add_argument("--quick", action="store_true", help="one round of 1 s, small data: does it work, not how fast")
    parser.add_argument("--refill", action="store_true", help="fill the kept databases again")
    parser.add_argument("--records", type=int, metavar="N", default=int(os.environ.get("BENCH_RECORDS", 0)),
                        help="records of the large data sets of queries (default 1000000, or BENCH_RECORDS)")
    parser.add_argument("--sizes", type=int, nargs="+", metavar="N",
                        help="records of the data sets of `scale` (default 1000 10000 100000 1000000)")
    parser.add_argument("--cache-kb", type=int, default=Options.cache_kb,
                        help="cache_size of the bare loop in KB (default %(default)s)")
    parser.add_argument("--mmap-bytes", type=int, default=Options.mmap_bytes,
                        help="mmap_size of the bare loop (default %(default)s)")
    parser.add_argument("--allow-skips", action="store_true",
                        help="exit with status 0 also if a scenario with a floor could not run on this machine")
    return parse(parser)


def main() -> int:
    given = arguments()
    chosen = select(SCENARIOS, given)
    options = Options(given.binary, given.work,
                      given.seconds or (1 if given.quick else Options.seconds),
                      given.rounds or (1 if given.quick else Options.rounds), given.quick, given.refill,
                      given.records or (50_000 if given.quick else Options.records),
                      given.settings, given.cache_kb, given.mmap_bytes,
                      sorted(given.sizes or ([1000, 10_000] if given.quick else SIZES)))
    raise_descriptor_limit()
    context = Context(options)
    try:
        return run(context, chosen, given)
    finally:
        context.close()


def run(context: Context, chosen: list, given: argparse.Namespace) -> int:
    facts = machine.facts(context.directory, context.options.binary)
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
    for row in memory.rss_load(context):
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
    run_main(main)
