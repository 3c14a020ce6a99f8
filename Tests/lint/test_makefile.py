"""Tests of the Makefile and of the check for dependencies that it runs first."""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

HOME = Path(__file__).resolve().parents[2]


class MakefileTests(unittest.TestCase):
    def commands(self, *arguments, **variables):
        """The commands that make would run."""
        environment = {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MAKELEVEL")}
        return subprocess.run(["make", "--dry-run", *arguments], cwd=HOME, env={**environment, **variables}, text=True,
                              check=True, capture_output=True).stdout

    def test_the_environment_does_not_say_where_the_server_listens(self):
        commands = self.commands("run", HOST="box.example.org", PORT="1", DATA="/tmp", IMAGE="x", FILTER="x")
        self.assertIn("--host '127.0.0.1' --port '8080' --data './data'", commands)
        self.assertNotIn("--filter", self.commands("test", FILTER="x"))

    def test_arguments_do(self):
        self.assertIn("--host '::1' --port '9000'", self.commands("run", "HOST=::1", "PORT=9000", PORT="1"))
        self.assertIn("--filter 'HTTPTests'", self.commands("test", "FILTER=HTTPTests"))

    def test_a_server_for_development_allows_pages_of_this_machine(self):
        allowed = "--public Public --cors-origins 'http://localhost:*,http://127.0.0.1:*,http://[::1]:*'"
        self.assertIn(allowed, self.commands("run"))
        self.assertIn("--cors-origins 'https://a.example'", self.commands("run", "ORIGINS=https://a.example"))
        for arguments, variables in [
            (["ORIGINS="], {}), (["ARGUMENTS=--config fogbase.conf"], {}), ([], {"FOGBASE_CONFIG": "fogbase.conf"}),
            ([], {"FOGBASE_CORS_ORIGINS": "https://a.example"}),
        ]:
            self.assertNotIn("--cors-origins", self.commands("run", *arguments, **variables))
        commands = self.commands("run", "ARGUMENTS=--cors-origins https://a.example --log-access json")
        self.assertIn("--public Public  --cors-origins https://a.example --log-access json", commands)

    def test_a_first_build_says_how_long_it_takes(self):
        self.assertIn("minutes", self.commands("build"))

    def test_all_verbs_have_a_line_of_help(self):
        verbs = (HOME / "Makefile").read_text()
        phony = verbs.split(".PHONY:")[1].split("\n")[0].split()
        for verb in phony:
            self.assertRegex(verbs, rf"(?m)^{verb}:.*## ")


class DependencyTests(unittest.TestCase):
    def run_with(self, **programs):
        """Runs the check with some programs replaced by scripts that print a text."""
        with tempfile.TemporaryDirectory() as directory:
            for name, text in programs.items():
                program = Path(directory) / name.replace("_", "-")
                program.write_text(f"#!/bin/sh\n{text}\n")
                program.chmod(0o755)
            environment = {**os.environ, "PATH": f"{directory}:{os.environ['PATH']}"}
            return subprocess.run(["sh", "docker/dependencies.sh", "libraries"], cwd=HOME, env=environment, text=True,
                                  capture_output=True, check=False)

    def test_a_mac_is_told_that_the_server_needs_linux(self):
        found = self.run_with(uname="echo Darwin", apt_get="echo never >&2; exit 1")
        self.assertEqual(found.returncode, 1)
        self.assertIn("runs on Linux", found.stderr)
        self.assertIn("docker run", found.stderr)
        self.assertNotIn("never", found.stderr)

    def test_the_version_of_libcurl_is_checked(self):
        def version(number, text):
            return f'case "$1" in --vernum) echo {number} ;; *) echo libcurl {text} ;; esac'

        old = self.run_with(curl_config=version("075100", "7.81.0"))
        self.assertEqual(old.returncode, 1)
        self.assertIn("7.81.0", old.stderr)
        self.assertIn("7.87", old.stderr)
        for number, text in [("075700", "7.87.0"), ("075801", "7.88.1"), ("080500", "8.5.0")]:
            self.assertEqual(self.run_with(curl_config=version(number, text)).returncode, 0, text)


class EngineTests(unittest.TestCase):
    def engine(self, **programs):
        """The command that docker/engine.sh chooses, with programs that have the given exit codes; None is missing."""
        with tempfile.TemporaryDirectory() as directory:
            for name in ("docker", "podman", "buildah"):
                if programs.get(name) is not None:
                    program = Path(directory) / name
                    program.write_text(f"#!/bin/sh\nexit {programs[name]}\n")
                    program.chmod(0o755)
            done = subprocess.run(["/bin/sh", "docker/engine.sh"], cwd=HOME, env={"PATH": directory}, text=True,
                                  capture_output=True, check=True)
            return done.stdout.strip(), done.stderr

    def test_the_first_engine_that_answers_builds_the_image(self):
        for programs, command in [
            ({"docker": 0, "podman": 0}, "docker build"), ({"podman": 0}, "podman build --format docker"),
            ({"docker": 1, "podman": 0}, "podman build --format docker"),
            ({"docker": 1, "podman": 125, "buildah": 0}, "buildah build --layers --format docker"),
        ]:
            self.assertEqual(self.engine(**programs)[0], command)

    def test_without_an_engine_the_verb_fails_and_says_what_to_install(self):
        command, said = self.engine(docker=1)
        self.assertEqual(command, "false")
        self.assertIn("apt-get install podman", said)


if __name__ == "__main__":
    unittest.main()
