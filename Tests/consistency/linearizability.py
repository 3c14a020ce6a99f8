"""Whether the operations on one register can have taken effect one after another, each between its call and its return.

The search of Wing and Gong (1993) with the memoization of Lowe (2017): calls are tried in the order of their times. A
return before its own call was placed shows that an earlier choice was wrong. No set of placed calls is tried twice with
the same state. A history is linearizable if it is so for each register (Herlihy and Wing 1990), so registers are
checked one by one.

Operations with an unknown outcome are tried last: they may take effect at any later time or never, and hundreds of them
would make the search too long. Of those with the same condition and effect, only the earliest is tried.
"""
from bisect import insort
from collections import Counter

from Tests.consistency.history import ABSENT, Access

UNSEEN = "a value that nobody asked for"
NEVER = object()


class Undecided(Exception):
    """The search reached its limit of steps."""


class Event:
    """The call or the return of an operation, in a doubly linked list in the order of time."""
    __slots__ = ("access", "bit", "response", "is_call", "before", "after")

    def __init__(self, access: Access | None, bit: int, is_call: bool):
        self.access, self.bit, self.is_call = access, bit, is_call
        self.response: Event | None = None
        self.before: Event | None = None
        self.after: Event | None = None


def can_follow(state, access: Access) -> bool:
    """Whether the operation can have found `state`."""
    if access.must == "any":
        return True
    return (state == access.value) == (access.must == "is")


def violation(accesses: list[Access], initial=ABSENT, limit: int = 3_000_000) -> list[Access] | None:
    """`None` if the history is linearizable; else the operations that were open where the search got no further.

    Raises `Undecided` after `limit` steps.
    """
    return Search(accesses, initial).run(limit)


class Search:
    def __init__(self, accesses: list[Access], initial):
        known = sorted((one for one in accesses if one.answered is not None), key=lambda one: one.sent)
        unknown = sorted((one for one in accesses if one.answered is None and one.writes), key=lambda one: one.sent)
        self.head = linked(known)
        self.waiting = len(known)
        self.state = initial
        # All values that no operation demands are equivalent.
        self.mentioned = {one.value for one in accesses if one.must != "any"}
        # How many operations demand a state that cannot come again once it is left.
        writers = Counter(one.new for one in accesses if one.writes) + Counter([initial])
        self.demands = Counter(one.value for one in known if one.must == "is" and writers[one.value] == 1)
        self.alike: dict[tuple, list[Event]] = {}  # unknown ones with the same effect, by time
        for bit, one in enumerate(unknown, len(known)):
            key = (one.must, one.value if one.must != "any" else None, self.left_by(one))
            self.alike.setdefault(key, []).append(Event(one, bit, True))
        self.by_demand: dict[object, list[list[Event]]] = {}
        for (must, value, _), events in self.alike.items():
            self.by_demand.setdefault(("is", value) if must == "is" else must, []).append(events)
        self.placed = 0
        self.stack: list[tuple[Event, object, int | None]] = []  # call, state before, place among the unknown

    def left_by(self, access: Access):
        return access.new if access.new in self.mentioned or access.new is ABSENT else UNSEEN

    def run(self, limit: int) -> list[Access] | None:
        tried, steps, deepest, context = set(), 0, -1, []
        event, place = self.head.after, None
        while self.waiting:
            steps += 1
            if steps > limit:
                raise Undecided(f"{self.waiting} operations were left after {limit} steps")
            if place is None and not event.is_call:
                # No further call can be next; now those with an unknown outcome.
                place, until = 0, event.access.answered
                candidates = self.unknown_ones(until)
                if len(self.stack) > deepest:
                    deepest, context = len(self.stack), self.open_before(event)
            if place is not None:
                if place >= len(candidates):
                    if not self.stack:
                        return context
                    event, place = self.undo()
                    if place is not None:
                        candidates = self.unknown_ones(self.first_response())
                    continue
                call = candidates[place]
            else:
                call = event
            new = self.after(call.access)
            key = (self.placed | 1 << call.bit, new)
            if new is not NEVER and key not in tried:
                tried.add(key)
                self.put(call, new, place)
                event, place = self.head.after, None
            elif place is None:
                event = event.after
            else:
                place += 1
        return None

    def after(self, access: Access):
        """The state after an operation that comes next, or `NEVER`."""
        if not can_follow(self.state, access):
            return NEVER
        new = self.left_by(access) if access.writes else self.state
        if new != self.state:
            own = access.answered is not None and access.must == "is" and access.value == self.state
            if self.demands[self.state] > own:
                return NEVER
        return new

    def unknown_ones(self, until: int) -> list[Event]:
        """The operations with an unknown outcome that can be next and were sent before `until`."""
        found: list[tuple[int, int, Event]] = []
        for demand in (("is", self.state), "any", "not"):
            for events in self.by_demand.get(demand, ()):
                for one in events:
                    if not self.placed >> one.bit & 1:
                        if one.access.sent <= until:
                            insort(found, (one.access.sent, one.bit, one), key=lambda entry: entry[:2])
                        break
        return [one for *_, one in found]

    def first_response(self) -> int:
        event = self.head.after
        while event.is_call:
            event = event.after
        return event.access.answered

    def put(self, call: Event, new, place: int | None) -> None:
        self.stack.append((call, self.state, place))
        self.placed |= 1 << call.bit
        self.state = new
        if place is None:
            self.count(call.access, -1)
            unlink(call)

    def undo(self) -> tuple[Event, int | None]:
        """Undoes the last choice; returns where to continue."""
        call, self.state, place = self.stack.pop()
        self.placed &= ~(1 << call.bit)
        if place is not None:
            return call, place + 1
        self.count(call.access, 1)
        relink(call)
        return call.after, None

    def count(self, access: Access, change: int) -> None:
        self.waiting += change
        if access.must == "is" and access.value in self.demands:
            self.demands[access.value] += change

    def open_before(self, response: Event) -> list[Access]:
        """The operations one of which would have to be next; the first entry is the state at that point."""
        found = [Access(0, 0, "is", self.state, client="the state there")]
        event = self.head.after
        while event is not response and len(found) < 12:
            found.append(event.access)
            event = event.after
        return found


def linked(known: list[Access]) -> Event:
    """The calls and returns in order. At the same time, calls come first, as they may be simultaneous."""
    times = []
    for bit, one in enumerate(known):
        call = Event(one, bit, True)
        call.response = Event(one, bit, False)
        times += [(one.sent, 0, bit, call), (one.answered, 1, bit, call.response)]
    head = last = Event(None, -1, True)
    for *_, event in sorted(times, key=lambda one: one[:3]):
        last.after, event.before = event, last
        last = event
    return head


def unlink(call: Event) -> None:
    """Removes a call and its return from the list."""
    for one in (call, call.response):
        one.before.after = one.after
        if one.after:
            one.after.before = one.before


def relink(call: Event) -> None:
    for one in (call.response, call):
        one.before.after = one
        if one.after:
            one.after.before = one
