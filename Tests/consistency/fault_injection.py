"""Faults that a server might have, injected between a client and its connection. The checks must find each of them.

Each fault occurs from time to time, so that everything else works as usual.
"""
import copy
from random import Random

FAULTS = {  # what it means, and the mix of clients that meets it most
    "stale": ("a read of a single record answers with what the same read answered before", "registers"),
    "old-query": ("a query answers with what the same query answered before", "records"),
    "lost-guard": ("the condition of a guarded write is forgotten", "registers"),
    "lost-increment": ("an increment is acknowledged and not made", "numbers"),
    "twice": ("an increment is made twice", "numbers"),
    "torn": ("a batch is not atomic", "batches"),
    "feed-skip": ("a page of the feed leaves out a change", "feeds"),
    "feed-order": ("a page of the feed has its changes in the wrong order", "feeds"),
    "feed-again": ("a page of the feed repeats a change of an earlier one", "feeds"),
    "forgotten-key": ("an idempotency key is not heeded", "numbers"),
    "lost-row": ("a query leaves out a record", "records"),
    "wrong-count": ("a query counts one too few", "records"),
    "taken-twice": ("a unique value is given to two records", "records"),
}


class FaultInjector:
    def __init__(self, fault: str, random: Random, share: float = 0.04):
        self.fault, self.random, self.share = fault, random, share
        self.responses: dict[str, object] = {}
        self.earlier: list[dict] = []

    def now(self) -> bool:
        return self.random.random() < self.share

    def change(self, method: str, path: str, body, headers: tuple[str, ...]):
        """The request that is sent instead of another one."""
        if self.fault == "lost-guard" and self.now():
            headers = tuple(one for one in headers if not one.startswith("If-Match"))
        elif self.fault == "forgotten-key":
            headers = tuple(one for one in headers if not one.startswith("Idempotency-Key"))
        elif self.fault == "lost-increment" and is_increment(body) and not has_key(headers) and self.now():
            body = {"fields": {"v": {"increment": 0}}}
        elif self.fault == "twice" and is_increment(body) and not has_key(headers) and self.now():
            body = {"fields": {"v": {"increment": 2 * body["fields"]["v"]["increment"]}}}
        elif self.fault == "taken-twice" and path == "/records/Ticket" and self.now():
            body = dict(body, fields={"slot": body["fields"]["slot"] + " "})
        return method, path, body, headers

    def parts(self, path: str, body, headers: tuple[str, ...]) -> list:
        """The requests that are sent instead of one; two with one key would be rejected."""
        is_free = path == "/records" and all(one["operationType"].startswith("force") for one in body["operations"])
        if self.fault != "torn" or not is_free or has_key(headers) or len(body["operations"]) < 2 or not self.now():
            return [body]
        return [dict(body, operations=body["operations"][:1]), dict(body, operations=body["operations"][1:])]

    def alter(self, method: str, path: str, status: int, returned):
        """The response that the client gets instead of another one."""
        if status != 200 or not isinstance(returned, dict):
            return returned
        if self.fault == "stale" and method == "GET" and path.count("/") == 3 and path.startswith("/records/"):
            return self.old(path, returned)
        is_query = path.startswith("/query/") and method == "GET"
        if self.fault == "old-query" and is_query:
            return self.old(path, returned)
        if self.fault == "lost-row" and is_query and returned["records"] and self.now():
            return dict(returned, records=returned["records"][1:])
        if self.fault == "wrong-count" and is_query and returned.get("count") and self.now():
            return dict(returned, count=returned["count"] - 1)
        if path.startswith("/changes"):
            return self.alter_feed(returned)
        return returned

    def old(self, path: str, returned):
        response = self.responses.get(path) if self.now() else None
        self.responses[path] = returned
        return response or returned

    def alter_feed(self, returned: dict) -> dict:
        changes = returned["changes"]
        if self.fault == "feed-skip" and changes and self.now():
            return dict(returned, changes=changes[:-1])
        if self.fault == "feed-order" and len(changes) > 1 and self.random.random() < 0.3:
            return dict(returned, changes=changes[::-1])
        if self.fault == "feed-again":
            again = [copy.deepcopy(self.random.choice(self.earlier))] if self.earlier and self.now() else []
            self.earlier = (self.earlier + [one for one in changes if not one.get("deleted")])[-50:]
            return dict(returned, changes=changes + again)
        return returned


def is_increment(body) -> bool:
    fields = body.get("fields") if isinstance(body, dict) else None
    value = fields.get("v") if isinstance(fields, dict) else None
    return isinstance(value, dict) and "increment" in value


def has_key(headers: tuple[str, ...]) -> bool:
    return any(one.startswith("Idempotency-Key") for one in headers)
