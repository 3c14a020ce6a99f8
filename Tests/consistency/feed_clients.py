"""Clients that keep a copy by the change feed."""
from Tests.consistency.client import Worker
from Tests.consistency.connection import Connection, value_of
from Tests.consistency.history import Page, Run
from Tests.harness.client import quoted


class FeedClient(Worker):
    """Follows the feed with pages of one size; sometimes it resumes from an old token."""

    def __init__(self, limit: int, from_start: bool, *arguments):
        super().__init__(*arguments)
        self.limit, self.from_start = limit, from_start

    def begin(self) -> None:
        self.trunk = Run(self.name, self.limit, self.from_start)
        self.observations.runs.append(self.trunk)

    def act(self) -> None:
        page = read_page(self.main, self.trunk, self.workload.since)
        self.observations.counts["feed pages"] += 1
        if not page.more:
            self.pause(self.random.choice([0, 0.002, 0.01, 0.05]))
        if self.random.random() < 0.01:
            self.go_back()

    def go_back(self) -> None:
        """Starts another run from an old token of this one, with pages of another size."""
        taken = self.random.randrange(1, len(self.trunk.pages) + 1)
        run = Run(f"{self.name} from its page {taken}", self.random.choice([1, 3, 20, 1000]), self.from_start,
                  parent=self.trunk.pages, taken=taken)
        self.observations.runs.append(run)
        for _ in range(self.random.choice([1, 5, 40])):
            if not read_page(self.other, run, self.workload.since).more:
                break


def read_page(connection: Connection, run: Run, since: str, limit: int | None = None) -> Page:
    """Reads the next page of a run and records it there."""
    known = run.pages or run.parent[:run.taken]
    token = known[-1].token if known else "" if run.from_start else since
    limit = limit or run.limit
    reply = connection.ask("GET", f"/changes?limit={limit}" + (f"&since={quoted(token)}" if token else ""))
    changes = [(one["recordType"], one["recordName"], None, None) if one.get("deleted") else
               (one["recordType"], one["recordName"], value_of(one), one["recordChangeTag"])
               for one in reply.body["changes"] if one["recordType"] != "Users"]
    page = Page(reply.sent, reply.answered, changes, reply.body["token"], reply.body["moreComing"])
    run.pages.append(page)
    return page
