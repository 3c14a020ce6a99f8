"""The clients that read. A read must not be undone."""
from collections import Counter

from Tests.crash.client import ABSENT, History, RecoveredState, Worker, short
from Tests.crash.writers import RecordWriter
from Tests.harness.client import RIGHTS_CHANGED, Client, UnexpectedStatus, quoted, values
from Tests.harness.errors import Problem

# Fields by which records are found and sorted, of the types that other clients write.
FIELDS = {"Item": ["version", "text"], "Part": ["version"], "Member": ["group", "version"], "Tally": ["count", "marks"],
          "Counter": ["count"]}


class Reader(Worker):
    """Reads records that others are writing."""

    writes = False

    def __init__(self, writers: list[RecordWriter], *arguments):
        super().__init__(*arguments)
        self.writers = writers
        self.seen: dict[str, list[tuple[int, int]]] = {}  # (when, version)
        self.absent: dict[str, list[tuple[int, int]]] = {}  # when a record seen before was absent: (sent, answered)

    def act(self) -> None:
        names = list(self.random.choice(self.writers).histories)[-30:]
        if not names:
            self.stopping.wait(0.01)
            return
        name, sent = self.random.choice(names), self.clock.now()
        response = self.call("GET", f"/records/Item/{name}", expect=(200, 404))
        if response.status == 200:
            self.seen.setdefault(name, []).append((self.clock.now(), values(response.json())["version"]))
        elif name in self.seen:
            self.absent.setdefault(name, []).append((sent, self.clock.now()))

    def violations(self, cut: int, recovered: RecoveredState):
        histories = {name: history for writer in self.writers for name, history in writer.histories.items()}
        for name, reads in self.seen.items():
            seen = max([version for when, version in reads if when <= cut], default=0)
            state = recovered.fields(name)
            if state is ABSENT and any(one.state is ABSENT for one in histories[name].steps[1:]):
                continue  # deleted later; the writer checks whether it may be
            found = 0 if state is ABSENT else state["version"]
            if found < seen:
                yield f"a reader had seen version {seen} of {name}, which is now {short(state)[:80]}"
        for name, reads in self.absent.items():
            state, reads = recovered.fields(name), [read for read in reads if read[1] <= cut]
            if state is not ABSENT and reads and not is_created_again(histories[name], *reads[-1], cut):
                yield f"a reader had seen that {name} was gone, which is now {short(state)[:80]}"


def is_created_again(history: History, sent: int, answered: int, cut: int) -> bool:
    """Whether a record may exist after `cut` that a read between `sent` and `answered` did not find: a write that
    creates it was sent after the first deletion that the read can have seen."""
    for index, deletion in enumerate(history.steps):
        later = [one for one in history.steps[index + 1:] if one.state is not ABSENT]
        is_past = any(one.answered is not None and one.answered <= sent for one in later)
        if index and deletion.state is ABSENT and deletion.sent <= answered and not is_past:
            return any(one.sent <= cut for one in later)
    return False


class FeedReader(Worker):
    """Keeps a copy of all records by the change feed."""

    writes = False

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.pages: list[tuple[int, str, list[tuple[str, str | None]]]] = []  # (when, token, (name, tag or None))
        self.feeds: Counter[str] = Counter()  # the outcomes of the checks, by word

    def act(self) -> None:
        page = self.page(self.client, self.pages[-1][1] if self.pages else None)
        if page is None:
            self.pages = []
            return
        self.pages.append((self.clock.now(), page["token"], changes_of(page)))
        if not page["moreComing"]:
            self.stopping.wait(0.02)

    @property
    def causes(self) -> tuple[str, ...]:
        """Why a token may end. A full disk, which is tolerated then, ends the tombstones of more than a minute."""
        return RIGHTS_CHANGED, *(["The sync token is too old"] if self.tolerated else [])

    def page(self, client: Client, token: str | None, limit: int = 200) -> dict | None:
        """`None` if the token has expired, as all tokens do when permissions may have changed."""
        since = f"&since={quoted(token)}" if token else ""
        response = client.call("GET", f"/changes?limit={limit}{since}", expect=(200, 410) if token else (200,))
        if response.status == 410 and not response.json()["reason"].startswith(self.causes):
            raise Problem(f"a token has expired without a cause: {response.json()['reason']}")
        return response.json() if response.status == 200 else None

    def violations(self, cut: int, recovered: RecoveredState):
        expected = {name: record["recordChangeTag"] for name, record in recovered.records.items()}
        known = [page for page in self.pages if page[0] <= cut]
        copy: dict[str, str] = {}
        if self.read_to_end(recovered.client, None, copy):
            yield from self.differences("from the beginning", copy, expected)
        else:
            yield "a feed from the beginning expired while it was read, and no permissions change"
        if not known:
            self.feeds["without a token"] += 1
            return
        copy = {}
        for _, _, changes in known:
            merge(copy, changes)
        if self.read_to_end(recovered.client, known[-1][1], copy):
            self.feeds["resumed"] += 1
            yield from self.differences("resumed from an earlier token", copy, expected)
        else:
            self.feeds["expired"] += 1

    def read_to_end(self, client: Client, token: str | None, copy: dict[str, str]) -> bool:
        """Brings a copy up to date; `False` if the token has expired."""
        more = True
        while more:
            page = self.page(client, token, 1000)
            if page is None:
                return False
            merge(copy, changes_of(page))
            token, more = page["token"], page["moreComing"]
        return True

    @staticmethod
    def differences(which: str, copy: dict[str, str], expected: dict[str, str]):
        for name in sorted(copy.keys() | expected.keys()):
            if copy.get(name) != expected.get(name):
                yield f"by a feed {which}, {name} is {copy.get(name)}; the record is {expected.get(name)}"
                return


def changes_of(page: dict) -> list[tuple[str, str | None]]:
    return [(one["recordName"], None if one.get("deleted") else one["recordChangeTag"]) for one in page["changes"]
            if one["recordType"] != "Users"]


def merge(copy: dict[str, str], changes) -> None:
    for name, tag in changes:
        if tag is None:
            copy.pop(name, None)
        else:
            copy[name] = tag


class QueryReader(Worker):
    """Queries and sorts by fields, so that indexes are added on demand. All results must match the predicate."""

    writes = False

    def act(self) -> None:
        kind = self.random.choice(list(FIELDS))
        field = self.random.choice(FIELDS[kind])
        predicate = "marks CONTAINS 'first'" if field == "marks" else f"{field} != NULL"
        sort = "" if field == "marks" else f"&sort=-{field}"
        path = f"/query/{kind}?where={quoted(predicate)}{sort}&limit=50&fields={field}"
        response = self.call("GET", path, expect=(200, 400, 503))
        # 400: the type has no records yet, or the index was dropped at this moment.
        causes = {503: (b"INDEX_BUILDING",), 400: (b"UNKNOWN_NAME", b"NOT_INDEXED")}.get(response.status)
        if causes and not any(cause in response.body for cause in causes):
            raise UnexpectedStatus(f"GET {path}", response, (200,))
        found = [one["fields"].get(field, {}).get("value", ABSENT) for one in response.json().get("records", [])]
        if None in found or (sort and found != sorted(found, reverse=True) and field != "text"):
            self.failure = f"{self.name}: {path} gave {short(found)}"
        self.stopping.wait(0.02)


class BaselineReader(Worker):
    """Reads all records before the other clients begin. These records do not change."""

    writes = False

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.tags: dict[str, str] = {}
        self.since = 0

    def look(self, is_safe: bool, types: list[str]) -> None:
        """Reads everything. What the successor of a killed process finds was not safe before the server returned it."""
        self.tags = {name: one["recordChangeTag"] for name, one in RecoveredState(self.client, types).records.items()}
        self.since = 0 if is_safe else self.clock.now()

    def act(self) -> None:
        self.stopping.set()

    def violations(self, cut: int, recovered: RecoveredState):
        for name, tag in self.tags.items() if cut >= self.since else ():
            found = recovered.records.get(name, {}).get("recordChangeTag")
            if found != tag:
                yield f"{name}, which existed before, is {found}; it was {tag}"
