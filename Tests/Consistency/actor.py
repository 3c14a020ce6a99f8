"""A client with a thread of its own and two connections, until the time is over."""
import threading
import time
import traceback
from random import Random

from connection import Connection, Problem, Reply, Unavailable, quoted, rows_of
from history import Evidence, Snapshot
from world import World


class Actor(threading.Thread):
    def __init__(self, name: str, world: World, random: Random, evidence: Evidence):
        super().__init__(name=name, daemon=True)
        self.world, self.random, self.evidence = world, random, evidence
        self.main, self.other = self.connect(), self.connect()

    def connect(self, token: str | None = None) -> Connection:
        return self.world.connect(self.random, token)

    def run(self) -> None:
        try:
            self.begin()
            while time.monotonic_ns() < self.world.deadline:
                try:
                    self.act()
                except Unavailable as refusal:
                    self.evidence.counts[f"refused {refusal}"] += 1
                    time.sleep(0.005)
            self.end()
        except Problem as problem:
            self.evidence.problems.append(f"{self.name}: {problem}")
        except BaseException:  # what a client did not reckon with is a finding too, be it the server's or its own
            self.evidence.problems.append(f"{self.name}: {traceback.format_exc(limit=-4)}")
        finally:
            self.evidence.counts["requests"] += self.main.requests + self.other.requests
            self.evidence.counts["refused"] += self.main.refused + self.other.refused
            self.main.close()
            self.other.close()

    def begin(self) -> None:
        """What comes before the first act."""

    def act(self) -> None:
        raise NotImplementedError(self.name)

    def end(self) -> None:
        """What comes after the last act."""

    def pause(self, seconds: float) -> None:
        left = (self.world.deadline - time.monotonic_ns()) / 1e9
        time.sleep(max(0, min(seconds, left)))

    # Reads that show one moment

    def look(self, kind: str, scope: tuple, connection: Connection | None = None) -> Snapshot:
        """Reads in a way chosen by chance; what is seen goes to the checkers."""
        connection = connection or self.other
        if scope[0] == "all":
            found = self.random.choice([self.listing, self.query, self.query, self.counting])(connection, kind, scope)
        elif scope[0] == "names" and len(scope[1]) == 1 and self.random.random() < 0.7:
            found = self.get(connection, kind, scope)
        else:
            found = self.random.choice([self.query, self.query, self.posted_query, self.counting])(
                connection, kind, scope)
        self.evidence.snapshots.append(found)
        self.evidence.counts[f"{found.source} {kind}"] += 1
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
            self.evidence.problems.append(f"{found} by{sort} is not sorted: {values}")
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
    """A scope as a condition with its arguments."""
    if scope[0] == "all":
        return "TRUEPREDICATE", []
    if scope[0] == "names":
        return "recordName IN %@", [list(scope[1])]
    return f"{scope[1]} {'!=' if scope[0] == 'not' else '=='} %@", [scope[2]]


def condition(scope: tuple) -> str:
    """A scope as a part of an address."""
    if scope[0] == "all":
        return ""
    if scope[0] == "names":
        names = ", ".join(f"'{one}'" for one in scope[1])
        return "&where=" + quoted(f"recordName IN {{{names}}}")
    return "&where=" + quoted(f"{scope[1]} {'!=' if scope[0] == 'not' else '=='} '{scope[2]}'")
