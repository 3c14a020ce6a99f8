"""Whether each feed was complete, in the order of the commits, and without repetition."""
from Tests.consistency.counters import check_order
from Tests.consistency.history import Page, Run, Step
from Tests.consistency.timelines import Timeline


def check_run(run: Run, lines: dict[tuple[str, str], Timeline], writes: dict[tuple[str, object], tuple[int, int]]):
    """`writes` has, by (name, value), when each write of a known value was sent and acknowledged."""
    yield from check_versions(run, lines)
    yield from check_commit_order(run, lines, writes)
    yield from check_completeness(run, lines)


def check_versions(run: Run, lines: dict[tuple[str, str], Timeline]):
    """The versions of a record come in order, and none comes twice."""
    places: dict[tuple[str, str], int] = {}
    tags: dict[tuple[str, str], set] = {}
    for page in run.all_pages():
        for kind, name, value, tag in page.changes:
            key = (kind, name)
            if tag is not None:
                known = tags.setdefault(key, set())
                if tag in known:
                    yield f"{run.client} (pages of {run.limit}) was returned {name} with the tag {tag} twice"
                    return
                known.add(tag)
            if key not in lines:
                continue
            index = index_of(lines[key], value, tag, places.get(key, -1))
            if index is None:
                yield (f"{run.client} (pages of {run.limit}) was returned {name} {'deleted' if tag is None else value} "
                       f"after its state {places.get(key, -1)}")
                return
            if lines[key].sent[index] > page.answered:
                yield f"{run.client} was returned state {index} of {name} before it was sent"
                return
            places[key] = index


def index_of(line: Timeline, value, tag: str | None, after: int) -> int | None:
    """The state after `after` that a change shows; of deletions, the first possible one."""
    if tag is not None:
        fits = isinstance(value, int) and after < value < len(line.steps) and line.steps[value].alive
        return value if fits else None
    return next((one.index for one in line.steps[after + 1:] if not one.alive), None)


def check_commit_order(run: Run, lines, writes: dict[tuple[str, object], tuple[int, int]]):
    """A write that was acknowledged before another was sent comes before it."""
    entries = []
    for page in run.all_pages():
        for kind, name, value, tag in page.changes:
            times = writes.get((name, value)) if tag is not None and not isinstance(value, list) else None
            if times:
                entries.append((len(entries), *times))
    yield from check_order(f"the feed of {run.client} (pages of {run.limit})", entries)


def check_completeness(run: Run, lines: dict[tuple[str, str], Timeline]):
    """At the end of the feed, the client knows every write that was acknowledged before its request."""
    acknowledged = sorted((one for line in lines.values() for one in line.steps), key=lambda one: one.answered)
    returned: dict[tuple[str, str], int] = {}
    asked, needed = 0, {}
    for page in run.all_pages():
        for kind, name, value, tag in page.changes:
            key = (kind, name)
            if key in lines:
                returned[key] = value if tag is not None else latest_gone(lines[key], page.answered)
        if page.more:
            continue
        while asked < len(acknowledged) and acknowledged[asked].answered < page.sent:
            step: Step = acknowledged[asked]
            needed[(step.type, step.name)] = step.index
            asked += 1
        for key, index in needed.items():
            if returned.get(key, -1) < index and not both_absent(lines[key], returned.get(key, -1), index):
                yield (f"{run.client} (pages of {run.limit}) knew state {returned.get(key, -1)} of {key[1]} at "
                       f"{page.answered}; state {index} was acknowledged before it asked at {page.sent}")
                return
        needed = {}


def latest_gone(line: Timeline, when: int) -> int:
    """The latest deletion that a change received at `when` can mean."""
    return max((one.index for one in line.steps if not one.alive and one.sent <= when), default=-1)


def both_absent(line: Timeline, returned: int, needed: int) -> bool:
    """A client that never knew a record, or knows that it was deleted, needs no change that says so."""
    gone = returned < 0 or not line.steps[returned].alive
    return gone and not line.steps[needed].alive


def final_state(pages: list[Page]) -> dict[tuple[str, str], str]:
    """The copy that a feed client has: change tags by type and name."""
    copy: dict[tuple[str, str], str] = {}
    for page in pages:
        for kind, name, _, tag in page.changes:
            if tag is None:
                copy.pop((kind, name), None)
            else:
                copy[(kind, name)] = tag
    return copy
