"""A client whose actions the audit log records, and one that creates API keys and revokes them."""
from collections import Counter

from Tests.crash.client import ABSENT, History, RecoveredState, Step, Worker, short
from Tests.harness.client import Client


class AuditedClient(Worker):
    """Every acknowledged action must be in the audit log, and none that was not sent."""

    SCOPE = "database"

    def state(self, name: str):
        return self.histories[name].state

    def begin_action(self, name: str, state, action: str | None = None) -> Step:
        step = self.begin(self.histories[name], state)
        step.action = action
        return step

    def violations(self, cut: int, recovered: RecoveredState):
        log = log_of(recovered, self.SCOPE)
        for name, history in self.histories.items():
            yield from self.examine(name, history, cut, recovered)
            sent, done = Counter(), Counter()
            for step in history.steps[1:]:
                sent[step.action] += step.sent <= cut
                done[step.action] += step.answered is not None and step.answered <= cut
            for action in sent.keys() - {None}:
                if not done[action] <= log[action, name] <= sent[action]:
                    yield (f"the log has {log[action, name]} × {action} of {name}; {done[action]} were acknowledged, "
                           f"{sent[action]} sent")

    def examine(self, name: str, history: History, cut: int, recovered: RecoveredState):
        """Sentences about one object."""
        return []


def log_of(recovered: RecoveredState, scope: str) -> Counter:
    """How often each action was done to each target, by an audit log that is read once."""
    logs = recovered.__dict__.setdefault("logs", {})
    if scope not in logs:
        entries = Client(recovered.client.port, recovered.admin).pages(f"/audit?scope={scope}&limit=500", "entries")
        logs[scope] = Counter((one["action"], one["target"]) for one in entries if one["outcome"] == "done")
    return logs[scope]


def identity(recovered: RecoveredState, token: str) -> dict | None:
    """The account or key of a token; `None` if it is not valid."""
    response = recovered.client.call("GET", "/users/me", expect=(200, 401), token=token)
    return response.json() if response.status == 200 else None


class KeyClient(AuditedClient):
    """Creates keys, changes their scope, rotates their tokens and revokes them."""

    ACTIONS = (["read"], ["create", "read"], ["create", "read", "write"])

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.ids: dict[str, str] = {}

    def act(self) -> None:
        existing, choice = self.known(is_present=True), self.random.random()
        if not existing or choice < 0.35:
            self.create()
        elif choice < 0.55:
            self.change(self.random.choice(existing))
        elif choice < 0.75:
            self.rotate(self.random.choice(existing))
        else:
            self.revoke(self.random.choice(existing))
        self.stopping.wait(0.03)

    # A state is the one valid token, if it is known, and the actions of its scope.

    def create(self) -> None:
        name, actions = self.new(), self.random.choice(self.ACTIONS)
        step = self.begin_action(name, (None, actions), "key.create")
        made = self.call("POST", "/keys", {"name": name, "scope": {"types": ["Item"], "actions": actions}},
                         expect=(201,)).json()
        self.ids[name], step.state = made["id"], (made["token"], actions)
        self.acknowledge(step)

    def change(self, name: str) -> None:
        actions = self.random.choice(self.ACTIONS)
        step = self.begin_action(name, (self.state(name)[0], actions), "key.change")
        self.call("PATCH", f"/keys/{self.ids[name]}", {"scope": {"types": ["Item"], "actions": actions}})
        self.acknowledge(step)

    def rotate(self, name: str) -> None:
        actions = self.state(name)[1]
        step = self.begin_action(name, (None, actions), "key.rotate")
        made = self.call("POST", f"/keys/{self.ids[name]}/rotate", {"overlap": 0}).json()
        step.state = made["token"], actions
        self.acknowledge(step)

    def revoke(self, name: str) -> None:
        step = self.begin_action(name, ABSENT, "key.revoke")
        self.call("DELETE", f"/keys/{self.ids[name]}", expect=(204,))
        self.acknowledge(step)

    def examine(self, name: str, history: History, cut: int, recovered: RecoveredState):
        tokens = {one.state[0] for one in history.steps if one.state is not ABSENT} - {None}
        found = {token: sorted(me["scope"]["actions"]) for token in tokens if (me := identity(recovered, token))}
        allowed = [{} if state is ABSENT or state[0] is None else dict([state]) for state in history.allowed(cut)]
        if found not in allowed:
            yield f"the key {name} is valid with {found}, must be {' or '.join(map(short, allowed))}"
