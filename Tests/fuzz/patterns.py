"""Queries with patterns: nested repetitions, parts that match nothing, classes, and long texts to match."""
import json
import random

LONG_TEXT = ("sea a1_ \u00e9\u3042\u0301 " * 400)[:4_000]
"""The text of a record that patterns meet."""

EMPTY = ["()", "(?:)", "a{0}", "(|)", "\u00ad", "^", "$", "\\b", "(a*)", "(?<n>)"]
PARTS = [*EMPTY, "a", ".", "[a-z]", "[^\\p{L}]",
         "[\\p{Cn}\\p{Co}\\p{L}]", "\\w", "\\P{Lu}", "(a|b)", "(a|aa)", "\u00e9"]
COUNTS = ["*", "+", "?", "*?", "{2}", "{0,}", "{0,3}", "{1,1000}", "{1000}", "{230}"]


def nested(choose: random.Random) -> str:
    """Returns a pattern of groups within groups, each of which is repeated."""
    pattern = "".join(choose.choices(PARTS, k=choose.randint(1, 3)))
    for _ in range(choose.choice([1, 2, 3, 8, 31])):
        pattern = f"({pattern}){choose.choice(COUNTS)}"
        if choose.random() < 0.2:
            pattern += choose.choice(PARTS)
    return pattern[:1_000]


def condition(choose: random.Random) -> str:
    """Returns a condition of one to four tests with patterns."""
    def test() -> str:
        field = choose.choice(["title", "recordName", "ANY topics", "ALL topics"])
        word = choose.choice(["MATCHES", "MATCHES[c]", "MATCHES[cd]", "LIKE", "LIKE[cd]"])
        return f"{field} {word} {json.dumps(nested(choose))}"

    return choose.choice([" AND ", " OR "]).join(test() for _ in range(choose.choice([1, 1, 2, 4])))


def bodies(seed: str, count: int) -> list[dict]:
    """Returns bodies of `POST /query`: conditions on records, and on groups."""
    choose = random.Random(seed)
    found: list[dict] = []
    for number in range(count):
        if number % 4:
            found.append({"recordType": "Post", "limit": 2, "where": condition(choose)})
        else:
            having = f"title MATCHES {json.dumps(nested(choose))}"
            found.append({"recordType": "Post", "aggregate": {"groupBy": "title", "having": having}})
    return found
