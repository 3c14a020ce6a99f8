"""Tests of docker/nginx.conf and docker/Caddyfile: the proxies run on this machine, the servers in containers."""
import contextlib
import os
import re
import subprocess
import tempfile
import unittest
from collections.abc import Iterator
from pathlib import Path

from Tests.docker.test_containers import Node, VolumeTest
from Tests.harness import tools
from Tests.harness.arguments import ROOT
from Tests.harness.containers import wait_until
from Tests.harness.server import free_port

NGINX = """\
daemon off;
pid {directory}/nginx.pid;
error_log {directory}/error.log;
events {{}}
http {{
    access_log off;
    client_body_temp_path {directory}/body;
    proxy_temp_path {directory}/proxy;
{sites}
}}
"""
CADDY = """\
{{
    admin off
    skip_install_trust
    http_port {http}
    https_port {https}
}}
import {file}
"""


@contextlib.contextmanager
def running(*command: str, **environment: str) -> Iterator[None]:
    """Runs a proxy in the `with` block."""
    child = subprocess.Popen(command, env=os.environ | environment, stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL)
    try:
        yield
    finally:
        child.terminate()
        child.wait()


def certificate(directory: Path, *names: str) -> None:
    """Makes `fullchain.pem` and `privkey.pem` for some names."""
    alternatives = ",".join(f"DNS:{one}" for one in names)
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                    "-days", "1", "-subj", f"/CN={names[0]}", "-addext", f"subjectAltName={alternatives}", "-keyout",
                    f"{directory}/privkey.pem", "-out", f"{directory}/fullchain.pem"], check=True, capture_output=True)


class ProxyTest(VolumeTest):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.directory = Path(temporary.name)
        self.http, self.https = free_port(), free_port()

    def curl(self, domain: str, path: str, *words: str, authority: Path, port: int | None = None) -> str:
        """The status and the body of a response through the proxy, by its name and with a claimed address."""
        scheme, port = ("http", self.http) if port == self.http else ("https", self.https)
        done = subprocess.run(
            ["curl", "-sS", "--cacert", str(authority), "--resolve", f"{domain}:{port}:127.0.0.1", "-w",
             "\n%{http_code}", "-H", "X-Forwarded-For: 203.0.113.7", *words, f"{scheme}://{domain}:{port}{path}"],
            capture_output=True, text=True, check=False)
        return done.stdout + done.stderr

    def check(self, node: Node, domain: str, authority: Path) -> None:
        """A record goes through the proxy; the server sees the client's address, and not the claimed one."""
        made = self.curl(domain, f"/records/Story/{node.number}", "-X", "PUT", "-d", '{"fields":{"title":"fog"}}',
                         "-H", f"Authorization: Bearer {node.token}", "-H", "Content-Type: application/json",
                         authority=authority)
        line = rf" 127\.0\.0\.1 PUT /records/Story/{node.number} 201"
        self.assertTrue(made.endswith("201"), made)
        wait_until(lambda: re.search(line, node.logs()) is not None, "the line of the access log")
        self.assertNotIn("203.0.113.7", node.logs())
        moved = self.curl(domain, "/", "-o", "/dev/null", authority=authority, port=self.http)
        self.assertRegex(moved, r"30[18]$")


class NginxTests(ProxyTest):
    def test_two_containers_are_behind_one_nginx(self):
        certificate(self.directory, "one.test", "two.test")
        with self.node() as one, self.node() as two:
            sites = "\n".join(self.site(node, f"{name}.test") for node, name in ((one, "one"), (two, "two")))
            file = self.directory / "nginx.conf"
            file.write_text(NGINX.format(directory=self.directory, sites=sites))
            chain = self.directory / "fullchain.pem"
            with running(tools.path("nginx"), "-p", str(self.directory), "-e", str(self.directory / "error.log"),
                         "-c", str(file)):
                wait_until(lambda: self.curl("one.test", "/health/ready", authority=chain).endswith("200"), "nginx")
                self.check(one, "one.test", chain)
                self.check(two, "two.test", chain)
                wrong = self.curl("two.test", f"/records/Story/{one.number}", authority=chain)
                self.assertTrue(wrong.endswith("404"), "Each domain has its own data: " + wrong)

    def site(self, node: Node, domain: str) -> str:
        """The file docker/nginx.conf with another domain, upstream, certificate and ports."""
        text = (ROOT / "docker/nginx.conf").read_text()
        name = domain.split(".")[0]
        for old, new in [("/etc/letsencrypt/live/db.example.org", str(self.directory)), ("db.example.org", domain),
                         ("127.0.0.1:8080", f"127.0.0.1:{node.port}"), ("upstream fogbase", f"upstream {name}"),
                         ("http://fogbase", f"http://{name}"), ("listen 80;", f"listen 127.0.0.1:{self.http};"),
                         ("listen 443 ", f"listen 127.0.0.1:{self.https} ")]:
            self.assertIn(old, text)
            text = text.replace(old, new)
        return text


class CaddyTests(ProxyTest):
    def test_a_container_is_behind_caddy_with_tls(self):
        file = self.directory / "Caddyfile"
        file.write_text(CADDY.format(http=self.http, https=self.https, file=ROOT / "docker/Caddyfile"))
        # The name makes Caddy its own authority, as there is no other one here.
        authority = self.directory / "caddy/pki/authorities/local/root.crt"
        with self.node() as node, running(
                tools.path("caddy"), "run", "--config", str(file), "--adapter", "caddyfile", DOMAIN="localhost",
                UPSTREAM=f"127.0.0.1:{node.port}", XDG_DATA_HOME=str(self.directory), HOME=str(self.directory)):
            wait_until(lambda: authority.exists() and self.curl("localhost", "/health/ready", authority=authority)
                       .endswith("200"), "Caddy")
            self.check(node, "localhost", authority)


if __name__ == "__main__":
    unittest.main()
