"""For tests of this suite: takes something away behind the server's back."""
import sqlite3

import paths  # noqa: F401
from actors import GONE
from rights import KeyKeeper
from sessions import AdministratorKeeper, UserKeeper
from writers import RecordWriter


# What brings back what was taken, or takes what was given: the file, and SQL.
CHANGES = {
    "key": ("records.sqlite", "UPDATE api_key SET revoked = NULL"),
    "session": ("server.sqlite", "DELETE FROM administrator_session"),
    "password": ("records.sqlite",
                 "UPDATE account SET password = substr(password, 1, length(password) - 8) || 'AAAAAAAA'"),
    "log": ("server.sqlite", "UPDATE audit_retention SET before = 1 << 60; DELETE FROM audit WHERE id % 2 = 0"),
}
KINDS = ("record", "index", *CHANGES)


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
    return True


def forge(one) -> None:
    if one.options.forge == "record":
        remove_record(one)
    elif one.options.forge == "index":
        remove_index_row(one)
    else:
        change(one, *CHANGES[one.options.forge])


def change(one, file: str, statements: str) -> None:
    """Ends a server in peace, so that the log of the file is empty, and changes the file."""
    server = one.serve()
    server.stop()
    database = sqlite3.connect(next(one.disk.rglob(file)))
    database.executescript(statements)
    database.close()


def remove_record(one) -> None:
    """Deletes a record that somebody was told of."""
    names = [name for actor in one.actors if isinstance(actor, RecordWriter)
             for name, history in actor.histories.items()
             if all(step.answered is not None for step in history.steps) and history.steps[-1].state is not GONE]
    server = one.serve()
    client = server.client(server.admin)
    client.call("DELETE", f"/records/Item/{names[0]}", expect=(204,))
    server.stop()


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
