"""Checks that reads see all acknowledged writes, never go back, and show one moment.

Each record has a single writer, so its states are ordered: state n is `v == n`, or that it does not exist. A read after
an acknowledged write or after another read must show that state or a later one.
"""
from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field

from Tests.consistency.history import Paging, Snapshot, Step


@dataclass
class Timeline:
    """The states of one record, and the reads of them."""
    steps: list[Step]
    sent: list[int] = field(default_factory=list)
    answered: list[int] = field(default_factory=list)
    seen_at: list[int] = field(default_factory=list)  # when reads ended
    seen: list[int] = field(default_factory=list)  # the latest state that this read or an earlier one had seen

    def __post_init__(self):
        self.steps.sort(key=lambda one: one.index)
        self.sent = [one.sent for one in self.steps]
        self.answered = [one.answered for one in self.steps]

    def floor(self, when: int) -> int:
        """The latest state that was acknowledged before `when`; -1 if there was no record yet."""
        return bisect_left(self.answered, when) - 1

    def ceiling(self, when: int) -> int:
        """The latest state that may exist at `when`."""
        return bisect_right(self.sent, when) - 1

    def seen_before(self, when: int) -> int:
        """The latest state that a read had seen which ended before `when`."""
        place = bisect_left(self.seen_at, when)
        return self.seen[place - 1] if place else -1

    def saw(self, index: int, when: int) -> None:
        """Records a read; reads come in the order of their ends."""
        self.seen_at.append(when)
        self.seen.append(max(index, self.seen[-1] if self.seen else -1))

    def can_be(self, index) -> bool:
        """Whether the state `index` was written, and the record exists in it."""
        return isinstance(index, int) and 0 <= index < len(self.steps) and self.steps[index].alive

    def holds(self, index: int, scope: tuple) -> bool:
        """Whether the record in this state is in the scope of a read."""
        if not self.can_be(index):
            return False
        return scope[0] != "is" or scope[1] != "bucket" or self.steps[index].bucket == scope[2]


def timelines(steps: list[Step]) -> dict[tuple[str, str], Timeline]:
    by_name: dict[tuple[str, str], list[Step]] = {}
    for one in steps:
        by_name.setdefault((one.type, one.name), []).append(one)
    return {key: Timeline(found) for key, found in by_name.items()}


def check_snapshots(lines: dict[tuple[str, str], Timeline], snapshots: list[Snapshot]):
    """Sentences about reads that show an old state, a state that cannot exist yet, or several moments."""
    of_type: dict[str, dict[str, Timeline]] = {}
    for (kind, name), line in lines.items():
        of_type.setdefault(kind, {})[name] = line
    for one in sorted(snapshots, key=lambda one: one.answered):
        records = of_type.get(one.type, {})
        if one.scope[0] == "names":
            records = {name: records[name] for name in one.scope[1] if name in records}
        elif one.scope[0] == "is" and one.scope[1] == "owner":
            records = {name: line for name, line in records.items() if name.startswith(one.scope[2] + "-")}
        yield from check_snapshot(one, records)


def check_snapshot(one: Snapshot, records: dict[str, Timeline]):
    moment, rows = one.sent, one.rows or {}
    for name, (index, _) in rows.items():
        line = records.get(name)
        if line is None or not line.can_be(index):
            yield f"{one} shows {name} in a state {index!r} that nobody wrote"
            return
        # A snapshot with a write has all that was acknowledged before that write was sent.
        moment = max(moment, line.steps[index].sent)
    least = most = 0
    for name, line in records.items():
        low, high = max(line.floor(moment), line.seen_before(one.sent)), line.ceiling(one.answered)
        if name in rows:
            index = rows[name][0]
            if not low <= index <= high:
                what = "was acknowledged" if line.floor(one.sent) >= low else (
                    "had been seen" if line.seen_before(one.sent) >= low else "came before something else in it")
                yield f"{one} shows state {index} of {name}, must be {low} to {high}: {low} {what}"
                return
            if not line.holds(index, one.scope):
                yield f"{one} shows {name}, which in its state {index} does not meet the condition"
                return
            line.saw(index, one.answered)
            continue
        within = [line.holds(index, one.scope) for index in range(low, high + 1)]
        least, most = least + all(within), most + any(within)
        if one.rows is None:
            continue
        if all(within):
            yield f"{one} does not show {name}, whose states {low} to {high} all belong to it"
            return
        line.saw(low + within.index(False), one.answered)
    if one.count is not None and not least + len(rows) <= one.count <= most + len(rows):
        yield f"{one} counts {one.count}, must be {least + len(rows)} to {most + len(rows)}"


def check_pagings(lines: dict[tuple[str, str], Timeline], pagings: list[Paging]):
    """Over all pages, a record that stays in the scope comes once; each row is as it was when its page was read."""
    for one in pagings:
        begun, ended = one.pages[0][0], one.pages[-1][1]
        times: dict[str, int] = {}
        for sent, answered, rows in one.pages:
            for name, (index, _) in rows.items():
                line = lines.get((one.type, name))
                if line is None or not line.can_be(index) or not line.floor(sent) <= index <= line.ceiling(answered):
                    yield f"{one} shows state {index!r} of {name} on the page [{sent} to {answered}]"
                elif not line.holds(index, one.scope):
                    yield f"{one} shows {name} in its state {index}, which does not belong to it"
                times[name] = times.get(name, 0) + 1
        for (kind, name), line in lines.items():
            if kind != one.type:
                continue
            within = range(line.floor(begun), line.ceiling(ended) + 1)
            # Without a sort, records are in the order of their creation, which changes only if one is created again.
            is_steady = all(line.steps[index].alive for index in within if index >= 0)
            if times.get(name, 0) > 1 and is_steady:
                yield f"{one} shows {name} {times[name]} times"
            elif name not in times and all(line.holds(index, one.scope) for index in within):
                yield f"{one} does not show {name}, which belongs to it all the time"
