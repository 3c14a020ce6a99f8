"""A device that copies its user's private or shared database by `changes/database` and `changes/zone` alone."""
import random
from collections import Counter

from Tests.followers.world import Device, Stoppable, User, World
from Tests.harness.errors import Problem
from Tests.harness.rounds import description

Zone = tuple[str, str]  # the record name of the owner, and the name
MOST_ZONES = 3  # of one request


class Follower(Stoppable):
    def __init__(self, world: World, user: User, database: str, seed: str):
        super().__init__()
        self.name = f"the {database} database of {user.name}"
        self.device, self.database, self.random = world.device(user), database, random.Random(seed)
        self.copy: dict[Zone, dict[str, str]] = {}  # change tags of records by zone
        self.tokens: dict[Zone, str] = {}
        self.token = ""
        self.pages = 0
        self.reset_zones: Counter[Zone] = Counter()  # the tokens that have ended

    def run(self) -> None:
        try:
            while not self.ends.is_set():
                self.follow(self.random.choice([1, 3, 200]))
                self.ends.wait(self.random.uniform(0, 0.1))
        except Exception as error:
            self.problem = f"{self.name}: {description(error)}"

    def follow(self, limit: int = 200) -> None:
        """Copies all changes up to now."""
        more = True
        while more:
            answer = self.device.call(f"{self.database}/changes/database",
                                      {"resultsLimit": limit} | ({"syncToken": self.token} if self.token else {}))
            changed = []
            for one in answer["zones"]:
                zone = zone_of(one)
                if one.get("deleted"):
                    self.copy.pop(zone, None)
                    self.tokens.pop(zone, None)
                elif zone[1] != "_defaultZone":
                    changed.append(zone)
            for start in range(0, len(changed), MOST_ZONES):
                self.follow_zones(changed[start:start + MOST_ZONES], limit)
            self.token, more = answer["syncToken"], answer["moreComing"]

    def follow_zones(self, zones: list[Zone], limit: int) -> None:
        while zones:
            self.pages += 1
            answer = self.device.call(f"{self.database}/changes/zone", {
                "resultsLimit": limit,
                "zones": [{"zoneID": {"zoneName": name, "ownerRecordName": owner}}
                          | ({"syncToken": self.tokens[owner, name]} if (owner, name) in self.tokens else {})
                          for owner, name in zones]})
            zones = [zone for zone, one in zip(zones, answer["zones"], strict=True) if self.take(zone, one)]

    @property
    def resets(self) -> int:
        return self.reset_zones.total()

    def take(self, zone: Zone, page: dict) -> bool:
        """Takes a page of changes. Returns whether the zone must be asked for again."""
        code = page.get("serverErrorCode")
        if code == "ZONE_NOT_FOUND":  # lost since the list was read: the next list tells
            return False
        if code == "BAD_REQUEST":  # the token is of a zone that was lost and made again
            if zone not in self.tokens:
                raise Problem(f"{zone}: {page}")
            self.reset_zones[zone] += 1
            if self.reset_zones[zone] > (causes := self.device.world.causes(zone, self.database)):
                raise Problem(f"a token of {zone} ended {self.reset_zones[zone]} times, with {causes} causes: {page}")
            self.copy[zone] = {}
            del self.tokens[zone]
            return True
        if code:
            raise Problem(f"{zone}: {page}")
        records = self.copy.setdefault(zone, {})
        for record in page["records"]:
            if record["deleted"]:
                records.pop(record["recordName"], None)
            else:
                records[record["recordName"]] = record["recordChangeTag"]
        self.tokens[zone] = page["syncToken"]
        return page["moreComing"]


def zone_of(one: dict) -> Zone:
    return one["zoneID"]["ownerRecordName"], one["zoneID"]["zoneName"]
