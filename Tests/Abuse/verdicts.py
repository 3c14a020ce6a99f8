"""What is demanded of every attack, the table and the JSON lines."""
import json
from dataclasses import asdict, dataclass, field

# A good request waits less than this, 99 times of 100.
LIMIT_MS = 50
# What good requests take here without any attack, when nobody else uses the machine.
QUIET_MS = 10
# A control from here on says that the machine was too busy for a p99 over the limit to be anybody's: no more than the
# difference to a quiet machine is ever subtracted.
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
    # Those that are no sockets.
    descriptors_before: int = 0
    descriptors_after: int = 0
    recovered_s: float = 0
    attempts: int = 1
    findings: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def judged_ms(self) -> float:
        """What the attack adds: the same load on the machine without the server in its way (the control) is nobody's
        fault of the server's, as far as it is beyond what good requests take on a quiet machine."""
        return self.during_ms - max(0.0, self.control_ms - QUIET_MS)

    @property
    def inconclusive(self) -> bool:
        """Over the limit beside a control that is so high that nothing can be told from it."""
        return self.during_ms >= LIMIT_MS and self.control_ms >= BUSY_MS

    @property
    def verdict(self) -> str:
        if self.findings:
            return "FAILED"
        if self.during_ms < LIMIT_MS:
            return "holds"
        return "INCONCLUSIVE" if self.inconclusive else "holds*"

    def judge_good(self) -> list[str]:
        """What is wrong with how the good client was served."""
        found = []
        if self.failed:
            found.append(f"{self.failed} of {self.good} good requests failed")
        if self.judged_ms >= LIMIT_MS:
            found.append(f"the good client's p99 was {self.during_ms:.0f} ms, {self.judged_ms:.0f} ms without the "
                         f"machine's share, where less than {LIMIT_MS} ms are demanded")
        return found


HEADINGS = ("scenario", "verdict", "before", "control", "during", "after", "longest", "good", "failed", "foreign",
            "server CPU", "MB before", "peak", "end", "back s", "tries")


def table(rows: list[Row]) -> str:
    """The table as text; findings and notes below it."""
    lines = [HEADINGS] + [(
        row.name, row.verdict, f"{row.before_ms:.1f}", f"{row.control_ms:.1f}", f"{row.during_ms:.1f}",
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
    """What came of all scenarios; those that did not simply hold are named."""
    words = {"FAILED": "failed", "INCONCLUSIVE": "inconclusive", "holds*": "held by the subtraction alone"}
    named = {verdict: [row.name for row in rows if row.verdict == verdict] for verdict in words}
    parts = [f"{len(names)} {words[verdict]}: {', '.join(names)}" for verdict, names in named.items() if names]
    if not named["FAILED"] and not named["INCONCLUSIVE"]:
        parts.insert(0, f"All {len(rows)} scenarios hold")
        return "; ".join(parts) + "."
    return f"Of {len(rows)} scenarios " + "; ".join(parts)


def all_hold(rows: list[Row]) -> bool:
    return all(row.verdict.startswith("holds") for row in rows)


def json_line(row: Row) -> str:
    return json.dumps(asdict(row) | {"judged_ms": row.judged_ms, "verdict": row.verdict}, ensure_ascii=False)
