"""The conditions of the figures: the build, processor, memory, disk, kernel, and how long a sync takes now."""
import os
import platform
import subprocess
import time
from pathlib import Path

from Tests.harness import tools

DATE = "%Y-%m-%dT%H:%M:%SZ"
# The parts of a tree that a server is built from.
BUILT_FROM = (":/Sources", ":/Package.swift")


def disk_of(directory: Path) -> tuple[str, str]:
    """The file system's type and device that hold `directory`, from /proc/self/mounts."""
    found, longest = ("unknown", "unknown"), -1
    path = str(directory.resolve())
    with open("/proc/self/mounts") as mounts:
        for line in mounts:
            device, point, kind = line.split()[:3]
            if (path + "/").startswith(point.rstrip("/") + "/") and len(point) >= longest:
                found, longest = (kind, device), len(point)
    return found


def sync_times(directory: Path, count: int = 200) -> tuple[float, float]:
    """The p50 and p99 of an fdatasync after an appended 4 KB, in ms."""
    path, block, times = directory / "sync-probe", os.urandom(4096), []
    descriptor = os.open(path, os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o600)
    try:
        for _ in range(count):
            os.write(descriptor, block)
            start = time.perf_counter()
            os.fdatasync(descriptor)
            times.append((time.perf_counter() - start) * 1e3)
    finally:
        os.close(descriptor)
        path.unlink()
    times.sort()
    return times[count // 2], times[count * 99 // 100]


def commit(binary: str | Path) -> str:
    """The commit of the tree of `binary`, and whether its sources have changed since."""
    directory = Path(binary).resolve().parent

    def git(*arguments: str) -> str | None:
        try:
            done = subprocess.run(["git", *arguments], cwd=directory, capture_output=True, text=True)
        except OSError:
            return None
        return done.stdout.strip() if done.returncode == 0 else None

    found = git("rev-parse", "--short", "HEAD")
    if not found:
        return "unknown"
    return f"{found} + changes" if git("status", "--porcelain", "--", *BUILT_FROM) != "" else found


def facts(directory: Path, binary: str) -> dict:
    """Machine facts, with the speed of the disk below `directory`, and the commit of the server that is measured."""
    p50, p99 = sync_times(directory)
    kind, device = disk_of(directory)
    return {
        "commit": commit(binary),
        "processor": _first("/proc/cpuinfo", "model name"),
        "cores": os.cpu_count(),
        "memory_mb": int(_first("/proc/meminfo", "MemTotal").split()[0]) // 1024,
        "kernel": platform.release(),
        "system": _first("/etc/os-release", "PRETTY_NAME", "=").strip('"'),
        "disk": f"{kind} on {device}",
        "fdatasync_p50_ms": round(p50, 3),
        "fdatasync_p99_ms": round(p99, 3),
        "load_average": os.getloadavg()[0],
        "nginx": _output([tools.path("nginx"), "-v"]),
        "wrk": _output([tools.path("wrk"), "-v"]),
        "date": time.strftime(DATE, time.gmtime()),
    }


def origin(found: dict) -> dict:
    """The date, place and build of a row: the part of `facts` that each row has, with its own date."""
    return {"date": time.strftime(DATE, time.gmtime()), "processor": found["processor"], "cores": found["cores"],
            "kernel": found["kernel"], "commit": found["commit"]}


def _first(path: str, key: str, separator: str = ":") -> str:
    try:
        with open(path) as lines:
            for line in lines:
                name, _, value = line.partition(separator)
                if name.strip() == key:
                    return value.strip()
    except FileNotFoundError:
        pass
    return "0"


def _output(command: list[str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True)
    return (done.stdout + done.stderr).strip().split("\n")[0]
