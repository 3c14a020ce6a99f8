"""The records of clients for the checks. Times are nanoseconds of the monotonic clock, which all processes share: a
request whose response arrived before another was sent came before it."""
from collections import Counter
from dataclasses import dataclass, field

ABSENT = None  # the state of a record that does not exist
FOREVER = 1 << 62  # the end of an operation without a response: it may take effect at any later time


@dataclass(slots=True)
class Access:
    """One operation on one register: the state that it found, and the state that it left.

    `must` says what is known of the state found: `is` (`value`), `not` (anything else) or `any`. An operation with an
    unknown outcome has no `answered`; it took effect as described, or not at all.
    """
    sent: int
    answered: int | None
    must: str
    value: object = None
    writes: bool = False
    new: object = None
    client: str = ""

    def __str__(self) -> str:
        found = {"is": f"found {self.value!r}", "not": f"found anything but {self.value!r}", "any": "found anything"}
        effect = f", left {self.new!r}" if self.writes else ""
        until = "…" if self.answered is None else str(self.answered)
        return f"[{self.sent} to {until}] {self.client}: {found[self.must]}{effect}"


@dataclass(slots=True)
class Step:
    """One acknowledged write to a record with a single writer. The n-th state has `v == n` while the record exists."""
    type: str
    name: str
    index: int
    sent: int
    answered: int
    alive: bool
    bucket: str


@dataclass(slots=True)
class Change:
    """An increment by `amount`, or an append of the text `amount`; `returned` is the value in the response."""
    name: str
    amount: int | str
    sent: int
    answered: int | None
    returned: object = None


@dataclass(slots=True)
class Snapshot:
    """What one read returned of one moment between `sent` and `answered`.

    `scope` is `("all",)`, `("names", (…))`, `("is", field, value)` or `("not", field, value)`. Without `rows`, only a
    count was requested.
    """
    client: str
    source: str
    type: str
    scope: tuple
    sent: int
    answered: int
    rows: dict[str, tuple[object, str]] | None  # name: (value of the field v, change tag)
    count: int | None = None

    def __str__(self) -> str:
        scope = self.scope
        if scope[0] == "names" and len(scope[1]) > 2:
            scope = f"of {len(scope[1])} names"
        return f"[{self.sent} to {self.answered}] {self.client}: {self.source} of {self.type} {scope}"


@dataclass
class Paging:
    """A list or a query that was read page by page while others wrote: (sent, answered, rows) of each page."""
    client: str
    type: str
    scope: tuple
    pages: list[tuple[int, int, dict[str, tuple[object, str]]]]

    def __str__(self) -> str:
        return f"[{self.pages[0][0]} to {self.pages[-1][1]}] {self.client}: {self.type} {self.scope} by pages"


@dataclass(slots=True)
class Page:
    """One page of the feed; a change is (type, name, value of the field v, change tag), or has no tag if deleted."""
    sent: int
    answered: int
    changes: list[tuple[str, str, object, str | None]]
    token: str
    more: bool


@dataclass
class Run:
    """The pages that a feed client read: its own, after the first `taken` of another run if it resumed from its token.
    """
    client: str
    limit: int
    from_start: bool
    pages: list[Page] = field(default_factory=list)
    parent: list[Page] = field(default_factory=list)
    taken: int = 0

    def all_pages(self) -> list[Page]:
        return self.parent[:self.taken] + self.pages


@dataclass
class Observations:
    """All that the clients of one process recorded."""
    accesses: dict[str, list[Access]] = field(default_factory=dict)  # of registers and groups, by name
    tags: set[tuple[str, str, str]] = field(default_factory=set)  # (register, change tag, value) of responses
    before: dict[tuple[str, str], str] = field(default_factory=dict)  # change tags by type and name before the load
    steps: list[Step] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)
    snapshots: list[Snapshot] = field(default_factory=list)
    runs: list[Run] = field(default_factory=list)
    pagings: list[Paging] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    counts: Counter = field(default_factory=Counter)

    def merge(self, other: "Observations") -> None:
        for name, accesses in other.accesses.items():
            self.accesses.setdefault(name, []).extend(accesses)
        self.tags |= other.tags
        self.before |= other.before
        self.steps += other.steps
        self.changes += other.changes
        self.snapshots += other.snapshots
        self.runs += other.runs
        self.pagings += other.pagings
        self.problems += other.problems
        self.counts += other.counts
