"""Faults that self tests plant in a round (`--plant`). The round must find each of them."""
import base64
import signal
import sqlite3
import time
from contextlib import closing
from pathlib import Path

from Tests.crash import large_type
from Tests.crash.account_clients import AdministratorClient, UserClient
from Tests.crash.asset_clients import AssetWriter
from Tests.crash.audited_clients import KeyClient
from Tests.crash.client import ABSENT, Step
from Tests.crash.job_clients import TYPE, JobClient
from Tests.crash.readers import FeedReader, Reader
from Tests.crash.stream_clients import StreamReader, WebhookClient
from Tests.crash.writers import BUNDLE, BatchWriter, FamilyWriter, MixedBatchWriter, RecordWriter
from Tests.powercut.checkpoints import Checkpoints
from Tests.powercut.journal import Kind

# Changes of a file of the stopped server: they undo a deletion, or delete an acknowledged record.
STATEMENTS = {
    "key": ("records.sqlite", "UPDATE api_key SET revoked = NULL"),
    "session": ("server.sqlite", "DELETE FROM administrator_session"),
    "password": ("records.sqlite",
                 "UPDATE account SET password = substr(password, 1, length(password) - 8) || 'AAAAAAAA'"),
    "log": ("server.sqlite", "UPDATE audit_retention SET before = 1 << 60; DELETE FROM audit WHERE id % 2 = 0"),
    # The feed is ordered by sequence number, and no token precedes this one.
    "feed": ("records.sqlite", "UPDATE record SET sequence = -1 WHERE sequence = "
                               "(SELECT max(sequence) FROM record WHERE deleted = 0 AND name LIKE '%-item%')"),
    "progress": ("records.sqlite", "UPDATE job SET done = done - 1 WHERE done > 0"),
}
KINDS = ("record", "index", "unbuilt", "batch", "mixed", "family", "seen", "deletion", "undone", "file", "bytes", "die",
         "stream", "message", "signature", "twice", *STATEMENTS)


def is_ready(one) -> bool:
    """Whether the server has acknowledged enough of the writes that the fault will undo."""
    match one.options.plant:
        case "key":
            # One of them may be under way when the server ends.
            return len(acknowledged(one, KeyClient, lambda state: state is ABSENT)) > 1
        case "session":
            return len(acknowledged(one, AdministratorClient, lambda state: state and bool(state.sessions))) > 1
        case "password":
            return len(acknowledged(one, UserClient)) > 1
        case "log":
            return len(acknowledged(one, AdministratorClient)) > 1
        case "file" | "bytes":
            return len(acknowledged(one, AssetWriter, is_whole=True)) > 4
        case "batch":
            return len(acknowledged(one, BatchWriter, is_whole=True)) > 4
        case "mixed" | "family":
            return len(bundles(one)) > 2
        case "restart":
            return one.acknowledged() > 200
        case "seen":
            return len(seen(one)) > 4
        case "deletion":
            return len(absent(one)) > 4
        case "stream":
            return bool(seen(one)) and any(worker.pages for worker in of(one, StreamReader))
        case "message" | "signature":
            return any(worker.messages for worker in of(one, WebhookClient)) and bool(seen(one))
        case "twice" | "progress":
            return any(worker.count for worker in of(one, JobClient)) and bool(groups(one))
        case "feed" | "undone":
            return any(changes for worker in of(one, FeedReader) for _, _, changes in worker.pages)
    return True


def of(one, kind) -> list:
    return [worker for worker in one.workers if isinstance(worker, kind)]


def acknowledged(one, kind, wanted=lambda state: bool(state), is_whole: bool = False) -> list[tuple[str, object]]:
    """Objects with their states whose last write, or with `is_whole` every write, was acknowledged."""
    found = []
    for worker in of(one, kind):
        for name, history in list(worker.histories.items()):
            steps = list(history.steps)
            certain = steps if is_whole else steps[-1:]
            if len(steps) > 1 and all(step.answered is not None for step in certain) and wanted(steps[-1].state):
                found.append((name, steps[-1].state))
    return found


def bundles(one) -> list[str]:
    """Of each acknowledged batch one record that others need: a leaf, or the last member of a family."""
    kind = MixedBatchWriter if one.options.plant == "mixed" else FamilyWriter
    return [f"{name}-leaf{state}" if isinstance(state, int) else f"{name}-{state[0]}-{state[1] - 1}"
            for name, state in acknowledged(one, kind, is_whole=True)]


def seen(one) -> list[str]:
    """Records that a reader has seen and no client has deleted since."""
    histories = {name: history for worker in of(one, RecordWriter) for name, history in list(worker.histories.items())}
    return [name for worker in of(one, Reader) for name in list(worker.seen)
            if all(step.state is not ABSENT for step in histories[name].steps[1:])]


def groups(one) -> list[str]:
    """Groups of records that jobs have incremented."""
    return [name for name, _ in acknowledged(one, JobClient)]


def absent(one) -> list[str]:
    """Records that a reader has seen deleted."""
    return [name for worker in of(one, Reader) for name in list(worker.absent)]


def crash_server(one) -> None:
    """The server crashes in the middle of the work."""
    if one.options.plant == "die":
        one.servers[-1].child.send_signal(signal.SIGSEGV)
        time.sleep(0.2)


def invent_acknowledgement(one) -> None:
    """A client believes that a change was acknowledged which was never sent."""
    for worker in of(one, RecordWriter):
        for history in worker.histories.values():
            if (last := history.steps[-1]).state is not ABSENT and last.answered:
                history.steps.append(Step(last.answered, last.state | {"version": 10**6}, last.answered))
                return


def plant(one) -> None:
    """Changes the disk after the end of the server."""
    match one.options.plant:
        case "record":
            request(one, "DELETE", f"/records/Item/{acknowledged(one, RecordWriter, is_whole=True)[0][0]}")
        case "index":
            remove_index_row(one)
        case "batch":
            request(one, "DELETE", f"/records/Part/{acknowledged(one, BatchWriter, is_whole=True)[0][0]}-0")
        case "mixed" | "family":
            request(one, "DELETE", f"/records/{BUNDLE}/{bundles(one)[0]}")
        case "unbuilt":
            forget_build(one)
        case "seen":
            request(one, "DELETE", f"/records/Item/{seen(one)[0]}")
        case "deletion":
            request(one, "PUT", f"/records/Item/{absent(one)[0]}", {"fields": {"version": 1, "text": "again"}})
        case "undone":
            # A feed returned a state that does not exist now, and returns no other.
            reader = next(worker for worker in of(one, FeedReader) if worker.pages)
            reader.pages[-1][2].append((seen(one)[0], "never"))
        case "stream":
            # A stream told a state that does not exist now, and tells no other.
            reader = next(worker for worker in of(one, StreamReader) if worker.pages)
            reader.pages[-1][2].append((seen(one)[0], "never"))
        case "message":
            # The receiver has acknowledged a message that it does not have.
            worker = next(worker for worker in of(one, WebhookClient) if worker.messages)
            for _, message in worker.messages:
                message.changes = [change for change in message.changes if change[0] != seen(one)[0]]
        case "signature":
            of(one, WebhookClient)[0].secret = "whsec_" + "A" * 32
        case "twice":
            request(one, "PATCH", f"/records/{TYPE}/{groups(one)[0]}-7", {"fields": {"count": {"increment": 1}}})
        case "file":
            file_of(one).unlink()
        case "bytes":
            body = bytearray((file := file_of(one)).read_bytes())
            body[-1] ^= 1
            file.write_bytes(body)
        case fault if fault in STATEMENTS:
            # A clean stop leaves the WAL empty.
            one.serve().stop()
            execute(one, *STATEMENTS[fault])


def request(one, method: str, path: str, body=None) -> None:
    server = one.serve()
    server.client(server.admin).call(method, path, body, expect=(200, 201, 204))
    server.stop()


def file_of(one) -> Path:
    digest = base64.b64decode(acknowledged(one, AssetWriter, is_whole=True)[0][1]).hex()
    return next(file for file in one.disk.rglob(f"assets/{digest[:2]}/{digest[2:]}*"))


def execute(one, file: str, statements: str) -> None:
    with closing(sqlite3.connect(next(one.disk.rglob(file)))) as database:
        database.executescript(statements)


def forget_build(one) -> None:
    """Marks an index as ready whose build has only begun."""
    server = one.serve()
    server.client(server.admin).call("POST", f"/schema/types/{large_type.TYPE}/indexes",
                                     {"fields": ["-word", "-number"]}, expect=(200, 201))
    server.kill()
    execute(one, "records.sqlite", "UPDATE index_definition SET state = 0 WHERE state = 1")


def remove_index_row(one) -> None:
    """Removes one entry of an index, as a bug of the server would."""
    server = one.serve()
    server.client(server.sign_up()).call("GET", "/query/Item?sort=-version")
    server.stop()
    with closing(sqlite3.connect(next(one.disk.rglob("records.sqlite")))) as database:
        tables = database.execute("SELECT name FROM sqlite_master WHERE name GLOB 'index_[0-9]*'").fetchall()
        for table, in tables:
            with database:
                statement = f"DELETE FROM {table} WHERE record = (SELECT max(record) FROM {table})"
                if database.execute(statement).rowcount:
                    break


def forget_first_commits(log: Path, found: Checkpoints, acknowledged: list[int]) -> list[int]:
    """After each restart of the WAL the first syncs did not happen, so that commits were acknowledged before they were
    durable. Returns the last moments at which that shows."""
    for restart, responses in zip(found.restarts, found.responses(acknowledged)):
        for start in found.all_syncs:
            if responses and restart <= start < responses[-1]:
                with open(log, "r+b") as file:
                    file.seek(start)
                    file.write(bytes([Kind.SYNCING]))
    return [responses[-1] for responses in found.responses(acknowledged) if responses]
