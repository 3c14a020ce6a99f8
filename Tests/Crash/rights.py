"""The client that makes keys and revokes them, and what the log says of it. What was taken must not come back."""
import secrets
from collections import Counter

import paths  # noqa: F401
from actors import GONE, Actor, History, Step, Survivor, short
from client import Client


class Steward(Actor):
    """Somebody whose deeds are in the log of the server: each acknowledged one, and none that was not sent."""

    SCOPE = "database"

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.histories: dict[str, History] = {}

    def new(self) -> str:
        name = f"{self.name}-{len(self.histories)}"
        self.histories[name] = History()
        return name

    def living(self) -> list[str]:
        return [name for name, one in self.histories.items() if not one.is_closed and one.steps[-1].state is not GONE]

    def state(self, name: str):
        return self.histories[name].steps[-1].state

    def deed(self, name: str, state, action: str | None = None) -> Step:
        step = self.begin(self.histories[name], state)
        step.action = action
        return step

    def did(self, step: Step) -> None:
        step.answered = self.clock.now()

    def complaints(self, cut: int, survivor: Survivor):
        log = log_of(survivor, self.SCOPE)
        for name, history in self.histories.items():
            yield from self.examine(name, history, cut, survivor)
            sent, done = Counter(), Counter()
            for step in history.steps[1:]:
                sent[step.action] += step.sent <= cut
                done[step.action] += step.answered is not None and step.answered <= cut
            for action in sent.keys() - {None}:
                if not done[action] <= log[action, name] <= sent[action]:
                    yield (f"the log has {log[action, name]} × {action} of {name}; {done[action]} were acknowledged, "
                           f"{sent[action]} sent")

    def examine(self, name: str, history: History, cut: int, survivor: Survivor):
        """Sentences about one of the things that it looks after."""
        return []


def log_of(survivor: Survivor, scope: str) -> Counter:
    """How often which deed was done to whom, by a log that is read once."""
    logs = survivor.__dict__.setdefault("logs", {})
    if scope not in logs:
        logs[scope], cursor = Counter(), ""
        client = Client(survivor.client.port, survivor.admin)
        while True:
            page = client.call("GET", f"/audit?scope={scope}&limit=500{cursor}").json()
            logs[scope].update((one["action"], one["target"]) for one in page["entries"] if one["outcome"] == "done")
            if "cursor" not in page:
                break
            cursor = f"&cursor={page['cursor']}"
        client.close()
    return logs[scope]


def who(survivor: Survivor, token: str) -> dict | None:
    """Whom a token stands for; `None` if it is refused."""
    client = Client(survivor.client.port, token)
    answer = client.call("GET", "/users/me", expect=(200, 401))
    client.close()
    return answer.json() if answer.status == 200 else None


class KeyKeeper(Steward):
    """Makes keys, changes what they may do, gives them new tokens and revokes them."""

    ACTIONS = (["read"], ["create", "read"], ["create", "read", "write"])

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.ids: dict[str, str] = {}

    def act(self) -> None:
        living, choice = self.living(), self.random.random()
        if not living or choice < 0.35:
            self.create()
        elif choice < 0.55:
            self.change(self.random.choice(living))
        elif choice < 0.75:
            self.rotate(self.random.choice(living))
        else:
            self.revoke(self.random.choice(living))
        self.stopping.wait(0.03)

    # A state is the one token that is good, if it is known, and what it may be used for.

    def create(self) -> None:
        name, actions = self.new(), self.random.choice(self.ACTIONS)
        step = self.deed(name, (None, actions), "key.create")
        made = self.call("POST", "/keys", {"name": name, "scope": {"types": ["Item"], "actions": actions}},
                         expect=(201,)).json()
        self.ids[name], step.state = made["id"], (made["token"], actions)
        self.did(step)

    def change(self, name: str) -> None:
        actions = self.random.choice(self.ACTIONS)
        step = self.deed(name, (self.state(name)[0], actions), "key.change")
        self.call("PATCH", f"/keys/{self.ids[name]}", {"scope": {"types": ["Item"], "actions": actions}})
        self.did(step)

    def rotate(self, name: str) -> None:
        actions = self.state(name)[1]
        step = self.deed(name, (None, actions), "key.rotate")
        made = self.call("POST", f"/keys/{self.ids[name]}/rotate", {"overlap": 0}).json()
        step.state = made["token"], actions
        self.did(step)

    def revoke(self, name: str) -> None:
        step = self.deed(name, GONE, "key.revoke")
        self.call("DELETE", f"/keys/{self.ids[name]}", expect=(204,))
        self.did(step)

    def examine(self, name: str, history: History, cut: int, survivor: Survivor):
        tokens = {one.state[0] for one in history.steps if one.state is not GONE} - {None}
        found = {token: sorted(me["scope"]["actions"]) for token in tokens if (me := who(survivor, token))}
        allowed = [{} if state is GONE or state[0] is None else {state[0]: state[1]} for state in history.allowed(cut)]
        if found not in allowed:
            yield f"the key {name} is good with {found}, must be {' or '.join(map(short, allowed))}"
