#!/usr/bin/env python3
"""Attacks a Fogbase server in many ways, with a good client measured beside. README.md tells what is demanded."""
import argparse
import fnmatch
import shutil
import signal
import sys
import tempfile
import threading
import traceback
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Tests/Bench"))

import bodies_scenarios
import bombs_scenarios
import churn_scenarios
import floods_scenarios
import heads_scenarios
import machine_share
import protocol_scenarios
import readers_scenarios
import uploads_scenarios
from problem import Problem
from server import raise_descriptor_limit
from trial import Recovery, Trial
from verdicts import Row, all_hold, json_line, last_line, table

SCENARIOS = [scenario for module in (heads_scenarios, bodies_scenarios, readers_scenarios, floods_scenarios,
                                     churn_scenarios, bombs_scenarios, uploads_scenarios, protocol_scenarios)
             for scenario in module.SCENARIOS]


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--binary", default=str(ROOT / ".build/release/fogbase"),
                        help="the server (default: %(default)s)")
    parser.add_argument("--work", type=Path, default=ROOT / ".abuse", help="a folder for everything (default: .abuse)")
    parser.add_argument("--only", action="append", metavar="PATTERN",
                        help="run the scenarios whose name matches, e.g. 'slow-*'; may be repeated")
    parser.add_argument("--seconds", type=float, default=6, help="length of one attack (default: %(default)s)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="append the rows as JSON lines")
    parser.add_argument("--priority", type=int, default=0, metavar="NICE",
                        help="as root, on a machine that others use: of all that runs here, such as -15")
    parser.add_argument("--list", action="store_true", help="list the scenarios and end")
    return parser.parse_args()


def main() -> int:
    given = arguments()
    if given.list:
        for scenario in SCENARIOS:
            print(f"{scenario.name:22} {scenario.summary}")
        return 0
    chosen = [one for one in SCENARIOS
              if not given.only or any(fnmatch.fnmatch(one.name, pattern) for pattern in given.only)]
    if not chosen or not Path(given.binary).is_file():
        print("No scenario has such a name; --list tells them." if not chosen else
              f"There is no {given.binary}. Run 'make build' first, or name a server with --binary.")
        return 2
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    if given.priority:
        machine_share.go_before_others(given.priority)
    raise_descriptor_limit()
    given.work.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix="run-", dir=given.work)).resolve()
    rows: dict[str, Row] = {}
    lock = threading.Lock()

    def done(trial: Trial) -> None:
        with lock:
            rows[trial.row.name] = trial.row
            print(f"{trial.row.name}: {trial.row.verdict}, p99 {trial.row.during_ms:.1f} ms "
                  f"(control {trial.row.control_ms:.1f}), back after {trial.row.recovered_s:.0f} s", flush=True)
            for finding in trial.row.findings:
                print(f"    {finding}", flush=True)
            if given.json:
                with open(given.json, "a") as out:
                    out.write(json_line(trial.row) + "\n")

    recovery = Recovery(done)
    try:
        for scenario in chosen:
            trial = Trial(scenario, str(Path(given.binary).resolve()), folder, given.seconds)
            try:
                trial.run()
                recovery.add(trial)
            except (Problem, OSError, ValueError, KeyError) as problem:
                traceback.print_exc()
                trial.row.findings.append(f"{type(problem).__name__}: {problem}")
                if trial.stage:
                    trial.row.findings.append(f"the server said: {trial.stage.server.last_words()}")
                    trial.stage.server.kill()
                done(trial)
            except BaseException:
                # Interrupted: no server stays behind.
                if trial.stage:
                    trial.stage.server.kill()
                recovery.abandon()
                raise
    finally:
        recovery.wait()
    ordered = [rows[one.name] for one in chosen if one.name in rows]
    print(f"\n{table(ordered)}\n\n{last_line(ordered)}")
    if any(row.verdict == "FAILED" for row in ordered):
        print(f"The servers' logs are in {folder}")
    else:
        shutil.rmtree(folder, ignore_errors=True)
    return 0 if all_hold(ordered) and len(ordered) == len(chosen) else 1


if __name__ == "__main__":
    sys.exit(main())
