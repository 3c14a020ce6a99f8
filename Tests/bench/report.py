"""Rows of results, the table and the JSON lines."""
import json
from dataclasses import asdict, dataclass, field
from statistics import median

from Tests.bench.load import Measurement
from Tests.bench.rounds import middle, ratio


# A host that takes so much of the processors for others holds up one request of a hundred by itself.
STOLEN = 0.01


@dataclass
class Row:
    """One judged figure. `floor` must be reached, `target` should be; `at_least` turns the comparison round."""
    name: str
    value: float | None
    unit: str
    floor: float | None = None
    target: float | None = None
    at_least: bool = False
    cpu_us: float | None = None
    reference_cpu_us: float | None = None
    rate: float | None = None
    p50_ms: float | None = None
    p99_ms: float | None = None
    rss_mb: float | None = None
    errors: int = 0
    notes: list[str] = field(default_factory=list)
    # The reference, the CPU of an operation relative to it, and the speed.
    against: str | None = None
    ratio: float | None = None
    reference_rate: float | None = None
    percentiles: dict[str, float] = field(default_factory=dict)
    reference_percentiles: dict[str, float] = field(default_factory=dict)
    # Rows of one curve have a name in common, and each its place on the axis.
    series: str | None = None
    x: float | None = None
    # Of a row that is judged by waiting times: the share of the processors that the host took for others meanwhile.
    stolen: float | None = None
    # Represents the rows of a scenario that has a floor and could not run.
    unshown: bool = False

    @property
    def verdict(self) -> str:
        if self.errors:
            return "ERRORS"
        if self.unshown or self.value is None and self.floor is not None:
            return "NOT SHOWN"
        if self.value is None or self.floor is None:
            return "–"
        if self._reaches(self.target):
            return "target"
        if not self._reaches(self.floor):
            return "NOT SHOWN" if (self.stolen or 0) > STOLEN else "MISSED"
        return "holds" if self.target is None else "floor"

    @property
    def failed(self) -> bool:
        return self.verdict in ("ERRORS", "MISSED")

    @property
    def not_shown(self) -> bool:
        """A floor without a figure, or with one that may be the host's: neither held nor missed."""
        return self.verdict == "NOT SHOWN"

    def _reaches(self, bound: float | None) -> bool:
        if bound is None:
            return False
        return self.value >= bound if self.at_least else self.value <= bound


def measured_row(name: str, measured: list[Measurement], reference: list[Measurement] | None, *,
                 value: float | None = None, unit: str = "×", floor: float | None = None, target: float | None = None,
                 at_least: bool = False, notes: list[str] | None = None, against: str | None = None,
                 series: str | None = None, x: float | None = None, by_waits: bool = False) -> Row:
    """A row from the rounds of a load; judged by the ratio of CPU per operation unless a `value` is given, which is one
    of waiting times if it is `by_waits`."""
    beside = ratio(measured, reference) if reference else None
    if value is None:
        value = beside
    faults = [fault for one in measured + (reference or []) for fault in one.faults]
    stolen = stolen_share(measured) if by_waits else None
    return Row(name, value, unit, floor, target, at_least, stolen=stolen,
               cpu_us=middle(measured, lambda one: one.cpu_us),
               reference_cpu_us=middle(reference, lambda one: one.cpu_us) if reference else None,
               rate=middle(measured, lambda one: one.rate),
               p50_ms=middle(measured, lambda one: one.p50_ms),
               p99_ms=middle(measured, lambda one: one.p99_ms),
               rss_mb=max((one.rss_mb for one in measured if one.rss_mb is not None), default=None),
               errors=sum(one.errors for one in measured + (reference or [])),
               notes=(notes or []) + theft(stolen) + faults, against=against, ratio=beside,
               reference_rate=middle(reference, lambda one: one.rate) if reference else None,
               percentiles=_percentiles(measured), reference_percentiles=_percentiles(reference or []),
               series=series, x=x)


def stolen_share(measured: list[Measurement]) -> float:
    """The CPU time that the host took for others during most of the rounds."""
    return median(one.stolen for one in measured)


def theft(stolen: float | None) -> list[str]:
    """A note, if waits may be the host's."""
    if (stolen or 0) <= STOLEN:
        return []
    return [f"the host took {stolen:.1%} of the processors for others meanwhile: what is over the floor shows nothing"]


def _percentiles(measured: list[Measurement]) -> dict[str, float]:
    """Each percentile's median over the rounds; nothing where the load did not measure them."""
    if not measured:
        return {}
    return {name: median(one.percentiles[name] for one in measured) for name in measured[0].percentiles
            if all(name in one.percentiles for one in measured)}


def beside_row(name: str, beside: list[Measurement], before: list[Measurement]) -> Row:
    """How much longer the p99 of creating clients is while something else runs."""
    ratios = [one.p99_ms / other.p99_ms for one, other in zip(beside, before)]
    return measured_row(name, beside, None, value=median(ratios), unit="× before", floor=2.0, against="p99 before",
                        by_waits=True,
                        notes=[f"before: {middle(before, lambda one: one.rate):,.0f} creates/s, p50 "
                               f"{middle(before, lambda one: one.p50_ms):.1f} ms, p99 "
                               f"{middle(before, lambda one: one.p99_ms):.1f} ms, longest "
                               f"{max(one.max_ms for one in before):.1f} ms; meanwhile the longest was "
                               f"{max(one.max_ms for one in beside):.1f} ms"])


HEADINGS = ["name", "against", "verdict", "measured", "floor", "target", "CPU µs/op", "its CPU", "ratio", "op/s",
            "its op/s", "p50 ms", "p99 ms", "RssAnon MB"]
LEFT = 3


def table(rows: list[Row]) -> str:
    """The table as text, notes below it.

    `its` is the reference's, and `ratio` that of the CPU columns, by which most rows are measured.
    """
    lines = [HEADINGS]
    for row in rows:
        sign = "≥ " if row.at_least else "≤ "
        lines.append([row.name, row.against or "–", row.verdict,
                      "–" if row.value is None else f"{_number(row.value)} {row.unit}",
                      "–" if row.floor is None else sign + _number(row.floor),
                      "–" if row.target is None else sign + _number(row.target),
                      _number(row.cpu_us), _number(row.reference_cpu_us),
                      "–" if row.ratio is None else f"{_number(row.ratio)} ×",
                      "–" if row.rate is None else f"{row.rate:,.0f}",
                      "–" if row.reference_rate is None else f"{row.reference_rate:,.0f}",
                      _number(row.p50_ms), _number(row.p99_ms), _number(row.rss_mb)])
    widths = [max(len(line[column]) for line in lines) for column in range(len(HEADINGS))]
    text = []
    for number, line in enumerate(lines):
        # Words to the left, numbers to the right.
        cells = [cell.ljust(width) if column < LEFT else cell.rjust(width)
                 for column, (cell, width) in enumerate(zip(line, widths))]
        text.append("  ".join(cells).rstrip())
        if number == 0:
            text.append("  ".join("-" * width for width in widths))
    for row in rows:
        text += [f"{row.name}: {note}" for note in dict.fromkeys(row.notes)]
    return "\n".join(text)


def verdicts(rows: list[Row]) -> str:
    """How many rows there are of each verdict."""
    words = {"target": "reach their target", "floor": "reach their floor", "holds": "hold", "–": "are for information",
             "MISSED": "MISSED their floor", "NOT SHOWN": "were NOT SHOWN", "ERRORS": "had ERRORS"}
    counts = {verdict: sum(row.verdict == verdict for row in rows) for verdict in words}
    return f"{len(rows)} rows: " + ", ".join(f"{count} {words[verdict]}" for verdict, count in counts.items() if count)


def last_line(rows: list[Row]) -> str:
    """Failures, and unproven floors: a skipped row counts like one that missed its floor."""
    parts = [f"{len(names)} of {len(rows)} rows {what}: {', '.join(names)}"
             for what, names in (("failed", [row.name for row in rows if row.failed]),
                                 ("were not shown", [row.name for row in rows if row.not_shown])) if names]
    return "; ".join(parts) or "all rows hold"


def status(rows: list[Row], allow_skips: bool) -> int:
    """The last lines of the bench."""
    return int(any(row.failed or row.not_shown and not (allow_skips and row.value is None) for row in rows))


def json_line(row: Row, origin: dict | None = None) -> str:
    """`origin` has the date and place of the measurement."""
    return json.dumps(asdict(row) | {"verdict": row.verdict} | (origin or {}), ensure_ascii=False)


def _number(value: float | None) -> str:
    if value is None:
        return "–"
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.3f}" if abs(value) < 1 else f"{value:.2f}"
