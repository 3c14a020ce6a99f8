"""Runs the page Deploying.md, each of its commands, in fresh systems, and the lines of the README that install."""
import os
import platform
import re
import signal
import subprocess
import tempfile
import unittest
from pathlib import Path

from Tests.harness.arguments import ROOT
from Tests.harness.client import Client
from Tests.harness.containers import wait_until
from Tests.harness.server import free_port
from Tests.install import test_machines
from Tests.install import test_packages as files
from Tests.install.machines import PLACE, Machine
from Tests.install.packages import OLD_VERSION
from Tests.lint.links import HEADING, split

PAGE = ROOT / "Sources/fogbase/fogbase.docc/Deploying.md"
STABILITY = ROOT / "Sources/fogbase/fogbase.docc/Stability.md"
VERSION = re.search(r'text = "(.*)"', (ROOT / "Sources/fogbase/Version.swift").read_text())[1]
# The sections of the page that each kind of installation runs, in order.
BEGIN = "Deploying Fogbase"
WITH_PACKAGE = [BEGIN, "Debian package", "First steps", "Secure", "Behind Caddy", "Check", "Monitor", "Back up",
                "Upgrade", "Downgrade", "Remove"]
WITH_TARBALL = [BEGIN, "Tarball", "First steps", "Secure", "Behind nginx", "Check", "Back up", "Tarball"]
PASSWORD = "correct horse battery staple"
READ = test_machines.READ
TARGETS = "curl -sS http://127.0.0.1:9090/api/v1/targets?state=active"


def sections(page: Path) -> dict[str, list[str]]:
    """The bash blocks of a page by the heading that they are below."""
    prose, blocks, problems = split(page.read_text())
    assert not problems, problems
    found: dict[str, list[str]] = {}
    for number, language, lines in blocks:
        if language == "bash":
            headings = [match[1] for line in prose[:number] if (match := HEADING.match(line))]
            found.setdefault(headings[-1], []).append("\n".join(lines))
    return found


class PageTests(unittest.TestCase):
    def run_sections(self, machine: Machine, names: list[str], before: str, checks: dict[str, str]) -> str:
        """Runs the blocks of sections in one shell, as a reader does, each followed by its check."""
        blocks = sections(PAGE)
        script = ["exec < password", before]
        for name in names:
            script += [f"echo '=== {name}'", *blocks[name], checks.get(name, "")]
        machine.shell(f"yes '{PASSWORD}' | head -n 1000 > password || true")
        text = "\n".join(script)
        machine.run("tee", f"{PLACE}/page.sh", text=text)
        return machine.shell(f"timeout 900 bash -euo pipefail {PLACE}/page.sh 2>&1")

    def test_each_block_is_in_a_way_to_install(self):
        self.assertEqual(set(sections(PAGE)), {*WITH_PACKAGE, *WITH_TARBALL})
        self.assertIn(f"VERSION=${{VERSION:-{VERSION}}}", PAGE.read_text())

    def test_the_package(self):
        authority = "/var/lib/caddy/.local/share/caddy/pki/authorities/local/root.crt"
        with Machine("bookworm", files.DEB, test_machines.OLDER) as machine:
            output = self.run_sections(
                machine, WITH_PACKAGE, f"VERSION={OLD_VERSION}\nDOMAIN=localhost\nexport CURL_CA_BUNDLE={authority}", {
                    "Debian package": f"VERSION={VERSION}\ndpkg-query --show fogbase",
                    # Prometheus asks each target after some seconds for the first time.
                    "Monitor": f"for i in $(seq 60); do {TARGETS} | grep -o '\"job\":\"fogbase\".*\"health\":\"up\"'"
                               " > /dev/null && break; sleep 1; done\n"
                               f"{TARGETS} | grep -o '\"job\":\"fogbase\".*'\n"
                               "curl -sS http://127.0.0.1:9090/api/v1/rules | grep -o FogbaseDown",
                    "Back up": READ,
                    "Upgrade": f"dpkg-query --show fogbase\n{READ}",
                    "Downgrade": f"dpkg-query --show fogbase\n{READ}",
                    "Remove": "ls -d /var/lib/fogbase/server.sqlite"})
            parts = dict(part.split("\n", 1) for part in output.split("=== ")[1:])
            self.assertIn(OLD_VERSION, parts["Debian package"])
            self.assertIn('"recordName":"fog"', parts["First steps"])
            self.assertIn('{"status":"ok"}', parts["Check"])
            self.assertRegex(parts["Monitor"], r'"job":"fogbase".*"health":"up"')
            self.assertIn("FogbaseDown", parts["Monitor"])
            for name, version in (("Upgrade", VERSION), ("Downgrade", OLD_VERSION)):
                self.assertIn(f"fogbase\t{version}", parts[name])
            for name in ("Back up", "Upgrade", "Downgrade"):
                self.assertIn("Hello, fog", parts[name], name)
            self.assertIn("No problems found.", parts["Upgrade"])
            machine.shell("apt-get purge --yes fogbase")
            left = machine.shell("find /etc /usr /var -xdev -path '*prometheus*' -prune"
                                 " -o -name '*fogbase*' -print -prune")
            self.assertEqual(left.splitlines(), ["/var/backups/fogbase"])

    def test_the_tarball(self):
        place = "/etc/letsencrypt/live/fog.test"
        prepare = ("echo 127.0.0.1 fog.test >> /etc/hosts\n"
                   f"mkdir -p {place}\nopenssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 1 "
                   f"-subj /CN=fog.test -addext subjectAltName=DNS:fog.test -keyout {place}/privkey.pem "
                   f"-out {place}/fullchain.pem 2> /dev/null\nexport CURL_CA_BUNDLE={place}/fullchain.pem")
        with Machine("trixie", files.TARBALL) as machine:
            output = self.run_sections(machine, WITH_TARBALL, f"DOMAIN=fog.test\n{prepare}", {"Back up": READ})
            self.assertIn('{"status":"ok"}', output)
            self.assertIn("Hello, fog", output.split("=== Back up")[1])
            self.assertIn("Hello, fog", machine.shell(READ), "Also after a second installation")
            self.assertIn("<title>", machine.shell("curl -sS --fail http://127.0.0.1:8080/_/"))


class ReadmeTests(unittest.TestCase):
    """The README's lines, up to the first record."""

    def blocks(self, part: str) -> str:
        found = [block for blocks in sections(ROOT / "README.md").values() for block in blocks if part in block]
        self.assertEqual(len(found), 1, part)
        # The README names the files of one architecture.
        machine = platform.machine()
        return found[0].replace("x86_64", machine).replace("amd64", {"x86_64": "amd64"}.get(machine, "arm64"))

    def test_the_names_are_those_of_the_files(self):
        for part, file in (("apt-get install", files.DEB), ("tar -xzf", files.TARBALL), ("pipx run", files.WHEEL)):
            self.assertIn(file.name, self.blocks(part))

    def test_the_tarball_runs_where_it_is_unpacked(self):
        with Machine("bookworm", files.TARBALL, is_booted=False) as machine:
            machine.shell(f"apt-get update --quiet\n{test_machines.INSTALL} "
                          "ca-certificates libcurl4 libsqlite3-0 libssl3 libstdc++6 zlib1g")
            unpack, serve = self.blocks("tar -xzf").split("\n")
            output = machine.shell(f"{unpack}\n{serve} > said 2>&1 &\nfor i in $(seq 100); do curl -sS --fail "
                                   "http://127.0.0.1:8080/_/ && break; sleep 0.1; done\ncat said")
            self.assertIn("<title>", output)
            self.assertIn("fogadm_", output)

    def test_pipx_runs_the_wheel(self):
        with Machine("bookworm", files.WHEEL, is_booted=False) as machine:
            machine.shell(f"apt-get update --quiet\n{test_machines.INSTALL} pipx")
            line = self.blocks("pipx run")
            self.assertTrue(line.endswith(" serve"))
            self.assertIn(f"Fogbase  {VERSION}", machine.shell(line.removesuffix("serve") + "version"))

    def test_make_run_starts_a_server(self):
        self.assertEqual(self.blocks("make run"), "make run")
        port = free_port()
        with tempfile.TemporaryDirectory() as directory:
            log = Path(directory) / "log"
            with open(log, "w") as said:
                child = subprocess.Popen(["make", "run", f"PORT={port}", f"DATA={directory}/data"], cwd=ROOT,
                                         stdout=said, stderr=said, start_new_session=True)
            try:
                wait_until(lambda: "is listening on" in log.read_text() or child.poll() is not None, "make run", 1200)
                token = re.search(r"fogadm_[\w-]+", log.read_text())
                self.assertTrue(token, log.read_text()[-2000:])
                Client(port).call("PUT", "/records/Story/fog", {"fields": {"title": "fog"}}, token=token[0],
                                  expect=(201,))
            finally:
                os.killpg(child.pid, signal.SIGINT)
                child.wait()


class StabilityTests(unittest.TestCase):
    def test_the_page_has_the_exit_codes_of_the_program(self):
        source = (ROOT / "Sources/fogbase/CommandLine/ExitCode.swift").read_text()
        shown = re.findall(r"(?m)^\| (\d+) \|", STABILITY.read_text())
        self.assertEqual(shown, re.findall(r"case \w+ = (\d+)", source))
