"""Builds the images under test, by `make docker`."""
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

from Tests.harness import tools
from Tests.harness.arguments import ROOT
from Tests.harness.containers import base, build, builder, image_megabytes, import_tree, podman
from Tests.harness.errors import Problem

SERVER = "localhost/fogbase-test"
THUMBNAILS = f"{SERVER}:thumbnails"
# An image of an older version.
BEFORE = "localhost/fogbase-test-before"
# The image with the toolchain, like swift:6.3-bookworm. It has what that image has of the compiler's needs.
TOOLCHAIN = """\
FROM {base}
RUN apt-get update && apt-get install --yes --no-install-recommends binutils g++ git libc6-dev libcurl4 libedit2 \\
    libncurses6 libpython3-dev libsqlite3-0 libxml2 libz3-dev make pkg-config tzdata zlib1g-dev
COPY usr /usr
"""


def make(binary: str, before: str | None, full: bool) -> None:
    """Builds all images. With `full`, the first stage of the Dockerfile builds the binary."""
    begin = time.monotonic()
    run_make(SERVER, ["--build-arg", f"BUILD_IMAGE={toolchain()}"] if full else program(binary))
    print(f"built in {time.monotonic() - begin:.0f} s: {image_megabytes(SERVER):.0f} MB; with thumbnails "
          f"{image_megabytes(THUMBNAILS):.0f} MB", flush=True)
    if before:
        run_make(BEFORE, program(before))
    else:
        podman("tag", SERVER, BEFORE)


def run_make(name: str, options: list[str]) -> None:
    engine = " ".join([*builder(), "--build-arg", f"RUN_IMAGE={base('bookworm')}", *options])
    done = subprocess.run(["make", "docker", f"IMAGE={name}", f"ENGINE={engine}"], cwd=ROOT, text=True,
                          capture_output=True, check=False)
    if done.returncode != 0:
        raise Problem(f"make docker failed: {done.stdout[-4000:]}\n{done.stderr[-2000:]}")


def program(binary: str) -> list[str]:
    """Options that replace the stage `build` by a binary without symbols."""
    with tempfile.TemporaryDirectory() as directory:
        place = Path(directory) / "usr/local/bin"
        place.mkdir(parents=True)
        subprocess.run([tools.path("strip"), f"--output-file={place}/fogbase", binary], check=True)
        image = import_tree(Path(directory), "localhost/fogbase-test-binary")
    return ["--build-context", f"build=container-image://{image}"]


def toolchain() -> str:
    """The image with this machine's Swift."""
    swift = shutil.which("swift")
    if not swift:
        raise Problem("swift is missing: build without --full.")
    home = Path(swift).resolve().parents[2]
    return build(TOOLCHAIN.format(base=base("bookworm")), "localhost/fogbase-test-toolchain", directory=home)
