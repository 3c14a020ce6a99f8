"""The least work of a run that proves something."""
from collections import Counter

# A run of so many rounds has met everything; one round may have registers alone.
ROUNDS = 3
# Events that must have happened during the load, with their descriptions.
BACKGROUND = {"checkpoints": "checkpoints", "indexes dropped": "indexes dropped", "slices": "slices of indexes built",
          "collected": "files collected", "files read": "files read"}
METRICS = {"checkpoints": "fogbase_checkpoints_total", "slices": "fogbase_index_slices_total",
           "collected": "fogbase_assets_collected_total"}
# Requests per second of load: a tenth of the rate of the slowest mix on two shared processors.
LEAST_REQUESTS = 150
# The share of the requests that may be rejected for now: 0.8 % are usual, 4.4 % were on a machine that builds indexes
# slowly. Clients that wait for the response to their own key are not among them; they may wait for 20 s.
MOST_REFUSED = 0.1
# The share of the transfers that may meet another one, and of the uploads whose token may expire on a busy machine.
MOST_CONFLICTS, MOST_EXPIRED = 0.9, 0.1


class Totals:
    """Adds up the work of rounds."""

    def __init__(self, seconds: float):
        self.seconds, self.rounds, self.counts = seconds, 0, Counter()

    def add(self, counts: Counter, metric) -> None:
        """`metric` returns a counter of the server by its name."""
        self.rounds += 1
        self.counts += counts
        for what, name in METRICS.items():
            self.counts[what] += metric(name)

    def missing(self) -> list[str]:
        """Sentences about missing work of the run."""
        if self.rounds < ROUNDS:
            return []
        found = [f"no {words} in {self.rounds} rounds" for what, words in BACKGROUND.items() if not self.counts[what]]
        requests = self.counts["requests"]
        refused = self.refused.total() - self.refused["key in progress"]
        least = round(LEAST_REQUESTS * self.seconds * self.rounds)
        if requests < least:
            found.append(f"only {requests} requests in {self.rounds} rounds of {self.seconds:g} s, "
                         f"{least} are the least that say anything")
        if refused > MOST_REFUSED * requests:
            found.append(f"{refused} of {requests} requests were refused for now, "
                         f"more than {MOST_REFUSED:.0%} are a refusal to serve")
        for what, of, most in (("transfers refused", "transfers", MOST_CONFLICTS),
                               ("uploads expired", "uploads", MOST_EXPIRED)):
            if self.counts[what] > most * self.counts[of]:
                found.append(f"{self.counts[what]} {what} of {self.counts[of]}, more than {most:.0%}")
        return found

    @property
    def refused(self) -> Counter:
        """The requests that were rejected for now, by the cause."""
        return Counter({key.removeprefix("refused "): count for key, count in self.counts.items()
                        if key.startswith("refused ")})

    def summary(self) -> str:
        return (f"{self.counts['requests']} requests in {self.rounds} rounds, "
                f"refused for now: {', '.join(f'{count} {cause}' for cause, count in self.refused.items()) or 'none'}; "
                f"{self.counts['transfers refused']} of {self.counts['transfers']} transfers in conflict, "
                f"{self.counts['uploads expired']} of {self.counts['uploads']} uploads expired; "
                + ", ".join(f"{self.counts[what]} {words}" for what, words in BACKGROUND.items()))
