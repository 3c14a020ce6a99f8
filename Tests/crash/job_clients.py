"""The client whose work outlives its requests and the server: jobs that increment or delete many records.

A job that was accepted continues after the end of the server. It changes each record exactly once, and says of no
record that it is done before it is.
"""
import sqlite3
import time
from collections import Counter
from pathlib import Path

from Tests.crash import index_work
from Tests.crash.client import ABSENT, RecoveredState, Worker
from Tests.harness.client import Client, quoted, values
from Tests.harness.errors import Problem

TYPE = "Work"
SIZE = 1_200  # records of a group: a job takes several slices for them
BATCH = 200
DELETIONS = 0.15
ENDED = ("succeeded", "failed", "cancelled")
# Seconds in which jobs that a server has begun must have ended after the next start.
MOST_SECONDS = 30
ASYNC = ("Prefer: respond-async",)


class JobClient(Worker):
    """The state of a group is the number of jobs that have incremented its records."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.seen: list[tuple[int, str, int]] = []  # (when, path of a job, records that it said were done)
        self.ends: Counter[str] = Counter()  # of servers: all, in a job, and in a job that was half done

    def act(self) -> None:
        groups = self.known(is_present=True)
        group = groups[-1] if groups else self.make_group()
        if self.random.random() < DELETIONS:
            path = self.submit(group, ABSENT, "DELETE", None)
        else:
            path = self.submit(group, self.histories[group].state + 1, "PATCH", {"fields": {"count": {"increment": 1}}})
        self.follow(group, path)

    def make_group(self) -> str:
        group = self.new()
        history = self.histories[group]
        step = self.begin(history, 0)
        for first in range(0, SIZE, BATCH):
            self.batch([{"operationType": "forceReplace", "record": {
                "recordType": TYPE, "recordName": f"{group}-{number}",
                "fields": {"group": {"value": group}, "count": {"value": 0}}}}
                for number in range(first, first + BATCH)])
        self.acknowledge(step)
        self.begun = None
        return group

    def submit(self, group: str, state, method: str, body) -> str:
        step = self.begin(self.histories[group], state)
        path = self.call(method, f"/query/{TYPE}?where={condition(group)}", body, expect=(202,),
                         headers=ASYNC).headers["Location"]
        self.acknowledge(step)
        self.begun = None  # what is rejected from now on is no write
        return path

    def follow(self, group: str, path: str) -> None:
        """Until the job has ended. What it has done must be there each time."""
        while not self.stopping.is_set():
            state = self.histories[group].state
            if sentence := self.look(self.client, group, path, state):
                raise Problem(sentence)
            if (job := self.call("GET", path).json())["state"] in ENDED:
                if (job["state"], job["done"], job["skipped"]) != ("succeeded", SIZE, 0):
                    raise Problem(f"a job of {SIZE} records ended as {job}")
                return
            self.stopping.wait(0.005)

    def look(self, client: Client, group: str, path: str, state) -> str | None:
        """Compares what a job says with the records, which are read later."""
        job = client.call("GET", path).json()
        self.seen.append((self.clock.now(), path, job["done"]))
        counts = counts_of(client, group)
        changed = SIZE - len(counts) if state is ABSENT else sum(count >= state for count in counts.values())
        if job["done"] > changed:
            return f"the job {path} says that {job['done']} records are done, but {changed} have changed"
        return None

    # After the end

    def note_end(self, left: Path) -> None:
        """Records whether a job was under way at the end that left this disk."""
        done = under_way(left)
        self.ends.update({"all": 1, "in a job": bool(done), "half done": any(done)})

    def unfinished(self, cut: int, client: Client) -> list[str]:
        """Sentences about jobs that have just continued on the disk that `cut` left."""
        found = []
        for path in {path for when, path, _ in self.seen if when <= cut}:
            seen = max(done for when, one, done in self.seen if one == path and when <= cut)
            job = client.call("GET", path, expect=(200, 404))
            if job.status != 200:
                found.append(f"{self.name}: the job {path}, which had done {seen} records, is gone")
            elif job.json()["done"] < seen:
                found.append(f"{self.name}: the job {path} had done {seen} records, and now {job.json()['done']}")
        return found

    def violations(self, cut: int, recovered: RecoveredState):
        there: dict[str, dict[str, int]] = {}
        for name, record in recovered.records.items():
            if record["recordType"] == TYPE and name.startswith(self.name + "-"):
                fields = values(record)
                there.setdefault(fields["group"], {})[name] = fields["count"]
        for group, history in self.histories.items():
            counts, allowed = there.pop(group, {}), history.allowed(cut)
            made = history.steps[1].answered if len(history.steps) > 1 else None
            if (made is None or made > cut) and len(counts) % BATCH == 0 and set(counts.values()) <= {0}:
                continue  # the batches that make the group were under way
            found = sorted(set(counts.values()))
            if not (counts and len(counts) == SIZE and len(found) == 1 and found[0] in allowed
                    or not counts and ABSENT in allowed):
                yield (f"of {SIZE} records of {group} there are {len(counts)}, changed by {found} jobs; must be all of "
                       f"them, changed by one of {allowed}")
        if there:
            yield f"nobody made the groups {list(there)[:5]}"
        yield from self.unsuccessful(cut, recovered)

    def unsuccessful(self, cut: int, recovered: RecoveredState):
        for path in sorted({path for when, path, _ in self.seen if when <= cut}):
            job = recovered.client.call("GET", path, token=recovered.admin).json()
            if (job["state"], job["done"], job["skipped"]) != ("succeeded", SIZE, 0):
                yield f"a job of {SIZE} records ended as {job}"


def under_way(disk: Path) -> list[int]:
    """How many records the unfinished jobs had done."""
    for file in disk.rglob("records.sqlite"):
        with index_work.copied(file, disk.parent) as database:
            try:
                return [row[0] for row in database.execute(
                    "SELECT done FROM job WHERE ended IS NULL AND kind IN ('updateRecords', 'deleteRecords')")]
            except sqlite3.OperationalError:
                return []  # the end came before the schema
    return []


def condition(group: str) -> str:
    return quoted(f"group == '{group}'")


def counts_of(client: Client, group: str) -> dict[str, int]:
    return {record["recordName"]: values(record)["count"]
            for record in client.query(TYPE, where=f"group == '{group}'", fields=["count"])}


def wait(client: Client) -> None:
    """Waits until the jobs of callers that a server has begun have ended."""
    limit = time.monotonic() + MOST_SECONDS
    while left := [job for job in client.call("GET", "/jobs?unfinished=true").json()["jobs"]
                   if job["kind"] in ("updateRecords", "deleteRecords")]:
        if time.monotonic() > limit:
            raise Problem(f"{len(left)} jobs did not end within {MOST_SECONDS} s of a start, such as {left[0]}")
        time.sleep(0.02)
