"""Packages from PyPI in a virtual environment of their own, so that nothing is installed into the system."""
import hashlib
import subprocess
import sys
from pathlib import Path

from Tests.harness.errors import Problem


def environment(directory: Path, requirements: Path) -> Path:
    """Makes a virtual environment with the pinned packages unless that was done; returns its `bin`."""
    marker, binaries = directory / "installed", directory / "bin"
    wanted = hashlib.sha256(requirements.read_bytes()).hexdigest()
    if marker.exists() and marker.read_text() == wanted:
        return binaries
    print(f"installing {requirements.name} into {directory} …", flush=True)
    _run([sys.executable, "-m", "venv", "--clear", str(directory)],
         "the virtual environment cannot be made; on Debian it needs `apt-get install python3-venv`")
    _run([str(binaries / "pip"), "install", "--quiet", "--disable-pip-version-check", "-r", str(requirements)],
         f"the packages of {requirements} cannot be installed from PyPI")
    marker.write_text(wanted)
    return binaries


def versions(binaries: Path) -> dict[str, str]:
    """All that is installed there, by name."""
    done = subprocess.run([str(binaries / "pip"), "freeze"], capture_output=True, text=True)
    return dict(line.split("==", 1) for line in done.stdout.splitlines() if "==" in line)


def _run(command: list[str], complaint: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        words = (done.stderr.strip() or done.stdout.strip()).splitlines()
        raise Problem(f"{complaint}: {words[-1] if words else 'no message'}")
