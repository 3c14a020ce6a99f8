"""The shared state of all clients of a round: the server, the records and the deadline."""
from dataclasses import dataclass
from random import Random

from Tests.consistency.connection import Connection
from Tests.consistency.fault_injection import FaultInjector

REGISTERS = tuple(f"r{number}" for number in range(4))
GROUPS = {f"g{number}": tuple(f"g{number}-{member}" for member in range(size))
          for number, size in enumerate([2, 5, 12, 60])}
FAMILIES = ("g1", "g3")  # groups whose members refer to the first one with DELETE_SELF
ACCOUNTS = tuple(f"a{number}" for number in range(8))
MONEY = 1000  # of each account at first
COUNTERS = ("c0", "c1")  # by ones
TOTALS = ("t0", "t1")  # by any amounts, also in bulk
SLOTS = tuple(f"s{number}" for number in range(4))  # values that one record alone may have, by a unique index
PARTS = ("p0", "p1")  # of Crowd: sets too large for one slice
CROWD = 400  # records of each
BUCKETS = tuple(f"b{number}" for number in range(4))
LARGE = 6_000  # unchanging records that make Bulk a large type, whose indexes are built in slices
GRACE = 2  # seconds after which files without a record are collected
POOL = {"Item": 12, "Bulk": 5}  # names that each owner writes


@dataclass
class Workload:
    port: int
    user: str
    admin: str
    deadline: int
    since: str  # a sync token: later changes belong to this round
    fault: str | None = None
    disconnects: float = 0.03  # the share of writes whose response is not awaited
    owners: tuple[str, ...] = ()  # the names of the clients with records of their own

    def connect(self, random: Random, token: str | None = None) -> Connection:
        injector = FaultInjector(self.fault, random) if self.fault else None
        return Connection(self.port, self.user if token is None else token, random, injector)
    mix: str = "all"  # which clients there are
