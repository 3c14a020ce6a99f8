"""For tests of this suite: takes something away behind the server's back."""
import sqlite3

import paths  # noqa: F401
from actors import GONE
from writers import RecordWriter


def forge(one) -> None:
    if one.options.forge == "record":
        remove_record(one)
    else:
        remove_index_row(one)


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
