"""The clients that sign in and out and change passwords: administrators and users. What was ended stays ended."""
import secrets
from dataclasses import dataclass, replace

import paths  # noqa: F401
from actors import GONE, History, Survivor
from client import Client
from rights import Steward, who


@dataclass(frozen=True)
class Account:
    """Who can sign in, and the sessions that are known and good."""
    password: str
    sessions: frozenset[str] = frozenset()
    role: str = ""
    is_disabled: bool = False

    def __repr__(self) -> str:
        sessions, disabled = sorted(one[-6:] for one in self.sessions), ", disabled" if self.is_disabled else ""
        return f"password {self.password[:6]}, sessions {sessions}{', ' * bool(self.role)}{self.role}{disabled}"


class Porter(Steward):
    """What administrators and users have in common. Hashing a password takes its time, so it goes slowly."""

    SIGN_IN = "/sessions"
    SIGN_OUT = "/sessions/current"
    SIGNED_IN: str | None = None  # what the log calls it
    SIGNED_OUT: str | None = None

    def act(self) -> None:
        living, choice = self.living(), self.random.random()
        if not living or (len(living) < 6 and choice < 0.2):
            self.create(self.new())
        else:
            self.change(self.random.choice(living))
        self.stopping.wait(0.05)

    def create(self, name: str) -> None:
        raise NotImplementedError(self.name)

    def change(self, name: str) -> None:
        raise NotImplementedError(self.name)

    def of(self, token: str) -> Client:
        return Client(self.client.port, token)

    def sign_in(self, name: str) -> None:
        before = self.state(name)
        step = self.deed(name, before, self.SIGNED_IN)
        made = self.call("POST", self.SIGN_IN, {"name": name, "password": before.password}, expect=(201,)).json()
        step.state = replace(before, sessions=before.sessions | {made["token"]})
        self.did(step)

    def sign_out(self, name: str, token: str) -> None:
        before = self.state(name)
        step = self.deed(name, replace(before, sessions=before.sessions - {token}), self.SIGNED_OUT)
        self.call_as(token, "DELETE", self.SIGN_OUT, expect=(204,))
        self.did(step)

    def call_as(self, token: str, *arguments, **options):
        """A call of somebody else than usual, by a connection of its own."""
        usual, self.client = self.client, self.of(token)
        try:
            return self.call(*arguments, **options)
        finally:
            self.client.close()
            self.client = usual

    def examine(self, name: str, history: History, cut: int, survivor: Survivor):
        states = [one.state for one in history.steps if one.state is not GONE]
        tokens = frozenset().union(*(one.sessions for one in states))
        good = {token: me for token in tokens if (me := who(survivor, token))}
        allowed = history.allowed(cut)
        if frozenset(good) not in [GONE if one is GONE else one.sessions for one in allowed] and (
                good or GONE not in allowed):
            shown = sorted(one[-6:] for one in good)
            yield f"of {name} the sessions {shown} are good, must be as in {' or '.join(map(repr, allowed))}"

    def examine_passwords(self, name: str, history: History, cut: int, survivor: Survivor):
        """That one of the passwords opens that may, and none before it."""
        allowed = [one for one in history.allowed(cut) if one is not GONE and not one.is_disabled]
        may = {one.password for one in allowed}
        used = [one.state.password for one in history.steps if one.state is not GONE and one.sent <= cut]
        opens = {password for password in dict.fromkeys(used[-3:]) if self.opens(name, password, survivor)}
        must_open = GONE not in history.allowed(cut) and len(allowed) == len(history.allowed(cut))
        if not opens <= may or len(opens) > 1 or (must_open and not opens):
            yield (f"{name} signs in with {sorted(one[:6] for one in opens)}, "
                   f"must be as in {' or '.join(map(repr, history.allowed(cut)))}")

    def opens(self, name: str, password: str, survivor: Survivor) -> bool:
        client = Client(survivor.client.port)
        answer = client.call("POST", self.SIGN_IN, {"name": name, "password": password}, expect=(201, 401, 403))
        client.close()
        return answer.status == 201

    def complaints(self, cut: int, survivor: Survivor):
        yield from super().complaints(cut, survivor)
        # Each attempt costs a hash, so of all only the last one is tried, and the last one that is there for certain.
        names = [name for name, one in self.histories.items() if len(one.steps) > 1 and one.steps[-1].sent <= cut]
        living = [name for name in names
                  if self.state(name) is not GONE and self.histories[name].steps[-1].answered is not None]
        for name in dict.fromkeys(names[-1:] + living[-1:]):
            yield from self.examine_passwords(name, self.histories[name], cut, survivor)


class AdministratorKeeper(Porter):
    """Adds administrators, whose sessions and rights end in every way there is."""

    SCOPE = "server"
    SIGN_IN = "/administrators/sessions"
    SIGN_OUT = "/administrators/sessions/current"
    SIGNED_IN = "administrator.signIn"
    SIGNED_OUT = "administrator.signOut"
    ROLES = ("owner", "developer", "editor", "viewer")

    def create(self, name: str) -> None:
        state = Account(secrets.token_hex(10), role=self.random.choice(self.ROLES))
        step = self.deed(name, state, "administrator.create")
        self.call("POST", "/administrators", {"name": name, "password": state.password, "role": state.role},
                  expect=(201,))
        self.did(step)

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
            step = self.deed(name, GONE, "administrator.delete")
            self.call("DELETE", f"/administrators/{name}", expect=(204,))
            self.did(step)

    def patch(self, name: str, state: Account, body: dict) -> None:
        step = self.deed(name, state, "administrator.change")
        self.call("PATCH", f"/administrators/{name}", body)
        self.did(step)

    def change_own(self, name: str, token: str) -> None:
        """One's own password ends all other sessions."""
        before, password = self.state(name), secrets.token_hex(10)
        step = self.deed(name, replace(before, password=password, sessions=frozenset({token})),
                         "administrator.password")
        self.call_as(token, "PATCH", "/administrators/me",
                     {"password": password, "currentPassword": before.password}, expect=(204,))
        self.did(step)

    def examine(self, name: str, history: History, cut: int, survivor: Survivor):
        yield from super().examine(name, history, cut, survivor)
        client = Client(survivor.client.port, survivor.admin)
        answer = client.call("GET", f"/administrators/{name}", expect=(200, 404))
        client.close()
        found = GONE if answer.status == 404 else (answer.json()["role"], answer.json()["disabled"])
        allowed = [GONE if one is GONE else (one.role, one.is_disabled) for one in history.allowed(cut)]
        if found not in allowed:
            yield f"the administrator {name} is {found}, must be one of {allowed}"


class UserKeeper(Porter):
    """Makes accounts, whose owners sign in and out, change their passwords and go."""

    def create(self, name: str) -> None:
        step = self.deed(name, Account(secrets.token_hex(10)))
        made = self.call("POST", "/users", {"name": name, "password": step.state.password}, expect=(201,)).json()
        step.state = replace(step.state, sessions=frozenset({made["token"]}))
        self.did(step)

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
            step = self.deed(name, GONE)
            self.call_as(token, "DELETE", "/users/me", {"password": before.password}, expect=(204,))
            self.did(step)

    def end_others(self, name: str, token: str) -> None:
        step = self.deed(name, replace(self.state(name), sessions=frozenset({token})))
        self.call_as(token, "DELETE", "/sessions?others=true", expect=(204,))
        self.did(step)

    def rotate(self, name: str, token: str) -> None:
        before = self.state(name)
        left = before.sessions - {token}
        step = self.deed(name, replace(before, sessions=left))
        made = self.call_as(token, "POST", "/sessions/current/rotate").json()
        step.state = replace(before, sessions=left | {made["token"]})
        self.did(step)

    def change_own(self, name: str, token: str) -> None:
        """A new password ends all sessions; whoever changed it gets a new token."""
        before, password = self.state(name), secrets.token_hex(10)
        step = self.deed(name, replace(before, password=password, sessions=frozenset()))
        made = self.call_as(token, "PATCH", "/users/me",
                            {"password": password, "currentPassword": before.password}).json()
        step.state = replace(step.state, sessions=frozenset({made["token"]}))
        self.did(step)
