"""The wheel: `pipx run fogbase serve`.

pip puts the program into the directory of scripts, so no Python runs when it is called. The libraries of the build machine
are in lib/fogbase beside it, except those that PEP 600 expects on every machine: any distribution whose glibc is new enough runs
the wheel.
"""
import base64
import hashlib
import io
import re
import tempfile
import time
import zipfile
from pathlib import Path

from tree import Build, File, Problem, glibc_version, run

# The files of glibc, of which a program must use those of its machine, and the libraries of the compiler.
OF_THE_SYSTEM = re.compile(r"(ld-linux-.*|linux-vdso|lib(c|m|pthread|dl|rt|resolv|util|nsl|mvec|anl|stdc\+\+|gcc_s))\.so")
METADATA = """\
Metadata-Version: 2.1
Name: fogbase
Version: {version}
Summary: A record database server with CloudKit's data model
License: Apache-2.0
Requires-Python: >=3.8
Classifier: Environment :: No Input/Output (Daemon)
Classifier: License :: OSI Approved :: Apache Software License
Classifier: Operating System :: POSIX :: Linux
Classifier: Topic :: Database :: Database Engines/Servers
Description-Content-Type: text/markdown

Fogbase is a backend for apps on your own machine: records, users, roles, files and sync over HTTP and JSON, in one program
with SQLite inside. `pipx run fogbase serve` starts it and prints the address of its console.
"""


def libraries(binary: Path) -> dict[str, Path]:
    """The shared libraries that the program loads, by their names, without those of the system."""
    output = run("ldd", binary)
    if "not found" in output:
        raise Problem(f"Libraries of {binary} are missing on this machine:\n{output}")
    found = re.findall(r"^\s*(\S+) => (/\S+)", output, re.MULTILINE)
    return {name: Path(path).resolve() for name, path in sorted(found) if not OF_THE_SYSTEM.match(name)}


def licenses(paths: list[Path]) -> dict[str, bytes]:
    """The licenses of the libraries' Debian packages, by the names of the packages."""
    found = {}
    for path in paths:
        # The database has the path of before the merge of /lib and /usr/lib in some releases.
        owners = run("dpkg-query", "--search", f"*/{path.name}")
        package = owners.split(":", 1)[0]
        found[package] = Path(f"/usr/share/doc/{package}/copyright").read_bytes()
    return found


def record(path: str, data: bytes) -> str:
    """A line of the list of files."""
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return f"{path},sha256={digest},{len(data)}\n"


def contents(build: Build) -> dict[str, File]:
    """The files of the wheel, without its list."""
    bundled = libraries(build.binary)
    data, information = f"fogbase-{build.version}.data", f"fogbase-{build.version}.dist-info"
    files = {f"{data}/scripts/fogbase": File(build.program("$ORIGIN/../lib/fogbase"), 0o755)}
    for path, file in build.files().items():
        if path.startswith(("share/fogbase/public/", "share/man/")):
            files[f"{data}/data/{path}"] = file
        elif path.endswith("/LICENSE"):
            files[f"{information}/licenses/LICENSE"] = file
    for name, path in bundled.items():
        files[f"{data}/data/lib/fogbase/{name}"] = File(path.read_bytes(), 0o755)
    for package, text in licenses(list(bundled.values())).items():
        files[f"{information}/licenses/{package}"] = File(text)
    files[f"{information}/METADATA"] = File(METADATA.format(version=build.version).encode())
    files[f"{information}/WHEEL"] = File(
        f"Wheel-Version: 1.0\nGenerator: fogbase\nRoot-Is-Purelib: false\nTag: {tag(build)}\n".encode())
    return files


def tag(build: Build) -> str:
    """Which machines can run the wheel (PEP 600): those with the glibc that the program and its libraries need."""
    major, minor = glibc_version(build.binary, *libraries(build.binary).values())[:2]
    return f"py3-none-manylinux_{major}_{minor}_{build.python_architecture}"


def make(build: Build, output: Path) -> Path:
    files = contents(build)
    listing = f"fogbase-{build.version}.dist-info/RECORD"
    lines = "".join(record(path, file.data) for path, file in files.items()) + f"{listing},,\n"
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as zipped:
        for path, file in [*sorted(files.items()), (listing, File(lines.encode()))]:
            entry = zipfile.ZipInfo(path, time.gmtime(build.time)[:6])
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, (0o100000 | file.mode) << 16
            zipped.writestr(entry, file.data)
    # An earlier build may have needed another glibc.
    for earlier in output.glob(f"fogbase-{build.version}-*_{build.python_architecture}.whl"):
        earlier.unlink()
    wheel = output / f"fogbase-{build.version}-{tag(build)}.whl"
    wheel.write_bytes(archive.getvalue())
    return wheel
