"""Whether what clients saw of one register can have happened one after another, each between its call and its answer.

The search of Wing and Gong (1993) with Lowe's memory (2017): calls are tried in the order of their times; a call that
cannot stand next is passed over; an answer that is met before its own call was placed means that the choice before was
wrong. No set of placed calls is tried twice with the same state. What is linearizable for each register is so for all
(Herlihy and Wing 1990), so registers are judged one by one.
"""
from history import GONE, Access


class Undecided(Exception):
    """The search took more steps than it may."""


class Event:
    """The call or the answer of an operation, in a doubly linked list in the order of time."""
    __slots__ = ("access", "bit", "answer", "is_call", "before", "after")

    def __init__(self, access: Access | None, bit: int, is_call: bool):
        self.access, self.bit, self.is_call = access, bit, is_call
        self.answer: Event | None = None
        self.before: Event | None = None
        self.after: Event | None = None


def can_follow(state, access: Access) -> bool:
    """Whether an operation that found what it found can have found `state`."""
    if access.must == "any":
        return True
    return (state == access.value) == (access.must == "is")


def violation(accesses: list[Access], initial=GONE, limit: int = 5_000_000) -> list[Access] | None:
    """`None` if the history is linearizable; else the operations that were open where the search got no further.

    Raises `Undecided` after `limit` steps.
    """
    head = linked(accesses)
    waiting = sum(1 for one in accesses if one.answered is not None)
    state, placed, tried = initial, 0, set()
    stack: list[tuple[Event, object]] = []
    deepest, stuck, steps = -1, None, 0
    event = head.after
    while waiting:
        steps += 1
        if steps > limit:
            raise Undecided(f"{len(accesses)} operations took more than {limit} steps")
        if event.is_call:
            access = event.access
            if can_follow(state, access):
                new = access.new if access.writes else state
                key = (placed | 1 << event.bit, new)
                if key not in tried:
                    tried.add(key)
                    stack.append((event, state))
                    placed, state = key
                    waiting -= access.answered is not None
                    lift(event)
                    event = head.after
                    continue
            event = event.after
        else:
            if len(stack) > deepest:
                deepest, stuck = len(stack), event
                context = open_at(head, event, state)
            if not stack:
                return context
            event, state = stack.pop()
            placed &= ~(1 << event.bit)
            waiting += event.access.answered is not None
            unlift(event)
            event = event.after
    return None


def linked(accesses: list[Access]) -> Event:
    """The calls and answers in order. At one time, calls stand first: they are taken for simultaneous."""
    times = []
    for bit, one in enumerate(sorted(accesses, key=lambda one: one.sent)):
        call = Event(one, bit, True)
        times.append((one.sent, 0, bit, call))
        if one.answered is not None:
            call.answer = Event(one, bit, False)
            times.append((one.answered, 1, bit, call.answer))
    head = last = Event(None, -1, True)
    for *_, event in sorted(times, key=lambda one: one[:3]):
        last.after, event.before = event, last
        last = event
    return head


def lift(call: Event) -> None:
    """Takes a call and its answer out of the list."""
    for one in (call, call.answer):
        if one:
            one.before.after = one.after
            if one.after:
                one.after.before = one.before


def unlift(call: Event) -> None:
    for one in (call.answer, call):
        if one:
            one.before.after = one
            if one.after:
                one.after.before = one


def open_at(head: Event, answer: Event, state) -> list[Access]:
    """The operations among which one would have had to stand next; the first one only tells the state."""
    found = [Access(0, 0, "is", state, client="the state there")]
    event = head.after
    while event is not answer and len(found) < 12:
        if event.is_call:
            found.append(event.access)
        event = event.after
    return found
