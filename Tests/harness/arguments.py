"""Command-line options that the suites share, and the paths they start from."""
import argparse
import fnmatch
import os
import secrets
import signal
import sys
from collections.abc import Callable
from pathlib import Path

from Tests.harness.errors import Problem

ROOT = Path(__file__).resolve().parents[2]
# The server under test; FOGBASE names another one.
BINARY = os.environ.get("FOGBASE", str(ROOT / ".build/release/fogbase"))


def make_parser(description: str, work: str) -> argparse.ArgumentParser:
    """A parser with --binary, --work, --env and --seed; `work` is a directory below the checkout."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", default=BINARY, help="the server (default: %(default)s)")
    parser.add_argument("--work", type=Path, default=ROOT / work, help=f"directory for all files (default: {work})")
    parser.add_argument("--env", action="append", default=[], metavar="KEY=VALUE",
                        help="a setting of the server; an empty value removes a default of the suite")
    parser.add_argument("--seed", type=int, default=secrets.randbelow(10**9),
                        help="of all random choices; the interleaving of threads is not among them")
    return parser


def parse(parser: argparse.ArgumentParser) -> argparse.Namespace:
    """Parses the command line. `settings` has --env as a dictionary; `binary` is absolute and exists."""
    options = parser.parse_args()
    if wrong := [one for one in options.env if "=" not in one]:
        parser.error(f"--env takes KEY=VALUE, not {wrong[0]}")
    options.settings = dict(one.split("=", 1) for one in options.env)
    options.binary = str(Path(options.binary).resolve())
    needs_server = not (getattr(options, "list", None) or getattr(options, "again", None))
    if needs_server and not Path(options.binary).is_file():
        parser.error(f"there is no {options.binary}: run 'make build', or name a server with --binary")
    return options


def add_scenario_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--only", action="append", metavar="PATTERN",
                        help="run the scenarios whose names match, e.g. 'slow-*'; may be repeated")
    parser.add_argument("--list", action="store_true", help="list the scenarios and exit")
    parser.add_argument("--json", type=Path, metavar="FILE", help="append the rows as JSON lines")


def select(scenarios: list, options: argparse.Namespace) -> list:
    """The scenarios that --only names, or all. Prints them and exits with --list."""
    if options.list:
        print("\n".join(f"{one.name:22} {one.summary}" for one in scenarios))
        sys.exit()
    chosen = [one for one in scenarios
              if not options.only or any(fnmatch.fnmatch(one.name, pattern) for pattern in options.only)]
    return chosen or sys.exit("No scenario has such a name; --list shows them.")


def run_main(main: Callable[[], int]) -> None:
    """Runs a suite and exits with its status. SIGTERM raises, so that `finally` clauses end servers; a `Problem` is
    printed as one sentence."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        sys.exit(main())
    except Problem as problem:
        sys.exit(str(problem))
    except KeyboardInterrupt:
        sys.exit(130)
