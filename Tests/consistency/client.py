"""The base of all clients: a thread and two connections, until the deadline."""
import threading
import time
import traceback
from random import Random

from Tests.consistency.connection import Connection, Reply, Unavailable, rows_of
from Tests.consistency.history import Observations, Snapshot
from Tests.consistency.workload import Workload
from Tests.harness.client import quoted
from Tests.harness.errors import Problem


class Worker(threading.Thread):
    def __init__(self, name: str, workload: Workload, random: Random, observations: Observations):
        super().__init__(name=name, daemon=True)
        self.workload, self.random, self.observations = workload, random, observations
        self.main, self.other = self.connect(), self.connect()

    def connect(self, token: str | None = None) -> Connection:
        return self.workload.connect(self.random, token)

    def run(self) -> None:
        try:
            self.begin()
            while time.monotonic_ns() < self.workload.deadline:
                try:
                    self.act()
                except Unavailable:
                    time.sleep(0.005)
            self.end()
        except Problem as problem:
            self.observations.problems.append(f"{self.name}: {problem}")
        except BaseException:  # an unexpected error is a finding too, of the server or the client
            self.observations.problems.append(f"{self.name}: {traceback.format_exc(limit=-4)}")
        finally:
            self.observations.counts["requests"] += self.main.requests + self.other.requests
            for cause, count in (self.main.refused + self.other.refused).items():
                self.observations.counts[f"refused {cause}"] += count
            self.main.close()
            self.other.close()

    def begin(self) -> None:
        """Before the first act."""

    def act(self) -> None:
        raise NotImplementedError(self.name)

    def end(self) -> None:
        """After the last act."""

    def pause(self, seconds: float) -> None:
        left = (self.workload.deadline - time.monotonic_ns()) / 1e9
        time.sleep(max(0, min(seconds, left)))

    # Reads that show one moment

    def observe(self, kind: str, scope: tuple, connection: Connection | None = None) -> Snapshot:
        """Reads in a random way; the result is recorded for the checks."""
        connection = connection or self.other
        if scope[0] == "all":
            found = self.random.choice([self.listing, self.query, self.query, self.counting])(connection, kind, scope)
        elif scope[0] == "names" and len(scope[1]) == 1 and self.random.random() < 0.7:
            found = self.get(connection, kind, scope)
        else:
            found = self.random.choice([self.query, self.query, self.posted_query, self.counting])(
                connection, kind, scope)
        self.observations.snapshots.append(found)
        self.observations.counts[f"{found.source} {kind}"] += 1
        return found

    def get(self, connection: Connection, kind: str, scope: tuple) -> Snapshot:
        name = scope[1][0]
        reply = connection.ask("GET", f"/records/{kind}/{name}", expect=(200, 404))
        return self.snapshot("get", kind, scope, reply, rows_of([reply.body] if reply.status == 200 else []))

    def listing(self, connection: Connection, kind: str, scope: tuple) -> Snapshot:
        reply = connection.ask("GET", f"/records/{kind}?limit=1000")
        return self.whole("list", kind, scope, reply)

    def query(self, connection: Connection, kind: str, scope: tuple) -> Snapshot:
        count = "&count=true" if self.random.random() < 0.4 else ""
        sort = self.random.choice(["", "", "&sort=v", "&sort=-v"]) if kind in ("Item", "Bulk", "Account") else ""
        reply = connection.ask("GET", f"/query/{kind}?limit=1000{condition(scope)}{sort}{count}")
        found = self.whole("query", kind, scope, reply)
        values = [one["fields"]["v"]["value"] for one in reply.body["records"]] if sort else []
        if values != sorted(values, reverse=sort.endswith("-v")):
            self.observations.problems.append(f"{found} by{sort} is not sorted: {values}")
        return found

    def posted_query(self, connection: Connection, kind: str, scope: tuple) -> Snapshot:
        text, arguments = where(scope)
        body = {"recordType": kind, "limit": 1000, "where": text, "args": arguments}
        return self.whole("lookup" if scope[0] == "names" else "query", kind, scope,
                          connection.ask("POST", "/query", body))

    def counting(self, connection: Connection, kind: str, scope: tuple) -> Snapshot:
        reply = connection.ask("GET", f"/query/{kind}?limit=1&count=true{condition(scope)}")
        return self.snapshot("count", kind, scope, reply, None)

    def whole(self, source: str, kind: str, scope: tuple, reply: Reply) -> Snapshot:
        if "cursor" in reply.body:
            raise Problem(f"a {source} of {kind} {scope} has more than one page")
        return self.snapshot(source, kind, scope, reply, rows_of(reply.body["records"]))

    def snapshot(self, source: str, kind: str, scope: tuple, reply: Reply, rows) -> Snapshot:
        count = (reply.body or {}).get("count")
        return Snapshot(self.name, source, kind, scope, reply.sent, reply.answered, rows, count)


def where(scope: tuple) -> tuple[str, list]:
    """A scope as a predicate with its arguments."""
    if scope[0] == "all":
        return "TRUEPREDICATE", []
    if scope[0] == "names":
        return "recordName IN %@", [list(scope[1])]
    return f"{scope[1]} {'!=' if scope[0] == 'not' else '=='} %@", [scope[2]]


def condition(scope: tuple) -> str:
    """A scope as a part of a URL."""
    if scope[0] == "all":
        return ""
    if scope[0] == "names":
        names = ", ".join(f"'{one}'" for one in scope[1])
        return "&where=" + quoted(f"recordName IN {{{names}}}")
    return "&where=" + quoted(f"{scope[1]} {'!=' if scope[0] == 'not' else '=='} '{scope[2]}'")
