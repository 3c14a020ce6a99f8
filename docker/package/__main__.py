"""Makes packages of the optimized build: a tarball, a Debian package and a Python wheel.

    python3 docker/package tarball deb wheel [--binary FILE] [--output DIRECTORY]

All contain the same files, in the layout of a prefix such as /usr. The same sources and binary give the same bytes: names are
sorted, and all times are SOURCE_DATE_EPOCH, or the time of the last commit. SHA256SUMS lists what the directory contains.
"""
import argparse
import hashlib
import sys
from pathlib import Path

import deb
import tarball
import wheel
from tree import ROOT, Build, Problem

MAKERS = {"tarball": tarball.make, "deb": deb.make, "wheel": wheel.make}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kinds", nargs="+", choices=MAKERS, metavar="KIND", help=", ".join(MAKERS))
    parser.add_argument("--binary", type=Path, default=ROOT / ".build/release/fogbase", help="(%(default)s)")
    parser.add_argument("--output", type=Path, default=ROOT / ".build/dist", help="(%(default)s)")
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    build = Build(options.binary)
    for kind in options.kinds:
        file = MAKERS[kind](build, options.output)
        print(f"{file} ({file.stat().st_size / 1e6:.1f} MB)")
    files = sorted(file for file in options.output.iterdir() if file.is_file() and file.name != "SHA256SUMS")
    sums = "".join(f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n" for file in files)
    (options.output / "SHA256SUMS").write_text(sums)


if __name__ == "__main__":
    try:
        main()
    except Problem as problem:
        sys.exit(str(problem))
