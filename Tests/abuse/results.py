"""The checks of every attack, the table and the JSON lines."""
import json
from dataclasses import asdict, dataclass, field

# The limit of the good client's p99.
LIMIT_MS = 50
# The p99 on a quiet machine without any attack.
QUIET_MS = 10
# From this control on, the machine is too busy to attribute a p99 over the limit. No more than the difference to a
# quiet machine is ever subtracted.
BUSY_MS = 25


@dataclass
class Row:
    """One scenario. Milliseconds are p99 of the good client."""
    name: str
    before_ms: float = 0
    control_ms: float = 0
    during_ms: float = 0
    after_ms: float = 0
    longest_ms: float = 0
    good: int = 0
    failed: int = 0
    foreign: float = 0
    server_cpu: float = 0
    rss_before_mb: float = 0
    rss_peak_mb: float = 0
    rss_after_mb: float = 0
    # Without sockets.
    descriptors_before: int = 0
    descriptors_after: int = 0
    recovered_s: float = 0
    attempts: int = 1
    findings: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def net_ms(self) -> float:
        """The effect of the attack: the p99 without the increase that the control has over a quiet machine."""
        return self.during_ms - max(0.0, self.control_ms - QUIET_MS)

    @property
    def inconclusive(self) -> bool:
        """Over the limit with a control that is too high to attribute it."""
        return self.during_ms >= LIMIT_MS and self.control_ms >= BUSY_MS

    @property
    def result(self) -> str:
        if self.findings:
            return "FAILED"
        if self.during_ms < LIMIT_MS:
            return "holds"
        return "INCONCLUSIVE" if self.inconclusive else "holds*"

    def check_good(self) -> list[str]:
        """Findings about the good client's requests."""
        found = []
        if self.failed:
            found.append(f"{self.failed} of {self.good} good requests failed")
        if self.net_ms >= LIMIT_MS:
            found.append(f"the good client's p99 was {self.during_ms:.0f} ms, {self.net_ms:.0f} ms without the "
                         f"machine's share, where less than {LIMIT_MS} ms are demanded")
        return found


HEADINGS = ("scenario", "result", "before", "control", "during", "after", "longest", "good", "failed", "foreign",
            "server CPU", "MB before", "peak", "end", "back s", "tries")


def table(rows: list[Row]) -> str:
    """The table as text; findings and notes below it."""
    lines = [HEADINGS] + [(
        row.name, row.result, f"{row.before_ms:.1f}", f"{row.control_ms:.1f}", f"{row.during_ms:.1f}",
        f"{row.after_ms:.1f}", f"{row.longest_ms:.0f}", str(row.good), str(row.failed), f"{row.foreign:.0%}",
        f"{row.server_cpu:.0%}", f"{row.rss_before_mb:.0f}", f"{row.rss_peak_mb:.0f}", f"{row.rss_after_mb:.0f}",
        f"{row.recovered_s:.0f}", str(row.attempts)) for row in rows]
    widths = [max(len(line[column]) for line in lines) for column in range(len(HEADINGS))]
    text = []
    for number, line in enumerate(lines):
        text.append("  ".join(cell.ljust(width) if column < 2 else cell.rjust(width)
                              for column, (cell, width) in enumerate(zip(line, widths))).rstrip())
        if number == 0:
            text.append("  ".join("-" * width for width in widths))
    for row in rows:
        text += [f"{row.name}: FAILED: {finding}" for finding in row.findings]
    text += [f"{row.name}: {note}" for row in rows for note in row.notes]
    text += ["", "before, control, during, after, longest: milliseconds of the good client, p99 but for the last.",
             "holds*: over the limit, but no more than the control, which is the same load without the server, "
             "explains.",
             f"INCONCLUSIVE: over the limit, and the control took {BUSY_MS} ms or more each time: nothing is shown."]
    return "\n".join(text)


def last_line(rows: list[Row]) -> str:
    """The results of all scenarios; those without a plain `holds` are named."""
    words = {"FAILED": "failed", "INCONCLUSIVE": "inconclusive", "holds*": "held by the subtraction alone"}
    named = {result: [row.name for row in rows if row.result == result] for result in words}
    parts = [f"{len(names)} {words[result]}: {', '.join(names)}" for result, names in named.items() if names]
    if not named["FAILED"] and not named["INCONCLUSIVE"]:
        parts.insert(0, f"All {len(rows)} scenarios hold")
        return "; ".join(parts) + "."
    return f"Of {len(rows)} scenarios " + "; ".join(parts)


def all_hold(rows: list[Row]) -> bool:
    return all(row.result.startswith("holds") for row in rows)


def json_line(row: Row) -> str:
    return json.dumps(asdict(row) | {"net_ms": row.net_ms, "result": row.result}, ensure_ascii=False)
