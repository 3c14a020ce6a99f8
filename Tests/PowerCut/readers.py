"""The clients that read: what they saw must not be undone."""
from collections import Counter

from actors import GONE, Actor, History, Survivor, http_quote, short, values
from writers import RecordWriter


class Reader(Actor):
    """Reads records that others are writing."""

    writes = False

    def __init__(self, writers: list[RecordWriter], *arguments):
        super().__init__(*arguments)
        self.writers = writers
        self.seen: dict[str, list[tuple[int, int]]] = {}  # (when, version)
        self.gone: dict[str, list[tuple[int, int]]] = {}  # when it was asked for and was there no more, once seen

    def act(self) -> None:
        writer = self.random.choice(self.writers)
        names = list(writer.histories)[-30:]
        if not names:
            self.stopping.wait(0.01)
            return
        name, sent = self.random.choice(names), self.clock.now()
        answer = self.call("GET", f"/records/Item/{name}", expect=(200, 404))
        if answer.status == 200:
            self.seen.setdefault(name, []).append((self.clock.now(), values(answer.json())["version"]))
        elif name in self.seen:
            self.gone.setdefault(name, []).append((sent, self.clock.now()))

    def complaints(self, cut: int, survivor: Survivor):
        histories = {name: history for writer in self.writers for name, history in writer.histories.items()}
        for name, sights in self.seen.items():
            seen = max([version for when, version in sights if when <= cut], default=0)
            state = survivor.fields(name)
            if state is GONE and any(one.state is GONE for one in histories[name].steps[1:]):
                continue  # deleted later: whether it may be, the writer says
            found = 0 if state is GONE else state["version"]
            if found < seen:
                yield f"a reader had seen version {seen} of {name}, which is now {short(state)[:80]}"
        for name, looks in self.gone.items():
            state, looks = survivor.fields(name), [look for look in looks if look[1] <= cut]
            if state is not GONE and looks and not is_made_again(histories[name], *looks[-1], cut):
                yield f"a reader had seen that {name} was gone, which is now {short(state)[:80]}"


def is_made_again(history: History, sent: int, answered: int, cut: int) -> bool:
    """Whether a record may be there after `cut` that was not there for somebody who asked between two moments: a write
    was sent that makes it, behind the first deletion that can have been seen."""
    for index, deletion in enumerate(history.steps):
        later = [one for one in history.steps[index + 1:] if one.state is not GONE]
        is_past = any(one.answered is not None and one.answered <= sent for one in later)
        if index and deletion.state is GONE and deletion.sent <= answered and not is_past:
            return any(one.sent <= cut for one in later)
    return False


class Follower(Actor):
    """Keeps a copy of everything by the change feed."""

    writes = False

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.pages: list[tuple[int, str, list[tuple[str, str | None]]]] = []  # (when, token, (name, tag or gone))
        self.feeds: Counter[str] = Counter()  # what became of those that were to be judged

    def act(self) -> None:
        page = self.page(self.client, self.pages[-1][1] if self.pages else None)
        if page is None:
            self.pages = []
            return
        self.pages.append((self.clock.now(), page["token"], self.changes(page)))
        if not page["moreComing"]:
            self.stopping.wait(0.02)

    @staticmethod
    def page(client, token: str | None, limit: int = 200) -> dict | None:
        """`None` for a token that has expired, as those of all do when somebody's rights may have changed."""
        since = f"&since={http_quote(token)}" if token else ""
        answer = client.call("GET", f"/changes?limit={limit}{since}", expect=(200, 410) if token else (200,))
        return answer.json() if answer.status == 200 else None

    @staticmethod
    def changes(page: dict) -> list[tuple[str, str | None]]:
        return [(one["recordName"], None if one.get("deleted") else one["recordChangeTag"]) for one in page["changes"]
                if one["recordType"] != "Users"]

    def complaints(self, cut: int, survivor: Survivor):
        truth = {name: record["recordChangeTag"] for name, record in survivor.records.items()}
        known = [page for page in self.pages if page[0] <= cut]
        copy: dict[str, str] = {}
        if self.read_on(survivor.client, None, copy):
            yield from self.differences("from the beginning", copy, truth)
        else:
            yield "a feed from the beginning expired while it was read, and nobody's rights change"
        if not known:
            self.feeds["without a token"] += 1
            return
        copy = {}
        for _, _, changes in known:
            merge(copy, changes)
        if self.read_on(survivor.client, known[-1][1], copy):
            self.feeds["gone on with"] += 1
            yield from self.differences("that goes on from an earlier token", copy, truth)
        else:
            self.feeds["expired"] += 1

    def read_on(self, client, token: str | None, copy: dict[str, str]) -> bool:
        """Brings a copy up to date; `False` if the token has expired."""
        more = True
        while more:
            page = self.page(client, token, 1000)
            if page is None:
                return False
            merge(copy, self.changes(page))
            token, more = page["token"], page["moreComing"]
        return True

    @staticmethod
    def differences(which: str, copy: dict[str, str], truth: dict[str, str]):
        for name in sorted(copy.keys() | truth.keys()):
            if copy.get(name) != truth.get(name):
                yield f"by a feed {which}, {name} is {copy.get(name)}; the record is {truth.get(name)}"
                return


def merge(copy: dict[str, str], changes) -> None:
    for name, tag in changes:
        if tag is None:
            copy.pop(name, None)
        else:
            copy[name] = tag


class Settled(Actor):
    """What was there before the other clients began, and nobody touches."""

    writes = False

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.tags: dict[str, str] = {}
        self.since = 0

    def look(self, is_safe: bool) -> None:
        """Reads everything. What a process finds that follows a killed one was not safe before it showed it."""
        self.tags = {name: one["recordChangeTag"] for name, one in Survivor(self.client).records.items()}
        self.since = 0 if is_safe else self.clock.now()

    def act(self) -> None:
        self.stopping.set()

    def complaints(self, cut: int, survivor: Survivor):
        if cut < self.since:
            return
        for name, tag in self.tags.items():
            found = survivor.records.get(name, {}).get("recordChangeTag")
            if found != tag:
                yield f"{name}, which was there before, is {found}; it was {tag}"
