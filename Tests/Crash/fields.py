"""The client that uses field operations on lists and numbers."""
import secrets

import paths  # noqa: F401
from actors import GONE, Actor, History, Survivor, short

TYPE = "Tally"


class TallyWriter(Actor):
    """Appends to lists of its own records, takes members out, and increments, without ever sending a whole value."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.histories: dict[str, History] = {}

    def act(self) -> None:
        known = [name for name, one in self.histories.items() if not one.is_closed and one.steps[-1].state is not GONE]
        if not known or (len(known) < 5 and self.random.random() < 0.1):
            self.create()
        else:
            self.change(self.random.choice(known))

    def create(self) -> None:
        name = f"{self.name}-{len(self.histories)}"
        history = self.histories[name] = History()
        state = {"count": 0, "marks": ["first"]}
        step = self.begin(history, state)
        self.call("PUT", f"/records/{TYPE}/{name}", {"fields": state}, expect=(201,))
        step.answered = self.clock.now()

    def change(self, name: str) -> None:
        history = self.histories[name]
        before = history.steps[-1].state
        marks, operations = before["marks"], {"count": {"increment": 1}}
        choice, mark = self.random.random(), secrets.token_hex(4)
        if choice < 0.4 and len(marks) < 60:
            operations["marks"], marks = {"append": [mark, mark]}, marks + [mark, mark]
        elif choice < 0.6 and len(marks) < 60:
            # The last of them is there already and the other one is not.
            operations["marks"], marks = {"appendUnique": [marks[-1], mark]}, marks + [mark]
        elif len(marks) > 1:
            gone = self.random.choice(marks[1:])
            operations["marks"], marks = {"remove": [gone]}, [one for one in marks if one != gone]
        step = self.begin(history, {"count": before["count"] + 1, "marks": marks})
        self.call("PATCH", f"/records/{TYPE}/{name}", {"fields": operations})
        step.answered = self.clock.now()

    def complaints(self, cut: int, survivor: Survivor):
        for name, history in self.histories.items():
            found, allowed = survivor.fields(name), history.allowed(cut)
            if found not in allowed:
                yield f"{name} is {short(found)}, must be {' or '.join(map(short, allowed))}"
