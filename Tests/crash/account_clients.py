"""The clients that sign in and out and change passwords: administrators and users. A session that ended stays ended."""
import secrets
from dataclasses import dataclass, replace

from Tests.crash.audited_clients import AuditedClient, identity
from Tests.crash.client import ABSENT, History, RecoveredState


@dataclass(frozen=True)
class Account:
    """The credentials of an account, and its valid sessions that are known."""
    password: str
    sessions: frozenset[str] = frozenset()
    role: str = ""
    is_disabled: bool = False

    def __repr__(self) -> str:
        sessions, disabled = sorted(one[-6:] for one in self.sessions), ", disabled" if self.is_disabled else ""
        return f"password {self.password[:6]}, sessions {sessions}{', ' * bool(self.role)}{self.role}{disabled}"


class SessionClient(AuditedClient):
    """The shared code of administrators and users. It is slow, since hashing a password takes long."""

    SIGN_IN = "/sessions"
    SIGN_OUT = "/sessions/current"
    SIGNED_IN: str | None = None  # what the log calls it
    SIGNED_OUT: str | None = None

    def act(self) -> None:
        existing, choice = self.known(is_present=True), self.random.random()
        if not existing or (len(existing) < 6 and choice < 0.2):
            self.create(self.new())
        else:
            self.change(self.random.choice(existing))
        self.stopping.wait(0.05)

    def create(self, name: str) -> None:
        raise NotImplementedError(self.name)

    def change(self, name: str) -> None:
        raise NotImplementedError(self.name)

    def sign_in(self, name: str) -> None:
        before = self.state(name)
        step = self.begin_action(name, before, self.SIGNED_IN)
        made = self.call("POST", self.SIGN_IN, {"name": name, "password": before.password}, expect=(201,)).json()
        step.state = replace(before, sessions=before.sessions | {made["token"]})
        self.acknowledge(step)

    def sign_out(self, name: str, token: str) -> None:
        before = self.state(name)
        step = self.begin_action(name, replace(before, sessions=before.sessions - {token}), self.SIGNED_OUT)
        self.call_as(token, "DELETE", self.SIGN_OUT, expect=(204,))
        self.acknowledge(step)

    def call_as(self, token: str, method: str, path: str, body=None, expect=(200,)):
        return self.client.call(method, path, body, expect, token=token)

    def examine(self, name: str, history: History, cut: int, recovered: RecoveredState):
        states = [one.state for one in history.steps if one.state is not ABSENT]
        tokens = frozenset().union(*(one.sessions for one in states))
        good = {token: me for token in tokens if (me := identity(recovered, token))}
        allowed = history.allowed(cut)
        if frozenset(good) not in [ABSENT if one is ABSENT else one.sessions for one in allowed] and (
                good or ABSENT not in allowed):
            shown = sorted(one[-6:] for one in good)
            yield f"of {name} the sessions {shown} are good, must be as in {' or '.join(map(repr, allowed))}"

    def examine_passwords(self, name: str, history: History, cut: int, recovered: RecoveredState):
        """That one of the passwords opens that may, and none before it."""
        allowed = [one for one in history.allowed(cut) if one is not ABSENT and not one.is_disabled]
        may = {one.password for one in allowed}
        used = [one.state.password for one in history.steps if one.state is not ABSENT and one.sent <= cut]
        opens = {password for password in dict.fromkeys(used[-3:]) if self.opens(name, password, recovered)}
        must_open = ABSENT not in history.allowed(cut) and len(allowed) == len(history.allowed(cut))
        if not opens <= may or len(opens) > 1 or (must_open and not opens):
            yield (f"{name} signs in with {sorted(one[:6] for one in opens)}, "
                   f"must be as in {' or '.join(map(repr, history.allowed(cut)))}")

    def opens(self, name: str, password: str, recovered: RecoveredState) -> bool:
        body = {"name": name, "password": password}
        return recovered.client.call("POST", self.SIGN_IN, body, expect=(201, 401, 403)).status == 201

    def violations(self, cut: int, recovered: RecoveredState):
        yield from super().violations(cut, recovered)
        # Each attempt costs a hash, so of all only the last one is tried, and the last one that is there for certain.
        names = [name for name, one in self.histories.items() if len(one.steps) > 1 and one.steps[-1].sent <= cut]
        existing = [name for name in names
                  if self.state(name) is not ABSENT and self.histories[name].steps[-1].answered is not None]
        for name in dict.fromkeys(names[-1:] + existing[-1:]):
            yield from self.examine_passwords(name, self.histories[name], cut, recovered)


class AdministratorClient(SessionClient):
    """Adds administrators, whose sessions and rights end in every way there is."""

    SCOPE = "server"
    SIGN_IN = "/administrators/sessions"
    SIGN_OUT = "/administrators/sessions/current"
    SIGNED_IN = "administrator.signIn"
    SIGNED_OUT = "administrator.signOut"
    ROLES = ("owner", "developer", "editor", "viewer")

    def create(self, name: str) -> None:
        state = Account(secrets.token_hex(10), role=self.random.choice(self.ROLES))
        step = self.begin_action(name, state, "administrator.create")
        self.call("POST", "/administrators", {"name": name, "password": state.password, "role": state.role},
                  expect=(201,))
        self.acknowledge(step)

    def change(self, name: str) -> None:
        before, choice = self.state(name), self.random.random()
        if before.is_disabled:
            self.patch(name, replace(before, is_disabled=False), {"disabled": False})
        elif not before.sessions or choice < 0.3:
            self.sign_in(name)
        elif choice < 0.45:
            self.sign_out(name, self.random.choice(sorted(before.sessions)))
        elif choice < 0.6:
            role = self.random.choice([one for one in self.ROLES if one != before.role])
            self.patch(name, replace(before, role=role, sessions=frozenset()), {"role": role})
        elif choice < 0.7:
            self.patch(name, replace(before, is_disabled=True, sessions=frozenset()), {"disabled": True})
        elif choice < 0.8:
            password = secrets.token_hex(10)
            self.patch(name, replace(before, password=password, sessions=frozenset()), {"password": password})
        elif choice < 0.9:
            self.change_own(name, self.random.choice(sorted(before.sessions)))
        else:
            step = self.begin_action(name, ABSENT, "administrator.delete")
            self.call("DELETE", f"/administrators/{name}", expect=(204,))
            self.acknowledge(step)

    def patch(self, name: str, state: Account, body: dict) -> None:
        step = self.begin_action(name, state, "administrator.change")
        self.call("PATCH", f"/administrators/{name}", body)
        self.acknowledge(step)

    def change_own(self, name: str, token: str) -> None:
        """One's own password ends all other sessions."""
        before, password = self.state(name), secrets.token_hex(10)
        step = self.begin_action(name, replace(before, password=password, sessions=frozenset({token})),
                         "administrator.password")
        self.call_as(token, "PATCH", "/administrators/me",
                     {"password": password, "currentPassword": before.password}, expect=(204,))
        self.acknowledge(step)

    def examine(self, name: str, history: History, cut: int, recovered: RecoveredState):
        yield from super().examine(name, history, cut, recovered)
        response = recovered.client.call("GET", f"/administrators/{name}", expect=(200, 404), token=recovered.admin)
        found = ABSENT if response.status == 404 else (response.json()["role"], response.json()["disabled"])
        allowed = [ABSENT if one is ABSENT else (one.role, one.is_disabled) for one in history.allowed(cut)]
        if found not in allowed:
            yield f"the administrator {name} is {found}, must be one of {allowed}"


class UserClient(SessionClient):
    """Makes accounts, whose owners sign in and out, change their passwords and go."""

    def create(self, name: str) -> None:
        step = self.begin_action(name, Account(secrets.token_hex(10)))
        made = self.call("POST", "/users", {"name": name, "password": step.state.password}, expect=(201,)).json()
        step.state = replace(step.state, sessions=frozenset({made["token"]}))
        self.acknowledge(step)

    def change(self, name: str) -> None:
        before, choice = self.state(name), self.random.random()
        if not before.sessions or choice < 0.35:
            self.sign_in(name)
            return
        token = self.random.choice(sorted(before.sessions))
        if choice < 0.5:
            self.sign_out(name, token)
        elif choice < 0.65:
            self.end_others(name, token)
        elif choice < 0.8:
            self.rotate(name, token)
        elif choice < 0.92:
            self.change_own(name, token)
        else:
            step = self.begin_action(name, ABSENT)
            self.call_as(token, "DELETE", "/users/me", {"password": before.password}, expect=(204,))
            self.acknowledge(step)

    def end_others(self, name: str, token: str) -> None:
        step = self.begin_action(name, replace(self.state(name), sessions=frozenset({token})))
        self.call_as(token, "DELETE", "/sessions?others=true", expect=(204,))
        self.acknowledge(step)

    def rotate(self, name: str, token: str) -> None:
        before = self.state(name)
        left = before.sessions - {token}
        step = self.begin_action(name, replace(before, sessions=left))
        made = self.call_as(token, "POST", "/sessions/current/rotate").json()
        step.state = replace(before, sessions=left | {made["token"]})
        self.acknowledge(step)

    def change_own(self, name: str, token: str) -> None:
        """A new password ends all sessions; the caller that changed it gets a new token."""
        before, password = self.state(name), secrets.token_hex(10)
        step = self.begin_action(name, replace(before, password=password, sessions=frozenset()))
        made = self.call_as(token, "PATCH", "/users/me",
                            {"password": password, "currentPassword": before.password}).json()
        step.state = replace(step.state, sessions=frozenset({made["token"]}))
        self.acknowledge(step)
