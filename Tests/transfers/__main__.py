"""Imports and exports of many rows: complete, without doubles, with flat memory, also over kills of the server.

    python3 -m Tests.transfers                       # the release build, 100,000 rows
    python3 -m Tests.transfers --rows 1000000 --kills 5
    python3 -m Tests.transfers --plant position      # plants a fault: the run must fail

A table of goods is imported while the server is killed some times, and exported again. Then the whole container, with
accounts and files, is exported and imported into another server, which is killed too. The run fails unless

* the import has as many records as the table has good rows, each row once, with its values;
* each bad row is listed with its line, and no other;
* the export has the records of the server, once each;
* the export of the other server has the same lines as the file that it imported;
* the server's memory grows by less than 64 MB meanwhile.

It prints the rates of the import and the export, and those of batches of 200 and of pages of 1,000 on the same machine.
"""
import csv
import io
import json
import random
import shutil
import time
from pathlib import Path

from Tests.harness.arguments import make_parser, parse, run_main
from Tests.harness.client import Client
from Tests.harness.errors import Problem
from Tests.harness.server import Server

HEADER = ["number", "title", "price", "made", "note"]
MAPPING = {"recordType": "Goods", "columns": [
    {"column": "number", "field": "number", "type": "INT64"}, {"column": "title", "field": "title", "type": "STRING"},
    {"column": "price", "field": "price", "type": "DOUBLE"}, {"column": "made", "field": "made", "type": "TIMESTAMP"},
    {"column": "note", "field": "note", "type": "STRING"}]}
MEMORY = 64  # MB
LATE = 3_600  # seconds until a job must have ended


def row(number: int) -> list[str]:
    return [str(number), f"Goods {number}, the \"{number % 7}th\"", f"{number % 1_000}.25",
            f"2026-{number % 12 + 1:02}-{number % 28 + 1:02}T10:00:00Z",
            "a line\nand another" if number % 50 == 0 else ""]


def table(path: Path, rows: int, seed: int) -> list[int]:
    """Writes the table. Returns the lines of its bad rows."""
    chosen = random.Random(seed)
    bad, line = [], 2
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(HEADER)
        for number in range(rows):
            cells = row(number)
            if chosen.random() < 0.001:
                cells[2] = "much"
                bad.append(line)
            writer.writerow(cells)
            line += 1 + sum(cell.count("\n") for cell in cells)
    return bad


def upload(client: Client, content: bytes, query: str = "") -> dict:
    """Uploads a file and returns its value."""
    request = (f"POST /assets{query} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {client.token}\r\n"
               f"Content-Type: text/csv\r\nContent-Length: {len(content)}\r\n\r\n").encode() + content
    response = client.send(request)
    if response.status != 201:
        raise Problem(f"the upload was {response.status}: {response.body[:300]!r}")
    return response.json()["asset"]


class Run:
    def __init__(self, options):
        self.options = options
        self.server = Server(options.binary, options.work / "data", options.settings)
        self.memory = 0.0

    @property
    def client(self) -> Client:
        return self.server.client(self.server.admin)

    def wait(self, path: str, kills: int = 0) -> dict:
        """Waits until a job has ended, and kills the server a number of times meanwhile."""
        limit, left = time.monotonic() + LATE, kills
        client = self.client
        while time.monotonic() < limit:
            job = client.call("GET", path).json()
            self.memory = max(self.memory, self.server.rss_anon())
            if job["state"] not in ("queued", "running"):
                if left:
                    raise Problem(f"the job had ended before {left} of {kills} kills")
                return job
            if left and job["done"] >= self.options.rows * (kills - left + 1) // (kills + 2):
                self.server.kill()
                if self.options.plant == "position":
                    self.move_back(job["id"])
                self.server.start()
                client, left = self.client, left - 1
            time.sleep(0.02)
        raise Problem(f"{path} has not ended within {LATE} s")

    def move_back(self, job: str) -> None:
        """The planted fault: the position is stored too late."""
        import sqlite3
        [file] = self.server.data.rglob("records.sqlite")
        with sqlite3.connect(file) as connection:
            connection.execute("UPDATE job SET position = position / 2 WHERE name = ?", [job])
        connection.close()

    def import_table(self, path: Path, bad: list[int]) -> float:
        client = self.client
        before = self.server.rss_anon()
        body = {"file": upload(client, path.read_bytes()), "format": "table", "mapping": MAPPING}
        after = self.server.rss_anon()
        began = time.monotonic()
        job = self.wait(client.call("POST", "/imports", body, expect=(202,)).headers["Location"], self.options.kills)
        seconds = time.monotonic() - began
        good = self.options.rows - len(bad)
        if (job["state"], job["done"], job["skipped"]) != ("succeeded", good, len(bad)):
            raise Problem(f"the import is {job}, and the table has {good} good and {len(bad)} bad rows")
        found = [one["line"] for one in self.client.pages(f"/jobs/{job['id']}/rejections?limit=1000", "rejections")]
        if found != bad:
            raise Problem(f"the rejected lines are {found[:10]}…, and the bad ones {bad[:10]}…")
        if not self.options.kills and self.memory - max(before, after) > MEMORY:
            raise Problem(f"the memory grew from {before:.0f} to {self.memory:.0f} MB")
        return seconds

    def export(self, kind: str) -> tuple[bytes, float]:
        body = {"format": kind, "recordType": "Goods"}
        if kind == "table":
            body["fields"] = HEADER
        began = time.monotonic()
        job = self.wait(self.client.call("POST", "/exports", body, expect=(202,)).headers["Location"])
        seconds = time.monotonic() - began
        if job["state"] != "succeeded":
            raise Problem(f"the export is {job}")
        return self.client.call("GET", f"/jobs/{job['id']}/file").body, seconds

    def add_people(self) -> None:
        """Adds what a container has besides the goods: accounts, a role, private records and files."""
        client, members = self.client, []
        for number in range(20):
            made = client.call("POST", "/users", {"name": f"user {number}", "password": "correct horse"},
                               expect=(201,)).json()
            own = self.server.client(made["token"])
            members.append(made["user"]["userRecordName"])
            content = random.Random(number).randbytes(number * 50_000 + 1)
            own.call("PUT", "/records/Note/n?database=private",
                     {"fields": {"file": {"value": upload(own, content, "?database=private"), "type": "ASSET"}}},
                     expect=(201,))
        client.call("PUT", "/roles/all", {"members": members}, expect=(201,))

    def export_container(self) -> tuple[bytes, float]:
        began = time.monotonic()
        job = self.wait(self.client.call("POST", "/exports", {"format": "container"}, expect=(202,))
                        .headers["Location"])
        seconds = time.monotonic() - began
        if job["state"] != "succeeded":
            raise Problem(f"the export is {job}")
        return self.client.call("GET", f"/jobs/{job['id']}/file").body, seconds

    def move_container(self) -> str:
        """Moves the container to another server, and compares both. Returns the rates."""
        self.add_people()
        exported, seconds = self.export_container()
        records = exported.count(b'\n{"record"')
        self.server.kill()
        self.server = Server(self.options.binary, self.options.work / "copy", self.options.settings)
        self.server.start()
        began = time.monotonic()
        body = {"file": upload(self.client, exported), "format": "container"}
        job = self.wait(self.client.call("POST", "/imports", body, expect=(202,)).headers["Location"],
                        self.options.kills)
        importing = time.monotonic() - began
        if (job["state"], job["skipped"]) != ("succeeded", 0):
            raise Problem(f"the import of the container is {job}")
        copied, _ = self.export_container()
        # The first line has the time, and the schema gets an index on the time of creation.
        for one, other in zip(exported.split(b"\n")[1:], copied.split(b"\n")[1:], strict=True):
            if one != other and not one.startswith(b'{"schema"'):
                raise Problem(f"{one[:300]!r} became {other[:300]!r}")
        return (f"container of {len(exported) >> 20} MB: export {records / seconds:,.0f} records/s,"
                f" import {records / importing:,.0f} records/s")

    def check(self, exported: bytes, bad: int) -> None:
        """Compares an exported table with the rows of the imported one."""
        seen = set()
        reader = csv.DictReader(io.StringIO(exported.decode(), newline=""))
        for one in reader:
            number = int(one["number"])
            wanted = row(number)
            if number in seen:
                raise Problem(f"row {number} is there twice")
            seen.add(number)
            if one["title"] != wanted[1] or float(one["price"]) != float(wanted[2]) or one["note"] != wanted[4]:
                raise Problem(f"row {number} is {one}")
        if len(seen) != self.options.rows - bad:
            raise Problem(f"{len(seen)} records were exported of {self.options.rows - bad}")

    def rate_of_batches(self) -> float:
        client, count = self.client, min(self.options.rows, 40_000)
        began = time.monotonic()
        for start in range(0, count, 200):
            fields = [dict(zip(HEADER, row(number), strict=True)) for number in range(start, start + 200)]
            client.batch([{"operationType": "create", "record": {
                "recordType": "Batch", "fields": {
                    "number": int(one["number"]), "title": one["title"], "price": float(one["price"]),
                    "made": {"value": 1_796_000_000_000 + int(one["number"]), "type": "TIMESTAMP"},
                    "note": one["note"]}}} for one in fields])
        return count / (time.monotonic() - began)

    def rate_of_pages(self) -> float:
        client, count = self.client, 0
        began = time.monotonic()
        for _ in client.pages("/records/Goods?limit=1000", "records"):
            count += 1
        return count / (time.monotonic() - began)

    def run(self) -> None:
        options = self.options
        options.work.mkdir(parents=True)
        path = options.work / "goods.csv"
        bad = table(path, options.rows, options.seed)
        self.server.start()
        try:
            seconds = self.import_table(path, bad)
            rate = options.rows / seconds
            exported, seconds = self.export("table")
            self.check(exported, len(bad))
            lines, of_lines = self.export("jsonLines")
            names = [json.loads(line)["recordName"] for line in lines.splitlines()]
            if len(set(names)) != options.rows - len(bad) or len(names) != len(set(names)):
                raise Problem(f"{len(names)} lines with {len(set(names))} names were exported")
            print(f"{options.rows:,} rows, {options.kills} kills: import {rate:,.0f} rows/s"
                  f" (batches of 200: {self.rate_of_batches():,.0f}),"
                  f" export {options.rows / seconds:,.0f} rows/s as a table and {options.rows / of_lines:,.0f} as lines"
                  f" (pages of 1,000: {self.rate_of_pages():,.0f}); memory at most {self.memory:.0f} MB")
            print(self.move_container())
        finally:
            self.server.kill()


def main() -> int:
    parser = make_parser(__doc__, ".transfers")
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--kills", type=int, default=2, help="how often the server is killed during the import")
    parser.add_argument("--plant", choices=["position"], help="a fault that must be found")
    options = parse(parser)
    options.settings = {"FOGBASE_LIMITS_RATES": "off"} | options.settings
    shutil.rmtree(options.work, ignore_errors=True)
    Run(options).run()
    return 0


if __name__ == "__main__":
    run_main(main)
