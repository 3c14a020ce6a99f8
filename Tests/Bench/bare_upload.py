"""Runs bare_upload.c, which takes the same uploads as the server."""
import shutil
import subprocess
from pathlib import Path

from problem import Problem


class BareUpload:
    """Listens while the `with` block runs; what it has taken is removed at the end."""

    def __init__(self, program: str, folder: Path):
        self.program, self.folder, self.port = program, folder, 0
        self.child: subprocess.Popen | None = None

    def __enter__(self) -> "BareUpload":
        self.folder.mkdir(parents=True)
        self.child = subprocess.Popen([self.program, str(self.folder)], stdout=subprocess.PIPE, text=True)
        try:
            self.port = int(self.child.stdout.readline())
        except ValueError:
            self.__exit__()
            raise Problem("bare_upload did not start.") from None
        return self

    def __exit__(self, *_) -> None:
        self.child.kill()
        self.child.wait()
        self.child.stdout.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    @property
    def pid(self) -> int:
        return self.child.pid
