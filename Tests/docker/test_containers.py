"""Tests of the images, as an operator runs them: read-only, without capabilities, on a bridge network."""
import json
import re
import secrets
import subprocess
import tempfile
import time
import unittest
import zlib
from pathlib import Path

from Tests.docker.images import BEFORE, SERVER, THUMBNAILS
from Tests.harness.arguments import ROOT
from Tests.harness.client import Client
from Tests.harness.containers import LIMITS, Container, engine, has_image, image_megabytes, podman, wait_until
from Tests.harness.errors import Problem
from Tests.harness.server import free_port
from Tests.lint.links import split

# The flags of the manual's `docker run`.
HARDENED = ["--read-only", "--tmpfs", "/tmp:size=64m", "--cap-drop", "all", "--security-opt", "no-new-privileges"]
READY = "is listening on"


class Node(Container):
    """A server in a container, published on this machine like with Docker, with volumes for data and backups."""

    def __init__(self, image: str = SERVER, data: str | None = None, *words: str, backups: str | None = None):
        self.port, self.number = free_port(), secrets.token_hex(4)
        self.data, self.backups = data or f"fogbase-data-{self.number}", backups or f"fogbase-backups-{self.number}"
        super().__init__(image, *HARDENED, "--publish", f"127.0.0.1:{self.port}:8080", "--volume", f"{self.data}:/data",
                         "--volume", f"{self.backups}:/backups", *words)

    def __enter__(self) -> "Node":
        super().__enter__()
        wait_until(lambda: READY in self.logs() or not self.is_running, "the start of a container")
        return self

    @property
    def token(self) -> str:
        found = re.search(r"fogadm_[\w-]+", self.logs())
        if not found:
            raise Problem(f"{self.image} shows no token: {self.logs()}")
        return found[0]

    def client(self) -> Client:
        return Client(self.port)

    def wait_until_ready(self) -> float:
        """Waits for the first response of a server that starts. Returns the seconds."""
        begin = time.monotonic()

        def responds() -> bool:
            try:
                return self.client().call("GET", "/health/ready", expect=(200, 503)).status == 200
            except OSError:
                return False

        wait_until(responds, "a response")
        return time.monotonic() - begin


class VolumeTest(unittest.TestCase):
    """A test whose named volumes are removed after it."""

    def volume(self) -> str:
        name = f"fogbase-volume-{secrets.token_hex(4)}"
        self.addCleanup(podman, "volume", "rm", "--force", name)
        return name

    def node(self, image: str = SERVER, data: str | None = None, *words: str, **options) -> Node:
        options.setdefault("backups", self.volume())
        return Node(image, data or self.volume(), *words, **options)


class ImageTests(unittest.TestCase):
    def test_the_images_are_small(self):
        self.assertLessEqual(image_megabytes(SERVER), 150)
        self.assertLessEqual(image_megabytes(THUMBNAILS), 400)

    def test_version_and_kind_are_tags(self):
        version = podman("run", "--rm", *HARDENED, *LIMITS, SERVER, "version").split()[1]
        self.assertTrue(has_image(f"{SERVER}:{version}") and has_image(f"{SERVER}:{version}-thumbnails"))
        labels = self.configuration(SERVER)["Labels"]
        self.assertEqual(labels["org.opencontainers.image.version"], version)
        self.assertEqual(labels["org.opencontainers.image.licenses"], "Apache-2.0")

    def test_no_image_runs_as_root_or_lacks_a_health_check(self):
        for image in (SERVER, THUMBNAILS):
            configuration = self.configuration(image)
            self.assertEqual(configuration["User"], "10001:10001", image)
            self.assertEqual(configuration["Healthcheck"]["Test"], ["CMD", "fogbase", "health"])
            self.assertEqual(list(configuration["Volumes"]), ["/data"])
            self.assertEqual(configuration["Entrypoint"], ["fogbase"])

    @staticmethod
    def configuration(image: str) -> dict:
        found = json.loads(podman("image", "inspect", image))[0]
        return found["Config"] | {"Healthcheck": found["Healthcheck"]}


class ContainerTests(VolumeTest):
    def test_a_first_start_shows_the_token_and_keeps_a_record(self):
        with self.node() as node:
            self.assertIn("/_/#/welcome?code=", node.logs())
            made = subprocess.run(
                ["curl", "-sS", "-X", "PUT", f"http://127.0.0.1:{node.port}/records/Story/fog", "-H",
                 f"Authorization: Bearer {node.token}", "-H", "Content-Type: application/json", "-d",
                 '{"fields":{"title":"Hello, fog"}}'], capture_output=True, text=True, check=True)
            self.assertIn('"recordName":"fog"', made.stdout)
            self.assertEqual(podman("healthcheck", "run", node.name), "")
            self.assertIn(b"<title>", node.client().call("GET", "/_/").body, "The console is there")
            self.assertEqual(node.run("id", "-u").text.strip(), "10001")
            self.assertEqual(node.run("fogbase", "doctor").status, 0)
            self.assertNotEqual(node.run("touch", "/usr/file").status, 0, "The root is read-only")

    def test_a_container_without_a_server_is_unhealthy(self):
        with Container(SERVER, *HARDENED, "--entrypoint", "sleep", command=("60",)) as idle:
            podman("healthcheck", "run", idle.name, expect=1)

    def test_a_stop_is_quick_and_the_next_start_has_the_data(self):
        with self.node() as node:
            self.write(node, "kept")
            begin = time.monotonic()
            podman("stop", "--time", "30", node.name)
            self.assertLess(time.monotonic() - begin, 2)
            self.assertEqual(node.inspect("{{.State.ExitCode}}"), "0")
            podman("start", node.name)
            self.assertLess(node.wait_until_ready(), 2)
            self.read(node, "kept")

    def test_a_container_survives_a_kill(self):
        with self.node() as node:
            self.write(node, "acknowledged")
            podman("kill", "--signal", "KILL", node.name)
            wait_until(lambda: not node.is_running, "the end of a container")
            podman("start", node.name)
            self.assertLess(node.wait_until_ready(), 2)
            self.read(node, "acknowledged")
            self.assertEqual(node.run("fogbase", "doctor").status, 0)

    def test_a_new_image_continues_with_the_volume_of_an_older_one(self):
        data = self.volume()
        # The older program may not know the settings of today's image.
        with self.node(BEFORE, data, "--env", "FOGBASE_HTTP_TRUSTED_PROXIES=") as before:
            self.write(before, "old")
            token = before.token
            podman("stop", before.name)
        with self.node(SERVER, data) as after:
            self.assertTrue(after.is_running, after.logs())
            self.assertNotIn("fogadm_", after.logs(), "The token is the same")
            after.client().call("GET", "/records/Story/old", token=token)
            self.write(after, "new", token)
            self.assertEqual(after.run("fogbase", "doctor").status, 0)

    def test_a_backup_goes_to_the_second_volume_and_comes_back(self):
        data, backups = self.volume(), self.volume()
        with self.node(SERVER, data, backups=backups) as node:
            token = node.token
            self.write(node, "saved")
            for command in (["backup", "create", "/backups/one"], ["backup", "verify", "/backups/one"]):
                done = node.run("fogbase", *command)
                self.assertEqual(done.status, 0, done.text)
            node.client().call("DELETE", "/records/Story/saved", token=token, expect=(200, 204))
            podman("stop", node.name)
        restore = ["backup", "restore", "--data", "/data", "--replace", "/backups/one"]
        podman("run", "--rm", *HARDENED, *LIMITS, "--volume", f"{data}:/data", "--volume", f"{backups}:/backups",
               SERVER, *restore)
        with self.node(SERVER, data, backups=backups) as node:
            node.client().call("GET", "/records/Story/saved", token=token)

    def test_a_directory_of_another_owner_is_refused_with_the_command_that_helps(self):
        with tempfile.TemporaryDirectory() as directory:
            Path(directory).chmod(0o755)
            with self.node(SERVER, directory) as node:
                self.assertFalse(node.is_running)
                self.assertIn("chown -R 10001:10001 /data", node.logs())
            with self.node(SERVER, None, backups=directory) as node:
                done = node.run("fogbase", "backup", "create", "/backups/one")
                self.assertEqual(done.status, 1)
                self.assertIn("chown 10001:10001 /backups", done.text)
            subprocess.run(["chown", "10001:10001", directory], check=True)
            with self.node(SERVER, directory) as node:
                self.assertTrue(node.is_running, node.logs())

    def test_only_the_second_image_makes_thumbnails(self):
        for image, status in ((THUMBNAILS, 200), (SERVER, 501)):
            with self.node(image) as node:
                client, token = node.client(), node.token
                asset = client.call("POST", "/assets", picture(64), token=token, expect=(201,),
                                    headers=("Content-Type: image/png",)).json()["asset"]
                client.call("PUT", "/records/Photo/one", {"fields": {"picture": asset}}, token=token, expect=(201,))
                response = client.call("GET", "/records/Photo/one/picture?width=16", token=token, expect=(200, 501))
                self.assertEqual(response.status, status, response.body[:300])

    def write(self, node: Node, name: str, token: str | None = None) -> None:
        node.client().call("PUT", f"/records/Story/{name}", {"fields": {"title": name}}, token=token or node.token,
                           expect=(201,))

    def read(self, node: Node, name: str) -> None:
        node.client().call("GET", f"/records/Story/{name}", token=node.token)


class BridgeTests(VolumeTest):
    """What the image trusts on a bridge network: the gateway, from which the host's proxy comes, and nothing else."""

    FORWARDED = ("X-Forwarded-For: 203.0.113.7",)

    def test_the_proxy_of_the_host_names_its_clients(self):
        with self.node() as node:
            node.client().call("GET", "/health/live?by=host", headers=self.FORWARDED)
            wait_until(lambda: "203.0.113.7 GET /health/live" in node.logs(), "the line of the access log")

    def test_another_container_cannot_claim_an_address(self):
        with self.node() as node, Container(SERVER, "--entrypoint", "sleep", command=("60",)) as other:
            own = other.inspect("{{.NetworkSettings.IPAddress}}")
            self.ask_from(other, node, "/health/live", *self.FORWARDED)
            wait_until(lambda: f"{own} GET /health/live" in node.logs(), "the line of the access log")
            self.assertNotIn("203.0.113.7", node.logs())

    def test_metrics_need_an_administrator_whatever_address_a_client_claims(self):
        with self.node() as node:
            for headers in ((), ("X-Forwarded-For: 127.0.0.1",)):
                node.client().call("GET", "/metrics", headers=headers, expect=(401,))
            node.client().call("GET", "/metrics", token=node.token)

    @staticmethod
    def ask_from(container: Container, node: Node, path: str, *headers: str) -> None:
        """Sends a request from the network of another container."""
        address = node.inspect("{{.NetworkSettings.IPAddress}}")
        fields = [part for one in headers for part in ("-H", one)]
        subprocess.run(["nsenter", f"--net=/proc/{container.inspect('{{.State.Pid}}')}/ns/net", "curl", "-sS", "--fail",
                        *fields, f"http://{address}:8080{path}"], capture_output=True, check=True)


class ManualTests(VolumeTest):
    """The lines of Operating.md, with podman instead of Docker and names of this test."""

    def test_the_lines_work_twice_and_make_a_backup(self):
        _, blocks, _ = split((ROOT / "Sources/fogbase/fogbase.docc/Operating.md").read_text())
        lines = ["\n".join(lines) for _, language, lines in blocks if language == "bash"]
        start, = [block for block in lines if "docker run --name" in block]
        backup, = [block for block in lines if "docker exec fogbase fogbase backup" in block]
        name, port = f"fogbase-test-{secrets.token_hex(4)}", free_port()
        self.addCleanup(podman, "rm", "--force", name)
        for old, new in [("make docker\n", ""), ("--name fogbase ", f"--name {name} {' '.join(LIMITS)} "),
                         ("127.0.0.1:8080:", f"127.0.0.1:{port}:"), ("--volume fogbase:", f"--volume {self.volume()}:"),
                         ("--volume fogbase-backups:", f"--volume {self.volume()}:"),
                         (" --log-opt max-size=50m --log-opt max-file=5 fogbase", f" {SERVER}")]:
            self.assertIn(old, start)
            start = start.replace(old, new)
        begin = f"docker() {{ {' '.join(engine())} \"$@\"; }}\n"
        for script in (start, start, backup):
            if script == backup:
                wait_until(lambda: READY in podman("logs", name), "the start of a container")
            for verb in ("stop", "rm", "logs", "exec"):
                script = script.replace(f"docker {verb} fogbase", f"docker {verb} {name}")
            done = subprocess.run(["bash", "-u", "-c", begin + script], capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


def picture(size: int) -> bytes:
    """A gray PNG."""
    def chunk(kind: bytes, data: bytes) -> bytes:
        return len(data).to_bytes(4) + kind + data + zlib.crc32(kind + data).to_bytes(4)

    head = size.to_bytes(4) * 2 + bytes([8, 0, 0, 0, 0])
    rows = zlib.compress((b"\0" + b"\x80" * size) * size)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")
