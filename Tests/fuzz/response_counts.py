"""Checks over all responses of a run: a server that responds to nothing has no wrong response."""
from collections import Counter

from Tests.fuzz.exchange import RESET

# Of all requests. Some 97 % have a response; the others end in the middle of the first head.
LEAST_ANSWERED = 0.90
# The server rejects some requests while they come. On one machine they arrive whole, so there are hardly any resets.
MOST_RESET = 0.01
# Of the responses. With less, the mutations would test only the first parser.
LEAST_RIGHT = 0.10
# Of the fixtures: a valid request was rejected.
MOST_STALE = 0.10


class ResponseCounts:
    def __init__(self):
        self.statuses: Counter[int | str] = Counter()
        self.fixtures: Counter[str] = Counter()
        # The first reason why a fixture could not be made.
        self.refusal = ""

    @property
    def requests(self) -> int:
        return self.statuses.total()

    def note_fixture(self, refusal: str | None) -> None:
        self.fixtures["refused" if refusal else "made"] += 1
        self.refusal = self.refusal or refusal or ""

    def findings(self, wanted: int) -> list[str]:
        answered = sum(count for status, count in self.statuses.items() if isinstance(status, int))
        right = sum(count for status, count in self.statuses.items() if isinstance(status, int) and status < 300)
        return [sentence for is_wrong, sentence in (
            (self.requests < wanted, f"Only {self.requests:,} of {wanted:,} requests were sent."),
            (answered < LEAST_ANSWERED * self.requests,
             f"Only {answered:,} of {self.requests:,} requests were answered, {LEAST_ANSWERED:.0%} must be."),
            (self.statuses[RESET] > MOST_RESET * self.requests,
             f"{self.statuses[RESET]:,} of {self.requests:,} requests were reset, {MOST_RESET:.0%} may be."),
            (right < LEAST_RIGHT * answered,
             f"Only {right:,} of {answered:,} responses are 200 to 299, {LEAST_RIGHT:.0%} must be."),
            (self.fixtures["refused"] > MOST_STALE * self.fixtures.total(),
             f"{self.fixtures['refused']} of {self.fixtures.total()} fixtures could not be made: {self.refusal}"),
        ) if is_wrong]

    def summary(self) -> str:
        words = sorted(self.statuses.items(), key=lambda one: str(one[0]))
        return (f"{self.requests:,} requests; responses: " + ", ".join(f"{what}: {count:,}" for what, count in words)
                + f"; {self.fixtures['made']} fixtures made, {self.fixtures['refused']} rejected")
