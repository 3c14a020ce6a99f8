"""A server with a data folder of its own, and a second client that speaks to it past the browser."""

import json
import os
import queue
import re
import subprocess
import tempfile
import threading
import urllib.error
import urllib.parse
import urllib.request

TOKEN = "fogadm_browser_0123456789abcdefghijklmnop"


class Server:
    """Starts `program` on a free port; ends it, and forgets its data, at the end of the `with`."""

    def __init__(self, program, public, *options):
        self.program, self.public, self.options = program, public, options

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="fogbase-browser-")
        self._start("0")
        return self

    def restart(self):
        """Ends the server and starts it again at the same address with the same data."""
        self._end()
        self._start(self.address.rsplit(":", 1)[1])

    def _start(self, port):
        environment = {key: value for key, value in os.environ.items() if not key.startswith("FOGBASE_")}
        self.process = subprocess.Popen(
            [self.program, "serve", "--port", port, "--data", self.folder.name + "/data", "--public", self.public,
             *self.options],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            env={**environment, "FOGBASE_ADMIN_TOKEN": TOKEN})
        addresses = queue.Queue()
        threading.Thread(target=self._read, args=(addresses,), daemon=True).start()
        try:
            self.address = addresses.get(timeout=30)
            if self.address is None:
                raise RuntimeError("the server ended before it listened")
        except BaseException:
            self.__exit__()
            raise

    def __exit__(self, *_):
        self._end()
        self.folder.cleanup()

    def _end(self):
        self.process.terminate()
        try:
            self.process.wait(timeout=15)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def _read(self, addresses):
        for line in self.process.stdout:
            found = re.search(r"listening on (http://\S+)", line)
            if found:
                addresses.put(found.group(1))
        addresses.put(None)

    def call(self, method, path, body=None, token=TOKEN):
        """One request; answers the status and the body. The integers of Python are exact."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.address + path, data, method=method, headers={
            "Authorization": "Bearer " + token, "Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                status, text = answer.status, answer.read()
        except urllib.error.HTTPError as refusal:
            status, text = refusal.code, refusal.read()
        return status, json.loads(text) if text else None

    def create(self, type_name, record_name, /, scope="", **fields):
        content = {"recordName": record_name, "fields": fields}
        status, answer = self.call("POST", f"/records/{type_name}{scope}", content)
        if status != 201:
            raise RuntimeError(f"the record {record_name} was refused: {answer}")
        return answer

    def upload(self, content, media_type, name):
        """Uploads a file as the administrator, and returns the address that reads it."""
        request = urllib.request.Request(f"{self.address}/assets?filename={name}", content, headers={
            "Authorization": "Bearer " + TOKEN, "Content-Type": media_type})
        with urllib.request.urlopen(request, timeout=30) as answer:
            return urllib.parse.urljoin(self.address, json.load(answer)["asset"]["downloadURL"])

    def fields(self, type_name, name):
        """The values of a record by name, without their types."""
        answer = self.call("GET", f"/records/{type_name}/{name}")[1]
        return {field: content["value"] for field, content in answer["fields"].items()}
