"""What the rounds of a run have shown. Clients who were never answered show nothing, nor do checks left out."""
from collections import Counter

from actors import Actor
from readers import Follower, Reader, Settled

# In so many rounds each kind of client is answered, and most feeds can be gone on with.
ENOUGH = 5
# Of all feeds that are judged: nine of ten are usual. Tokens expire when somebody's rights may have changed, and some
# ends come before a feed was read.
LEAST_FEEDS = 0.45


class Shown:
    def __init__(self):
        self.rounds = 0
        self.answers: Counter[str] = Counter()
        self.feeds: Counter[str] = Counter()
        self.deletions = 0  # that readers saw

    def add(self, actors: list[Actor]) -> None:
        self.rounds += 1
        for one in actors:
            if not isinstance(one, Settled):
                self.answers[type(one).__name__] += one.count
            if isinstance(one, Follower):
                self.feeds.update(one.feeds)
            if isinstance(one, Reader):
                self.deletions += len(one.gone)

    def gaps(self) -> list[str]:
        """Sentences about what no round has shown, though there were enough of them."""
        if self.rounds < ENOUGH:
            return []
        found = [f"no {name} was ever answered" for name, count in self.answers.items() if not count]
        if self.share < LEAST_FEEDS:
            found.append(f"too few feeds were gone on with, {LEAST_FEEDS:.0%} are the least that say anything: {self}")
        if "Reader" in self.answers and not self.deletions:
            found.append("no reader saw a deletion")
        return found

    @property
    def share(self) -> float:
        """Of the feeds that were to be judged, how many could be gone on with from an earlier token."""
        return self.feeds["gone on with"] / max(1, self.feeds.total())

    def __str__(self) -> str:
        ways = ("gone on with", "expired", "without a token")
        feeds = ", ".join(f"{self.feeds[one]} {one}" for one in ways)
        return f"feeds {feeds} ({self.share:.0%} gone on with); {self.deletions} deletions seen by readers"
