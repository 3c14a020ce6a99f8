"""The packages under test, made by docker/package of one binary."""
import subprocess
import sys
import tempfile
from pathlib import Path

from Tests.harness.arguments import ROOT
from Tests.harness.errors import Problem

# The version of the older package, which is lower than each real one.
OLD_VERSION = "0.0.1"


def make(binary: str, output: Path, *kinds: str) -> list[Path]:
    """Makes packages, and returns them in the order of the kinds `tarball`, `deb` and `wheel`."""
    done = subprocess.run([sys.executable, "docker/package", *kinds, "--binary", binary, "--output", str(output)],
                          cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Problem(f"The packages were not made: {done.stderr}")
    return [Path(line.rpartition(" (")[0]) for line in done.stdout.splitlines()]


def make_older(package: Path, output: Path, binary: str | None) -> Path:
    """A package of a lower version, with an older binary if there is one."""
    with tempfile.TemporaryDirectory() as directory:
        tree = Path(directory) / "tree"
        subprocess.run(["dpkg-deb", "--raw-extract", package, tree], check=True)
        control = tree / "DEBIAN/control"
        shown = subprocess.run(["dpkg-deb", "--field", package, "Version"], capture_output=True, text=True, check=True)
        version = shown.stdout.strip()
        control.write_text(control.read_text().replace(f"Version: {version}\n", f"Version: {OLD_VERSION}\n"))
        if binary:
            subprocess.run(["strip", f"--output-file={tree}/usr/bin/fogbase", binary], check=True)
        output.mkdir()
        older = output / package.name.replace(version, OLD_VERSION)
        subprocess.run(["dpkg-deb", "--root-owner-group", "-Znone", "--build", tree, older], check=True,
                       capture_output=True)
    return older
