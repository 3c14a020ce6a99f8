"""What the answers of a run say together: a server that answers nothing has no wrong answer."""
from collections import Counter

from exchange import RESET

# Of all requests; some 97 % are answered, the others break off in the middle of the first head.
LEAST_ANSWERED = 0.90
# Some requests are refused while they come. On one machine they come whole, so that hardly any connection is reset.
MOST_RESET = 0.01
# Of the requests that are answered, so many are understood; else the mutations test the first reader alone.
LEAST_RIGHT = 0.10
# Of the times at which a client makes anew what its requests name. It is a right request that was refused.
MOST_STALE = 0.10


class Tally:
    def __init__(self):
        self.statuses: Counter[int | str] = Counter()
        self.scenes: Counter[str] = Counter()
        # The first refusal in making a scene.
        self.refusal = ""

    @property
    def requests(self) -> int:
        return self.statuses.total()

    def note_scene(self, refusal: str | None) -> None:
        self.scenes["refused" if refusal else "made"] += 1
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
             f"Only {right:,} of {answered:,} answers are 200 to 299, {LEAST_RIGHT:.0%} must be."),
            (self.scenes["refused"] > MOST_STALE * self.scenes.total(),
             f"{self.scenes['refused']} of {self.scenes.total()} times right requests were refused: {self.refusal}"),
        ) if is_wrong]

    def summary(self) -> str:
        words = sorted(self.statuses.items(), key=lambda one: str(one[0]))
        return (f"{self.requests:,} requests; answers: " + ", ".join(f"{what}: {count:,}" for what, count in words)
                + f"; {self.scenes['made']} times what they name was made anew, {self.scenes['refused']} times refused")
