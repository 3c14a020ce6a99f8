"""Fresh systems with systemd, as containers of podman on trees of debootstrap."""
import re
import subprocess
from pathlib import Path

from Tests.harness import tools
from Tests.harness.containers import Container, Done, base, build, podman, wait_until
from Tests.harness.errors import Problem

# What a server of a provider has before anything is installed.
FRESH = """\
FROM {base}
RUN apt-get update && apt-get install --yes --no-install-recommends systemd systemd-sysv dbus sudo curl \\
    && rm -rf /var/lib/apt/lists/*
CMD ["/sbin/init"]
"""
# systemd sets up the confinement of units itself, so it needs what Docker withholds. From version 256 on it refuses
# cgroups of version 1 without the variable.
SYSTEMD = ["--systemd=always", "--security-opt", "seccomp=unconfined", "--env", "SYSTEMD_CGROUP_ENABLE_LEGACY_FORCE=1"]
PLACE = "/root"


def capabilities() -> list[str]:
    """Options for all capabilities that this process has."""
    shown = subprocess.run([tools.path("capsh"), "--print"], capture_output=True, text=True, check=True).stdout
    names = re.search(r"^Bounding set =(.*)$", shown, re.MULTILINE)[1].split(",")
    return [part for name in names for part in ("--cap-add", name)]


class Machine(Container):
    """A fresh system. With `is_booted`, systemd runs; else nothing runs. With `is_bare` nothing but the base is there.
    `files` are copied to /root."""

    def __init__(self, suite: str, *files: Path, is_booted: bool = True, is_bare: bool = False):
        image = base(suite) if is_bare else build(
            FRESH.format(base=base(suite)), f"localhost/fogbase-test-machine:{suite}")
        # Packages of the distribution are downloaded once.
        cache = [part for name in ("/var/lib/apt/lists", "/var/cache/apt/archives")
                 for part in ("--volume", f"fogbase-test-{suite}-{name.rpartition('/')[2]}:{name}")]
        super().__init__(image, *cache, *(SYSTEMD + capabilities() if is_booted else ["--entrypoint", "sleep"]),
                         command=() if is_booted else ("infinity",))
        self.files, self.is_booted = files, is_booted

    def __enter__(self) -> "Machine":
        super().__enter__()
        try:
            if self.is_booted:
                wait_until(lambda: self.run("systemctl", "is-system-running").text.strip() in ("running", "degraded"),
                           f"the boot of {self.image}")
            for file in self.files:
                podman("cp", str(file), f"{self.name}:{PLACE}/{file.name}")
        except Problem as problem:
            logs = self.logs()
            self.__exit__()
            raise Problem(f"{problem} {logs[-1000:]}") from None
        return self

    def shell(self, script: str, expect: int | None = 0) -> str:
        """Runs a script as root in /root, with bash and its errors. Returns the output."""
        done = self.try_shell(script)
        if expect is not None and done.status != expect:
            raise Problem(f"the script ended with {done.status}:\n{script}\n{done.text[-3000:]}")
        return done.text.strip()

    def try_shell(self, script: str) -> Done:
        return self.run("env", "DEBIAN_FRONTEND=noninteractive", f"HOME={PLACE}", "bash", "-c",
                        f"cd {PLACE}\nset -e -u -o pipefail\n{script}")

    def has(self, path: str) -> bool:
        return self.run("test", "-e", path).status == 0
