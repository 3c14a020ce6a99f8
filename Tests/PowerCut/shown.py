"""What the rounds of a run have shown. Clients who were never answered show nothing, nor do checks left out."""
from collections import Counter

from actors import Actor
from readers import Follower, Settled

# In so many rounds each kind of client is answered, and some feed can be gone on with.
ENOUGH = 5


class Shown:
    def __init__(self):
        self.rounds = 0
        self.answers: Counter[str] = Counter()
        self.feeds: Counter[str] = Counter()

    def add(self, actors: list[Actor]) -> None:
        self.rounds += 1
        for one in actors:
            if not isinstance(one, Settled):
                self.answers[type(one).__name__] += one.count
            if isinstance(one, Follower):
                self.feeds.update(one.feeds)

    def gaps(self) -> list[str]:
        """Sentences about what no round has shown, though there were enough of them."""
        if self.rounds < ENOUGH:
            return []
        found = [f"no {name} was ever answered" for name, count in self.answers.items() if not count]
        if not self.feeds["gone on with"]:
            found.append(f"no feed was gone on with: {self}")
        return found

    def __str__(self) -> str:
        ways = ("gone on with", "expired", "without a token")
        return "feeds " + ", ".join(f"{self.feeds[one]} {one}" for one in ways)
