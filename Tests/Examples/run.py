#!/usr/bin/env python3
"""Runs the example applications of the Swift client, one after the other, against a server started here.

    python3 Tests/Examples/run.py [Forum Goods Calendar CleanUp TypedPosts]

FOGBASE names the server's program (.build/debug/fogbase), EXAMPLES the folder of the examples (.build/debug).
"""

import os
import pathlib
import subprocess
import sys
import time

HOME = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(HOME / "Tests/Browser"))

from server import Server  # noqa: E402

PROGRAM = os.environ.get("FOGBASE", str(HOME / ".build/debug/fogbase"))
FOLDER = pathlib.Path(os.environ.get("EXAMPLES", HOME / ".build/debug"))
NAMES = ["Forum", "Goods", "Calendar", "CleanUp", "TypedPosts"]

# Seconds that one example may take, on a machine that has other work too.
LONGEST = 120


def run(name, address):
    """Runs an example, whose lines are printed as they come; answers what is wrong, or None."""
    try:
        status = subprocess.run([FOLDER / f"{name}Example", "--server", address], timeout=LONGEST).returncode
    except subprocess.TimeoutExpired:
        return f"it has not ended within {LONGEST} seconds"
    return f"it has ended with status {status}" if status else None


def main():
    names = sys.argv[1:] or NAMES
    programs = [PROGRAM, *(FOLDER / f"{name}Example" for name in names)]
    missing = [path for path in programs if not os.access(path, os.X_OK)]
    if missing:
        print("\n".join(f"There is no program at {path} (make examples)." for path in missing), file=sys.stderr)
        return 2
    problems = []
    with Server(PROGRAM, str(HOME / "Public")) as server:
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
