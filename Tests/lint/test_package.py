"""Tests of docker/package without a binary: the man page of help texts, archives, scripts and units."""

import io
import subprocess
import sys
import tarfile
import unittest
from pathlib import Path

HOME = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(HOME / "docker/package"))

import deb  # noqa: E402
import manual  # noqa: E402
import tarball  # noqa: E402
import wheel  # noqa: E402
from tree import UNITS, File  # noqa: E402

HELP = """usage: fogbase backup create DEST [FLAGS]

back up the data directory

  --threads N  number of event loops; by default one per core (2)
  --json       print JSON

A note. 'quoted' with C:\\path
"""


class ManualTests(unittest.TestCase):
    def test_a_help_text_becomes_a_section(self):
        self.assertEqual(manual.describe("backup create DEST", HELP).splitlines(), [
            ".SS fogbase backup create DEST", "Back up the data directory.",
            ".TP", ".B \\-\\-threads N", "number of event loops; by default one per core",
            ".TP", ".B \\-\\-json", "print JSON", ".PP", ".nf", "A note. 'quoted' with C:\\epath", ".fi"])

    def test_lines_that_roff_would_read_as_requests_are_text(self):
        self.assertEqual(manual.escape(".SH x"), "\\&.SH x")
        self.assertEqual(manual.escape("'x'"), "\\&'x'")

    def test_the_name_of_a_command_ends_before_its_operands(self):
        for usage, words in [("users add NAME", ["users", "add"]), ("serve", ["serve"]), ("help [COMMAND]", ["help"]),
                             ("completion bash|zsh|fish [WORD…]", ["completion"])]:
            self.assertEqual(manual.command_words(usage), words)


class ArchiveTests(unittest.TestCase):
    def test_an_archive_has_directories_and_no_owner_and_one_time(self):
        data = tarball.pack({"b/two": File(b"2", 0o755), "a": File(b"1")}, "top", 1_700_000_000)
        with tarfile.open(fileobj=io.BytesIO(data)) as archive:
            found = [(one.name, one.mode, one.uid, one.uname, one.mtime) for one in archive]
        self.assertEqual(found, [(name, mode, 0, "", 1_700_000_000) for name, mode in [
            ("top", 0o755), ("top/a", 0o644), ("top/b", 0o755), ("top/b/two", 0o755)]])

    def test_the_wheel_bundles_no_library_of_the_system(self):
        for name in ("libc.so.6", "libm.so.6", "ld-linux-x86-64.so.2", "libstdc++.so.6", "libgcc_s.so.1"):
            self.assertTrue(wheel.OF_THE_SYSTEM.match(name), name)
        for name in ("libcurl.so.4", "libcrypto.so.3", "libcom_err.so.2", "libutilities.so.1", "libsqlite3.so.0"):
            self.assertFalse(wheel.OF_THE_SYSTEM.match(name), name)


class SourceTests(unittest.TestCase):
    def test_the_scripts_of_the_package_are_valid_shell(self):
        for name in ("postinst", "prerm", "postrm"):
            subprocess.run(["sh", "-n", f"docker/package/debian/{name}"], cwd=HOME, check=True)

    def test_the_units_have_no_path_of_an_installation(self):
        for name in UNITS:
            self.assertNotRegex((HOME / "docker" / name).read_text(), r"(?m)^[A-Z].*/usr/(local/)?(bin|share)/")

    def test_the_image_and_the_package_have_the_same_libraries(self):
        dockerfile = (HOME / "docker/Dockerfile").read_text()
        packages = {one for line in deb.DEPENDENCIES for one in line.replace("|", " ").split()
                    if one.startswith("lib") and "t64" not in one} - {"libc6", "libgcc-s1"}
        for package in packages | {"ca-certificates", "tzdata", "zlib1g"}:
            self.assertIn(f" {package}", dockerfile)


if __name__ == "__main__":
    unittest.main()
