"""What all clients of a round know: the server, whose records there are, and how long it takes."""
from dataclasses import dataclass
from random import Random

from connection import Connection
from liar import Liar

REGISTERS = tuple(f"r{number}" for number in range(4))
GROUPS = {f"g{number}": tuple(f"g{number}-{member}" for member in range(size))
          for number, size in enumerate([2, 5, 12, 60])}
FAMILIES = ("g1", "g3")  # groups whose members refer to the first one with DELETE_SELF
ACCOUNTS = tuple(f"a{number}" for number in range(8))
MONEY = 1000  # of each account at first
COUNTERS = ("c0", "c1")  # by ones
TOTALS = ("t0", "t1")  # by any amounts, also by condition
SLOTS = tuple(f"s{number}" for number in range(4))  # values that one record alone may have, by a unique index
PARTS = ("p0", "p1")  # of Crowd: sets too large for one slice
CROWD = 400  # records of each
BUCKETS = tuple(f"b{number}" for number in range(4))
BULK = 6_000  # records that make Bulk a large type, whose indexes are built in slices; nobody touches them
GRACE = 2  # seconds after which files are collected that no record has
POOL = {"Item": 12, "Bulk": 5}  # names that each owner writes


@dataclass
class World:
    port: int
    user: str
    admin: str
    deadline: int
    since: str  # a token of the feed: what comes later is of this round
    lie: str | None = None
    breaks: float = 0.03  # how often a client hangs up before the answer
    owners: tuple[str, ...] = ()  # the names of the clients that have records of their own

    def connect(self, random: Random, token: str | None = None) -> Connection:
        liar = Liar(self.lie, random) if self.lie else None
        return Connection(self.port, self.user if token is None else token, random, liar)
    mix: str = "all"  # which clients there are
