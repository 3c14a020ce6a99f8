"""The reference for reads and downloads: nginx with one worker and one static file."""
import os
import signal
import subprocess
import time
from pathlib import Path

import tools
from client import Client, message
from problem import Problem
from server import free_port

NAME = "record.json"
PATH = "/" + NAME

# sendfile and tcp_nopush as in Debian's own nginx.conf.
CONFIGURATION = """\
{user}worker_processes 1;
daemon off;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{ worker_connections 1024; }}
http {{
    access_log off;
    sendfile on;
    tcp_nopush on;
    keepalive_requests 1000000;
    default_type application/json;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    server {{
        listen 127.0.0.1:{port};
        root {folder}/site;
    }}
}}
"""


class StaticSite:
    """Serves `content`, bytes or the very file of that path, at /record.json while the `with` block runs."""

    def __init__(self, folder: Path, content: bytes | Path):
        self.folder, self.content, self.port = folder, content, free_port()
        self.child: subprocess.Popen | None = None

    def __enter__(self) -> "StaticSite":
        site = self.folder / "site"
        site.mkdir(parents=True, exist_ok=True)
        if isinstance(self.content, Path):
            os.link(self.content, site / NAME)
        else:
            (site / NAME).write_bytes(self.content)
        # A worker that gave up root could not read a folder below root's home.
        user = "user root;\n" if os.geteuid() == 0 else ""
        configuration = self.folder / "nginx.conf"
        configuration.write_text(CONFIGURATION.format(user=user, folder=self.folder, port=self.port))
        command = [tools.path("nginx"), "-p", str(self.folder), "-e", str(self.folder / "error.log"),
                   "-c", str(configuration)]
        self.child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        self._wait()
        return self

    def _wait(self) -> None:
        for _ in range(200):
            if self.child.poll() is not None:
                raise Problem("nginx did not start: " + self.child.stderr.read().decode(errors="replace")[-400:])
            try:
                answer = Client(self.port).send(self.request)
                if answer.status == 200 and len(answer.body) == self._size:
                    return
            except OSError:
                pass
            time.sleep(0.02)
        raise Problem("nginx did not answer within 4 s.")

    def __exit__(self, *_) -> None:
        self.child.send_signal(signal.SIGTERM)
        self.child.wait(20)
        self.child.stderr.close()

    @property
    def _size(self) -> int:
        return (self.folder / "site" / NAME).stat().st_size

    @property
    def pid(self) -> int:
        return self.child.pid

    @property
    def request(self) -> bytes:
        return message("GET", PATH)
