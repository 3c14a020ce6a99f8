"""Runs bare_upload.c, which takes the same uploads as the server."""
import shutil
import subprocess
from pathlib import Path

from Tests.harness.errors import Problem


class BareUpload:
    """Listens while the `with` block runs; the received files are removed at the end."""

    def __init__(self, program: str, directory: Path):
        self.program, self.directory, self.port = program, directory, 0
        self.child: subprocess.Popen | None = None

    def __enter__(self) -> "BareUpload":
        self.directory.mkdir(parents=True)
        self.child = subprocess.Popen([self.program, str(self.directory)], stdout=subprocess.PIPE, text=True)
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
        shutil.rmtree(self.directory, ignore_errors=True)

    @property
    def pid(self) -> int:
        return self.child.pid
