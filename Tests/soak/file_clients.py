"""The clients that upload, link, replace, read and remove files."""
import shutil
import subprocess
import time
from pathlib import Path
from random import Random

from Tests.crash.asset_clients import TUS, AssetWriter, TusWriter, checksum_of, send_part
from Tests.harness.client import UnexpectedStatus
from Tests.harness.errors import Problem
from Tests.soak.client import Cancelled, Shared, SoakClient, Unavailable

TYPE = "File"
RECORDS = 12  # of each uploader
GRACE = 5  # seconds for which the server keeps what no record has, and an upload that is not finished
SIZES = (10_000, 10_000, 10_000, 10_000, 80_000, 1_000_000)


class UploadClient(SoakClient, AssetWriter):
    """Uploads whole or as a form, links, and replaces later: a file without a record is collected."""

    kind, rate = "uploads", 1.2

    def __init__(self, shared: Shared, name: str, random: Random):
        AssetWriter.__init__(self, None, None, name, None, random)
        self.shared = shared

    def prepare(self) -> None:
        self.linked: dict[str, tuple[str, int]] = {}

    def act(self) -> None:
        begun = time.monotonic()
        try:
            self.upload_and_link()
        except UnexpectedStatus as problem:
            # If the machine paused, the upload has expired: 400 for its receipt, and 404 or 410 for itself.
            is_expired = (problem.status == 400 and b"or it has expired" in problem.body
                          or problem.status in (404, 410) and "/assets/uploads" in str(problem))
            if not is_expired or time.monotonic() - begun < GRACE - 1:
                raise
            self.add("expired uploads")
            raise Unavailable from None

    def upload_and_link(self) -> None:
        self.multipart = self.random.random() < 0.3 and not isinstance(self, ResumableUploadClient)
        name, content = f"{self.name}-{self.random.randrange(RECORDS)}", self.random.randbytes(
            self.random.choice(SIZES))
        asset = self.send_parts(content) if self.multipart else self.send_raw(content)
        self.require(asset["fileChecksum"] == checksum_of(content), f"an upload of {len(content)} bytes became {asset}")
        choice = self.random.random()
        if choice < 0.85:
            self.linked.pop(name, None)
            self.call("PUT", f"/records/{TYPE}/{name}", {"fields": {"file": asset}}, (200, 201))
            self.linked[name] = checksum_of(content), len(content)
            self.add("links")
        if choice > 0.7 and self.linked:
            self.release(self.random.choice(list(self.linked)))
        if self.linked:
            self.read(self.random.choice(list(self.linked)))

    def release(self, name: str) -> None:
        del self.linked[name]
        if self.random.random() < 0.5:
            self.call("DELETE", f"/records/{TYPE}/{name}", expect=(204,))
        else:
            self.call("PATCH", f"/records/{TYPE}/{name}", {"fields": {"file": None}})

    def read(self, name: str) -> None:
        """The whole file, ranges of it, an unchanged file (304), and a range outside of it (416)."""
        digest, size = self.linked[name]
        path = self.random.choice([f"/records/{TYPE}/{name}/file", self.address_of(name)])
        whole = self.call("GET", path)
        self.require(checksum_of(whole.body) == digest, f"{path} gave other bytes")
        for _ in range(4):
            start = self.random.randrange(size)
            end = min(size - 1, start + self.random.choice([0, 100, 70_000]))
            part = self.call("GET", path, expect=(206,), headers=(f"Range: bytes={start}-{end}",))
            self.require(part.body == whole.body[start:end + 1], f"{path} gave another range from {start} to {end}")
        self.call("GET", path, expect=(206,), headers=("Range: bytes=0-9,50-59,-10",))
        self.call("GET", path, expect=(304,), headers=(f"If-None-Match: {whole.headers['ETag']}",))
        self.call("GET", path, expect=(416,), headers=(f"Range: bytes={size}-",))
        self.add("downloads")

    def address_of(self, name: str) -> str:
        return self.call("GET", f"/records/{TYPE}/{name}").json()["fields"]["file"]["value"]["downloadURL"]

    def verify(self) -> None:
        for name in list(self.linked):
            self.read(name)


class ResumableUploadClient(UploadClient, TusWriter):
    """Uploads in parts that can be resumed. Some are never finished and expire; some are terminated."""

    kind, rate = "resumable uploads", 0.6

    def __init__(self, shared: Shared, name: str, random: Random):
        TusWriter.__init__(self, None, None, name, None, random)
        self.shared = shared

    def now(self) -> int:
        return 0

    def send_raw(self, body: bytes) -> dict:
        self.clock = self  # no cut follows, so the time does not matter
        if self.random.random() < 0.2:
            self.leave_unfinished(len(body))
            raise Cancelled
        try:
            return TusWriter.send_raw(self, body)
        finally:
            self.resumables.clear()

    def leave_unfinished(self, length: int) -> None:
        made = self.call("POST", "/assets/uploads", expect=(201,), headers=(*TUS, f"Upload-Length: {length}"))
        path = made.headers["Location"]
        self.require(send_part(self.client, path, self.client.token, 0, b"x" * (length // 3)).status == 204, path)
        self.call("HEAD", path, expect=(200,), headers=TUS)
        if self.random.random() < 0.5:
            self.call("DELETE", path, expect=(204,), headers=TUS)


class ThumbnailClient(SoakClient):
    """Replaces a picture and requests thumbnails, which are deleted with their picture."""

    kind, rate = "thumbnails", 0.4
    PROGRAM = shutil.which("vipsthumbnail")

    def prepare(self) -> None:
        self.address = ""

    def act(self) -> None:
        if not self.address or self.random.random() < 0.05:
            asset = self.call("POST", "/assets?filename=p.ppm", self.picture(), (201,), ("Content-Type: image/jpeg",))
            body = {"fields": {"file": asset.json()["asset"]}}
            self.call("PUT", f"/records/{TYPE}/{self.name}", body, (200, 201))
            record = self.call("GET", f"/records/{TYPE}/{self.name}").json()
            self.address = record["fields"]["file"]["value"]["downloadURL"]
        mark = "&" if "?" in self.address else "?"
        response = self.call("GET", f"{self.address}{mark}width={self.random.choice([40, 80, 120, 160])}")
        self.require(response.headers["Content-Type"].startswith("image/"), f"a picture is {response.headers}")
        self.add("thumbnails")

    def picture(self) -> bytes:
        """A small JPEG of random noise."""
        directory = Path(self.shared.directory)
        (directory / "noise.ppm").write_bytes(b"P6 64 48 255\n" + self.random.randbytes(3 * 64 * 48))
        done = subprocess.run([self.PROGRAM, "noise.ppm", "-s", "640x480", "-o", "picture.jpg"], cwd=directory,
                              capture_output=True, text=True)
        if done.returncode != 0:
            raise Problem(f"no picture was made: {done.stderr[-300:]}")
        return (directory / "picture.jpg").read_bytes()
