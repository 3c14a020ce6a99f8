"""The clients of a round, and what all its kinds look at afterwards."""
from random import Random

import paths  # noqa: F401
import builds
import indexes
import shelf
from actors import Actor, History, Survivor
from assets import AssetWriter, Wardrobe
from batches import FamilyWriter, MixedBatchWriter
from fields import TallyWriter
from readers import Follower, Reader, Settled
from rights import KeyKeeper
from schema import IndexBuilder, Novelist, Querier
from sessions import AdministratorKeeper, UserKeeper
from shelf import ShelfKeeper, ShelfWriter
from uploads import TusWriter
from watched import WatchedServer
from writers import BatchWriter, Counter, Incrementer, RecordWriter, SetWriter, SignUp

# Of 32 writers so many are of each sort; other numbers are in proportion.
SHARES = {"item": 6, "batch": 2, "mixed": 1, "family": 1, "increment": 3, "tally": 3, "asset": 4, "tus": 3, "set": 2,
          "user": 1, "new": 2, "index": 1, "key": 1, "administrator": 1, "account": 1}
READERS = (Reader, Follower, Settled)
MANAGERS = (IndexBuilder, KeyKeeper, AdministratorKeeper, ShelfKeeper, ShelfWriter)
SHELF_WRITERS = 2


def shares(writers: int) -> dict[str, int]:
    total = sum(SHARES.values())
    return {name: max(1, round(share * writers / total)) for name, share in SHARES.items()}


def make(suffix: str, clock, random: Random, writers: int, grace: float | None, settled: bool) -> list[Actor]:
    def some(kind: str, make) -> list[Actor]:
        return [make(f"{suffix}-{kind}{number}", clock, Random(random.randrange(10**9)))
                for number in range(shares(writers)[kind])]

    counter, wardrobe = Counter(f"{suffix}-counter"), Wardrobe(random)
    items = some("item", RecordWriter)
    actors = items + some("batch", BatchWriter) + some("tally", TallyWriter) + some("set", SetWriter)
    actors += some("mixed", MixedBatchWriter) + some("family", FamilyWriter)
    actors += some("increment", lambda *rest: Incrementer(counter, *rest))
    actors += some("asset", lambda *rest: AssetWriter(wardrobe, grace, *rest))
    actors += some("tus", lambda *rest: TusWriter(wardrobe, grace, *rest))
    actors += some("user", SignUp) + some("new", Novelist) + some("index", IndexBuilder)
    actors += some("key", KeyKeeper) + some("administrator", AdministratorKeeper) + some("account", UserKeeper)

    def reader(kind: str, make) -> Actor:
        return make(f"{suffix}-{kind}", clock, Random(random.randrange(10**9)))

    actors += [reader(f"reader{number}", lambda *rest: Reader(items, *rest)) for number in range(2)]
    actors += [reader("feed", Follower), reader("query", Querier)]
    if settled:
        actors.append(reader("settled", Settled))
    return actors


def make_for_shelf(suffix: str, clock, random: Random, history: History, process: int) -> list[Actor]:
    """Those who work on the type with many records; `process` counts those of a round that followed one another."""
    def rest(kind: str) -> tuple:
        return f"{suffix}-{kind}", clock, Random(random.randrange(10**9))

    first = process * SHELF_WRITERS
    return [ShelfKeeper(history, *rest("keeper")),
            *(ShelfWriter(lane, *rest(f"shelf{lane}")) for lane in range(first, first + SHELF_WRITERS))]


def token_of(actor: Actor, server: WatchedServer, user: str) -> str | None:
    """Whose rights a client has."""
    return None if isinstance(actor, READERS) else server.admin if isinstance(actor, MANAGERS) else user


def survivor_of(server: WatchedServer) -> Survivor:
    """All records, of the types that came just in time as well; indexes are filled."""
    types = indexes.schema_of(server.client(server.admin))
    # Those come with accounts, and nobody here reads them.
    types.pop("Users", None)
    survivor = Survivor(server.client(), sorted(types))
    survivor.schema, survivor.admin = types, server.admin
    return survivor


def index_complaints(server: WatchedServer, survivor: Survivor, random: Random) -> list[str]:
    client = server.client(server.admin)
    return [*indexes.complaints(client, survivor, survivor.schema, random), *shelf.complaints(client, survivor),
            *builds.complaints(server.disk)]
