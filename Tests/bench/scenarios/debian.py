"""A real data set: the Debian package index is written in batches, and the change feed must return all of it."""
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random

from Tests.bench.context import Context, Scenario
from Tests.bench.report import Row
from Tests.harness.client import Client, quoted
from Tests.harness.errors import Problem

STATUS = Path("/var/lib/dpkg/status")


def debian(context: Context) -> Iterator[Row]:
    source, packages = load_packages()
    if context.options.quick:
        packages = dict(list(packages.items())[:3000])
    names = list(packages)
    notes = [f"{len(names):,} packages from {source}"]
    with context.server() as server:
        client = server.client(server.sign_up())
        limits = client.call("GET", "/limits").json()
        size = min(200, int(limits.get("batchOperations", 200)))

        rate = _rate(lambda: _import(client, packages, size))
        yield Row("debian-import", rate, "records/s", rate=rate, rss_mb=server.rss_anon(), notes=notes)

        sample = Random(2).sample(names, min(2000, len(names)))
        rate = _rate(lambda: _read(client, packages, sample))
        yield Row("debian-read", rate, "records/s", rate=rate, notes=["one connection, one record per request"])

        rate = _rate(lambda: _list(client, packages))
        yield Row("debian-list", rate, "records/s", rate=rate, notes=["pages of 1,000 by cursor, each record once"])

        patched = sample[:500]
        rate = _rate(lambda: _patch(client, packages, patched))
        yield Row("debian-patch", rate, "records/s", rate=rate, notes=["one connection, every write synced"])

        deleted = sample[500:550]
        for name in deleted:
            client.call("DELETE", f"/records/Package/{quoted(name)}", expect=(204,))
            del packages[name]

        feed: dict[str, dict | None] = {}
        rate = _rate(lambda: _follow(client, feed))
        wrong = [name for name in packages if feed.get(name) != packages[name]]
        ghosts = [name for name, fields in feed.items() if fields is not None and name not in packages]
        kept = [name for name in deleted if feed.get(name) is not None]
        faults = [f"{len(group)} packages {what}, such as {group[0]}" for group, what in
                  ((wrong, "differ from what was imported"), (ghosts, "were never imported"),
                   (kept, "were deleted but still appear")) if group]
        yield Row("debian-feed", rate, "changes/s", rate=rate, rss_mb=server.rss_anon(), errors=len(faults),
                  notes=faults or [f"the feed's final state equals what was imported, with {len(patched)} changed and "
                                   f"{len(deleted)} deleted"])


def load_packages() -> tuple[str, dict[str, dict]]:
    """The source's name, and the fields of each package as they will come back, by package name."""
    if shutil.which("apt-cache"):
        done = subprocess.run(["apt-cache", "dumpavail"], capture_output=True)
        found = _parse(done.stdout.decode(errors="replace"))
        if len(found) > 1000:
            return "apt-cache dumpavail", found
    if STATUS.exists():
        print(f"apt-cache has no package index here (apt-get update fetches one), so {STATUS} is used.", flush=True)
        return str(STATUS), _parse(STATUS.read_text(errors="replace"))
    raise Problem("neither apt-cache nor /var/lib/dpkg/status has any package here.")


def _parse(text: str) -> dict[str, dict]:
    packages: dict[str, dict] = {}
    for paragraph in text.split("\n\n"):
        values: dict[str, str] = {}
        key = None
        for line in paragraph.split("\n"):
            if line[:1] in (" ", "\t"):
                if key:
                    values[key] += "\n" + line[1:]
            elif ":" in line:
                key, _, value = line.partition(":")
                values[key] = value.strip()
        name = values.get("Package")
        # Another architecture or version of a package that is there already is left out: the name is the record's.
        if not name or name in packages:
            continue
        fields = {key.lower(): values[key] for key in ("Package", "Version", "Section", "Maintainer", "Description")
                  if values.get(key)}
        if values.get("Installed-Size", "").isdigit():
            fields["installedSize"] = int(values["Installed-Size"])
        if values.get("Depends"):
            fields["dependencies"] = [one.strip() for one in values["Depends"].split(",")]
        packages[name] = fields
    return packages


def _rate(work) -> float:
    """Runs `work`, which returns how many things it did, and returns how many it did per second."""
    began = time.monotonic()
    count = work()
    return count / max(1e-9, time.monotonic() - began)


def _import(client: Client, packages: dict[str, dict], size: int) -> int:
    names = list(packages)
    for start in range(0, len(names), size):
        client.batch([{"operationType": "create", "record": {"recordType": "Package", "recordName": name,
                                                             "fields": packages[name]}}
                      for name in names[start:start + size]])
    return len(names)


def _read(client: Client, packages: dict[str, dict], names: list[str]) -> int:
    for name in names:
        _compare(client.call("GET", f"/records/Package/{quoted(name)}").json(), packages)
    return len(names)


def _list(client: Client, packages: dict[str, dict]) -> int:
    seen, cursor = set(), ""
    while True:
        follow = f"&cursor={quoted(cursor)}" if cursor else ""
        page = client.call("GET", "/records/Package?limit=1000" + follow).json()
        for record in page["records"]:
            if record["recordName"] in seen:
                raise Problem(f"{record['recordName']} is listed twice.")
            seen.add(record["recordName"])
            _compare(record, packages)
        cursor = page.get("cursor")
        if not cursor:
            break
    if seen != set(packages):
        raise Problem(f"the pages list {len(seen)} packages of {len(packages)}.")
    return len(seen)


def _patch(client: Client, packages: dict[str, dict], names: list[str]) -> int:
    for name in names:
        packages[name]["section"] = "bench/" + packages[name].get("section", "none")
        body = {"fields": {"section": packages[name]["section"]}}
        _compare(client.call("PATCH", f"/records/Package/{quoted(name)}", body).json(), packages)
    return len(names)


def _follow(client: Client, feed: dict[str, dict | None]) -> int:
    """Reads the feed to its end into `feed`: name to fields, `None` for a deleted record."""
    count, token = 0, ""
    while True:
        page = client.call("GET", "/changes?limit=1000" + (f"&since={quoted(token)}" if token else "")).json()
        for change in page["changes"]:
            count += 1
            if change.get("recordType") == "Package":
                feed[change["recordName"]] = None if change.get("deleted") else _values(change)
        token = page["token"]
        if not page["moreComing"]:
            return count


def _values(record: dict) -> dict:
    return {name: field["value"] for name, field in record["fields"].items()}


def _compare(record: dict, packages: dict[str, dict]) -> None:
    name = record["recordName"]
    if name not in packages or _values(record) != packages[name]:
        raise Problem(f"the package {name} came back as {_values(record)}, not as {packages.get(name)}.")


SCENARIOS = [Scenario("debian", "the Debian package index: import, read, list, change, follow the feed", debian)]
