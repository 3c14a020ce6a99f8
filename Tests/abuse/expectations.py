"""Checks of an attacker's results: each returns sentences about problems."""
from Tests.abuse.attack import Check, Result


def answered(*statuses: int) -> Check:
    """There were responses, with these statuses only."""
    def check(result: Result) -> list[str]:
        wrong = {status: count for status, count in result.responses.items() if int(status) not in statuses}
        if wrong:
            return [f"responses {wrong} where {statuses} are right"]
        return [] if result.responses else ["no response came"]
    return check


def no_failures(result: Result) -> list[str]:
    """Any status except 500 or a malformed response."""
    wrong = {status: count for status, count in result.responses.items() if status in ("0", "500")}
    return [f"responses {wrong}"] if wrong else []


def some(status: int, at_least: int = 1) -> Check:
    """At least so many responses have this status."""
    def check(result: Result) -> list[str]:
        count = result.responses.get(str(status), 0)
        return [] if count >= at_least else [f"{count} answers with {status} where {at_least} should come"]
    return check


def closed_within(seconds: float) -> Check:
    """The server has closed every connection by that age."""
    def check(result: Result) -> list[str]:
        found = []
        if result.oldest > seconds:
            found.append(f"a connection is still open after {result.oldest:.1f} s, where {seconds} s are the limit")
        if result.longest > seconds:
            found.append(f"a connection was closed after {result.longest:.1f} s, where {seconds} s are the limit")
        if result.closed + result.reset == 0:
            found.append("no connection was closed")
        return found
    return check


def not_before(seconds: float) -> Check:
    """No connection was closed before its documented limit."""
    def check(result: Result) -> list[str]:
        if result.closed + result.reset and result.shortest < seconds:
            return [f"a connection was closed after {result.shortest:.2f} s, before its {seconds} s"]
        return []
    return check


def kept_open(count: int) -> Check:
    """This many connections are open at the end, and none was refused."""
    def check(result: Result) -> list[str]:
        found = [] if result.open >= count else [f"{result.open} connections are open where {count} should be"]
        return found + ([f"{result.refused} connections were refused"] if result.refused else [])
    return check


def every_message(result: Result) -> list[str]:
    """Each message was sent, or begun if the server rejected it: each may attack in another way."""
    return [f"{result.untried} messages were never sent"] if result.untried else []


def busy(count: int) -> Check:
    """The attack took place: so many connections or responses."""
    def check(result: Result) -> list[str]:
        done = max(result.opened, sum(result.responses.values()))
        return [] if done >= count else [f"the attack reached {done} connections or responses, and {count} are needed"]
    return check
