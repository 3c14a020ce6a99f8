"""Medians over the rounds, and the table."""
from dataclasses import dataclass, field
from statistics import median

from Tests.bench.peers.work import Run


@dataclass
class Result:
    """One server at one work over so many connections; medians over the rounds, but the highest memory."""
    server: str
    work: str
    connections: int
    rate: float
    p50_ms: float
    p99_ms: float
    # CPU seconds of all processes of the server per 1,000 operations.
    cpu_seconds_per_1000: float
    memory_mb: float
    own_memory_mb: float
    operations: int
    errors: int
    faults: list[str] = field(default_factory=list)


def summed_up(measured: dict[tuple[str, str, int], list[Run]]) -> list[Result]:
    results = []
    for (server, work, connections), runs in measured.items():
        found = [run.found for run in runs]
        results.append(Result(
            server, work, connections,
            rate=round(median(one.rate for one in found), 1),
            p50_ms=round(median(one.p50_ms for one in found), 3),
            p99_ms=round(median(one.p99_ms for one in found), 3),
            cpu_seconds_per_1000=round(median(one.cpu_us for one in found) / 1000, 4),
            memory_mb=round(max(run.memory_mb for run in runs), 1),
            own_memory_mb=round(max(run.own_memory_mb for run in runs), 1),
            operations=sum(one.operations for one in found),
            errors=sum(one.errors for one in found),
            faults=list(dict.fromkeys(fault for one in found for fault in one.faults))))
    return results


HEADINGS = ("work", "conns", "server", "op/s", "p50 ms", "p99 ms", "CPU s/1000", "beside fogbase", "memory MB",
            "own MB", "errors")


def table(results: list[Result]) -> str:
    """The table as text; `beside fogbase` is CPU per operation relative to Fogbase."""
    ours = {(one.work, one.connections): one for one in results if one.server == "fogbase"}
    lines = [HEADINGS]
    for one in results:
        base = ours.get((one.work, one.connections))
        ratio = one.cpu_seconds_per_1000 / base.cpu_seconds_per_1000 if base and base.cpu_seconds_per_1000 else None
        lines.append((one.work, str(one.connections), one.server, f"{one.rate:,.0f}", f"{one.p50_ms:.2f}",
                      f"{one.p99_ms:.2f}", f"{one.cpu_seconds_per_1000:.3f}", f"{ratio:.1f} ×" if ratio else "–",
                      f"{one.memory_mb:.0f}", f"{one.own_memory_mb:.0f}",
                      f"{one.errors} of {one.operations:,}" if one.errors else "0"))
    widths = [max(len(line[column]) for line in lines) for column in range(len(HEADINGS))]
    text = ["  ".join(cell.ljust(width) if column in (0, 2) else cell.rjust(width)
                      for column, (cell, width) in enumerate(zip(line, widths))).rstrip() for line in lines]
    text.insert(1, "  ".join("-" * width for width in widths))
    return "\n".join(text)
