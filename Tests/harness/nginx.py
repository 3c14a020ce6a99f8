"""An nginx with one server block."""
import os
import signal
import subprocess
import time
from pathlib import Path

from Tests.harness import tools
from Tests.harness.client import Client
from Tests.harness.errors import Problem

# sendfile and tcp_nopush as in Debian's own nginx.conf.
CONFIGURATION = """\
{user}worker_processes 1;
daemon off;
pid {directory}/nginx.pid;
error_log {directory}/error.log;
events {{ worker_connections 1024; }}
http {{
    access_log off;
    sendfile on;
    tcp_nopush on;
    keepalive_requests 1000000;
    default_type application/json;
    client_body_temp_path {directory}/body;
    proxy_temp_path {directory}/proxy;
    fastcgi_temp_path {directory}/fastcgi;
    uwsgi_temp_path {directory}/uwsgi;
    scgi_temp_path {directory}/scgi;
    server {{
        listen 127.0.0.1:{port};
        {block}
    }}
}}
"""


class Nginx:
    """Runs nginx with `block` as the contents of its server block, while the `with` block runs."""

    def __init__(self, directory: Path, port: int, block: str):
        self.directory, self.port, self.block = directory, port, block
        self.child: subprocess.Popen | None = None

    def __enter__(self):
        self.directory.mkdir(parents=True, exist_ok=True)
        # A worker without root's permissions could not read a directory below root's home.
        user = "user root;\n" if os.geteuid() == 0 else ""
        configuration = self.directory / "nginx.conf"
        configuration.write_text(CONFIGURATION.format(
            user=user, directory=self.directory, port=self.port, block=self.block))
        command = [tools.path("nginx"), "-p", str(self.directory), "-e", str(self.directory / "error.log"),
                   "-c", str(configuration)]
        self.child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        limit = time.monotonic() + 10
        while not self.is_ready():
            if self.child.poll() is not None:
                raise Problem("nginx did not start: " + self.child.stderr.read().decode(errors="replace")[-400:])
            if time.monotonic() > limit:
                self.__exit__()
                raise Problem("nginx did not respond within 10 s.")
            time.sleep(0.02)
        return self

    def is_ready(self) -> bool:
        try:
            Client(self.port).call("GET", "/", expect=range(100, 600))
        except OSError:
            return False
        return True

    def __exit__(self, *_) -> None:
        self.child.send_signal(signal.SIGTERM)
        self.child.wait(20)
        self.child.stderr.close()

    @property
    def pid(self) -> int:
        return self.child.pid
