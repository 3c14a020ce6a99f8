"""A simulated server, correct by construction, and its clients: the checks must accept their histories."""
from random import Random

from Tests.consistency.history import ABSENT, FOREVER, Access, Change, Page, Run, Snapshot, Step

BUCKETS = ("b0", "b1")


def intervals(random: Random, clients: int, count: int):
    """(client, sent, point, answered) of sequential operations of each client, ordered by the points."""
    found = []
    for client in range(clients):
        time = random.randrange(20)
        for _ in range(count):
            sent = time + random.randrange(1, 12)
            point = sent + random.randrange(1, 30)
            time = point + random.randrange(1, 30)
            found.append((client, sent * 100 + client, point * 100 + client, time * 100 + client))
    return sorted(found, key=lambda one: one[2])


def register(random: Random, clients: int, count: int, unknown: float = 0.05) -> list[Access]:
    """Reads and conditional writes of one register, some with an unknown outcome."""
    state, found, values = ABSENT, [], [ABSENT]
    for number, (_, sent, _, answered) in enumerate(intervals(random, clients, count)):
        choice, new = random.random(), random.choice([ABSENT, f"v{number}", f"v{number}"])
        is_unknown = random.random() < unknown
        guard = state if random.random() < 0.6 else random.choice(values)
        if choice < 0.4:
            found.append(Access(sent, answered, "is", state))
        elif choice < 0.5:
            found.append(Access(sent, answered, "is" if guard == state else "not", guard))
        elif is_unknown:
            # It took effect, or was rejected, or never arrived.
            found.append(Access(sent, None, "is", guard, True, new))
            if guard == state and random.random() < 0.6:
                state = new
        elif choice < 0.85:
            if guard == state:
                found.append(Access(sent, answered, "is", guard, True, new))
                state = new
            else:
                found.append(Access(sent, answered, "is", state))
        else:
            found.append(Access(sent, answered, "any", None, True, new))
            state = new
        values.append(state)
    return found


def numbers(random: Random, clients: int, count: int):
    """Increments by one and appends to one list, with their reads: (changes, reads, final) of each."""
    value, members = 0, []
    counts, counter_reads, appends, list_reads = [], [], [], []
    for number, (_, sent, _, answered) in enumerate(intervals(random, clients, count)):
        is_unknown, happens = random.random() < 0.05, random.random() < 0.5
        choice = random.random()
        if choice < 0.3:
            counter_reads.append((sent, answered, value))
            list_reads.append((sent, answered, list(members)))
        elif choice < 0.6:
            value += not is_unknown or happens
            counts.append(Change("c", 1, sent, None if is_unknown else answered, None if is_unknown else value))
        else:
            if not is_unknown or happens:
                members.append(f"t{number}")
            appends.append(Change("l", f"t{number}", sent, None if is_unknown else answered,
                                  None if is_unknown else list(members)))
    return (counts, counter_reads, value), (appends, list_reads, members)


def records(random: Random, writers: int, count: int) -> tuple[list[Step], list[Snapshot], list[Run], dict]:
    """The writes, reads and feeds of clients, and when each state was written."""
    state: dict[str, tuple[int, bool, str]] = {}
    order: dict[str, int] = {}  # the place of each record's latest change in the feed
    clock = 0
    steps, snapshots, writes = [], [], {}
    runs = [Run(f"feed{limit}", limit, True) for limit in (1, 3, 50)]
    done = intervals(random, writers + 5, count)
    for client, sent, _, answered in done:
        if client < writers:
            name = f"o{client}-{random.randrange(3)}"
            index, alive, _ = state.get(name, (-1, False, ""))
            now = not alive or random.random() < 0.75
            clock += 1
            state[name] = (index + 1, now, random.choice(BUCKETS) if now else "")
            order[name] = clock
            steps.append(Step("Item", name, index + 1, sent, answered, now, state[name][2]))
            if now:
                writes[(name, index + 1)] = (sent, answered)
        elif client < writers + 2:
            bucket, name = random.choice(BUCKETS), random.choice(list(state) or ["o0-0"])
            scope = random.choice([("all",), ("is", "bucket", bucket), ("is", "owner", "o0"), ("names", (name,))])
            rows = {one: (index, f"{one}:{index}") for one, (index, alive, its) in state.items() if alive and (
                scope[0] == "all" or scope[1] == "bucket" and its == bucket
                or scope[1] == "owner" and one.startswith("o0-") or scope[0] == "names" and one == name)}
            is_count = random.random() < 0.3
            count = len(rows) if random.random() < 0.5 or is_count else None
            snapshots.append(Snapshot(f"reader{client}", "query", "Item", scope, sent, answered,
                                      None if is_count else rows, count))
        else:
            runs[client - writers - 2].pages.append(
                page_of(runs[client - writers - 2], state, order, sent, answered))
    for run in runs:
        time = FOREVER - 1000
        while not run.pages or run.pages[-1].more or run.pages[-1].sent < FOREVER - 1000:
            run.pages.append(page_of(run, state, order, time, time + 1))
            time += 2
    return steps, snapshots, runs, writes


def page_of(run: Run, state: dict, order: dict[str, int], sent: int, answered: int) -> Page:
    since = int(run.pages[-1].token) if run.pages else 0
    coming = sorted((place, name) for name, place in order.items() if place > since)
    changes = []
    for _, name in coming[:run.limit]:
        index, alive, _ = state[name]
        changes.append(("Item", name, index, f"{name}:{index}") if alive else ("Item", name, None, None))
    token = coming[:run.limit][-1][0] if coming else since
    return Page(sent, answered, changes, str(token), len(coming) > run.limit)
