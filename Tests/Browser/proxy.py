"""A real nginx that serves a server below the path `/fog/`."""

import contextlib
import os
import pathlib
import shutil
import socket
import subprocess
import tempfile
import time

CONFIGURATION = """\
daemon off;
master_process off;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{ worker_connections 256; }}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    server {{
        listen 127.0.0.1:{port};
        location /fog/ {{ proxy_pass {target}; }}
    }}
}}
"""


def free_port():
    with socket.socket() as each:
        each.bind(("127.0.0.1", 0))
        return each.getsockname()[1]


def program():
    """The path of nginx; `None` if there is none."""
    return shutil.which("nginx", path=os.environ.get("PATH", "") + ":/usr/sbin")


@contextlib.contextmanager
def nginx(port, target):
    """Listens on the port; a target that ends with a slash gets paths without `/fog`."""
    with tempfile.TemporaryDirectory(prefix="fogbase-nginx-") as folder:
        configuration = pathlib.Path(folder) / "nginx.conf"
        configuration.write_text(CONFIGURATION.format(folder=folder, port=port, target=target), encoding="utf-8")
        process = subprocess.Popen([program(), "-p", folder, "-e", f"{folder}/error.log", "-c", str(configuration)])
        try:
            end = time.monotonic() + 10
            while True:
                try:
                    socket.create_connection(("127.0.0.1", port)).close()
                    break
                except OSError:
                    if process.poll() is not None or time.monotonic() > end:
                        raise RuntimeError("nginx does not listen") from None
                    time.sleep(0.02)
            yield
        finally:
            process.terminate()
            process.wait()
