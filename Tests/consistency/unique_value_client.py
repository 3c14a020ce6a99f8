"""A client that takes and releases values which a unique index gives to one record at a time."""
from Tests.consistency.client import Worker
from Tests.consistency.history import ABSENT, Access
from Tests.consistency.workload import SLOTS
from Tests.harness.client import quoted
from Tests.harness.errors import Problem


class UniqueValueClient(Worker):
    """Each slot is a register that holds the name of its record; taking it demands that it has none."""

    def begin(self) -> None:
        self.mine: dict[str, str] = {}  # the records that this client made, by slot
        self.made = 0

    def act(self) -> None:
        slot = self.random.choice(SLOTS)
        if self.random.random() < 0.4:
            self.see(slot)
        elif slot in self.mine:
            self.release(slot)
        else:
            self.take(slot)

    def take(self, slot: str) -> None:
        self.made += 1
        name = f"{self.name}-{self.made}"
        body = {"recordName": name, "fields": {"slot": slot}}
        reply = self.main.ask("POST", "/records/Ticket", body, expect=(201, 409))
        if reply.status == 201:
            self.mine[slot] = name
            self.note(slot, reply, "is", ABSENT, True, name)
        elif reply.body["details"]["cause"] == "UNIQUE_VIOLATION":
            self.note(slot, reply, "not", ABSENT)
        else:
            raise Problem(f"a ticket was refused: {reply.body}")

    def release(self, slot: str) -> None:
        name = self.mine.pop(slot)
        reply = self.main.ask("DELETE", f"/records/Ticket/{name}", expect=(204,))
        self.note(slot, reply, "is", name, True, ABSENT)

    def see(self, slot: str) -> None:
        reply = self.other.ask("GET", "/query/Ticket?where=" + quoted(f"slot == '{slot}'"))
        holders = [one["recordName"] for one in reply.body["records"]]
        if len(holders) > 1:
            raise Problem(f"the slot {slot} is held by {holders}")
        self.note(slot, reply, "is", holders[0] if holders else ABSENT)

    def note(self, slot: str, reply, must: str, value, writes: bool = False, new=None) -> None:
        self.observations.accesses.setdefault(slot, []).append(
            Access(reply.sent, reply.answered, must, value, writes, new, self.name))
        self.observations.counts["writes Ticket" if writes else "reads Ticket"] += 1
