"""Event streams under load: followers that are dropped and continued end with what their callers may see.

    python3 -m Tests.streams                     # the release build, 50 rounds of a second with 16 writers
    python3 -m Tests.streams --rounds 1000       # a long run
    python3 -m Tests.streams --plant skip        # plants a fault: the rounds must fail

In a round, 16 writers create, change and delete records of two types and change their access lists, grants and roles
change, and the server is killed and started again. Followers know the records by their event streams alone. Each is one
caller, some with a condition, and drops its connection at random. At the end

* each follower has exactly the records that a query of its caller returns, with their change tags;
* no event has shown a field that the caller may not read;
* no stream was reset but for a change of its caller's own rights, and that of an administrator never.

Some records are written once and never again: a follower that drops what it has, or skips a part, lacks them at the
end.
"""
import contextlib
import random
import time
from pathlib import Path

from Tests.harness.arguments import make_parser, parse, run_main
from Tests.harness.client import quoted
from Tests.harness.rounds import add_at_once_option, add_round_options, run_rounds_at_once
from Tests.harness.server import ANONYMOUS, Server
from Tests.streams.follower import Follower
from Tests.streams.writer import CONDITION, SCHEMA, Writer, end

LATE = 20  # seconds until a follower must have the last record


class Round:
    def __init__(self, directory: Path, options, number: int):
        self.directory, self.options = directory, options
        self.seed = f"{options.seed} {number}"
        self.random = random.Random(self.seed)
        self.server = Server(options.binary, directory / "data", ANONYMOUS | options.settings)
        self.problems: list[str] = []
        self.followers: list[Follower] = []
        self.writers: list[Writer] = []
        self.kills = self.revocations = 0
        # How often the rights of each caller may have changed.
        self.causes: dict[str, int] = {}

    def run(self) -> list[str]:
        self.directory.mkdir(parents=True)
        self.server.start()
        admin = self.server.client(self.server.admin)
        admin.call("PUT", "/roles/nobody", {"members": []}, expect=(201,))
        admin.call("PUT", "/schema", SCHEMA, expect=(200,))
        # The index of the condition, for the queries at the end.
        admin.call("GET", f"/query/Post?where={quoted(CONDITION)}", expect=(200,))
        accounts = [self.server.make_anonymous_user() for _ in range(3)]
        tokens, names = [one[0] for one in accounts], [one[1] for one in accounts]
        self.names = names
        admin.call("PUT", "/roles/editors", {"members": names[:1]}, expect=(200, 201))
        admin.close()
        callers = {"anonymous": None, "ann": tokens[0], "bob": tokens[1], "eve": tokens[2], "admin": self.server.admin}
        self.causes = dict.fromkeys(callers, 0)
        self.members = set(names[:1])
        for name, token in callers.items():
            for types, condition in ((["Post", "Club"], ""), (["Post"], CONDITION)):
                self.followers.append(Follower(self.server.port, f"{name} {condition}", token, types, condition,
                                               f"{self.seed} {name} {condition}", name == "admin"))
                self.followers[-1].caller = name
        self.writers = [Writer(self.server, self.random.choice(tokens), names, f"{self.seed} {number}")
                        for number in range(self.options.writers)]
        for one in [*self.followers, *self.writers]:
            one.start()
        self.disturb()
        self.finish()
        self.problems += [one.problem for one in self.followers if one.problem]
        return self.problems

    def disturb(self) -> None:
        ends = time.monotonic() + self.options.seconds
        while time.monotonic() < ends:
            time.sleep(self.random.uniform(0.05, 0.2))
            if self.random.random() < 0.15:
                self.server.kill()
                self.server.start()
                self.kills += 1
            elif self.random.random() < 0.6:
                with contextlib.suppress(OSError):
                    self.revoke()

    def revoke(self) -> None:
        client = self.server.client(self.server.admin)
        # Counted before the request: a killed server may have done what it did not acknowledge.
        if self.random.random() < 0.7:
            members = self.random.sample(self.names, self.random.randrange(3))
            for caller, name in zip(("ann", "bob", "eve"), self.names):
                self.causes[caller] += name in self.members or name in members
            self.members |= set(members)
            client.call("PUT", "/roles/editors", {"members": members}, expect=(200, 201))
            self.members = set(members)
        else:
            for caller in ("anonymous", "ann", "bob", "eve"):
                self.causes[caller] += 1
            rights = self.random.choice([["READ"], ["READ", "WRITE"], []])
            grants = {"_icloud": ["CREATE"], "_creator": ["READ", "WRITE"]}
            client.call("PUT", "/grants/Club", {"grants": grants | ({"editors": rights} if rights else {})},
                        expect=(200,))
        self.revocations += 1
        client.close()

    def finish(self) -> None:
        self.problems += end(self.writers)
        admin = self.server.client(self.server.admin)
        last = admin.call("PUT", "/records/Post/last", {"fields": {"good": 9}}, expect=(201,)).json()
        mark = ("Post", "last"), last["recordChangeTag"]
        for one in self.followers:
            one.is_calm.set()
        limit = time.monotonic() + LATE
        for one in self.followers:
            while mark not in one.records.items() and not one.problem and time.monotonic() < limit:
                time.sleep(0.005)
        for one in self.followers:
            one.stop()
            if self.options.plant == "skip" and len(one.records) > 1:
                one.records.pop(next(iter(one.records)))
            expected = self.expected(one)
            if one.records != expected:
                missing, extra = expected.items() - one.records.items(), one.records.items() - expected.items()
                self.problems.append(f"{one.name}: lacks {sorted(missing)[:5]}, has {sorted(extra)[:5]}")
            causes = self.causes[one.caller] + (-100 if self.options.plant == "reset" else 0)
            if one.resets > causes:
                self.problems.append(f"{one.name}: {one.resets} resets, of which {causes} have a cause")
        admin.close()

    def expected(self, follower: Follower) -> dict:
        """What a query of the follower's caller returns."""
        client, found = self.server.client(follower.token), {}
        for kind in follower.types:
            where = f"&where={quoted(follower.condition)}" if follower.condition else ""
            response = client.call("GET", f"/query/{kind}?limit=1000{where}", expect=(200, 401, 403))
            for record in response.json().get("records", []):
                found[kind, record["recordName"]] = record["recordChangeTag"]
        client.close()
        return found

    def close(self) -> None:
        for one in self.followers:
            one.ends.set()
        for one in self.writers:
            one.ends.set()
        self.server.kill()

    def keep(self) -> None:
        pass

    def summary(self) -> str:
        def total(name: str) -> int:
            return sum(getattr(one, name) for one in self.followers)
        return (f"{sum(one.writes for one in self.writers)} writes ({sum(one.accepted for one in self.writers)} "
                f"accepted), {self.revocations} revocations, "
                f"{self.kills} kills, {total('connections')} connections, {total('events')} events, "
                f"{total('resets')} resets, {total('retries')} retries")


def main() -> int:
    parser = make_parser(__doc__, ".streams")
    add_round_options(parser, 50)
    add_at_once_option(parser)
    parser.add_argument("--seconds", type=float, default=1, help="of writes in a round (default: %(default)s)")
    parser.add_argument("--writers", type=int, default=16)
    parser.add_argument("--plant", choices=["skip", "reset"], help="for self tests: a fault that each round must find")
    options = parse(parser)
    print(f"seed {options.seed}: {options.rounds} rounds, {options.writers} writers", flush=True)
    failed = run_rounds_at_once(options, range(1, options.rounds + 1),
                                lambda number, path: Round(path, options, number))
    print(f"{options.rounds} rounds, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    run_main(main)
