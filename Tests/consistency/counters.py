"""Whether increments and appends were neither lost nor doubled, and were seen in a possible order."""
from bisect import bisect_left, bisect_right

from Tests.consistency.history import FOREVER, Change


def sums(amounts: list[int]) -> set[int]:
    """All sums of some of the amounts."""
    found = {0}
    for one in amounts:
        found |= {one + other for other in found}
    return found


def check_sum(name: str, initial: int, changes: list[Change], final: int):
    """The final value is the sum of the acknowledged amounts and of some with an unknown outcome."""
    acknowledged = initial + sum(one.amount for one in changes if one.answered is not None)
    unknown = [one.amount for one in changes if one.answered is None]
    if final - acknowledged not in sums(unknown):
        yield (f"{name} is {final}; acknowledged increments make {acknowledged}, "
               f"those of unknown outcome are {unknown[:20]}")


def check_counter(name: str, changes: list[Change], reads: list[tuple[int, int, int]]):
    """A counter from 0 by ones: the value that each increment returned, and each (sent, answered, value) of a read."""
    known = [one for one in changes if one.answered is not None]
    returned = [one.returned for one in known if one.returned is not None]
    if len(set(returned)) != len(returned):
        twice = sorted(one for one in set(returned) if returned.count(one) > 1)
        yield f"two increments of {name} were returned the same value: {twice[:5]}"
    answered, sent = sorted(one.answered for one in known), sorted(one.sent for one in changes)
    seen = [(value, 1, begun, ended) for begun, ended, value in reads]
    seen += [(one.returned, 0, one.sent, one.answered) for one in known if one.returned is not None]
    for value, is_read, begun, ended in seen:
        least = bisect_left(answered, begun) + (not is_read)
        most = bisect_right(sent, ended)
        if not least <= value <= most:
            what = "a read" if is_read else "an increment"
            yield f"{what} of {name} at [{begun} to {ended}] was returned {value}, must be {least} to {most}"
            return
    yield from check_order(f"values of {name}", [((value, kind), begun, ended) for value, kind, begun, ended in seen])


def check_order(what: str, entries: list[tuple[object, int, int]]):
    """Of entries (place, sent, answered), none may have ended before one with a smaller place began."""
    latest, latest_place, pending, pending_place = -1, None, -1, None
    previous = object()
    for place, begun, ended in sorted(entries, key=lambda one: one[0]):
        if place != previous:
            if pending > latest:
                latest, latest_place = pending, pending_place
            previous = place
        if ended < latest:
            yield f"{what}: {place} was answered at {ended}, before {latest_place} was sent at {latest}"
            return
        if begun > pending:
            pending, pending_place = begun, place


def check_list(name: str, changes: list[Change], reads: list[tuple[int, int, list]], final: list):
    """A list to which unique texts are appended: nothing is lost, doubled or moved."""
    by_text = {one.amount: one for one in changes}
    if len(set(final)) != len(final):
        yield f"{name} has a member twice"
    if strange := [one for one in final if one not in by_text]:
        yield f"{name} has members that nobody appended: {strange[:5]}"
        return
    if lost := [one.amount for one in changes if one.answered is not None and one.amount not in set(final)]:
        yield f"{name} has lost {lost[:5]} ({len(lost)} of {len(changes)})"
        return
    reads = reads + [(one.sent, one.answered, one.returned) for one in changes
                     if one.answered is not None and one.returned is not None]
    for one in changes:
        if one.answered is not None and one.returned is not None and one.amount not in one.returned:
            yield f"an append of {one.amount} to {name} was returned a list without it"
            return
    answered = sorted(one.answered for one in changes if one.answered is not None)
    for begun, ended, members in reads:
        if list(members) != final[:len(members)]:
            yield f"{name} at [{begun} to {ended}] is no beginning of what it became later"
            return
        if len(members) < bisect_left(answered, begun):
            yield (f"{name} at [{begun} to {ended}] has {len(members)} members; "
                   f"{bisect_left(answered, begun)} were acknowledged")
            return
        if members and by_text[members[-1]].sent > ended:
            yield f"{name} at [{begun} to {ended}] has a member that was not yet sent"
            return
    yield from check_order(f"members of {name}", [(place, by_text[one].sent, by_text[one].answered or FOREVER)
                                                  for place, one in enumerate(final)])
    yield from check_order(f"lengths of {name}", [(len(members), begun, ended) for begun, ended, members in reads])
