#!/usr/bin/env python3
"""Whether the whole suite notices each of the defects that its clients can play (liar.py), and nothing without them.

    python3 Tests/Consistency/test_lies.py [--binary B] [--work W] [--seconds S]
"""
import argparse
import subprocess
import sys
from pathlib import Path

from liar import LIES

HERE = Path(__file__).resolve().parent


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", default=str(HERE.parents[1] / ".build/release/fogbase"))
    parser.add_argument("--work", type=Path, default=HERE.parents[1] / ".consistency", help="a folder for everything")
    parser.add_argument("--seconds", type=float, default=3, help="the load of a round")
    options = parser.parse_args()
    missed = []
    for lie, (meaning, mix) in LIES.items():
        ended = subprocess.run(
            [sys.executable, str(HERE / "consistency.py"), "--binary", options.binary,
             "--work", str(options.work / "lies"), "--rounds", "1", "--seconds", str(options.seconds),
             "--lie", lie, "--mix", mix],
            capture_output=True, text=True, timeout=300)
        lines = [one.strip() for one in ended.stdout.splitlines() if one.startswith("    ")]
        # A client that dies of a lie is found as well, and hides whether the judges would have noticed it.
        is_noticed = ended.returncode == 1 and lines and "Traceback" not in ended.stdout + ended.stderr
        if not is_noticed:
            missed.append(lie)
        said = lines[0][:200] if is_noticed else f"NOT NOTICED {(ended.stdout + ended.stderr)[-600:]}"
        print(f"{lie} ({meaning}): {said}", flush=True)
    print(f"{len(LIES) - len(missed)} of {len(LIES)} noticed.")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
