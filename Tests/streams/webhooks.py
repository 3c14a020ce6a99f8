"""Webhooks under load: receivers that fail in every way end with what the webhooks may read.

    python3 -m Tests.streams.webhooks                # the release build, 3 rounds of six seconds
    python3 -m Tests.streams.webhooks --rounds 200   # a long run
    python3 -m Tests.streams.webhooks --failures 4 --actions receiver,test --seconds 30   # pauses up to 40 s
    python3 -m Tests.streams.webhooks --plant lose   # plants a fault: the rounds must fail

In a round, writers create, change and delete records of two types. Webhooks of an administrator and of API keys send
them to a receiver that fails, hangs, closes connections, answers garbage, and is killed and started again. So is the
server. Meanwhile webhooks are paused, resumed, replayed, moved, tested and deleted, secrets change, a key gets other
types, and another is revoked. Each message

* has a valid signature, and goes to the current URL;
* has only types and fields that the webhook may read and send, by its current key;
* follows the last one in the order of the changes, and comes after its end; it comes again only if it was not
  acknowledged for sure, with the same content under the same id.

At the end each receiver, which has processed only what it acknowledged, has exactly the records that a query of the
webhook's caller returns: at once, or after the attempt that the server shows. A webhook of a revoked key is disabled.
"""
import contextlib
import random
import time
from pathlib import Path

from Tests.harness.arguments import make_parser, parse, run_main
from Tests.harness.client import Client, UnexpectedStatus, quoted
from Tests.harness.rounds import add_at_once_option, add_round_options, run_rounds_at_once
from Tests.harness.server import ANONYMOUS, Server, free_port
from Tests.streams.hook import PLANTS, Hook, now
from Tests.streams.receiver import SETTLED, Receiver
from Tests.streams.writer import CONDITION, SCHEMA, Writer, end

TYPES = ["Post", "Club"]
RECORDS = 250  # of each type: a message has at most 100
LATE = 20  # seconds until a receiver must have the last record, or after the attempt that its webhook waits for
SETTINGS = ANONYMOUS | {"FOGBASE_WEBHOOKS_ALLOW_PRIVATE": "127.0.0.1"}
ACTIONS = {"kill": 15, "receiver": 15, "scope": 12, "rotate": 8, "pause": 12, "resume": 15, "replay": 8, "move": 5,
           "test": 5, "revoke": 3, "delete": 2}


class Round:
    def __init__(self, directory: Path, options, number: int):
        self.directory, self.options = directory, options
        self.seed = f"{options.seed} {number}"
        self.random = random.Random(self.seed)
        self.server = Server(options.binary, directory / "data", SETTINGS | options.settings)
        self.receiver = Receiver(free_port(), self.seed, options.failures)
        self.problems: list[str] = []
        self.writers: list[Writer] = []
        self.done: dict[str, int] = dict.fromkeys([*ACTIONS, "expired"], 0)
        self.keys: dict[str, str] = {}  # ids by names
        self.calm = 0.0  # when the receiver began to take all messages
        self.latest = 0.0, "no receiver"  # the last one that had all: seconds after that, and why

    @property
    def hooks(self) -> list[Hook]:
        return list(self.receiver.hooks.values())

    def run(self) -> list[str]:
        self.directory.mkdir(parents=True)
        self.receiver.start()
        self.server.start()
        admin = self.server.client(self.server.admin)
        admin.call("PUT", "/roles/nobody", {"members": []}, expect=(201,))
        admin.call("PUT", "/schema", SCHEMA, expect=(200,))
        # The index of the condition, for the queries at the end.
        admin.call("GET", f"/query/Post?where={quoted(CONDITION)}", expect=(200,))
        accounts = [self.server.make_anonymous_user() for _ in range(2)]
        names = [name for _, name in accounts]
        tokens = [token for token, _ in accounts] + [self.server.admin]
        self.make_hooks(admin)
        admin.close()
        self.writers = [Writer(self.server, tokens[number % len(tokens)], names, f"{self.seed} {number}", RECORDS)
                        for number in range(self.options.writers)]
        for one in self.writers:
            one.start()
        self.disturb()
        self.finish()
        self.problems += self.receiver.problems
        for one in self.hooks:
            self.problems += one.problems
        return self.problems

    def make_hooks(self, admin: Client) -> None:
        both, post, late, gone = (self.make_key(admin, *one) for one in (
            ("both", TYPES), ("post", ["Post"]), ("changing", TYPES), ("gone", TYPES)))
        root = self.server.admin
        for hook in (Hook("all", root, TYPES), Hook("matching", root, ["Post"], CONDITION),
                     Hook("partial", root, ["Club"], fields=["good"]), Hook("deleted", root, TYPES),
                     Hook("key", both, TYPES), Hook("key-post", post, ["Post"]),
                     Hook("key-matching", post, ["Post"], CONDITION), Hook("changing", late, TYPES),
                     Hook("changing-club", late, ["Club"]), Hook("gone", gone, TYPES)):
            hook.plant = self.options.plant
            self.receiver.hooks[hook.path] = hook
            self.make_hook(hook)

    def make_key(self, admin: Client, name: str, types: list[str]) -> str:
        body = {"name": name, "scope": scope(types)}
        made = admin.call("POST", "/keys", body, expect=(201,)).json()
        self.keys[name] = made["id"]
        return made["token"]

    def make_hook(self, hook: Hook) -> None:
        body = {"url": self.url(hook), "since": "beginning"}
        # Without types, the scope of the key is the limit. Administrators would also get the users.
        if hook.types != TYPES or hook.token == self.server.admin:
            body["types"] = hook.types
        if hook.condition:
            body["where"] = hook.condition
        if hook.fields:
            body["fields"] = hook.fields
        made = self.server.client(hook.token).call("POST", "/webhooks", body, expect=(201,)).json()
        hook.id = made["id"]
        hook.secrets.add(made["secret"], now())
        hook.is_known.set()

    def url(self, hook: Hook, query: str = "") -> str:
        return f"http://127.0.0.1:{self.receiver.port}{hook.path}{'?' if query else ''}{query}"

    # What happens

    def disturb(self) -> None:
        ends, starts = time.monotonic() + self.options.seconds, 0.0
        while time.monotonic() < ends:
            time.sleep(self.random.uniform(0.02, 0.2))
            if starts and time.monotonic() >= starts:
                self.receiver.start()
                starts = 0.0
            actions = self.options.actions
            action = self.random.choices(actions, [ACTIONS[one] for one in actions])[0]
            if action == "receiver":
                if not starts:
                    self.receiver.kill()
                    starts = time.monotonic() + self.random.uniform(0, 1)
                    self.done[action] += 1
            else:
                getattr(self, f"do_{action}")(self.random.choice(self.hooks))
        if starts:
            self.receiver.start()

    def call(self, hook: Hook, path: str = "", body=None, method: str = "POST", expect=(200,)):
        client = self.server.client(hook.token)
        try:
            return client.call(method, f"/webhooks/{hook.id}{path}", body, expect=expect)
        finally:
            client.close()

    def do_kill(self, _: Hook) -> None:
        self.server.kill()
        for one in self.hooks:
            one.disturb()
        self.server.start()
        self.done["kill"] += 1

    def do_scope(self, _: Hook) -> None:
        """The key `changing` loses the type Club, or gets it back."""
        hooks = [one for one in self.hooks if one.name.startswith("changing")]
        if is_back := "Club" in hooks[0].forbidden:
            for one in hooks:
                del one.forbidden["Club"]
        types = TYPES if is_back else ["Post"]
        with contextlib.ExitStack() as stack:
            for one in hooks:
                one.causes += 1
                stack.enter_context(one.changing(replays=True))
            self.server.client(self.server.admin).call("PATCH", f"/keys/{self.keys['changing']}",
                                                       {"scope": scope(types)})
            for one in hooks:
                one.rights_changed = now()
                if not is_back:
                    one.forbidden["Club"] = now()
        self.done["scope"] += 1

    def do_rotate(self, hook: Hook) -> None:
        if hook.ended is None:
            secret = self.call(hook, "/secret", {"overlap": 60}).json()["secret"]
            hook.secrets.add(secret, now())
            self.done["rotate"] += 1

    def do_pause(self, hook: Hook) -> None:
        if hook.ended is None:
            with hook.changing():
                self.call(hook, "/pause")
                time.sleep(self.random.uniform(0, 0.1))
                self.call(hook, "/resume")
            self.done["pause"] += 1

    def do_resume(self, hook: Hook) -> None:
        """What has failed is sent again at once."""
        if hook.ended is None:
            with hook.changing():
                self.call(hook, "/resume")
            self.done["resume"] += 1

    def do_replay(self, hook: Hook) -> None:
        # With a condition, a replay does not report all records that no longer match.
        if hook.ended is None and not hook.condition:
            since, sent = self.random.choice([*hook.tokens, ("beginning", now())])
            with hook.changing(replays=True):
                self.replay(hook, since, sent)

    def replay(self, hook: Hook, since: str, sent: int) -> None:
        try:
            self.call(hook, f"/replay?since={quoted(since)}")
            self.done["replay"] += 1
        except UnexpectedStatus as error:
            # A new scope ends the tokens that a key has received until then.
            if error.status != 410 or sent > hook.rights_changed:
                raise
            self.done["expired"] += 1

    def do_move(self, hook: Hook) -> None:
        if hook.ended is None and hook.name != "gone":
            query = f"at={self.random.randrange(10**6)}"
            with hook.changing(renames=True):
                hook.queries.add(query)
                self.call(hook, body={"url": self.url(hook, query)}, method="PATCH")
                hook.queries.confirm(now())
            self.done["move"] += 1

    def do_test(self, hook: Hook) -> None:
        if hook.ended is None:
            found = self.call(hook, "/test").json()
            if self.receiver.is_running and not found["delivered"]:
                self.problems.append(f"a test of {hook.name} was not delivered: {found}")
            self.done["test"] += 1

    def do_revoke(self, _: Hook) -> None:
        hook = self.receiver.hooks["/hooks/gone"]
        if hook.ended is None:
            self.server.client(self.server.admin).call("DELETE", f"/keys/{self.keys['gone']}", expect=(204,))
            hook.ended = now()
            self.done["revoke"] += 1

    def do_delete(self, _: Hook) -> None:
        hook = self.receiver.hooks["/hooks/deleted"]
        if hook.ended is None:
            self.call(hook, method="DELETE", expect=(204,))
            hook.ended = now()
            self.done["delete"] += 1

    # The end

    def finish(self) -> None:
        self.problems += end(self.writers)
        self.receiver.is_calm, self.calm = True, time.monotonic()
        admin, marks = self.server.client(self.server.admin), {}
        for kind in TYPES:
            response = admin.call("PUT", f"/records/{kind}/last-{kind}", {"fields": {"good": 9}}, expect=(201,))
            marks[kind] = response.json()["recordChangeTag"]
        living = [one for one in self.hooks if one.ended is None]
        failures = {one.name: self.state(admin, one)["failures"] for one in living}
        for one in living:
            # The other half waits for its next attempt.
            if "resume" in self.options.actions and self.random.random() < 0.5:
                self.do_resume(one)
        if self.options.plant == "pause":
            self.call(living[0], "/pause")
        for one in living:
            tags = {kind: tag for kind, tag in marks.items() if kind in one.types and kind not in one.forbidden}
            if not self.gets_last_records(one, admin, tags):
                self.problems.append(f"{one.name} stands still. {self.explanation(one, admin)}")
            elif (late := time.monotonic() - self.calm) > self.latest[0]:
                self.latest = late, f"{one.name}, with {failures[one.name]} failures in a row"
            expected = self.expected(one)
            if one.records != expected:
                missing, extra = expected.items() - one.records.items(), one.records.items() - expected.items()
                self.problems.append(f"{one.name}: lacks {sorted(missing)[:5]}, has {sorted(extra)[:5]}. "
                                     f"{self.explanation(one, admin)}")
        gone = self.receiver.hooks["/hooks/gone"]
        limit = time.monotonic() + LATE
        while gone.ended is not None and (shown := self.state(admin, gone))["state"] != "disabled":
            if time.monotonic() > limit:
                self.problems.append(f"the webhook of a revoked key is not disabled: {shown}")
                break
            time.sleep(0.05)
        admin.close()

    def gets_last_records(self, hook: Hook, admin: Client, tags: dict[str, str]) -> bool:
        """Waits until a receiver has the last records, which come after all others.

        It may be late by the pause before the webhook's next attempt, but once: that attempt succeeds. A key that may
        read nothing now gets no last record, but the order to drop its records."""
        limit, has_waited = time.monotonic() + LATE, False
        while (any(hook.records.get((kind, f"last-{kind}")) != tag for kind, tag in tags.items())
               or not tags and hook.records):
            if time.monotonic() > limit:
                pause = self.state(admin, hook).get("nextAttemptAt", 0) / 1000 - time.time()
                if pause < 0 or has_waited:
                    return False
                limit, has_waited = time.monotonic() + pause + LATE, True
            time.sleep(0.01)
        return True

    def explanation(self, hook: Hook, admin: Client) -> str:
        """What the server shows of a webhook, and its last attempts, in seconds since the receiver takes all."""
        calm = now() - (time.monotonic() - self.calm) * 1000

        def since(moment: int) -> str:
            return f"{(moment - calm) / 1000:+.1f} s"
        shown = self.state(admin, hook)
        deliveries = admin.call("GET", f"/webhooks/{hook.id}/deliveries").json()["deliveries"]
        attempts = [f"{since(one['timestamp'])} attempt {one['attempt']} of {one['message'][-6:]} with {one['events']} "
                    f"events: {'delivered' if one['delivered'] else one.get('error') or one.get('status')}"
                    for one in deliveries[:12]]
        due = f", next attempt at {since(shown['nextAttemptAt'])}" if "nextAttemptAt" in shown else ""
        return (f"It is {shown['state']} with {shown['failures']} failures in a row{due}, at {since(now())}; "
                f"the last attempts: {'; '.join(attempts)}")

    def state(self, admin: Client, hook: Hook) -> dict:
        return admin.call("GET", f"/webhooks/{hook.id}").json()

    def expected(self, hook: Hook) -> dict:
        """What a query of the webhook's caller returns."""
        client, found = self.server.client(hook.token), {}
        for kind in hook.types:
            where = f"&where={quoted(hook.condition)}" if hook.condition else ""
            response = client.call("GET", f"/query/{kind}?limit=1000{where}", expect=(200, 403))
            for record in response.json().get("records", []):
                found[kind, record["recordName"]] = record["recordChangeTag"]
        client.close()
        return found

    def close(self) -> None:
        for one in self.writers:
            one.ends.set()
        self.receiver.kill()
        self.server.kill()

    def keep(self) -> None:
        pass

    def summary(self) -> str:
        def total(name: str) -> int:
            return sum(getattr(one, name) for one in self.hooks)
        answers = sum(count for name, count in self.receiver.counts.items() if name not in SETTLED)
        return (f"{sum(one.writes for one in self.writers)} writes ({sum(one.accepted for one in self.writers)} "
                f"accepted), {total('messages')} messages, {total('events')} "
                f"events, {answers} failures, {total('repeats')} repeats, {total('resets')} resets, "
                + ", ".join(f"{count} × {name}" for name, count in self.done.items() if count)
                + f"; the last receiver had all after {self.latest[0]:.1f} s ({self.latest[1]})")


def scope(types: list[str]) -> dict:
    return {"types": types, "actions": ["read"], "rights": ["manageWebhooks"]}


def main() -> int:
    parser = make_parser(__doc__, ".streams")
    add_round_options(parser, 3)
    add_at_once_option(parser)
    parser.add_argument("--seconds", type=float, default=6, help="of writes in a round (default: %(default)s)")
    parser.add_argument("--writers", type=int, default=6)
    parser.add_argument("--failures", type=int, default=1, help="most failures of a webhook in a row that the receiver "
                        "decides on (default: %(default)s): the pauses between attempts double from 5 s")
    parser.add_argument("--actions", type=lambda text: text.split(","), default=list(ACTIONS), metavar="NAME,…",
                        help="what may happen (default: all): without resume, the pauses after failures last")
    parser.add_argument("--plant", choices=list(PLANTS), help="for self tests: a fault that each round must find")
    options = parse(parser)
    print(f"seed {options.seed}: {options.rounds} rounds of webhooks, {options.writers} writers", flush=True)
    failed = run_rounds_at_once(options, range(1, options.rounds + 1),
                                lambda number, path: Round(path, options, number))
    print(f"{options.rounds} rounds, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    run_main(main)
