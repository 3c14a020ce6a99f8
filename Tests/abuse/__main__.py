"""Attacks the server in many ways while a good client is measured. README.md says what must hold.

    python3 -m Tests.abuse --only 'slow-*'
"""
import argparse
import shutil
import threading
import traceback

from Tests.abuse.machine_load import add_priority_option, prepare
from Tests.abuse.results import Row, all_hold, json_line, last_line, table
from Tests.abuse.scenarios import (
    bodies, bombs, churn, floods, heads, protocol, slow_readers, streams, uploads, webhooks)
from Tests.abuse.trial import Recovery, Trial
from Tests.harness.arguments import add_scenario_options, make_parser, parse, run_main, select
from Tests.harness.errors import Problem

SCENARIOS = [scenario for module in (heads, bodies, slow_readers, floods,
                                     churn, bombs, uploads, protocol, streams, webhooks)
             for scenario in module.SCENARIOS]


def arguments() -> argparse.Namespace:
    parser = make_parser(__doc__, ".abuse")
    add_scenario_options(parser)
    parser.add_argument("--seconds", type=float, default=6, help="length of one attack (default: %(default)s)")
    add_priority_option(parser)
    return parse(parser)


def main() -> int:
    options = arguments()
    chosen = select(SCENARIOS, options)
    directory = prepare(options, "run-")
    rows: dict[str, Row] = {}
    lock = threading.Lock()

    def done(trial: Trial) -> None:
        with lock:
            rows[trial.row.name] = trial.row
            print(f"{trial.row.name}: {trial.row.result}, p99 {trial.row.during_ms:.1f} ms "
                  f"(control {trial.row.control_ms:.1f}), back after {trial.row.recovered_s:.0f} s", flush=True)
            for finding in trial.row.findings:
                print(f"    {finding}", flush=True)
            if options.json:
                with open(options.json, "a") as out:
                    out.write(json_line(trial.row) + "\n")

    recovery = Recovery(done)
    try:
        for scenario in chosen:
            trial = Trial(scenario, options.binary, directory, options.seconds)
            try:
                trial.run()
                recovery.add(trial)
            except (Problem, OSError, ValueError, KeyError) as problem:
                traceback.print_exc()
                trial.row.findings.append(f"{type(problem).__name__}: {problem}")
                if trial.target:
                    trial.row.findings.append(f"the server said: {trial.target.server.last_words()}")
                    trial.target.server.kill()
                done(trial)
            except BaseException:
                # Interrupted: end all servers.
                if trial.target:
                    trial.target.server.kill()
                recovery.abandon()
                raise
    finally:
        recovery.wait()
    ordered = [rows[one.name] for one in chosen if one.name in rows]
    print(f"\n{table(ordered)}\n\n{last_line(ordered)}")
    if any(row.result == "FAILED" for row in ordered):
        print(f"The servers' logs are in {directory}")
    else:
        shutil.rmtree(directory, ignore_errors=True)
    return 0 if all_hold(ordered) and len(ordered) == len(chosen) else 1


if __name__ == "__main__":
    run_main(main)
