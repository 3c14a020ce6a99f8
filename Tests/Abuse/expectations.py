"""What an attacker should get: checks on a `Result`, each a list of sentences that say what was wrong."""
from attack import Check, Result


def answered(*statuses: int) -> Check:
    """Answers came, and had these statuses alone."""
    def check(result: Result) -> list[str]:
        wrong = {status: count for status, count in result.answers.items() if int(status) not in statuses}
        if wrong:
            return [f"answers {wrong} where {statuses} are right"]
        return [] if result.answers else ["no answer came"]
    return check


def no_failures(result: Result) -> list[str]:
    """Whatever else is answered, nothing is a failure of the server's own."""
    wrong = {status: count for status, count in result.answers.items() if status in ("0", "500")}
    return [f"answers {wrong}"] if wrong else []


def some(status: int, at_least: int = 1) -> Check:
    """So many answers have this status."""
    def check(result: Result) -> list[str]:
        count = result.answers.get(str(status), 0)
        return [] if count >= at_least else [f"{count} answers with {status} where {at_least} should come"]
    return check


def closed_within(seconds: float) -> Check:
    """The server has ended every connection by that age."""
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
    """Nobody was sent away before the limit that is documented."""
    def check(result: Result) -> list[str]:
        if result.closed + result.reset and result.shortest < seconds:
            return [f"a connection was closed after {result.shortest:.2f} s, before its {seconds} s"]
        return []
    return check


def kept_open(count: int) -> Check:
    """So many connections are open at the end, and none was refused."""
    def check(result: Result) -> list[str]:
        found = [] if result.open >= count else [f"{result.open} connections are open where {count} should be"]
        return found + ([f"{result.refused} connections were refused"] if result.refused else [])
    return check


def every_message(result: Result) -> list[str]:
    """Each message was sent, or begun where the server would not have it: each of a list may be evil in its own way."""
    return [f"{result.untried} messages were never sent"] if result.untried else []


def busy(count: int) -> Check:
    """The attack took place: so many connections or answers."""
    def check(result: Result) -> list[str]:
        done = max(result.opened, sum(result.answers.values()))
        return [] if done >= count else [f"the attack came to {done} connections or answers, where {count} are little"]
    return check
