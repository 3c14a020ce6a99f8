"""For tests of this suite: takes something away behind the server's back, or ends it."""
import base64
import signal
import sqlite3
import time
from pathlib import Path

import paths  # noqa: F401
import batches
import shelf
from actors import GONE, History
from assets import AssetWriter
from checkpoints import Checkpoints
from journal import Kind
from readers import Follower, Reader
from rights import KeyKeeper
from sessions import AdministratorKeeper, UserKeeper
from writers import BatchWriter, RecordWriter


# What brings back what was taken, or takes what was given: the file, and SQL.
CHANGES = {
    "key": ("records.sqlite", "UPDATE api_key SET revoked = NULL"),
    "session": ("server.sqlite", "DELETE FROM administrator_session"),
    "password": ("records.sqlite",
                 "UPDATE account SET password = substr(password, 1, length(password) - 8) || 'AAAAAAAA'"),
    "log": ("server.sqlite", "UPDATE audit_retention SET before = 1 << 60; DELETE FROM audit WHERE id % 2 = 0"),
    # The feed tells of changes by their sequence: no token comes before this one any more.
    "feed": ("records.sqlite", "UPDATE record SET sequence = -1 WHERE sequence = "
                               "(SELECT max(sequence) FROM record WHERE deleted = 0 AND name LIKE '%-item%')"),
}
KINDS = ("record", "index", "unbuilt", "batch", "mixed", "family", "seen", "deletion", "undone", "file", "bytes", "die",
         *CHANGES)


def is_ready(one) -> bool:
    """Whether somebody was told what is to be undone."""
    def some(kind, is_wanted, count: int = 2) -> bool:
        # One of them may be under way when the server ends.
        return count <= sum(is_wanted(history.steps[-1].state) for actor in one.actors if isinstance(actor, kind)
                            for history in list(actor.histories.values())
                            if len(history.steps) > 1 and history.steps[-1].answered is not None)

    match one.options.forge:
        case "key":
            return some(KeyKeeper, lambda state: state is GONE)
        case "session":
            return some(AdministratorKeeper, lambda state: state is not GONE and bool(state.sessions))
        case "password":
            return some(UserKeeper, lambda state: state is not GONE)
        case "log":
            return some(AdministratorKeeper, lambda state: state is not GONE)
        case "file" | "bytes":
            return len(linked(one)) > 4
        case "batch":
            return len(groups(one)) > 4
        case "restart":
            return one.acknowledged() > 200
        case "mixed" | "family":
            return len(bundles(one)) > 2
        case "seen":
            return len(seen(one)) > 4
        case "deletion":
            return len(deletions_seen(one)) > 4
        case "feed" | "undone":
            return any(changes for actor in of(one, Follower) for _, _, changes in actor.pages)
    return True


def of(one, kind) -> list:
    return [actor for actor in one.actors if isinstance(actor, kind)]


def is_certain(history: History) -> bool:
    """Whether all was answered, and something is there."""
    return all(step.answered is not None for step in list(history.steps)) and bool(history.steps[-1].state)


def linked(one) -> list[str]:
    """The checksums of files that records have for certain."""
    return [history.steps[-1].state for actor in of(one, AssetWriter)
            for history in list(actor.histories.values()) if is_certain(history)]


def groups(one) -> list[str]:
    """The names of groups that are there for certain."""
    return [f"{actor.name}-{index}" for actor in of(one, BatchWriter)
            for index, (_, history) in enumerate(list(actor.groups)) if is_certain(history)]


def bundles(one) -> list[str]:
    """Of each thing of certain batches one record that others need: a leaf, or the last member of a family."""
    kind = batches.MixedBatchWriter if one.options.forge == "mixed" else batches.FamilyWriter
    states = [(name, history.steps[-1].state) for actor in of(one, kind)
              for name, history in list(actor.histories.items()) if is_certain(history)]
    return [f"{name}-leaf{state}" if isinstance(state, int) else f"{name}-{state[0]}-{state[1] - 1}"
            for name, state in states]


def seen(one) -> list[str]:
    """Records that somebody has read and nobody has deleted since."""
    histories = {name: history for actor in of(one, RecordWriter) for name, history in list(actor.histories.items())}
    return [name for actor in of(one, Reader) for name in list(actor.seen)
            if all(step.state is not GONE for step in histories[name].steps[1:])]


def deletions_seen(one) -> list[str]:
    """Records of which somebody has read that they are gone."""
    return [name for actor in of(one, Reader) for name in list(actor.gone)]


def strike(one) -> None:
    """The server dies in the middle of the work, as by a defect of its own."""
    if one.options.forge == "die":
        one.servers[-1].child.send_signal(signal.SIGSEGV)
        time.sleep(0.2)


def forge(one) -> None:
    match one.options.forge:
        case "record":
            remove_record(one)
        case "index":
            remove_index_row(one)
        case "batch":
            delete(one, f"/records/Part/{groups(one)[0]}-0")
        case "mixed" | "family":
            delete(one, f"/records/{batches.TYPE}/{bundles(one)[0]}")
        case "unbuilt":
            forget_build(one)
        case "seen":
            delete(one, f"/records/Item/{seen(one)[0]}")
        case "deletion":
            undo_deletion(one)
        case "undone":
            tell_of_another(one)
        case "file":
            file_of(one, linked(one)[0]).unlink()
        case "bytes":
            change_bytes(file_of(one, linked(one)[0]))
        case "die":
            pass
        case forgery:
            change(one, *CHANGES[forgery])


def undo_deletion(one) -> None:
    """A record is there again that a reader had seen gone, as if its deletion had never been."""
    server = one.serve()
    body = {"fields": {"version": 1, "text": "again"}}
    server.client(server.admin).call("PUT", f"/records/Item/{deletions_seen(one)[0]}", body, expect=(201,))
    server.stop()


def forget_first_commits(log: Path, found: Checkpoints, told: list[int]) -> list[int]:
    """Of each log that began anew the first commits were told before they were synced: their syncs succeeded later.
    Returns the last moments at which that shows."""
    for restart, answers in zip(found.restarts, found.answers(told)):
        for start in found.all_syncs:
            if answers and restart <= start < answers[-1]:
                with open(log, "r+b") as file:
                    file.seek(start)
                    file.write(bytes([Kind.SYNCING]))
    return [answers[-1] for answers in found.answers(told) if answers]


def tell_of_another(one) -> None:
    """A feed told of a state that is not there now, and tells of no other."""
    follower = next(actor for actor in of(one, Follower) if actor.pages)
    follower.pages[-1][2].append((seen(one)[0], "never"))


def file_of(one, checksum: str) -> Path:
    digest = base64.b64decode(checksum).hex()
    return next(file for file in one.disk.rglob(f"assets/{digest[:2]}/{digest[2:]}*"))


def change_bytes(file: Path) -> None:
    """Of the same length."""
    body = bytearray(file.read_bytes())
    body[-1] ^= 1
    file.write_bytes(body)


def delete(one, path: str) -> None:
    server = one.serve()
    server.client(server.admin).call("DELETE", path, expect=(204,))
    server.stop()


def change(one, file: str, statements: str) -> None:
    """Ends a server in peace, so that the log of the file is empty, and changes the file."""
    server = one.serve()
    server.stop()
    database = sqlite3.connect(next(one.disk.rglob(file)))
    database.executescript(statements)
    database.close()


def forget_build(one) -> None:
    """An index is taken for ready whose build has only begun."""
    server = one.serve()
    server.client(server.admin).call("POST", f"/schema/types/{shelf.TYPE}/indexes", {"fields": ["-word", "-number"]},
                                     expect=(200, 201))
    server.kill()
    database = sqlite3.connect(next(one.disk.rglob("records.sqlite")))
    with database:
        database.execute("UPDATE index_definition SET state = 0 WHERE state = 1")
    database.close()


def remove_record(one) -> None:
    """Deletes a record that somebody was told of."""
    names = [name for actor in one.actors if isinstance(actor, RecordWriter)
             for name, history in actor.histories.items()
             if all(step.answered is not None for step in history.steps) and history.steps[-1].state is not GONE]
    delete(one, f"/records/Item/{names[0]}")


def remove_index_row(one) -> None:
    """Takes one row out of an index of a field, as a bug of the server would."""
    server = one.serve()
    server.client(server.sign_up()).call("GET", "/query/Item?sort=-version")
    server.stop()
    database = sqlite3.connect(next(one.disk.rglob("records.sqlite")))
    tables = [row[0] for row in database.execute("SELECT name FROM sqlite_master WHERE name GLOB 'index_[0-9]*'")]
    for table in tables:
        with database:
            gone = database.execute(f"DELETE FROM {table} WHERE record = (SELECT max(record) FROM {table})").rowcount
        if gone:
            break
    database.close()
