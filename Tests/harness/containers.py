"""Containers of podman, as root and without a Docker engine, on base images that debootstrap makes.

A base image is made once, in about a minute, and stays in podman's storage as localhost/fogbase-base:SUITE.
"""
import os
import secrets
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from Tests.harness import tools
from Tests.harness.errors import Problem

# Where debootstrap gets a suite, and the script that it uses if it does not know the suite. Ubuntu's keys are not in
# Debian, so its mirror is read by TLS.
SUITES = {"bookworm": ["http://deb.debian.org/debian"], "trixie": ["http://deb.debian.org/debian"],
          "noble": ["https://archive.ubuntu.com/ubuntu", "/usr/share/debootstrap/scripts/gutsy"]}
# What slim images leave out.
LEFT_OUT = ["usr/share/doc", "usr/share/man", "usr/share/info", "usr/share/locale", "usr/share/lintian",
            "var/lib/apt/lists", "var/cache/apt", "var/cache/debconf", "var/log", "proc", "sys", "dev"]
EXCLUDED = "".join(f"path-exclude /usr/share/{name}/*\n" for name in ("doc", "man", "info", "locale", "lintian"))
# Within containers the limits may only fall, without the capability to raise them.
LIMITS = ["--ulimit", "nofile=16384:16384", "--ulimit", "nproc=4096:4096"]


def engine() -> list[str]:
    """The command podman with what works without systemd and cgroups of version 2."""
    if os.geteuid() != 0:
        raise Problem("Containers are run as root: run again with sudo.")
    for command in ("netavark", "iptables", "runc"):
        tools.path(command)
    return [tools.path("podman"), "--runtime", "runc", "--cgroup-manager", "cgroupfs"]


def podman(*words: str | Path, expect: int | None = 0, text: str | None = None) -> str:
    """Runs podman, and returns the standard output. `Problem` for another status than the expected one."""
    done = subprocess.run([*engine(), *map(str, words)], input=text, capture_output=True, text=True, check=False)
    if expect is not None and done.returncode != expect:
        said = "\n".join(line for line in done.stderr.splitlines() if "healthchecks: dial unix" not in line)
        raise Problem(f"podman {' '.join(map(str, words))} ended with {done.returncode}: {said}\n{done.stdout[-2000:]}")
    return done.stdout


def has_image(name: str) -> bool:
    return subprocess.run([*engine(), "image", "exists", name], check=False).returncode == 0


def build(containerfile: str, name: str, *options: str, directory: Path | None = None) -> str:
    """Builds an image of the text of a Dockerfile, with the layers of earlier builds. Returns the name."""
    with tempfile.TemporaryDirectory() as place:
        file = Path(place) / "Dockerfile"
        file.write_text(containerfile)
        command = [*builder(), "--file", str(file), "--tag", name, *options, str(directory or place)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Problem(f"{name} was not built: {done.stdout[-2000:]}\n{done.stderr[-2000:]}")
    return name


def builder() -> list[str]:
    """The command that builds images without an engine."""
    return [tools.path("buildah"), "build", "--layers", "--isolation", "chroot", "--network", "host",
            "--format", "docker"]


def base(suite: str) -> str:
    """The image of a fresh system, such as debian:bookworm-slim. Returns its name."""
    name = f"localhost/fogbase-base:{suite}"
    if has_image(name):
        return name
    print(f"making a base of {suite} …", flush=True)
    with tempfile.TemporaryDirectory(dir="/var/tmp") as place:
        tree = Path(place) / suite
        options = ["--variant=minbase", "--include=ca-certificates"]
        if suite == "noble":
            options += ["--no-check-gpg", "--components=main,universe"]
        log = Path(place) / "log"
        with open(log, "w") as output:
            done = subprocess.run([tools.path("debootstrap"), *options, suite, str(tree), *SUITES[suite]],
                                  stdout=output, stderr=output, check=False)
        if done.returncode != 0:
            raise Problem(f"debootstrap of {suite} failed: {log.read_text()[-2000:]}")
        for left_out in LEFT_OUT:
            for one in (tree / left_out).glob("*"):
                shutil.rmtree(one) if one.is_dir() and not one.is_symlink() else one.unlink()
        (tree / "etc/dpkg/dpkg.cfg.d/slim").write_text(EXCLUDED)
        # apt checks signatures, and the tree may not have the authority of the mirror's certificate.
        for sources in (tree / "etc/apt").glob("sources.list"):
            sources.write_text(sources.read_text().replace("https:", "http:"))
        return import_tree(tree, name)


def import_tree(tree: Path, name: str) -> str:
    """Makes an image of the files of a directory. Returns its name."""
    archive = subprocess.Popen(["tar", "-C", str(tree), "-c", "."], stdout=subprocess.PIPE)
    done = subprocess.run([*engine(), "import", "-", name], stdin=archive.stdout, capture_output=True, text=True,
                          check=False)
    if archive.wait() != 0 or done.returncode != 0:
        raise Problem(f"{name} was not imported: {done.stderr}")
    return name


def image_megabytes(name: str) -> float:
    return int(podman("image", "inspect", "--format", "{{.Size}}", name)) / 1e6


def wait_until(condition: Callable[[], bool], what: str, seconds: float = 60) -> None:
    """Returns once the condition holds. `Problem` after some seconds."""
    limit = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > limit:
            raise Problem(f"{what}: not within {seconds:.0f} s.")
        time.sleep(0.02)


@dataclass
class Done:
    """The end of a command in a container."""
    status: int
    text: str


class Container:
    """A container, removed after the `with` block. `words` are options of `podman run`."""

    def __init__(self, image: str, *words: str, command: tuple[str, ...] = ()):
        self.name = f"fogbase-test-{secrets.token_hex(4)}"
        self.image, self.words, self.command = image, words, command

    def __enter__(self) -> "Container":
        podman("run", "--detach", "--name", self.name, *LIMITS, *self.words, self.image, *self.command)
        return self

    def __exit__(self, *_) -> None:
        podman("rm", "--force", "--time", "1", self.name)

    def run(self, *words: str, text: str | None = None) -> Done:
        """Runs a command in the container; its output and its errors are one text."""
        done = subprocess.run([*engine(), "exec", "--interactive", self.name, *words], input=text or "",
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        return Done(done.returncode, done.stdout)

    def logs(self) -> str:
        done = subprocess.run([*engine(), "logs", self.name], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, check=False)
        return done.stdout

    def inspect(self, form: str) -> str:
        return podman("inspect", "--format", form, self.name).strip()

    @property
    def is_running(self) -> bool:
        return self.inspect("{{.State.Running}}") == "true"
