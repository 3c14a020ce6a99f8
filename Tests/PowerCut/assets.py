"""The clients that upload files, write them into records, and take them out again."""
import base64
import hashlib
import http.client
import time
from dataclasses import dataclass

from actors import GONE, Actor, History, Survivor, short, unexpected, values
from survivors import Disk, Folder
from watched import Problem
from client import Client

TYPE = "File"


class NoForms(Exception):
    """The server takes no multipart/form-data, or the upload has come to nothing in another way that is right."""


@dataclass
class Upload:
    """A file that the server said it has."""
    sent: int
    answered: int
    at: float  # in seconds, before it was sent: the receipt's time begins somewhere before the answer
    asset: dict
    token: str
    used: int | None = None  # when it was first sent in a record

    @property
    def checksum(self) -> str:
        return self.asset["fileChecksum"]


class Wardrobe:
    """What several clients have in common: contents that more than one of them uploads."""

    def __init__(self, random):
        self.contents = [content(random, random.choice([1_000, 60_000, 800_000]), None) for _ in range(6)]


def content(random, size: int, first: int | None) -> bytes:
    """Random bytes; small ones with a SHA-256 that begins with the byte `first`.

    The server keeps files in a folder per first byte. Those for one folder that come at one time find it half made.
    """
    while True:
        found = random.randbytes(size)
        if first is None or size > 5_000 or hashlib.sha256(found).digest()[0] == first:
            return found


class AssetWriter(Actor):
    """Uploads, links, exchanges and lets go of files."""

    def __init__(self, wardrobe: Wardrobe, grace: float | None, *arguments):
        super().__init__(*arguments)
        self.wardrobe, self.grace = wardrobe, grace  # `grace` only where receipts end within the round
        self.uploads: list[Upload] = []
        self.histories: dict[str, History] = {}
        self.multipart = self.random.random() < 0.3

    def act(self) -> None:
        living = [name for name, one in self.histories.items()
                  if one.steps[-1].state is not GONE and not one.is_closed]
        free = [one for one in self.uploads[-30:] if one.used is None]
        choice = self.random.random()
        if not free or choice < 0.5:
            self.upload()
        elif not living or choice < 0.72:
            self.link(f"{self.name}-{len(self.histories)}", self.random.choice(free))
        elif choice < 0.86:
            self.link(self.random.choice(living), self.random.choice(free))
        elif choice < 0.93:
            self.unlink(self.random.choice(living))
        else:
            self.delete(self.random.choice(living))

    # Uploads

    def upload(self) -> None:
        if self.random.random() < 0.25:
            body = self.random.choice(self.wardrobe.contents)
        else:
            size = self.random.choice([1_000, 1_024, 4_000, 70_000, 400_000, 3_000_000])
            body = content(self.random, size, int(time.time() * 15) % 256)
        checksum = base64.b64encode(hashlib.sha256(body).digest()).decode()
        sent, at = self.clock.now(), time.monotonic()
        try:
            asset = self.send_parts(body) if self.multipart else self.send_raw(body)
        except NoForms:
            self.multipart = False
            return
        if (asset["fileChecksum"], asset["size"]) != (checksum, len(body)):
            raise Problem(f"an upload of {checksum} is told to be {short(asset)}")
        self.uploads.append(Upload(sent, self.clock.now(), at, asset, self.client.token))

    def send_raw(self, body: bytes) -> dict:
        return self.post(body, "application/octet-stream")["asset"]

    def send_parts(self, body: bytes) -> dict:
        head = (b"--limit\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.bin\"\r\n"
                b"Content-Type: application/octet-stream\r\n\r\n")
        return self.post(head + body + b"\r\n--limit--\r\n", "multipart/form-data; boundary=limit")["assets"][0]

    def post(self, body: bytes, media_type: str) -> dict:
        head = (f"POST /assets HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {self.client.token}\r\n"
                f"Content-Type: {media_type}\r\nContent-Length: {len(body)}\r\n\r\n")
        answer = self.client.send(head.encode() + body)
        if answer.status == 406 and self.multipart:
            raise NoForms
        if answer.status != 201:
            raise unexpected("POST /assets", answer, (201,))
        return answer.json()

    # Records

    def link(self, name: str, upload: Upload) -> None:
        known = name in self.histories
        history = self.histories.setdefault(name, History())
        value = upload.asset if self.random.random() < 0.5 else {
            key: upload.asset[key] for key in ("fileChecksum", "size", "receipt")}
        step = self.begin(history, upload.checksum)
        upload.used = step.sent
        answer = self.call("PUT", f"/records/{TYPE}/{name}", {"fields": {"file": value}}, expect=(200, 201, 400))
        step.answered = self.clock.now()
        if answer.status == 400:
            # A receipt that has ended; nothing has changed.
            step.state = history.steps[-2].state
            if self.grace is None or time.monotonic() - upload.at < self.grace - 0.5:
                raise Problem(f"a receipt was refused: {answer.body[:300].decode(errors='replace')}")
            if not known:
                del self.histories[name]

    def unlink(self, name: str) -> None:
        step = self.begin(self.histories[name], "")
        self.call("PATCH", f"/records/{TYPE}/{name}", {"fields": {"file": None}})
        step.answered = self.clock.now()

    def delete(self, name: str) -> None:
        step = self.begin(self.histories[name], GONE)
        self.call("DELETE", f"/records/{TYPE}/{name}", expect=(204,))
        step.answered = self.clock.now()

    # Afterwards

    def complaints(self, cut: int, survivor: Survivor):
        for name, history in self.histories.items():
            found, allowed = survivor.fields(name), history.allowed(cut)
            checksum = GONE if found is GONE else found["file"]["fileChecksum"] if "file" in found else ""
            if checksum not in allowed:
                yield f"{name} has the file {checksum!r}, must be one of {allowed}"
            elif checksum:
                yield from examine(survivor.client, name, checksum)
        if self.grace is None:
            yield from self.link_what_is_left(cut, survivor)

    def link_what_is_left(self, cut: int, survivor: Survivor):
        """Uploads that were acknowledged and that no record took: their receipts are still good."""
        left = [one for one in self.uploads if one.answered <= cut and (one.used is None or one.used >= cut)][-12:]
        for number, upload in enumerate(left):
            client, name = Client(survivor.client.port, upload.token), f"late-{self.name}-{number}"
            body = {"fields": {"file": upload.asset}}
            answer = client.call("PUT", f"/records/{TYPE}/{name}", body, expect=(201, 400, 401, 403, 404, 500, 503))
            if answer.status != 201:
                yield (f"the acknowledged upload {upload.checksum} of {upload.asset['size']} bytes cannot be linked: "
                       f"{answer.status} {answer.body[:200].decode(errors='replace')}")
            else:
                yield from examine(client, name, upload.checksum)
            client.close()


def examine(client: Client, name: str, checksum: str):
    """Whether a record's field gives the bytes that it says."""
    try:
        answer = client.call("GET", f"/records/{TYPE}/{name}/file", expect=(200, 404, 410, 500, 503))
    except (OSError, http.client.HTTPException) as error:
        yield f"the file of {name} cannot be read: {type(error).__name__}: {error}"
        return
    found = base64.b64encode(hashlib.sha256(answer.body).digest()).decode()
    if answer.status != 200:
        yield f"the file of {name} ({checksum}) is gone: {answer.status}"
    elif found != checksum:
        yield f"the file of {name} has the hash {found}, must be {checksum}; {len(answer.body)} bytes"


def is_offered(client: Client) -> bool:
    """Whether the server takes files at all; an older one does not."""
    answer = client.call("GET", "/openapi.json")
    return "/assets" in answer.json()["paths"]


def is_safe(disk: Disk, upload: Upload) -> bool:
    """Whether a power cut at this moment would leave the file of an upload for certain."""
    digest = base64.b64decode(upload.checksum).hex()

    def search(folder: Folder) -> bool:
        for name, node in folder.durable.items():
            if isinstance(node, Folder):
                if (len(name) != 2 or name == digest[:2]) and search(node):
                    return True
            elif name.startswith(digest[2:]) and hashlib.sha256(node.durable).hexdigest() == digest:
                return True
        return False

    return search(disk.root)


def strays(data, linked: set[str]) -> list[str]:
    """Files below `assets/` of which no record is known, when the time of grace is over."""
    found = []
    for one in sorted(data.rglob("assets/*/*")):
        folder = one.parent.name
        if folder == "uploads":
            found.append(f"{one.name} is left in uploads")
        elif len(folder) == 2:
            digest = folder + one.name.split(".")[0]
            if base64.b64encode(bytes.fromhex(digest)).decode() not in linked:
                found.append(f"the file {folder}/{one.name} is left, and no record has it")
    return found


def linked_files(survivor: Survivor) -> set[str]:
    return {values(record)["file"]["fileChecksum"] for record in survivor.records.values()
            if record["recordType"] == TYPE and "file" in record["fields"]}
