"""A device that creates, moves, shares and deletes records and zones of its user, and writes to what others share."""
import random

from Tests.followers.world import SHARE, TYPE, Refused, Stoppable, User, World
from Tests.harness.rounds import description

ZONES = ["Red", "Blue", "Green"]
RECORDS = 10  # names of records in a zone
# What a client has to expect beside others who write the same records.
EXPECTED = {None, "ACCESS_DENIED", "ATOMIC_ERROR", "BAD_REQUEST", "CONFLICT", "EXISTS", "NOT_FOUND",
            "VALIDATING_REFERENCE_ERROR", "ZONE_NOT_FOUND"}


class Writer(Stoppable):
    def __init__(self, world: World, user: User, seed: str, steps: int):
        super().__init__()
        self.device, self.user, self.steps = world.device(user), user, steps
        self.random = random.Random(seed)
        self.others = [one for one in world.users if one is not user]
        self.guests = {one.name: world.device(one) for one in self.others}
        self.writes = self.shares = self.refusals = 0

    def run(self) -> None:
        try:
            for _ in range(self.steps):
                try:
                    self.step()
                except Refused as refusal:
                    self.check(refusal.code, str(refusal))
        except Exception as error:
            self.problem = f"a writer of {self.user.name}: {description(error)}"
        finally:
            for one in [self.device, *self.guests.values()]:
                one.close()

    def check(self, code: str | None, sentence: object) -> bool:
        """Returns whether a write succeeded; raises if its error is none that a client has to expect."""
        if code not in EXPECTED:
            raise Refused(code or "", f"unexpected: {sentence}")
        if code is None:
            self.writes += 1
        else:
            self.refusals += 1
        return code is None

    def step(self) -> None:
        zone, choice = self.random.choice(ZONES), self.random.random()
        if choice < 0.12:
            self.modify_zone("create", zone)
        elif choice < 0.15:
            self.modify_zone("delete", zone)
        elif choice < 0.60:
            self.modify("private", {"zoneName": zone})
        elif choice < 0.78:
            self.share(zone)
        elif choice < 0.85:
            self.end_share(zone)
        else:
            owner = self.random.choice(self.others)
            self.modify("shared", {"zoneName": zone, "ownerRecordName": owner.record_name})

    def modify_zone(self, kind: str, zone: str) -> None:
        body = {"operations": [{"operationType": kind, "zone": {"zoneID": {"zoneName": zone}}}]}
        if kind == "delete":
            self.device.world.note(self.user.record_name, zone)
        for one in self.device.call("private/zones/modify", body)["zones"]:
            self.check(one.get("serverErrorCode"), one)

    def modify(self, database: str, zone: dict) -> None:
        operations = [self.operation() for _ in range(self.random.choice([1, 1, 2, 4]))]
        body = {"zoneID": zone, "operations": operations, "atomic": self.random.random() < 0.7}
        for one in self.device.call(f"{database}/records/modify", body)["records"]:
            self.check(one.get("serverErrorCode"), one)

    def name(self) -> str:
        return f"r{self.random.randrange(RECORDS)}"

    def operation(self) -> dict:
        name = self.name()
        if self.random.random() < 0.2:
            return {"operationType": "forceDelete", "record": {"recordName": name, "recordType": TYPE}}
        record = {"recordName": name, "recordType": TYPE, "fields": {"n": {"value": self.random.randrange(100)}}}
        if self.random.random() < 0.4:
            record["parent"] = self.random.choice([None, {"recordName": self.name()}])
        return {"operationType": self.random.choice(["create", "forceUpdate", "forceReplace"]), "record": record}

    def share(self, zone: str) -> None:
        """Shares a record, or the whole zone, with another user, who joins."""
        guest = self.random.choice(self.others)
        self.device.world.note(self.user.record_name, zone, is_share=True)
        share = {"recordType": SHARE, "fields": {}, "participants": [{
            "type": "USER", "acceptanceStatus": "INVITED",
            "permission": self.random.choice(["READ_ONLY", "READ_WRITE"]),
            "userIdentity": {"lookupInfo": {"userRecordName": guest.record_name}}}]}
        if self.random.random() < 0.2:
            share["recordName"] = "cloudkit.zoneshare"
        else:
            root = self.name()
            share |= {"recordName": f"share of {root}", "forRecord": {"recordName": root}}
        made = self.device.call("private/records/modify", {
            "zoneID": {"zoneName": zone}, "operations": [{"operationType": "create", "record": share}]})["records"][0]
        if self.check(made.get("serverErrorCode"), made):
            joined = self.guests[guest.name].call(
                "public/records/accept", {"shortGUIDs": [{"value": made["shortGUID"]}]})["results"][0]
            if self.check(joined.get("serverErrorCode"), joined):
                self.shares += 1

    def end_share(self, zone: str) -> None:
        """Deletes a share, or leaves it as a guest."""
        self.device.world.note(self.user.record_name, zone, is_share=True)
        name = self.random.choice(["cloudkit.zoneshare", f"share of {self.name()}"])
        body = {"operations": [{"operationType": "forceDelete", "record": {"recordName": name, "recordType": SHARE}}]}
        zone_id = {"zoneName": zone}
        if self.random.random() < 0.5:
            answer = self.device.call("private/records/modify", body | {"zoneID": zone_id})
        else:
            zone_id["ownerRecordName"] = self.user.record_name
            guest = self.guests[self.random.choice(self.others).name]
            answer = guest.call("shared/records/modify", body | {"zoneID": zone_id})
        for one in answer["records"]:
            self.check(one.get("serverErrorCode"), one)
