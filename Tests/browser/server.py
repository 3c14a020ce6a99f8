"""A server with a data directory of its own, and a client that bypasses the browser."""
import json
import tempfile
from pathlib import Path

from Tests.harness import server as harness
from Tests.harness.client import message, values
from Tests.harness.errors import Problem

TOKEN = "fogadm_browser_0123456789abcdefghijklmnop"
MORE_THAN_INLINE = 5_200  # records
# As an operator would run it: without the settings of the load suites.
SETTINGS = {**dict.fromkeys(harness.ENVIRONMENT, ""), "FOGBASE_ADMIN_TOKEN": TOKEN}


class Server(harness.Server):
    """Runs `program` with the pages in `public`; its data is deleted at the end of the `with` block."""

    def __init__(self, program, public, *options):
        self.directory = tempfile.TemporaryDirectory(prefix="fogbase-browser-")
        super().__init__(program, Path(self.directory.name) / "data", SETTINGS,
                         arguments=["--public", public, *options])
        self.admin, self.address = TOKEN, f"http://127.0.0.1:{self.port}"

    def __exit__(self, *_):
        super().__exit__()
        self.directory.cleanup()

    def restart(self):
        """Stops the server and starts it at the same address with the same data."""
        self.stop()
        self.start()

    def call(self, method, path, body=None, token=TOKEN):
        """One request; returns the status and the parsed body."""
        response = self.client().send(message(method, path, token, body))
        return response.status, json.loads(response.body) if response.body else None

    def create(self, type_name, record_name, /, scope="", **fields):
        body = {"recordName": record_name, "fields": fields}
        status, response = self.call("POST", f"/records/{type_name}{scope}", body)
        if status != 201:
            raise Problem(f"the record {record_name} was rejected: {response}")
        return response

    def fill(self, type_name, **fields):
        """Creates so many records that indexes of the type are built in the background: one that fails stays then,
        while an index that fails at once is rejected. `fields` has functions from numbers to values."""
        for start in range(0, MORE_THAN_INLINE, 200):
            self.client(TOKEN).batch([
                {"operationType": "create", "record": {
                    "recordType": type_name, "recordName": f"filler-{number}",
                    "fields": {name: {"value": value(number)} for name, value in fields.items()}}}
                for number in range(start, start + 200)])

    def upload(self, content, media_type, name):
        """Uploads a file as the administrator, and returns the address that reads it."""
        response = self.client(TOKEN).call("POST", f"/assets?filename={name}", content, (201,),
                                         (f"Content-Type: {media_type}",))
        return self.address + response.json()["asset"]["downloadURL"]

    def fields(self, type_name, name):
        """The values of a record by name, without their types."""
        return values(self.call("GET", f"/records/{type_name}/{name}")[1])
