"""Tests of the packages as files, on this machine."""
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from Tests.harness import tools
from Tests.install import packages

TARBALL = DEB = WHEEL = Path()
BINARY = ""
# What Debian 12, the oldest system that the package is for, has of glibc and libstdc++.
OLDEST = {"GLIBC": (2, 36), "GLIBCXX": (3, 4, 30)}


def output(*command: str | Path, cwd: Path | None = None) -> str:
    return subprocess.run([*map(str, command)], capture_output=True, text=True, check=True, cwd=cwd).stdout


class PackageTests(unittest.TestCase):
    def test_the_same_binary_gives_the_same_bytes(self):
        with tempfile.TemporaryDirectory() as directory:
            again = packages.make(BINARY, Path(directory), "tarball", "deb", "wheel")
            for first, second in zip((TARBALL, DEB, WHEEL), again, strict=True):
                self.assertEqual(first.read_bytes(), second.read_bytes(), first.name)

    def test_the_sums_are_those_of_the_files(self):
        done = subprocess.run(["sha256sum", "--check", "--strict", "SHA256SUMS"], cwd=DEB.parent, capture_output=True,
                              text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout)
        for file in (TARBALL, DEB, WHEEL):
            self.assertIn(f"{file.name}: OK", done.stdout)

    def test_debian_12_has_all_symbols(self):
        with tempfile.TemporaryDirectory() as directory:
            output("dpkg-deb", "--extract", DEB, directory)
            program = Path(directory) / "usr/bin/fogbase"
            symbols = output("readelf", "--wide", "--version-info", program)
            for name, most in OLDEST.items():
                found = {tuple(map(int, one.split("."))) for one in re.findall(rf"Name: {name}_([0-9.]+)", symbols)}
                self.assertTrue(found, name)
                self.assertLessEqual(max(found), most, name)
            self.assertNotIn("RUNPATH", output("readelf", "--dynamic", program))
            self.assertNotIn(".symtab", output("readelf", "--sections", "--wide", program))

    def test_the_package_depends_on_each_library(self):
        depends = output("dpkg-deb", "--field", DEB, "Depends")
        names = {re.split(r"[ (:]", one.strip())[0] for one in re.split(r"[,|]", depends)}
        loaded = re.findall(r"NEEDED.*\[(.*)\]", output("readelf", "--dynamic", BINARY))
        for library in loaded:
            if library.startswith("ld-linux"):
                continue
            path = re.search(rf"{re.escape(library)} => (\S+)", output("ldd", BINARY))[1]
            owner = output("dpkg-query", "--search", f"*/{Path(path).resolve().name}").split(":")[0]
            self.assertIn(owner, names, library)

    def test_lintian_finds_no_error(self):
        done = subprocess.run([tools.path("lintian"), "--allow-root", "--fail-on", "error,warning", str(DEB)],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_the_tarball_has_no_owner_and_no_examples_of_developers(self):
        lines = output("tar", "--list", "--verbose", "--numeric-owner", "--file", TARBALL).splitlines()
        self.assertTrue(all(" 0/0 " in line for line in lines))
        names = [line.split()[-1] for line in lines]
        self.assertEqual(names, sorted(names, key=lambda name: name.rstrip("/")))
        top = TARBALL.name.removesuffix(".tar.gz")
        for name in ("bin/fogbase", "share/fogbase/public/index.html", "share/man/man1/fogbase.1.gz",
                     "lib/systemd/system/fogbase.service", "share/doc/fogbase/LICENSE"):
            self.assertIn(f"{top}/{name}", names)
        self.assertFalse([name for name in names if "public/examples" in name])


class ManualPageTests(unittest.TestCase):
    def setUp(self):
        with tempfile.TemporaryDirectory() as directory:
            output("tar", "--extract", "--file", TARBALL, "--directory", directory)
            self.text = output("gzip", "--decompress", "--stdout", next(Path(directory).rglob("fogbase.1.gz")))

    def test_each_command_and_flag_has_its_line(self):
        names = [line.split("  ")[1] for line in output(BINARY, "help").splitlines() if line.startswith("  ")]
        self.assertGreater(len(names), 40)
        for name in names:
            self.assertIn(f".SS fogbase {name}".replace("-", "\\-"), self.text)
        for flag in re.findall(r"^  (--[a-z-]+)", output(BINARY, "serve", "--help"), re.MULTILINE):
            self.assertIn(f"\n.B {flag}".replace("-", "\\-"), self.text)

    def test_it_does_not_depend_on_the_processors_of_the_machine(self):
        self.assertNotRegex(self.text, r"per core \(\d")

    def test_groff_reads_it_without_a_warning(self):
        if not shutil.which("man"):
            self.skipTest("man is not installed")
        with tempfile.NamedTemporaryFile("w", suffix=".1") as file:
            file.write(self.text)
            file.flush()
            done = subprocess.run(["man", "--warnings", "-l", file.name], capture_output=True, text=True, check=True,
                                  env={"MANWIDTH": "100", "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"})
            self.assertEqual(done.stderr, "")


class CompletionTests(unittest.TestCase):
    """The scripts in the shells that they are for."""

    def complete(self, shell: str, script: str) -> str:
        with tempfile.TemporaryDirectory() as directory:
            Path(directory, "fogbase").symlink_to(Path(BINARY).resolve())
            done = subprocess.run([tools.path(shell), "-c", script], capture_output=True, text=True, check=False, env={
                "PATH": f"{directory}:/usr/bin:/bin", "HOME": directory, "TERM": "dumb"})
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            return done.stdout

    def test_bash(self):
        found = self.complete("bash", "source <(fogbase completion bash); COMP_WORDS=(fogbase serve --po); "
                                      'COMP_CWORD=2; _fogbase fogbase; echo "${COMPREPLY[*]}"; complete -p fogbase')
        self.assertEqual(found, "--port\ncomplete -o default -F _fogbase fogbase\n")

    def test_zsh(self):
        found = self.complete("zsh", "autoload -U compinit; compinit -D -u; source <(fogbase completion zsh); "
                                     "words=(fogbase serve --po); CURRENT=3; "
                                     "_describe() { print -r -- ${(P)3}; }; _fogbase")
        self.assertEqual(found, "--port:the port to listen on; the variable PORT sets it too\n")

    def test_fish(self):
        found = self.complete("fish", "fogbase completion fish | source; complete -C 'fogbase serve --po'; "
                                      "complete -C 'fogbase backup cr'")
        self.assertEqual([line.split("\t")[0] for line in found.splitlines()], ["--port", "create"])
