"""Checks the histories of all clients of a round together."""

from Tests.consistency.counters import check_counter, check_list, check_sum
from Tests.consistency.feeds import check_run, final_state
from Tests.consistency.history import ABSENT, FOREVER, Access, Change, Observations, Run, Snapshot
from Tests.consistency.linearizability import Undecided, violation
from Tests.consistency.timelines import check_pagings, check_snapshots, timelines
from Tests.consistency.workload import ACCOUNTS, COUNTERS, CROWD, GROUPS, MONEY, PARTS, REGISTERS, SLOTS, TOTALS


def check(observations: Observations, final: dict[str, dict[str, tuple[object, str]]],
          initial: dict[str, object]) -> list[str]:
    """`final` has the rows of all types after the load, `initial` the values of the registers and groups before it."""
    found = list(observations.problems)
    lines = timelines(observations.steps)
    moments = observations.snapshots + [one for run in observations.runs for one in moments_of_feed(run)]
    found += check_snapshots(lines, [one for one in moments if one.type in ("Item", "Bulk")])
    found += check_pagings(lines, observations.pagings)
    found += check_tags(observations.tags)
    found += check_registers(observations.accesses, moments, final, initial)
    found += check_bank(moments, observations.changes, final)
    found += check_numbers(moments, observations.changes, final)
    found += check_crowds(observations.snapshots, observations.changes, final)
    found += check_orders(observations.changes, final)
    writes = write_times(observations)
    truth = {(kind, name): tag for kind, rows in final.items() for name, (_, tag) in rows.items()}
    for run in observations.runs:
        found += check_run(run, lines, writes)
        found += check_end(run, truth, observations.before)
    return found


def write_times(observations: Observations) -> dict[tuple[str, object], tuple[int, int]]:
    """When writes of unique values were sent and acknowledged, by record and value."""
    times: dict[tuple[str, object], tuple[int, int]] = {}
    for name, accesses in observations.accesses.items():
        for one in accesses:
            if one.writes and one.new is not ABSENT:
                for member in GROUPS.get(name, (name,)):
                    times[(member, one.new)] = (one.sent, one.answered or FOREVER)
    for one in observations.steps:
        if one.alive:
            times[(one.name, one.index)] = (one.sent, one.answered)
    for one in observations.changes:
        if one.name in COUNTERS and one.returned is not None:
            times[(one.name, one.returned)] = (one.sent, one.answered)
    return times


def moments_of_feed(run: Run, most: int = 150) -> list[Snapshot]:
    """The feed client's copy at some of the ends of the feed, as if it were one read."""
    kinds = {"Register": REGISTERS, "Account": ACCOUNTS, "Counter": COUNTERS + TOTALS,
             "Part": tuple(name for names in GROUPS.values() for name in names)}
    copies: dict[str, dict] = {kind: {} for kind in kinds}
    pages, found = run.all_pages(), []
    ends = sum(1 for one in pages if not one.more)
    every, number = max(1, ends // most), 0
    # A feed from a token does not have older records.
    is_whole = run.from_start
    for place, page in enumerate(pages):
        for kind, name, value, tag in page.changes:
            if kind in copies:
                if tag is None:
                    copies[kind].pop(name, None)
                else:
                    copies[kind][name] = (value, tag)
        if page.more:
            continue
        number += 1
        if number % every and place + 1 < len(pages):
            continue
        for kind, names in kinds.items():
            if is_whole:
                found.append(Snapshot(run.client, "feed", kind, ("names", names), page.sent, page.answered,
                                      dict(copies[kind])))
    return found


def check_end(run: Run, truth: dict[tuple[str, str], str], before: dict[tuple[str, str], str]):
    """The copy of a feed client that read to the end equals the records; without those of `before` that are unchanged,
    if it did not begin at the start."""
    pages = run.all_pages()
    if not pages or pages[-1].more:
        yield f"{run.client} (pages of {run.limit}) never came to an end"
        return
    copy = final_state(pages)
    for key, tag in copy.items():
        if truth.get(key) != tag:
            yield f"{run.client} (pages of {run.limit}) ends with {key[1]} as {tag}, which is {truth.get(key)}"
            return
    wanted = truth.keys() if run.from_start else {key for key, tag in truth.items() if before.get(key) != tag}
    if missing := wanted - copy.keys():
        yield f"{run.client} (pages of {run.limit}) was never returned of {sorted(missing)[:5]}"


# Registers and groups

def check_tags(tags: set[tuple[str, str, str]]):
    """A change tag identifies one state of a record, and a state has one tag."""
    by_tag: dict[tuple[str, str], str] = {}
    by_value: dict[tuple[str, str], str] = {}
    for name, tag, value in tags:
        if by_tag.setdefault((name, tag), value) != value:
            yield f"the tag {tag} of {name} stands for {value} and for {by_tag[(name, tag)]}"
        if by_value.setdefault((name, value), tag) != tag:
            yield f"{name} with the value {value} had the tags {tag} and {by_value[(name, value)]}"


def check_registers(accesses: dict[str, list[Access]], moments: list[Snapshot], final: dict, initial: dict):
    histories = {name: list(accesses.get(name, [])) for name in (*REGISTERS, *GROUPS, *SLOTS)}
    for one in moments:
        if one.type == "Register":
            read_registers(one, histories)
        elif one.type == "Part":
            yield from read_groups(one, histories)
    for name in REGISTERS:
        histories[name].append(last_read(final["Register"].get(name, (ABSENT, ""))[0]))
    for group, names in GROUPS.items():
        values = {final["Part"].get(name, (ABSENT, ""))[0] for name in names}
        if len(values) > 1:
            yield f"the group {group} is not whole in the end: {values}"
        else:
            histories[group].append(last_read(values.pop()))
    for slot in SLOTS:
        holders = [name for name, (value, _) in final.get("Ticket", {}).items() if value == slot]
        if len(holders) > 1:
            yield f"the slot {slot} is held by {holders} in the end"
        else:
            histories[slot].append(last_read(holders[0] if holders else ABSENT))
    for name, history in histories.items():
        try:
            context = violation(history, initial.get(name, ABSENT))
        except Undecided as undecided:
            yield f"{name} could not be judged: {undecided}"
            continue
        if context:
            shown = "".join(f"\n        {one}" for one in context)
            yield f"{name} is not linearizable. None of these can stand next:{shown}"


def last_read(value) -> Access:
    return Access(FOREVER - 2, FOREVER - 1, "is", value, client="the last read")


def read_registers(one: Snapshot, histories: dict[str, list[Access]]) -> None:
    if one.rows is None:
        return
    for name in REGISTERS:
        if one.scope[0] == "is":
            # Values are unique, so this says nothing about registers that never had this one.
            must, value = "is" if name in one.rows else "not", one.scope[2]
        elif one.scope[0] == "all" or name in one.scope[1]:
            must, value = "is", one.rows.get(name, (ABSENT, ""))[0]
        else:
            continue
        if must == "is" or value.split(":")[0] == name:
            histories[name].append(Access(one.sent, one.answered, must, value, client=f"{one.client} by {one.source}"))


def read_groups(one: Snapshot, histories: dict[str, list[Access]]):
    if one.rows is None:
        return
    for group, names in GROUPS.items():
        if not (one.scope[0] == "all" or one.scope[0] == "names" and set(names) <= set(one.scope[1])
                or one.scope == ("is", "group", group)):
            continue
        values = {one.rows.get(name, (ABSENT, ""))[0] for name in names}
        if len(values) > 1:
            yield f"{one} shows the group {group} in parts: {sorted(map(str, values))}"
            continue
        client = f"{one.client} by {one.source}"
        histories[group].append(Access(one.sent, one.answered, "is", values.pop(), client=client))


# Numbers

def check_bank(moments: list[Snapshot], changes: list[Change], final: dict):
    for one in moments:
        if one.type != "Account" or len(one.scope) > 1 and set(one.scope[1]) != set(ACCOUNTS):
            continue
        if one.rows is None:
            if one.count is not None and one.count != len(ACCOUNTS):
                yield f"{one} counts {one.count} accounts"
            continue
        balances = {name: row[0] for name, row in one.rows.items()}
        if set(balances) != set(ACCOUNTS) or sum(balances.values()) != MONEY * len(ACCOUNTS):
            yield f"{one} shows {sum(balances.values())} in {balances}, must be {MONEY * len(ACCOUNTS)}"
    for name in ACCOUNTS:
        yield from check_sum(name, MONEY, [one for one in changes if one.name == name], final["Account"][name][0])


def check_numbers(moments: list[Snapshot], changes: list[Change], final: dict):
    by_name: dict[str, list[Change]] = {}
    for one in changes:
        by_name.setdefault(one.name, []).append(one)
    reads: dict[str, list[tuple[int, int, object]]] = {}
    for one in moments:
        if one.type in ("Counter", "List"):
            for name, (value, _) in (one.rows or {}).items():
                reads.setdefault(name, []).append((one.sent, one.answered, value))
    for name in COUNTERS + TOTALS:
        value = final["Counter"][name][0]
        yield from check_sum(name, 0, by_name.get(name, []), value)
        if name in COUNTERS:
            yield from check_counter(name, by_name.get(name, []),
                                     reads.get(name, []) + [(FOREVER - 2, FOREVER - 1, value)])
    for name, found in by_name.items():
        if isinstance(found[0].amount, str) and name != "Order":
            members = final["List"].get(name, ([], ""))[0]
            yield from check_list(name, found, reads.get(name, []), members)


def check_crowds(snapshots: list[Snapshot], changes: list[Change], final: dict):
    """Each acknowledged bulk change was applied to each record of the set, once."""
    for part in PARTS:
        made = [one for one in changes if one.name == f"Crowd {part}"]
        values = {value for name, (value, _) in final.get("Crowd", {}).items() if name.startswith(part)}
        if values and values != {len(made)}:
            yield f"after {len(made)} increments of all, the records of {part} have the values {sorted(values)}"
        for one in snapshots:
            if one.type == "Crowd" and one.scope[2] == part and one.rows is not None:
                least = sum(1 for change in made if change.answered < one.sent)
                most = sum(1 for change in made if change.sent <= one.answered)
                seen = {value for value, _ in one.rows.values()}
                if len(one.rows) != CROWD or not seen <= set(range(least, most + 1)):
                    yield (f"{one} shows {len(one.rows)} records with {sorted(seen)}, "
                           f"must be {CROWD} from {least} to {most}")
                    return
            elif one.type == "Crowd" and one.scope[2] == part and one.count not in (None, CROWD):
                yield f"{one} counts {one.count}, must be {CROWD}"


def check_orders(changes: list[Change], final: dict):
    """Each create with a key has created one record, however often it was sent."""
    names: dict[str, list[str]] = {}
    for name, (value, _) in final["Order"].items():
        names.setdefault(value, []).append(name)
    for one in changes:
        if one.name == "Order":
            if names.get(one.amount) != [one.returned]:
                yield f"the order {one.amount}, returned to be {one.returned}, is there as {names.get(one.amount)}"
            names.pop(one.amount, None)
    if names:
        yield f"there are orders that nobody acknowledged: {list(names)[:5]}"
