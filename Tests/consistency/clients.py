"""Which clients each process of a round runs. Some rounds are for one kind of client, whose requests then meet more
often."""
from random import Random

from Tests.consistency.background_clients import AssetClient, IndexClient, WALClient
from Tests.consistency.batch_clients import GroupClient, TransferClient
from Tests.consistency.client import Worker
from Tests.consistency.counter_clients import CounterClient, CrowdClient, ListClient
from Tests.consistency.feed_clients import FeedClient
from Tests.consistency.history import Observations
from Tests.consistency.parallel_reads_client import ParallelReadsClient
from Tests.consistency.record_clients import IdempotentCreateClient, PagingClient, Reader, RecordClient
from Tests.consistency.register_clients import RegisterClient
from Tests.consistency.unique_value_client import UniqueValueClient
from Tests.consistency.workload import Workload

PROCESSES = 3

IN_EACH = {
    "all": (RegisterClient, RegisterClient, GroupClient, TransferClient, CounterClient, ListClient,
            IdempotentCreateClient, Reader, UniqueValueClient, PagingClient, RecordClient, RecordClient),
    "registers": (RegisterClient,) * 6,
    "batches": (GroupClient,) * 3 + (TransferClient,) * 3,
    "numbers": (CounterClient,) * 4 + (ListClient, IdempotentCreateClient),
    "records": (RecordClient, RecordClient, Reader, PagingClient, UniqueValueClient),
    "feeds": (RecordClient, RecordClient, GroupClient),
    "sharp": (ParallelReadsClient, ParallelReadsClient),
}
MIXES = tuple(IN_EACH)

# Clients that only one process runs: in rounds of one mix, and in all rounds.
IN_ONE = {"all": ((), (ParallelReadsClient,), (CrowdClient,)), "numbers": ((), (), (CrowdClient, CrowdClient))}
BACKGROUND = ((WALClient,), (IndexClient,), (AssetClient, AssetClient))

# Sizes of pages, and whether the client reads the feed from its beginning.
FEED_CLIENTS = (((1, False), (1000, True)), ((2, False), (100, True)), ((7, False), (300, True)))
WITH_FEEDS = {"all", "batches", "numbers", "feeds"}

OWNERS = tuple(f"owner{process}-{number}" for process in range(PROCESSES) for number in range(2))


def make_clients(process: int, workload: Workload, random: Random, observations: Observations) -> list[Worker]:
    kinds = IN_EACH[workload.mix] + IN_ONE.get(workload.mix, ((),) * PROCESSES)[process] + BACKGROUND[process]
    clients: list[Worker] = []
    for place, kind in enumerate(kinds):
        number = kinds[:place].count(kind)
        clients.append(kind(f"{kind.__name__.removesuffix('Client').lower()}{process}-{number}", workload,
                            Random(random.randrange(10**9)), observations))
    for limit, from_start in FEED_CLIENTS[process] if workload.mix in WITH_FEEDS else ():
        name = f"feed{process}-{limit}"
        clients.append(FeedClient(limit, from_start, name, workload, Random(random.randrange(10**9)), observations))
    return clients
