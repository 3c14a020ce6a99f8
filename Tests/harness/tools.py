"""The programs that the bench needs, installed from Debian when they are missing."""
import os
import shutil
import subprocess
from pathlib import Path

from Tests.harness.errors import Problem

# Command, and the Debian package that brings it.
PACKAGES = {"nginx": "nginx", "wrk": "wrk", "strace": "strace", "gcc": "gcc", "openssl": "openssl",
            "strip": "binutils", "nm": "binutils", "valgrind": "valgrind", "callgrind_control": "valgrind",
            "perf": "linux-perf", "podman": "podman", "buildah": "buildah", "runc": "runc", "netavark": "netavark",
            "iptables": "iptables", "debootstrap": "debootstrap", "caddy": "caddy",
            "lintian": "lintian", "patchelf": "patchelf", "zsh": "zsh", "fish": "fish", "capsh": "libcap2-bin"}
# A library of C, its header, and the Debian package that brings them.
LIBRARIES = {"sqlite3": ("/usr/include/sqlite3.h", "libsqlite3-dev"),
             "crypto": ("/usr/include/openssl/evp.h", "libssl-dev")}


def path(command: str) -> str:
    """Returns the path of `command`, after installing its package if need be."""
    found = _which(command)
    if not found:
        install(PACKAGES[command])
        found = _which(command)
    if not found:
        raise Problem(f"`{command}` is missing although its package {PACKAGES[command]} is installed.")
    return found


def install(package: str) -> None:
    """Installs a Debian package, as root or through sudo without a password."""
    if not shutil.which("apt-get"):
        raise Problem(f"{package} is missing and this system has no apt-get: install it by hand and run again.")
    prefix = [] if os.geteuid() == 0 else ["sudo", "-n"]
    if prefix and not shutil.which("sudo"):
        raise Problem(f"{package} is missing: run `apt-get install {package}` as root, then run again.")
    environment = dict(os.environ, DEBIAN_FRONTEND="noninteractive")
    command = prefix + ["apt-get", "install", "-y", "--no-install-recommends", package]
    print(f"installing {package} …", flush=True)
    for attempt in range(2):
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
        if done.returncode == 0:
            return
        if attempt == 0:
            subprocess.run(prefix + ["apt-get", "update"], env=environment, capture_output=True)
    words = done.stderr.strip().splitlines()
    raise Problem(f"{package} could not be installed ({words[-1] if words else 'no message'}): "
                  f"run `apt-get install {package}` as root, then run again.")


def compile_program(source: Path, directory: Path, *libraries: str) -> str:
    """Compiles a C file into `directory` unless the program is newer than its sources; returns the program's path."""
    for header, package in (LIBRARIES[library] for library in libraries):
        if not os.path.exists(header):
            install(package)
    return _compile([source], directory / source.stem, "-lpthread", *(f"-l{library}" for library in libraries))


def compile_library(sources: list[Path], directory: Path) -> str:
    """Compiles C files into a library for LD_PRELOAD in `directory`; it has the name of the first file."""
    return _compile(sources, directory / f"{sources[0].stem}.so", "-shared", "-fPIC", "-ldl")


def _compile(sources: list[Path], output: Path, *options: str) -> str:
    newest = max(file.stat().st_mtime for file in sources[0].parent.glob("*.[ch]"))
    if not output.exists() or output.stat().st_mtime < newest:
        output.parent.mkdir(parents=True, exist_ok=True)
        command = [path("gcc"), "-O2", "-Wall", "-Wextra", "-Werror", "-std=gnu11", "-o", str(output),
                   *map(str, sources), *options]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            raise Problem(f"{sources[0].name} does not compile:\n{done.stderr}")
    return str(output)


def _which(command: str) -> str | None:
    # nginx is in /usr/sbin, which a user's PATH may lack. netavark is in no PATH.
    return shutil.which(command, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin:/usr/lib/podman")
