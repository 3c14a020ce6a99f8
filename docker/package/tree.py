"""The files that every package contains, in the layout of a prefix such as /usr."""
import gzip
import os
import re
import shutil
import struct
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

import manual

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent
# Of each machine of ELF: the names that Debian and Python have for the architecture.
MACHINES = {62: ("amd64", "x86_64"), 183: ("arm64", "aarch64")}
COMPLETIONS = {"bash": "share/bash-completion/completions/fogbase", "zsh": "share/zsh/site-functions/_fogbase",
               "fish": "share/fish/vendor_completions.d/fogbase.fish"}
UNITS = ["fogbase.service", "fogbase-backup.service", "fogbase-backup.timer"]


class Problem(Exception):
    """What prevents the packaging, as a sentence with a remedy."""


@dataclass(frozen=True)
class File:
    data: bytes
    mode: int = 0o644


def run(*command: str | Path) -> str:
    """The output of a command; `Problem` if it is missing or fails."""
    if not shutil.which(command[0]):
        raise Problem(f"{command[0]} is missing: run 'sh docker/dependencies.sh package'.")
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Problem(f"{' '.join(map(str, command))} failed: {done.stderr.strip()}")
    return done.stdout


def compress(data: bytes) -> bytes:
    """gzip without name and time."""
    return gzip.compress(data, 9, mtime=0)


def glibc_version(*files: Path) -> tuple[int, ...]:
    """The newest glibc whose symbols the programs and libraries need, such as (2, 35)."""
    found = re.findall(r"Name: GLIBC_([0-9.]+)", "".join(run("readelf", "--wide", "--version-info", file) for file in files))
    return max(tuple(int(part) for part in one.split(".")) for one in found)


class Build:
    """An optimized build with what belongs to it."""

    def __init__(self, binary: Path):
        if not binary.is_file():
            raise Problem(f"There is no {binary}: run 'make build', or name a server with --binary.")
        self.binary = binary.resolve()
        with open(binary, "rb") as file:
            head = file.read(20)
        machine = struct.unpack("<H", head[18:20])[0] if head[:4] == b"\x7fELF" else 0
        if machine not in MACHINES:
            raise Problem(f"{binary} is no program for x86-64 or arm64.")
        self.debian_architecture, self.python_architecture = MACHINES[machine]
        self.version = re.search(r'text = "(.*)"', (ROOT / "Sources/fogbase/Version.swift").read_text())[1]
        built = re.search(r"^Fogbase +(\S+)", run(self.binary, "version"), re.MULTILINE)[1]
        if built != self.version:
            raise Problem(f"{binary} is version {built}, and the sources are {self.version}: run 'make build'.")
        self.time = self._time()

    @staticmethod
    def _time() -> int:
        """The time of all files, in seconds since 1970; at least 1980, where the times of zip archives begin."""
        commit = subprocess.run(["git", "log", "-1", "--format=%ct"], cwd=ROOT, capture_output=True, text=True, check=False)
        return max(int(os.environ.get("SOURCE_DATE_EPOCH") or commit.stdout.strip() or 0), 315_619_200)

    def program(self, *library_path: str) -> bytes:
        """The binary without symbols. It searches for libraries in the given directory, or where the system has them."""
        with tempfile.TemporaryDirectory() as directory:
            copy = Path(directory) / "fogbase"
            run("strip", f"--output-file={copy}", self.binary)
            # SwiftPM sets $ORIGIN, which would prefer libraries beside the program.
            run("patchelf", *(["--force-rpath", "--set-rpath", *library_path] if library_path else ["--remove-rpath"]), copy)
            return copy.read_bytes()

    def files(self) -> dict[str, File]:
        """The files by their path below the prefix."""
        files = {"bin/fogbase": File(self.program(), 0o755),
                 "share/man/man1/fogbase.1.gz": File(compress(manual.page(self).encode())),
                 "share/doc/fogbase/LICENSE": self._source("LICENSE"),
                 "share/doc/fogbase/CHANGELOG.md": self._source("CHANGELOG.md"),
                 "share/fogbase/examples/fogbase.conf": self._source("docker/package/fogbase.conf")}
        for name in UNITS:
            files[f"lib/systemd/system/{name}"] = self._source(f"docker/{name}")
        # Not in share/doc, which slim systems leave out.
        for name in ("nginx.conf", "Caddyfile", "prometheus-rules.yml"):
            files[f"share/fogbase/examples/{name}"] = self._source(f"docker/{name}")
        for shell, path in COMPLETIONS.items():
            files[path] = File(run(self.binary, "completion", shell).encode())
        # The examples are for developers and are not served.
        for file in (ROOT / "Public").rglob("*"):
            path = file.relative_to(ROOT / "Public")
            if file.is_file() and path.parts[0] != "examples":
                files[f"share/fogbase/public/{path}"] = File(file.read_bytes())
        return dict(sorted(files.items()))

    @staticmethod
    def _source(path: str) -> File:
        return File((ROOT / path).read_bytes())
