"""The visitors who upload, link, exchange, read and let go of files."""
import base64
import hashlib
import shutil
import subprocess
import time
from pathlib import Path
from random import Random

import paths  # noqa: F401
from assets import AssetWriter
from uploads import TusWriter
from visitor import GivenUp, Passing, Town, Visitor
from watched import Problem

TYPE = "File"
RECORDS = 12  # of each uploader
GRACE = 5  # seconds for which the server keeps what no record has, and an upload that is not finished
SIZES = (10_000, 10_000, 10_000, 10_000, 80_000, 1_000_000)


def checksum(content: bytes) -> str:
    return base64.b64encode(hashlib.sha256(content).digest()).decode()


class Uploader(Visitor, AssetWriter):
    """Uploads whole or as a form, links, and exchanges later: the file that no record has any more is collected."""

    kind, rate = "uploads", 1.2

    def __init__(self, town: Town, name: str, random: Random):
        AssetWriter.__init__(self, None, None, name, None, random)
        self.town = town

    def begin(self) -> None:
        self.linked: dict[str, tuple[str, int]] = {}

    def act(self) -> None:
        begun = time.monotonic()
        try:
            self.upload_and_link()
        except Problem as problem:
            # On a machine that stood still, what was uploaded has expired, and 400, 404 or 410 are right.
            if " answered 4" not in str(problem) or time.monotonic() - begun < GRACE - 1:
                raise
            raise Passing(str(problem)) from None

    def upload_and_link(self) -> None:
        self.multipart = self.random.random() < 0.3 and not isinstance(self, Resumer)
        name, content = f"{self.name}-{self.random.randrange(RECORDS)}", self.random.randbytes(
            self.random.choice(SIZES))
        asset = self.send_parts(content) if self.multipart else self.send_raw(content)
        self.require(asset["fileChecksum"] == checksum(content), f"an upload of {len(content)} bytes became {asset}")
        choice = self.random.random()
        if choice < 0.85:
            self.linked.pop(name, None)
            self.call("PUT", f"/records/{TYPE}/{name}", {"fields": {"file": asset}}, (200, 201))
            self.linked[name] = checksum(content), len(content)
            self.tell("links")
        if choice > 0.7 and self.linked:
            self.let_go(self.random.choice(list(self.linked)))
        if self.linked:
            self.read(self.random.choice(list(self.linked)))

    def let_go(self, name: str) -> None:
        del self.linked[name]
        if self.random.random() < 0.5:
            self.call("DELETE", f"/records/{TYPE}/{name}", expect=(204,))
        else:
            self.call("PATCH", f"/records/{TYPE}/{name}", {"fields": {"file": None}})

    def read(self, name: str) -> None:
        """The whole file, a range of it, nothing of it as it has not changed, or a range that is not there."""
        digest, size = self.linked[name]
        path = self.random.choice([f"/records/{TYPE}/{name}/file", self.address_of(name)])
        whole = self.call("GET", path)
        self.require(checksum(whole.body) == digest, f"{path} gave other bytes")
        for _ in range(4):
            start = self.random.randrange(size)
            end = min(size - 1, start + self.random.choice([0, 100, 70_000]))
            part = self.call("GET", path, expect=(206,), headers=(f"Range: bytes={start}-{end}",))
            self.require(part.body == whole.body[start:end + 1], f"{path} gave another range from {start} to {end}")
        self.call("GET", path, expect=(206,), headers=("Range: bytes=0-9,50-59,-10",))
        self.call("GET", path, expect=(304,), headers=(f"If-None-Match: {whole.headers['ETag']}",))
        self.call("GET", path, expect=(416,), headers=(f"Range: bytes={size}-",))
        self.tell("downloads")

    def address_of(self, name: str) -> str:
        return self.call("GET", f"/records/{TYPE}/{name}").json()["fields"]["file"]["value"]["downloadURL"]

    def end_well(self) -> None:
        for name in list(self.linked):
            self.read(name)


class Resumer(Uploader, TusWriter):
    """Uploads in parts that can be resumed; some are never finished, and expire, and some are taken back."""

    kind, rate = "resumable uploads", 0.6

    def __init__(self, town: Town, name: str, random: Random):
        TusWriter.__init__(self, None, None, name, None, random)
        self.town = town

    def now(self) -> int:
        return 0

    def send_raw(self, body: bytes) -> dict:
        self.clock = self  # nobody asks what survives a cut
        if self.random.random() < 0.2:
            self.give_up(len(body))
            raise GivenUp("an upload that was given up")
        try:
            return TusWriter.send_raw(self, body)
        finally:
            self.resumables.clear()

    def give_up(self, length: int) -> None:
        tus = ("Tus-Resumable: 1.0.0",)
        made = self.call("POST", "/assets/uploads", expect=(201,), headers=(*tus, f"Upload-Length: {length}",
                                                                             "Content-Length: 0"))
        path = made.headers["Location"]
        self.call("PATCH", path, b"x" * (length // 3), (204,), (
            *tus, "Upload-Offset: 0", "Content-Type: application/offset+octet-stream"))
        self.call("HEAD", path, expect=(200,), headers=tus)
        if self.random.random() < 0.5:
            self.call("DELETE", path, expect=(204,), headers=tus)


class Photographer(Visitor):
    """Exchanges a picture and asks for smaller ones; those of a picture that has gone, go."""

    kind, rate = "thumbnails", 0.4
    PROGRAM = shutil.which("vipsthumbnail")

    def begin(self) -> None:
        self.address = ""

    def act(self) -> None:
        if not self.address or self.random.random() < 0.05:
            asset = self.call("POST", "/assets?filename=p.ppm", self.picture(), (201,), ("Content-Type: image/jpeg",))
            body = {"fields": {"file": asset.json()["asset"]}}
            self.call("PUT", f"/records/{TYPE}/{self.name}", body, (200, 201))
            record = self.call("GET", f"/records/{TYPE}/{self.name}").json()
            self.address = record["fields"]["file"]["value"]["downloadURL"]
        mark = "&" if "?" in self.address else "?"
        answer = self.call("GET", f"{self.address}{mark}width={self.random.choice([40, 80, 120, 160])}")
        self.require(answer.headers["Content-Type"].startswith("image/"), f"a picture is {answer.headers}")
        self.tell("thumbnails")

    def picture(self) -> bytes:
        """A small JPEG that there never was before."""
        folder = Path(self.town.folder)
        (folder / "noise.ppm").write_bytes(b"P6 64 48 255\n" + self.random.randbytes(3 * 64 * 48))
        done = subprocess.run([self.PROGRAM, "noise.ppm", "-s", "640x480", "-o", "picture.jpg"], cwd=folder,
                              capture_output=True, text=True)
        if done.returncode != 0:
            raise Problem(f"no picture was made: {done.stderr[-300:]}")
        return (folder / "picture.jpg").read_bytes()
