"""The clients of a round, and the state that all rounds read afterwards."""
from pathlib import Path
from random import Random

from Tests.crash import index_queries, index_work, job_clients, large_type
from Tests.crash.account_clients import AdministratorClient, UserClient
from Tests.crash.asset_clients import AssetWriter, SharedContents, TusWriter
from Tests.crash.audited_clients import KeyClient
from Tests.crash.client import History, RecoveredState, Worker
from Tests.crash.job_clients import JobClient
from Tests.crash.large_type import IndexClient, LargeTypeWriter
from Tests.crash.readers import BaselineReader, FeedReader, QueryReader, Reader
from Tests.crash.schema_clients import SchemaWriter
from Tests.crash.share_clients import ShareClient
from Tests.crash.stream_clients import StreamReader, WebhookClient
from Tests.crash.writers import (
    BatchWriter, BulkWriter, Counter, FamilyWriter, Incrementer, ListWriter, MixedBatchWriter, NewTypeWriter,
    RecordWriter, SignUpClient)
from Tests.powercut.traced_server import TracedServer

# Of 32 writers so many are of each kind; other numbers are in proportion.
SHARES = {"item": 6, "batch": 2, "mixed": 1, "family": 1, "increment": 3, "tally": 3, "asset": 4, "tus": 3, "bulk": 2,
          "user": 1, "new": 2, "index": 1, "key": 1, "administrator": 1, "account": 1, "job": 1, "share": 1}
ANONYMOUS = (Reader, FeedReader, BaselineReader, StreamReader)
ADMINISTRATORS = (SchemaWriter, KeyClient, AdministratorClient, IndexClient, LargeTypeWriter, WebhookClient)
LARGE_TYPE_WRITERS = 2


def make(suffix: str, clock, random: Random, writers: int, grace: float | None, has_baseline: bool) -> list[Worker]:
    def one(name: str, kind, *first) -> Worker:
        return kind(*first, f"{suffix}-{name}", clock, Random(random.randrange(10**9)))

    def several(name: str, kind, *first) -> list[Worker]:
        count = max(1, round(SHARES[name] * writers / sum(SHARES.values())))
        return [one(f"{name}{number}", kind, *first) for number in range(count)]

    counter, shared = Counter(f"{suffix}-counter"), SharedContents(random)
    items = several("item", RecordWriter)
    workers = items + several("batch", BatchWriter) + several("tally", ListWriter) + several("bulk", BulkWriter)
    workers += several("mixed", MixedBatchWriter) + several("family", FamilyWriter)
    workers += several("increment", Incrementer, counter)
    workers += several("asset", AssetWriter, shared, grace) + several("tus", TusWriter, shared, grace)
    workers += several("user", SignUpClient) + several("new", NewTypeWriter) + several("index", SchemaWriter)
    workers += several("key", KeyClient) + several("administrator", AdministratorClient)
    workers += several("account", UserClient) + several("job", JobClient) + several("share", ShareClient)
    workers += [one(f"reader{number}", Reader, items) for number in range(2)]
    workers += [one("feed", FeedReader), one("query", QueryReader)]
    workers += [one("stream", StreamReader), one("webhook", WebhookClient)]
    return workers + ([one("baseline", BaselineReader)] if has_baseline else [])


def make_for_large_type(suffix: str, clock, random: Random, history: History, process: int) -> list[Worker]:
    """Those that use the type with many records; `process` counts the server processes of a round."""
    def arguments(name: str) -> tuple:
        return f"{suffix}-{name}", clock, Random(random.randrange(10**9))

    first = process * LARGE_TYPE_WRITERS
    return [IndexClient(history, *arguments("indexes")),
            *(LargeTypeWriter(lane, *arguments(f"lane{lane}")) for lane in range(first, first + LARGE_TYPE_WRITERS))]


def token_of(worker: Worker, server: TracedServer, user: str) -> str | None:
    """The token with which a client sends its requests."""
    return None if isinstance(worker, ANONYMOUS) else server.admin if isinstance(worker, ADMINISTRATORS) else user


def types_of(server: TracedServer) -> dict:
    """The types whose records the clients read, once all indexes are built. `Users` comes with accounts."""
    types = index_queries.schema_of(server.client(server.admin))
    types.pop("Users", None)
    return types


def begin_checks(workers: list[Worker], cut: int, left: Path) -> None:
    """Call it before a server starts on the disk `left`, which `cut` left."""
    for one in workers:
        if isinstance(one, WebhookClient):
            one.begin_check(cut)
    # Each process of a round had one.
    for one in [one for one in workers if isinstance(one, JobClient)][-1:]:
        one.note_end(left)


def job_violations(workers: list[Worker], cut: int, server: TracedServer) -> list[str]:
    """Call it just after the start. Waits for the jobs that continue, which change records."""
    client, found = server.client(server.admin), []
    for one in workers:
        if isinstance(one, JobClient):
            found += one.unfinished(cut, client)
    job_clients.wait(client)
    return found


def recovered_state(server: TracedServer) -> RecoveredState:
    types = types_of(server)
    recovered = RecoveredState(server.client(), sorted(types))
    recovered.schema, recovered.admin = types, server.admin
    return recovered


def index_violations(server: TracedServer, recovered: RecoveredState, random: Random) -> list[str]:
    client = server.client(server.admin)
    return [*index_queries.violations(client, recovered, recovered.schema, random),
            *large_type.violations(client, recovered), *index_work.violations(server.disk)]
