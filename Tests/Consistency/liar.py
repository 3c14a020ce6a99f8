"""Defects that a server might have, played by the client: a suite that does not notice them is worth nothing.

Each lie is told now and then, between the client and its connection, so that everything else is as always.
"""
import copy
from random import Random

LIES = {  # what it means, and the clients that meet it most
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


class Liar:
    def __init__(self, lie: str, random: Random, share: float = 0.04):
        self.lie, self.random, self.share = lie, random, share
        self.answers: dict[str, object] = {}
        self.earlier: list[dict] = []

    def now(self) -> bool:
        return self.random.random() < self.share

    def change(self, method: str, path: str, body, headers: tuple[str, ...]):
        """What is sent in place of a request."""
        if self.lie == "lost-guard" and self.now():
            headers = tuple(one for one in headers if not one.startswith("If-Match"))
        elif self.lie == "forgotten-key":
            headers = tuple(one for one in headers if not one.startswith("Idempotency-Key"))
        elif self.lie == "lost-increment" and is_increment(body) and not has_key(headers) and self.now():
            body = {"fields": {"v": {"increment": 0}}}
        elif self.lie == "twice" and is_increment(body) and not has_key(headers) and self.now():
            body = {"fields": {"v": {"increment": 2 * body["fields"]["v"]["increment"]}}}
        elif self.lie == "taken-twice" and path == "/records/Ticket" and self.now():
            body = dict(body, fields={"slot": body["fields"]["slot"] + " "})
        return method, path, body, headers

    def parts(self, path: str, body, headers: tuple[str, ...]) -> list:
        """The requests that are sent in place of one; two with one key would be refused."""
        is_free = path == "/records" and all(one["operationType"].startswith("force") for one in body["operations"])
        if self.lie != "torn" or not is_free or has_key(headers) or len(body["operations"]) < 2 or not self.now():
            return [body]
        return [dict(body, operations=body["operations"][:1]), dict(body, operations=body["operations"][1:])]

    def twist(self, method: str, path: str, status: int, told):
        """What the client is told in place of an answer."""
        if status != 200 or not isinstance(told, dict):
            return told
        if self.lie == "stale" and method == "GET" and path.count("/") == 3 and path.startswith("/records/"):
            return self.old(path, told)
        is_query = path.startswith("/query/") and method == "GET"
        if self.lie == "old-query" and is_query:
            return self.old(path, told)
        if self.lie == "lost-row" and is_query and told["records"] and self.now():
            return dict(told, records=told["records"][1:])
        if self.lie == "wrong-count" and is_query and told.get("count") and self.now():
            return dict(told, count=told["count"] - 1)
        if path.startswith("/changes"):
            return self.twist_feed(told)
        return told

    def old(self, path: str, told):
        answer = self.answers.get(path) if self.now() else None
        self.answers[path] = told
        return answer or told

    def twist_feed(self, told: dict) -> dict:
        changes = told["changes"]
        if self.lie == "feed-skip" and changes and self.now():
            return dict(told, changes=changes[:-1])
        if self.lie == "feed-order" and len(changes) > 1 and self.random.random() < 0.3:
            return dict(told, changes=changes[::-1])
        if self.lie == "feed-again":
            again = [copy.deepcopy(self.random.choice(self.earlier))] if self.earlier and self.now() else []
            self.earlier = (self.earlier + [one for one in changes if not one.get("deleted")])[-50:]
            return dict(told, changes=changes + again)
        return told


def is_increment(body) -> bool:
    fields = body.get("fields") if isinstance(body, dict) else None
    value = fields.get("v") if isinstance(fields, dict) else None
    return isinstance(value, dict) and "increment" in value


def has_key(headers: tuple[str, ...]) -> bool:
    return any(one.startswith("Idempotency-Key") for one in headers)
