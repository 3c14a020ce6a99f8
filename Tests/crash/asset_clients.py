"""The clients that upload files, whole or in parts, write them into records, and remove them again."""
import base64
import hashlib
import http.client
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from random import Random

from Tests.crash.client import ABSENT, RecoveredState, Worker, short
from Tests.harness.client import Response, Client, UnexpectedStatus, message, values
from Tests.harness.errors import Problem
from Tests.powercut.disk_model import Disk, Directory

TYPE = "File"
TUS = ("Tus-Resumable: 1.0.0",)


class UploadExpired(Exception):
    """A resumable upload expired while it was sent, as it may with a short grace time."""


@dataclass
class Upload:
    """A file that the server acknowledged."""
    sent: int
    answered: int
    at: float  # in seconds, before it was sent: the token's grace time begins somewhere before the response
    asset: dict
    token: str
    used: int | None = None  # when it was first sent in a record

    @property
    def checksum(self) -> str:
        return self.asset["fileChecksum"]


class SharedContents:
    """Contents that more than one client uploads."""

    def __init__(self, random: Random):
        self.contents = [content(random, random.choice([1_000, 60_000, 800_000]), None) for _ in range(6)]
        self.checksums = {checksum_of(one) for one in self.contents}


def content(random: Random, size: int, first: int | None) -> bytes:
    """Random bytes; small ones with a SHA-256 that begins with the byte `first`.

    The server keeps files in a directory per first byte. Simultaneous uploads for one directory find it half made.
    """
    while True:
        found = random.randbytes(size)
        if first is None or size > 5_000 or hashlib.sha256(found).digest()[0] == first:
            return found


def checksum_of(body: bytes) -> str:
    return base64.b64encode(hashlib.sha256(body).digest()).decode()


class AssetWriter(Worker):
    """Uploads files, links them to records, replaces them and removes them."""

    def __init__(self, shared: SharedContents | None, grace: float | None, *arguments):
        super().__init__(*arguments)
        self.shared, self.grace = shared, grace  # `grace` only where upload tokens expire within the round
        self.uploads: list[Upload] = []
        self.multipart = self.random.random() < 0.3

    def act(self) -> None:
        existing = self.known(is_present=True)
        free = [one for one in self.uploads[-30:] if one.used is None]
        choice = self.random.random()
        if not free or choice < 0.5:
            self.upload()
        elif not existing or choice < 0.72:
            self.link(self.new(), self.random.choice(free))
        elif choice < 0.86:
            self.link(self.random.choice(existing), self.random.choice(free))
        elif choice < 0.93:
            name = self.random.choice(existing)
            self.write(name, "", "PATCH", f"/records/{TYPE}/{name}", {"fields": {"file": None}})
        else:
            name = self.random.choice(existing)
            self.write(name, ABSENT, "DELETE", f"/records/{TYPE}/{name}", expect=(204,))

    def upload(self) -> None:
        if self.random.random() < 0.25:
            body = self.random.choice(self.shared.contents)
        else:
            size = self.random.choice([1_000, 1_024, 4_000, 70_000, 400_000, 3_000_000])
            body = content(self.random, size, int(time.time() * 15) % 256)
        sent, at = self.clock.now(), time.monotonic()
        try:
            asset = self.send_parts(body) if self.multipart else self.send_raw(body)
        except UploadExpired:
            return
        if (asset["fileChecksum"], asset["size"]) != (checksum := checksum_of(body), len(body)):
            raise Problem(f"an upload of {checksum} became {short(asset)}")
        self.uploads.append(Upload(sent, self.clock.now(), at, asset, self.client.token))

    def send_raw(self, body: bytes) -> dict:
        return self.post(body, "application/octet-stream")["asset"]

    def send_parts(self, body: bytes) -> dict:
        head = (b"--limit\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.bin\"\r\n"
                b"Content-Type: application/octet-stream\r\n\r\n")
        return self.post(head + body + b"\r\n--limit--\r\n", "multipart/form-data; boundary=limit")["assets"][0]

    def post(self, body: bytes, media_type: str) -> dict:
        return self.call("POST", "/assets", body, (201,), (f"Content-Type: {media_type}",)).json()

    def link(self, name: str, upload: Upload) -> None:
        history = self.histories[name]
        value = upload.asset if self.random.random() < 0.5 else {
            key: upload.asset[key] for key in ("fileChecksum", "size", "receipt")}
        step = self.begin(history, upload.checksum)
        upload.used = step.sent
        response = self.call("PUT", f"/records/{TYPE}/{name}", {"fields": {"file": value}}, expect=(200, 201, 400))
        self.acknowledge(step)
        if response.status == 400:
            # The upload token has expired; nothing has changed.
            step.state = history.steps[-2].state
            has_expired = self.grace is not None and time.monotonic() - upload.at >= self.grace - 0.5
            if not has_expired and not self.may_be_collected(upload):
                raise Problem(f"an upload token was rejected: {response.body[:300].decode(errors='replace')}")

    def may_be_collected(self, upload: Upload) -> bool:
        """Whether a full disk excuses that the upload is gone. Identical uploads of one account are one upload, which
        another client may have used in a record. When that record loses the file, a full disk deletes it at once."""
        return 507 in self.tolerated and upload.checksum in self.shared.checksums

    def violations(self, cut: int, recovered: RecoveredState):
        for name, history in self.histories.items():
            found, allowed = recovered.fields(name), history.allowed(cut)
            checksum = ABSENT if found is ABSENT else found["file"]["fileChecksum"] if "file" in found else ""
            if checksum not in allowed:
                yield f"{name} has the file {checksum!r}, must be one of {allowed}"
            elif checksum:
                yield from examine(recovered.client, name, checksum)
        if self.grace is None:
            yield from self.link_unused(cut, recovered)

    def link_unused(self, cut: int, recovered: RecoveredState):
        """Uploads that were acknowledged and not linked: their tokens must still be valid."""
        left = [one for one in self.uploads if one.answered <= cut and (one.used is None or one.used >= cut)][-12:]
        for number, upload in enumerate(left):
            client, name = Client(recovered.client.port, upload.token), f"late-{self.name}-{number}"
            response = client.call("PUT", f"/records/{TYPE}/{name}", {"fields": {"file": upload.asset}},
                                   expect=(201, 400, 401, 403, 404, 500, 503))
            if response.status == 400 and self.may_be_collected(upload):
                continue
            if response.status != 201:
                yield (f"the acknowledged upload {upload.checksum} of {upload.asset['size']} bytes cannot be linked: "
                       f"{response.status} {response.body[:200].decode(errors='replace')}")
            else:
                yield from examine(client, name, upload.checksum)
            client.close()

    def promises(self) -> Iterator[tuple[int, Callable[[Disk], bool]]]:
        """When the server acknowledged a file, and whether a disk would keep it for certain."""
        for upload in self.uploads:
            yield upload.answered, partial(is_safe, upload=upload)


@dataclass
class Resumable:
    """A resumable upload: `offsets` are (when it was acknowledged, the offset), `sent` is (when, up to where)."""
    path: str
    body: bytes
    token: str
    offsets: list[tuple[int, int]]
    sent: list[tuple[int, int]] = field(default_factory=list)
    is_done: bool = False

    def promises(self) -> Iterator[tuple[int, Callable[[Disk], bool]]]:
        """When an offset was acknowledged, and whether a disk would keep so many bytes for certain. The whole file is
        the promise of its `Upload`."""
        for when, offset in self.offsets:
            if 0 < offset < len(self.body):
                yield when, partial(self.is_safe, offset)

    def is_safe(self, offset: int, disk: Disk) -> bool:
        name = self.path.split("/")[-1]
        return any(len(node.durable) >= offset for path, node in durable_files(disk.root)
                   if path[-2:] == ("uploads", name))


def send_tus(client: Client, method: str, path: str, token: str, body: bytes | None = None, *headers: str) -> Response:
    """A request of the tus protocol."""
    return client.send(message(method, path, token, body, (*TUS, *headers)))


def send_part(client: Client, path: str, token: str, offset: int, part: bytes) -> Response:
    return send_tus(client, "PATCH", path, token, part, f"Upload-Offset: {offset}",
                    "Content-Type: application/offset+octet-stream")


class TusWriter(AssetWriter):
    """Uploads in parts that can be resumed (tus 1.0.0)."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.multipart = False
        self.resumables: list[Resumable] = []

    def send_raw(self, body: bytes) -> dict:
        response = self.call("POST", "/assets/uploads", None, (201,), (*TUS, f"Upload-Length: {len(body)}"))
        one = Resumable(response.headers["Location"], body, self.client.token, [(self.clock.now(), 0)])
        self.resumables.append(one)
        part = max(1, len(body) // self.random.choice([1, 2, 3]))
        for start in range(0, len(body), part):
            self.send_part(one, start, body[start:start + part])
        response = self.call("GET", one.path, expect=(200,) if self.grace is None else (200, 404, 410))
        if response.status != 200:
            raise UploadExpired
        return response.json()["asset"]

    def send_part(self, one: Resumable, start: int, part: bytes) -> None:
        one.sent.append((self.clock.now(), start + len(part)))
        response = send_part(self.client, one.path, one.token, start, part)
        if response.status in (404, 410) and self.grace is not None:
            raise UploadExpired
        if response.status != 204:
            raise UnexpectedStatus(f"PATCH {one.path}", response, (204,))
        one.offsets.append((self.clock.now(), start + len(part)))
        one.is_done = start + len(part) == len(one.body)

    def promises(self):
        yield from super().promises()
        for one in self.resumables:
            yield from one.promises()

    def violations(self, cut: int, recovered: RecoveredState):
        if self.grace is None:
            for one in [one for one in self.resumables if not one.is_done or one.offsets[-1][0] > cut][-5:]:
                yield from self.resume(one, cut, recovered)
        yield from super().violations(cut, recovered)

    def resume(self, one: Resumable, cut: int, recovered: RecoveredState):
        """An unfinished upload: its acknowledged offsets are on disk, and it can be resumed."""
        known = [offset for when, offset in one.offsets if when <= cut]
        if not known:
            return
        client = Client(recovered.client.port, one.token)
        response = send_tus(client, "HEAD", one.path, one.token)
        if response.status != 200:
            yield f"the acknowledged upload {one.path} is gone: {response.status}"
            return
        offset = int(response.headers["Upload-Offset"])
        sent = max([end for when, end in one.sent if when <= cut], default=0)
        if not max(known) <= offset <= max(sent, max(known)):
            yield f"the upload {one.path} is at {offset}; {max(known)} was acknowledged, {sent} sent"
            return
        if offset < len(one.body):
            response = send_part(client, one.path, one.token, offset, one.body[offset:])
        found = client.call("GET", one.path).json().get("asset", {}).get("fileChecksum")
        if found != checksum_of(one.body):
            yield f"the upload {one.path}, resumed from {offset}, has the hash {found} ({response.status})"
        client.close()


def examine(client: Client, name: str, checksum: str):
    """Whether a record's field returns the bytes that it names."""
    try:
        response = client.call("GET", f"/records/{TYPE}/{name}/file", expect=(200, 404, 410, 500, 503))
    except (OSError, http.client.HTTPException) as error:
        yield f"the file of {name} cannot be read: {type(error).__name__}: {error}"
        return
    if response.status != 200:
        yield f"the file of {name} ({checksum}) is gone: {response.status}"
    elif (found := checksum_of(response.body)) != checksum:
        yield f"the file of {name} has the hash {found}, must be {checksum}; {len(response.body)} bytes"


def durable_files(directory: Directory, path: tuple[str, ...] = ()):
    """The files that a power cut would leave for certain, with their paths."""
    for name, node in directory.durable.items():
        if isinstance(node, Directory):
            yield from durable_files(node, (*path, name))
        else:
            yield (*path, name), node


def is_safe(disk: Disk, upload: Upload) -> bool:
    """Whether a power cut at this moment would leave the file of an upload for certain."""
    digest = base64.b64decode(upload.checksum).hex()
    return any(path[-2:-1] == (digest[:2],) and path[-1].startswith(digest[2:])
               and hashlib.sha256(node.durable).hexdigest() == digest for path, node in durable_files(disk.root))


def unreferenced_files(data: Path, linked: set[str]) -> list[str]:
    """Files below `assets/` that no record refers to, after the grace time."""
    found = []
    for one in sorted(data.rglob("assets/*/*")):
        directory = one.parent.name
        if directory == "uploads":
            found.append(f"{one.name} is left in uploads")
        elif len(directory) == 2:
            digest = directory + one.name.split(".")[0]
            if base64.b64encode(bytes.fromhex(digest)).decode() not in linked:
                found.append(f"the file {directory}/{one.name} is left, and no record refers to it")
    return found


def linked_files(recovered: RecoveredState) -> set[str]:
    return {values(record)["file"]["fileChecksum"] for record in recovered.records.values()
            if record["recordType"] == TYPE and "file" in record["fields"]}
