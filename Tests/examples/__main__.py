"""Runs the example applications, one after the other, against a server started here.

    python3 -m Tests.examples [Forum Goods Calendar CleanUp TypedPosts CloudKit]

FOGBASE names the server's program (.build/debug/fogbase), EXAMPLES the directory of the examples (.build/debug).
"""

import os
import pathlib
import subprocess
import sys
import time

from Tests.browser.server import TOKEN, Server
from Tests.harness.arguments import ROOT

PROGRAM = os.environ.get("FOGBASE", str(ROOT / ".build/debug/fogbase"))
DIRECTORY = pathlib.Path(os.environ.get("EXAMPLES", ROOT / ".build/debug"))
NAMES = ["Forum", "Goods", "Calendar", "CleanUp", "TypedPosts", "CloudKit"]

# Seconds that one example may take, on a machine that has other work too.
LONGEST = 120


def run(name, address):
    """Runs an example, whose lines are printed as they come; returns what is wrong, or None."""
    try:
        status = subprocess.run([DIRECTORY / f"{name}Example", "--server", address], timeout=LONGEST,
                                env=os.environ | {"FOGBASE_ADMIN_TOKEN": TOKEN}).returncode
    except subprocess.TimeoutExpired:
        return f"it has not ended within {LONGEST} seconds"
    return f"it has ended with status {status}" if status else None


def main():
    names = sys.argv[1:] or NAMES
    programs = [PROGRAM, *(DIRECTORY / f"{name}Example" for name in names)]
    missing = [path for path in programs if not os.access(path, os.X_OK)]
    if missing:
        print("\n".join(f"There is no program at {path} (make examples)." for path in missing), file=sys.stderr)
        return 2
    problems = []
    with Server(PROGRAM, str(ROOT / "Public")) as server:
        for name in names:
            print(f"== {name}", flush=True)
            start = time.monotonic()
            problem = run(name, server.address)
            if problem:
                problems.append(f"{name}: {problem}")
            print(f"   {time.monotonic() - start:.1f} s\n", flush=True)
    print("\n".join(problems) or f"All {len(names)} examples have done what they say.")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
