"""Which clients there are in each process of a round. Some rounds are for one kind, which then meets more often."""
from random import Random

from actor import Actor
from batch_clients import GroupClient, Teller
from counting_clients import CounterClient, CrowdClient, ListClient
from disturbers import AssetClient, Gardener, Heavy
from followers import Follower
from history import Evidence
from owners import OrderClient, Owner, Pager, Reader
from register_clients import RegisterClient
from sharp_client import SharpClient
from ticket_client import TicketClient
from world import World

PROCESSES = 3

IN_EACH = {
    "all": (RegisterClient, RegisterClient, GroupClient, Teller, CounterClient, ListClient, OrderClient, Reader,
            TicketClient, Pager, Owner, Owner),
    "registers": (RegisterClient,) * 6,
    "batches": (GroupClient,) * 3 + (Teller,) * 3,
    "numbers": (CounterClient,) * 4 + (ListClient, OrderClient),
    "records": (Owner, Owner, Reader, Pager, TicketClient),
    "feeds": (Owner, Owner, GroupClient),
    "sharp": (SharpClient, SharpClient),
}
MIXES = tuple(IN_EACH)

# What only one process has: in rounds of a kind, and in all rounds.
IN_ONE = {"all": ((), (SharpClient,), (CrowdClient,)), "numbers": ((), (), (CrowdClient, CrowdClient))}
BESIDE = ((Heavy,), (Gardener,), (AssetClient, AssetClient))

# Sizes of pages, and whether the follower begins at the beginning.
FOLLOWERS = (((1, False), (1000, True)), ((2, False), (100, True)), ((7, False), (300, True)))
FOLLOWED = {"all", "batches", "numbers", "feeds"}

OWNERS = tuple(f"owner{process}-{number}" for process in range(PROCESSES) for number in range(2))


def cast(process: int, world: World, random: Random, evidence: Evidence) -> list[Actor]:
    kinds = IN_EACH[world.mix] + IN_ONE.get(world.mix, ((),) * PROCESSES)[process] + BESIDE[process]
    clients: list[Actor] = []
    for place, kind in enumerate(kinds):
        number = kinds[:place].count(kind)
        clients.append(kind(f"{kind.__name__.removesuffix('Client').lower()}{process}-{number}", world,
                            Random(random.randrange(10**9)), evidence))
    for limit, from_start in FOLLOWERS[process] if world.mix in FOLLOWED else ():
        name = f"follower{process}-{limit}"
        clients.append(Follower(limit, from_start, name, world, Random(random.randrange(10**9)), evidence))
    return clients
