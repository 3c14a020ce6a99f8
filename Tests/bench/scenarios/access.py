"""Access lists: the cost of a page out of many records of which the caller may see all, a tenth or a thousandth, and of
a read with per-record permissions."""
from collections.abc import Iterator
from random import Random
from urllib.parse import quote

from Tests.bench.context import Board, Context, Scenario
from Tests.bench.forum import BOARDS, SHARES, TYPE, Forum, board, forum, listed_forum
from Tests.bench.report import Row, measured_row
from Tests.bench.rounds import take_turns
from Tests.bench.scenarios.reads import reads
from Tests.harness.client import Client, message

PAGE = 50
# Counted, but never enough to be rejected.
RATES = {"FOGBASE_LIMITS_RATES": "on", "FOGBASE_LIMITS_RATE_READ": "100000/s burst 1000000"}


def pages(context: Context) -> Iterator[Row]:
    """Of one board among ten, relative to the same records without lists."""
    records = context.options.records
    with forum(context, records) as plain, listed_forum(context, records) as listed:
        loads = [context.load(plain.server, _pages(plain.token))]
        loads += [context.load(listed.server, _pages(token)) for token in listed.readers]
        reference, *measured = take_turns(context.options.rounds, context.options.seconds, *loads)
        for share, floor, runs, load in zip(SHARES, (1.5, 2.0, None), measured, loads[1:]):
            yield measured_row(f"access-page-{share}", runs, reference, floor=floor, against="without lists",
                               notes=[f"a page of {PAGE} of a board, out of {records:,} records with access lists, "
                                      f"one of {share} visible; a response has {len(load.sample.body):,} bytes"])
        before = _examined(listed)
        client = listed.server.client(listed.readers[-1])
        for path in _paths():
            client.call("GET", path)
        yield Row("access-examined", (_examined(listed) - before) / BOARDS, "rows", floor=4 * PAGE,
                  notes=[f"rows read for a page where one record of {SHARES[-1]} is visible"])


def point_reads(context: Context) -> Iterator[Row]:
    """With a session or a key, of a type that only creators read, of records with a list and of some with restricted
    fields, and with rate limits, relative to the anonymous read."""
    with context.board() as board, context.board(settings=RATES) as limited:
        admin, client = _with_types(board)
        own = _copies(board, client, "Own")
        # A read without a session does not show it.
        fielded = _copies(board, client, "Fielded", fields={"secret": {"value": "hidden", "type": "STRING"}})
        scope = {"name": "reader", "scope": {"readOnly": True}}
        key = admin.call("POST", "/keys", scope, expect=(201,)).json()["token"]
        admin.call("PUT", "/grants/Own", {"grants": {"_creator": ["CREATE", "READ", "WRITE"]}})
        loads = [context.load(board.server, messages) for messages in (
            reads(board), reads(board, board.token), reads(board, key), _shuffled(own, board.token),
            _listed(board, client), _shuffled(fielded), _shuffled(fielded, board.token))]
        loads += [context.load(limited.server, reads(limited, token)) for token in (None, limited.token)]
        reference, *measured = take_turns(context.options.rounds, context.options.seconds, *loads)
        names = ("session", "key", "creator", "list", "fields", "own-fields", "limits", "session-limits")
        for name, runs in zip(names, measured, strict=True):
            yield measured_row(f"access-read-{name}", runs, reference, floor=1.15, against="anonymous read")


def listed_reads(board: Board) -> list[bytes]:
    """Reads of records with an access list, by the user that it names."""
    return _listed(board, _with_types(board)[1])


def _listed(board: Board, client: Client) -> list[bytes]:
    me = client.call("GET", "/users/me").json()["userRecordName"]
    return _shuffled(_copies(board, client, "Listed", {"acl": {me: ["read", "write"]}}), board.token)


def _with_types(board: Board) -> tuple[Client, Client]:
    """Clients of the administrator, and of the user, of a board with types like that of the posts."""
    admin = board.server.client(board.server.admin)
    admin.call("PUT", "/schema", {"types": _types(admin)})
    return admin, board.server.client(board.token)


def _types(admin) -> dict:
    """The schema with two types like that of the posts."""
    types = admin.call("GET", "/schema").json()["types"]
    fields = types["Post"]["fields"]
    secret = {"secret": {"type": "STRING", "read": ["_creator"]}}
    return types | {name: {"fields": fields} for name in ("Own", "Listed")} | {"Fielded": {"fields": fields | secret}}


def _copies(board, client, kind: str, more: dict | None = None, fields: dict | None = None) -> list[str]:
    """As many records of another type, of the same size but for some fields more; their paths."""
    fields = client.call("GET", board.path(0)).json()["fields"] | (fields or {})
    paths = []
    for start in range(0, len(board.names), 200):
        record = {"recordType": kind, "fields": fields} | (more or {})
        made = client.batch([{"operationType": "create", "record": record}] * min(200, len(board.names) - start))
        paths += [f"/records/{kind}/{one['recordName']}" for one in made]
    return paths


def _shuffled(paths: list[str], token: str | None = None) -> list[bytes]:
    order = list(paths)
    Random(1).shuffle(order)
    return [message("GET", path, token) for path in order]


def _paths() -> list[str]:
    conditions = [quote(f'board == "{board(number)}"') for number in range(BOARDS)]
    return [f"/query/{TYPE}?where={condition}&limit={PAGE}" for condition in conditions]


def _pages(token: str) -> list[bytes]:
    return [message("GET", path, token) for path in _paths()]


def _examined(data: Forum) -> float:
    return sum(value for key, value in data.server.metrics().items()
               if key.split("{")[0] == "fogbase_query_rows_examined_total")


SCENARIOS = [
    Scenario("access-read", "reads with a session, a key, creator grants, access lists, field grants and rate limits; "
             "reference: anonymous read", point_reads),
    Scenario("access-page", "a page of 50 out of a million records with access lists that admit the caller to all, a "
             "tenth or a thousandth", pages),
]
