"""The client that uploads in parts that can be resumed (tus), and links what it uploaded."""
import base64
import hashlib
from dataclasses import dataclass, field
from functools import partial

import paths  # noqa: F401
from actors import Survivor, unexpected
from assets import AssetWriter, NoForms
from client import Client
from survivors import Disk, Folder


@dataclass
class Resumable:
    """An upload under way: `offsets` are (when it was answered, the offset), `sent` is (when, how far)."""
    path: str
    body: bytes
    token: str
    offsets: list[tuple[int, int]]
    sent: list[tuple[int, int]] = field(default_factory=list)
    is_done: bool = False

    def promises(self):
        """When an offset was answered, and whether a disk would keep so much for certain. What became of all of it is
        another promise."""
        for when, offset in self.offsets:
            if 0 < offset < len(self.body):
                yield when, partial(self.is_safe, offset)

    def is_safe(self, offset: int, disk: Disk) -> bool:
        name = self.path.split("/")[-1]
        return any(len(node.durable) >= offset for path, node in files(disk.root) if path[-2:] == ("uploads", name))


def files(folder: Folder, place: tuple[str, ...] = ()):
    """The files that are safe, with the names on the way to them."""
    for name, node in folder.durable.items():
        if isinstance(node, Folder):
            yield from files(node, (*place, name))
        else:
            yield (*place, name), node


def request(method: str, path: str, token: str, headers: dict[str, object], body: bytes = b"") -> bytes:
    lines = [f"{method} {path} HTTP/1.1", "Host: 127.0.0.1", f"Authorization: Bearer {token}", "Tus-Resumable: 1.0.0"]
    lines += [f"{name}: {value}" for name, value in (headers | {"Content-Length": len(body)}).items()]
    return ("\r\n".join(lines) + "\r\n\r\n").encode() + body


class TusWriter(AssetWriter):
    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.multipart = False
        self.resumables: list[Resumable] = []

    def send_raw(self, body: bytes) -> dict:
        answer = self.client.send(request("POST", "/assets/uploads", self.client.token, {"Upload-Length": len(body)}))
        if answer.status != 201:
            raise unexpected("POST /assets/uploads", answer, (201,))
        one = Resumable(answer.headers["Location"], body, self.client.token, [(self.clock.now(), 0)])
        self.resumables.append(one)
        part = max(1, len(body) // self.random.choice([1, 2, 3]))
        for start in range(0, len(body), part):
            self.send_part(self.client, one, start, body[start:start + part])
        answer = self.call("GET", one.path, expect=(200,) if self.grace is None else (200, 404, 410))
        if answer.status != 200:
            raise NoForms
        return answer.json()["asset"]

    def send_part(self, client: Client, one: Resumable, start: int, part: bytes) -> None:
        one.sent.append((self.clock.now(), start + len(part)))
        headers = {"Upload-Offset": start, "Content-Type": "application/offset+octet-stream"}
        answer = client.send(request("PATCH", one.path, one.token, headers, part))
        if answer.status in (404, 410) and self.grace is not None:
            raise NoForms  # it has expired; nothing is told of it
        if answer.status != 204:
            raise unexpected(f"PATCH {one.path}", answer, (204,))
        one.offsets.append((self.clock.now(), start + len(part)))
        one.is_done = start + len(part) == len(one.body)

    def complaints(self, cut: int, survivor: Survivor):
        if self.grace is None:
            for one in [one for one in self.resumables if not one.is_done or one.offsets[-1][0] > cut][-5:]:
                yield from self.resume(one, cut, survivor)
        yield from super().complaints(cut, survivor)

    def resume(self, one: Resumable, cut: int, survivor: Survivor):
        """An upload that was broken off: its offsets that were answered are on disk, and it can be gone on with."""
        known = [offset for when, offset in one.offsets if when <= cut]
        if not known:
            return
        client = Client(survivor.client.port, one.token)
        answer = client.send(request("HEAD", one.path, one.token, {}))
        if answer.status != 200:
            yield f"the acknowledged upload {one.path} is gone: {answer.status}"
            return
        offset = int(answer.headers["Upload-Offset"])
        sent = max([far for when, far in one.sent if when <= cut], default=0)
        if not max(known) <= offset <= max(sent, max(known)):
            yield f"the upload {one.path} is at {offset}; {max(known)} was acknowledged, {sent} sent"
            return
        if offset < len(one.body):
            headers = {"Upload-Offset": offset, "Content-Type": "application/offset+octet-stream"}
            answer = client.send(request("PATCH", one.path, one.token, headers, one.body[offset:]))
        found = client.call("GET", one.path).json().get("asset", {}).get("fileChecksum")
        if found != base64.b64encode(hashlib.sha256(one.body).digest()).decode():
            yield f"the upload {one.path}, gone on with from {offset}, has the hash {found} ({answer.status})"
        client.close()
