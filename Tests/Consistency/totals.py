"""What a run must have done for its silence to mean something: a server that does nothing contradicts nobody."""
from collections import Counter

# A run of so many rounds has met everything; one round may be all of registers.
ROUNDS = 3
# Of what goes on beside the clients, each must have happened: what is counted, and in which words.
BESIDE = {"checkpoints": "checkpoints", "indexes dropped": "indexes dropped", "slices": "slices of indexes built",
          "collected": "files collected", "files read": "files read"}
METRICS = {"checkpoints": "fogbase_checkpoints_total", "slices": "fogbase_index_slices_total",
           "collected": "fogbase_assets_collected_total"}
# For each second of load: a tenth of what the mix of least requests makes on two processors that others use as well.
LEAST_REQUESTS = 150
# Requests that were put off for now, of all: 0.8 % are usual. Clients ask again, so a server could put off all of them.
MOST_REFUSED = 0.05


class Totals:
    """Adds up what rounds have done."""

    def __init__(self, seconds: float):
        self.seconds, self.rounds, self.counts = seconds, 0, Counter()

    def add(self, counts: Counter, metric) -> None:
        """`metric` tells a counter of the server by its name."""
        self.rounds += 1
        self.counts += counts
        for what, name in METRICS.items():
            self.counts[what] += metric(name)

    def missing(self) -> list[str]:
        """Sentences about what the run has not done."""
        if self.rounds < ROUNDS:
            return []
        found = [f"no {words} in {self.rounds} rounds" for what, words in BESIDE.items() if not self.counts[what]]
        requests, refused = self.counts["requests"], self.counts["refused"]
        least = round(LEAST_REQUESTS * self.seconds * self.rounds)
        if requests < least:
            found.append(f"only {requests} requests in {self.rounds} rounds of {self.seconds:g} s, "
                         f"{least} are the least that say anything")
        if refused > MOST_REFUSED * requests:
            found.append(f"{refused} of {requests} requests were refused for now, "
                         f"more than {MOST_REFUSED:.0%} are a refusal to serve")
        return found

    def summary(self) -> str:
        return (f"{self.counts['requests']} requests in {self.rounds} rounds, "
                f"{self.counts['refused']} refused for now; "
                + ", ".join(f"{self.counts[what]} {words}" for what, words in BESIDE.items()))
