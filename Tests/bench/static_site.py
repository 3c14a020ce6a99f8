"""The reference for reads and downloads: nginx with one worker and one static file."""
import os
from pathlib import Path

from Tests.harness.client import Client, message
from Tests.harness.nginx import Nginx
from Tests.harness.server import free_port

NAME = "record.json"
PATH = "/" + NAME


class StaticSite(Nginx):
    """Serves `content`, bytes or the file of that path, at /record.json while the `with` block runs."""

    def __init__(self, directory: Path, content: bytes | Path):
        super().__init__(directory, free_port(), f"root {directory}/site;")
        self.content = content

    def __enter__(self) -> "StaticSite":
        file = self.directory / "site" / NAME
        file.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(self.content, Path):
            os.link(self.content, file)
        else:
            file.write_bytes(self.content)
        return super().__enter__()

    def is_ready(self) -> bool:
        try:
            response = Client(self.port).send(self.request)
        except OSError:
            return False
        return response.status == 200 and len(response.body) == (self.directory / "site" / NAME).stat().st_size

    @property
    def request(self) -> bytes:
        return message("GET", PATH)
