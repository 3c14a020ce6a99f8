"""CloudKit Web Services relative to the native interface, changes of a large zone, and many zones of one user."""
import json
import secrets
from collections.abc import Iterator

from Tests.bench.context import Board, Context, Scenario
from Tests.bench.forum import (
    BATCH, BOARDS, SCHEMA, TYPE, batch, board, filled, post, running, send_all, sign_in, sign_up, thread)
from Tests.bench.report import Row, measured_row
from Tests.bench.rounds import interleave
from Tests.bench.scenarios.writes import creates
from Tests.harness.client import Client, message
from Tests.harness.errors import Problem
from Tests.harness.server import Server

ROOT = "/database/1/iCloud.fogbase.default/development"
ZONE = "Large"
# Of one page; CloudKit's own limit.
PAGE = 200
# Positions in the zone, and so messages of the load.
POSITIONS = 16
MANY_ZONES = 10_000


def credentials_of(server: Server, user: dict) -> str:
    """The credentials of a user for the query string of CloudKit Web Services."""
    client = server.client(server.admin)
    app = client.call("POST", "/cloudkit/tokens", {"name": f"bench {secrets.token_hex(6)}"}, expect=(201,)).json()
    body = {"name": user["name"], "password": user["password"], "staysSignedIn": True}
    made = client.call("POST", f"/cloudkit/sign-in/{app['id']}", body, expect=(201,)).json()
    return f"?ckAPIToken={app['token']}&ckWebAuthToken={made['webAuthToken']}"


def modify(context: Context) -> Iterator[Row]:
    with context.server() as server:
        user = sign_up(server)
        token = sign_in(server, user)
        credentials = credentials_of(server, user)
        server.client(server.admin).call("PUT", "/schema", SCHEMA)

        def load(path: str, caller: str | None):
            found = context.load(server, requests(path, caller), connections=4, operations=BATCH)
            if b'"serverErrorCode"' in found.sample.body:
                raise Problem(f"{path} answered {found.sample.body[:400]!r}")
            return found

        def requests(path: str, caller: str | None) -> list[bytes]:
            return [message("POST", path, caller, _dictionaries(_creates(start)))
                    for start in range(0, 64 * BATCH, BATCH)]

        measured, reference = interleave(
            context.options.rounds, context.options.seconds,
            load(f"{ROOT}/public/records/modify{credentials}", None), load("/records", token))
        yield measured_row("cloudkit-modify", measured, reference, floor=1.15, against="POST /records",
                           notes=[f"{BATCH} creates a request, the same body in both"])


def changes(context: Context) -> Iterator[Row]:
    records = context.options.records
    directory = filled(context, f"zone-{records}", lambda server: _fill_zone(server, records))
    user = json.loads((directory / "filled.json").read_text())["user"]
    with running(context, directory / "data", copy=False) as server:
        credentials = credentials_of(server, user)

        def request(operation: str, body: dict) -> bytes:
            return message("POST", f"{ROOT}/private/{operation}{credentials}", None, body)

        def call(operation: str, body: dict) -> dict:
            response = Client(server.port).send(request(operation, body))
            if response.status != 200:
                raise Problem(f"{operation} answered {response.status}: {response.body[:400]!r}")
            return response.json()

        zone = {"zoneName": ZONE}
        tokens, markers = [""], [""]
        for _ in range(POSITIONS - 1):
            page = call("changes/zone", _changes(zone, tokens[-1]))["zones"][0]
            tokens.append(page["syncToken"])
            markers.append(call("records/query", _query(zone, markers[-1]))["continuationMarker"])
        measured, reference = interleave(
            context.options.rounds, context.options.seconds,
            context.load(server, [request("changes/zone", _changes(zone, one)) for one in tokens]),
            context.load(server, [request("records/query", _query(zone, one)) for one in markers]))
        yield measured_row("cloudkit-changes", measured, reference, floor=1.5, against="records/query",
                           notes=[f"{PAGE} records a page, of {records:,} in the zone"])


def many_zones(context: Context) -> Iterator[Row]:
    """Two servers with the same posts take turns; a user of one of them has the zones."""
    wanted = 1_000 if context.options.quick else MANY_ZONES
    with context.board(posts=2000) as plain, context.board(posts=2000) as crowded:
        idle = crowded.server.rss_anon()
        _make_zones(crowded.server, wanted)
        yield Row("many-zones-memory", crowded.server.rss_anon() - idle, "MB",
                  notes=["RssAnon above that before the zones"])
        loads = [_loads(context, one) for one in (crowded, plain)]
        for name, load in loads[0].items():
            measured, reference = interleave(context.options.rounds, context.options.seconds, load, loads[1][name])
            yield measured_row(f"many-zones-{name}", measured, reference, floor=1.1, against="a server without zones",
                               notes=[f"beside {wanted:,} zones of another user"])


def _loads(context: Context, given: Board) -> dict:
    server = given.server
    private = message("POST", "/records?database=private", server.sign_up(), _creates(0, 1))
    return {"create": context.load(server, creates(given), expect=201, connections=16),
            "read": context.load(server, [message("GET", given.path(number)) for number in range(2000)]),
            "private-create": context.load(server, [private], connections=16)}


def _make_zones(server: Server, wanted: int) -> None:
    credentials = credentials_of(server, sign_up(server))
    client = Client(server.port)
    for start in range(0, wanted, PAGE):
        operations = [{"operationType": "create", "zone": {"zoneID": {"zoneName": f"zone-{number}"}}}
                      for number in range(start, start + PAGE)]
        client.call("POST", f"{ROOT}/private/zones/modify{credentials}", {"operations": operations})
    client.close()


def _creates(start: int, count: int = BATCH) -> bytes:
    return batch([post(number, thread(0), board(number % BOARDS)) for number in range(start, start + count)])


def _dictionaries(body: bytes) -> dict:
    """The body with each field as CloudKit writes it: `{"value": …}`."""
    given = json.loads(body)
    for operation in given["operations"]:
        fields = operation["record"]["fields"]
        for name, value in fields.items():
            fields[name] = value if isinstance(value, dict) else {"value": value}
    return given


def _changes(zone: dict, token: str) -> dict:
    return {"zones": [{"zoneID": zone} | ({"syncToken": token} if token else {})], "resultsLimit": PAGE}


def _query(zone: dict, marker: str) -> dict:
    return {"query": {"recordType": TYPE}, "zoneID": zone, "resultsLimit": PAGE} | (
        {"continuationMarker": marker} if marker else {})


def _fill_zone(server: Server, records: int) -> dict:
    user = sign_up(server)
    token = sign_in(server, user)
    server.client(server.admin).call("PUT", "/schema", SCHEMA)
    server.client(token).call("PUT", f"/zones/{ZONE}?database=private", expect=(201,))
    path = f"/records?database=private&zone={ZONE}"
    send_all(server, lambda start: message("POST", path, token, _creates(start, min(BATCH, records - start))),
             range(0, records, BATCH))
    return {"user": user}


SCENARIOS = [
    Scenario("cloudkit-modify", "records/modify of 200 creates, relative to the native batch", modify),
    Scenario("cloudkit-changes", "changes/zone of 200 out of a zone of a million records, relative to records/query",
             changes),
    Scenario("many-zones", "CPU of creates and reads beside 10,000 zones of one user", many_zones),
]
