"""Tests of the compose files, as Docker Compose reads them. It needs no engine for that; Debian 13 has it."""
import ipaddress
import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

from Tests.docker.test_proxies import certificate
from Tests.harness import tools
from Tests.harness.arguments import BINARY, ROOT
from Tests.harness.containers import LIMITS, base, build, podman
from Tests.harness.errors import Problem

COMPOSE = "FROM {base}\nRUN apt-get update && apt-get install --yes --no-install-recommends docker-compose\n"
DOMAIN = "db.example.net"


def configuration(*overrides: str, **variables: str) -> dict:
    """What `docker compose config` makes of compose.yml with other files."""
    image = build(COMPOSE.format(base=base("trixie")), "localhost/fogbase-test-compose")
    files = [part for name in ("compose.yml", *overrides) for part in ("--file", f"/sources/docker/{name}")]
    environment = [part for name, value in variables.items() for part in ("--env", f"{name}={value}")]
    return json.loads(podman("run", "--rm", *LIMITS, "--network", "none", *environment, "--volume",
                             f"{ROOT}:/sources:ro", image, "docker-compose", *files, "config", "--format", "json"))


class ComposeTests(unittest.TestCase):
    def test_one_node_is_confined_and_published_on_this_machine_alone(self):
        server = configuration()["services"]["fogbase"]
        self.assertTrue(server["read_only"])
        self.assertEqual((server["cap_drop"], server["security_opt"]), (["ALL"], ["no-new-privileges:true"]))
        self.assertEqual([(one["host_ip"], one["published"], one["target"]) for one in server["ports"]],
                         [("127.0.0.1", "8080", 8080)])
        self.assertEqual({one["target"]: one["source"] for one in server["volumes"]},
                         {"/data": "data", "/backups": "backups"})
        self.assertEqual(configuration()["volumes"]["data"]["name"], "fogbase")
        self.assertEqual(configuration(PUBLISH="8081")["services"]["fogbase"]["ports"][0]["published"], "8081")

    def test_both_proxies_hide_the_server_and_are_trusted_with_their_network_alone(self):
        for override in ("caddy.yml", "nginx.yml"):
            whole = configuration(override, DOMAIN=DOMAIN)
            server, proxy = whole["services"]["fogbase"], whole["services"]["proxy"]
            self.assertFalse(server.get("ports"), override)
            self.assertEqual(sorted(one["published"] for one in proxy["ports"]), ["443", "80"])
            network = whole["networks"]["default"]["ipam"]["config"][0]["subnet"]
            self.assertEqual(server["environment"]["FOGBASE_HTTP_TRUSTED_PROXIES"], network)
            fixed = (server["networks"]["default"] or {}).get("ipv4_address")
            self.assertTrue(fixed is None or ipaddress.ip_address(fixed) in ipaddress.ip_network(network))
            self.assertTrue(server["read_only"], "The override keeps the rest")

    def test_the_server_accepts_the_settings(self):
        for override in ("caddy.yml", "nginx.yml"):
            settings = configuration(override, DOMAIN=DOMAIN)["services"]["fogbase"]["environment"]
            environment = {name: value for name, value in settings.items() if value is not None}
            done = subprocess.run([BINARY, "config"], env=environment, capture_output=True, text=True, check=True)
            shown = done.stdout
            self.assertIn(f"{DOMAIN}, 127.0.0.1", shown)
            self.assertIn(f"https://{DOMAIN}", shown)

    def test_a_proxy_without_a_domain_is_refused(self):
        for override in ("caddy.yml", "nginx.yml"):
            with self.assertRaisesRegex(Problem, "DOMAIN"):
                configuration(override)

    def test_the_site_that_nginx_gets_is_valid(self):
        command = configuration("nginx.yml", DOMAIN=DOMAIN)["services"]["proxy"]["command"]
        with tempfile.TemporaryDirectory() as directory:
            place = Path(directory)
            certificate(place, DOMAIN)
            self.assertEqual(command[:2], ["sh", "-c"])
            script = command[2].replace("/fogbase.conf", f"{ROOT}/docker/nginx.conf").replace(
                "/etc/nginx/conf.d/default.conf", f"{place}/site").replace("exec nginx -g 'daemon off;'", "true")
            subprocess.run(["sh", "-c", script], check=True)
            site = (place / "site").read_text()
            self.assertNotIn("db.example.org", site)
            self.assertIn("server 172.30.81.2:8080;", site)
            (place / "nginx.conf").write_text("events {}\nhttp {\n" + site.replace(
                f"/etc/letsencrypt/live/{DOMAIN}", directory) + "}\n")
            done = subprocess.run([tools.path("nginx"), "-t", "-p", directory, "-e", f"{place}/error.log", "-g",
                                   f"pid {place}/pid;", "-c", f"{place}/nginx.conf"], capture_output=True, text=True,
                                  check=False, env=os.environ)
            self.assertEqual(done.returncode, 0, done.stderr)
