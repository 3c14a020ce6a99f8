"""The previous contents of the page of benchmarks, for rows that a new run does not measure."""
from dataclasses import dataclass, field

from Tests.bench.origins import UNKNOWN, Origin

FIGURES, OTHERS = "## All figures", "## Comparison with other servers"
# The heading of rows of another origin; older pages say "day or host", and have no commits.
ELSEWHERE = "Of another day, host or commit:"
ELSEWHERE_BEGINS = "Of another day"
OTHER_SERVERS = "other servers"


@dataclass
class Kept:
    """The contents of the page: the cells of each row by its name and their heading, the machine and the whole part on
    other servers unchanged, and the origin of each."""
    machine: str = ""
    rows: dict[str, dict[str, str]] = field(default_factory=dict)
    others: str = ""
    origins: dict[str, Origin] = field(default_factory=dict)


def read(figures: str) -> Kept:
    """From all that is between the marks of the page."""
    head, _, rest = figures.partition(FIGURES)
    rows, mark, others = rest.partition(OTHERS)
    machine, _, elsewhere = head.partition(ELSEWHERE_BEGINS)
    found = Kept(machine.strip(), others=(mark + others).strip())
    table = [cells for line in rows.splitlines() if (cells := _cells(line))]
    # By its headings: an older page has fewer columns.
    found.rows = {cells[0].strip("`"): dict(zip(table[0], cells)) for cells in table if cells[0].startswith("`")}
    usual = _usual(machine)
    found.origins = {f"`{name}`": usual for name in found.rows} | ({OTHER_SERVERS: usual} if found.others else {})
    for names, day, host, *commit in (cells for line in elsewhere.splitlines() if len(cells := _cells(line)) in (3, 4)):
        origin = day, host, *(commit or UNKNOWN[2:])
        found.origins |= {name: origin for name in names.split(", ") if name in found.origins}
    return found


def _usual(machine: str) -> Origin:
    """The origin of all that the page does not name as others', from its table of the machine."""
    facts = dict(cells for line in machine.splitlines() if len(cells := _cells(line)) == 2)
    if not {"date", "machine", "system"} <= facts.keys():
        return UNKNOWN
    processor = facts["machine"].rpartition(", ")[0]
    return facts["date"], f"{processor}, {facts['system'].rpartition(', ')[2]}", facts.get("commit", UNKNOWN[2])


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")] if line.startswith("|") else []
