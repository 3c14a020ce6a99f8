"""Followers of zones beside writers: by `changes/database` and `changes/zone` alone they end with the server's records.

    python3 -m Tests.followers                     # the release build, 50 rounds with 16 writers
    python3 -m Tests.followers --rounds 1000       # a long run
    python3 -m Tests.followers --plant lose        # plants a fault: the rounds must fail

In a round, 16 writers of four users create, move, share and delete records and zones through CloudKit Web Services,
join and leave shares, and write to what others share with them. Each user's private and shared database has a follower
from the beginning of the round, and one that went on from the last round. At the end

* each follower, and a new one, has exactly the records that the native interface lists, with their change tags;
* when all zones have been deleted, no follower has a record;
* no token has ended but with its zone, or by a change of the shares in a zone of others.
"""
import random
import shutil
import time

from Tests.followers.follower import Follower, Zone
from Tests.followers.world import SHARE, TYPE, User, World
from Tests.followers.writer import ZONES, Writer
from Tests.harness.arguments import make_parser, parse, run_main
from Tests.harness.client import quoted
from Tests.harness.rounds import add_round_options, run_rounds

LATE = 20  # seconds until the writers of a round must have ended


class Round:
    def __init__(self, world: World, lasting: list[Follower], options, number: int):
        self.world, self.lasting, self.options = world, lasting, options
        self.seed = f"{options.seed} {number}"
        self.random = random.Random(self.seed)
        self.problems: list[str] = []
        self.writers: list[Writer] = []
        self.followers: list[Follower] = []

    def run(self) -> list[str]:
        self.modify_zones("create", ZONES[:2])
        self.followers = followers(self.world, self.seed)
        self.writers = [Writer(self.world, self.world.users[number % len(self.world.users)], f"{self.seed} {number}",
                               self.options.steps) for number in range(self.options.writers)]
        for one in [*self.followers, *self.writers]:
            one.start()
        limit = time.monotonic() + LATE
        for one in self.writers:
            one.join(max(0, limit - time.monotonic()))
            if one.is_alive():
                self.problems.append(f"a writer of {one.user.name} has not ended within {LATE} s")
        for one in self.followers:
            one.ends.set()
            one.join(LATE)
        self.problems += [one.problem for one in [*self.writers, *self.followers] if one.problem]
        if not self.problems:
            self.compare("new", followers(self.world, self.seed))
            self.compare("of the round", self.followers)
            self.compare("lasting", self.lasting)
            self.delete_zones()
        return self.problems

    def compare(self, kind: str, some: list[Follower]) -> None:
        for one in some:
            if self.options.plant == "expire" and one.tokens:
                one.token, one.tokens = "", dict.fromkeys(one.tokens, "AAAA")
                self.world._deletions.clear()
                self.world._shares.clear()
            one.follow()
            if self.options.plant == "lose":
                next((records for records in one.copy.values() if records), {"": ""}).popitem()
            expected = self.expected(one.device.user, one.database)
            if one.copy != expected:
                self.problems.append(f"{one.name}, {kind}: has {one.copy}, must have {expected}")

    def expected(self, user: User, database: str) -> dict[Zone, dict[str, str]]:
        """What the native interface shows to the user."""
        client, found = self.world.server.client(user.session), {}
        for zone in client.pages(f"/zones?database={database}", "zones"):
            owner, name = zone.get("ownerRecordName", user.record_name), zone["zoneName"]
            place = f"database={database}&zone={quoted(name)}&limit=200"
            if database == "shared":
                place += f"&owner={owner}"
            found[owner, name] = {
                record["recordName"]: record["recordChangeTag"]
                for kind in (TYPE, SHARE) for record in client.pages(f"/records/{kind}?{place}", "records")}
        client.close()
        return {zone: records for zone, records in found.items() if zone[1] != "_defaultZone"}

    def modify_zones(self, kind: str, zones: list[str]) -> None:
        for user in self.world.users:
            device = self.world.device(user)
            for zone in zones if kind == "delete" else ():
                self.world.note(user.record_name, zone)
            device.call("private/zones/modify", {"operations": [
                {"operationType": kind, "zone": {"zoneID": {"zoneName": zone}}} for zone in zones]})
            device.close()

    def delete_zones(self) -> None:
        self.modify_zones("delete", ZONES)
        for one in [*self.followers, *self.lasting]:
            one.follow()
            if one.copy:
                self.problems.append(f"{one.name} still has {one.copy} after its zones were deleted")

    def close(self) -> None:
        for one in self.followers:
            one.ends.set()
            one.device.close()

    def keep(self) -> None:
        """The database belongs to all rounds, and stays."""

    def summary(self) -> str:
        def total(name: str, some: list) -> int:
            return sum(getattr(one, name) for one in some)
        return (f"{total('writes', self.writers)} writes, {total('refusals', self.writers)} refused, "
                f"{total('shares', self.writers)} shares joined, {total('pages', self.followers)} pages, "
                f"{total('resets', self.followers)} zones read again")


def followers(world: World, seed: str) -> list[Follower]:
    return [Follower(world, user, database, f"{seed} {user.name} {database}")
            for user in world.users for database in ("private", "shared")]


def main() -> int:
    parser = make_parser(__doc__, ".followers")
    add_round_options(parser, 50)
    parser.add_argument("--steps", type=int, default=25, help="of each writer in a round (default: %(default)s)")
    parser.add_argument("--writers", type=int, default=16)
    parser.add_argument("--plant", choices=["lose", "expire"], help="for self tests: a fault that each round must find")
    options = parse(parser)
    print(f"seed {options.seed}: {options.rounds} rounds, {options.writers} writers", flush=True)
    data = options.work / "data"
    shutil.rmtree(data, ignore_errors=True)
    world = World(options.binary, data, options.settings)
    try:
        world.start()
        lasting = followers(world, "lasting")
        failed = run_rounds(options, range(1, options.rounds + 1),
                            lambda number, _: Round(world, lasting, options, number))
    finally:
        world.server.kill()
    print(f"{options.rounds} rounds, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    run_main(main)
