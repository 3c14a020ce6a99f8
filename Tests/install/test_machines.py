"""Tests of the packages in fresh systems."""
import re
import time
import unittest
from pathlib import Path

from Tests.harness.containers import SUITES, wait_until
from Tests.install import test_packages as files
from Tests.install.machines import PLACE, Machine
from Tests.install.packages import OLD_VERSION

OLDER = Path()
CONFIG = "--config /etc/fogbase.conf"
READY = f"fogbase health {CONFIG}"
# One curl that creates a record. The key stays in the shell.
RECORD = (f"KEY=$(sudo -u fogbase fogbase keys add test --actions create,write {CONFIG})\n"
          'curl -sS --fail-with-body -X PUT http://127.0.0.1:8080/records/Story/fog -H "Authorization: Bearer $KEY"'
          ' -H "Content-Type: application/json" -d \'{"fields":{"title":"Hello, fog"}}\'')
READ = "curl -sS --fail-with-body http://127.0.0.1:8080/records/Story/fog"
# Without libvips, whose packages take longer than everything else.
INSTALL = "apt-get install --quiet --yes --no-install-recommends"


def timed(machine: Machine, script: str) -> float:
    begin = time.monotonic()
    machine.shell(script)
    return time.monotonic() - begin


class SuiteTests(unittest.TestCase):
    def test_the_package_starts_a_server_on_each_system(self):
        for suite in SUITES:
            with self.subTest(suite), Machine(suite, files.DEB) as machine:
                update = timed(machine, "apt-get update --quiet")
                package = f"{PLACE}/{files.DEB.name}"
                download = timed(machine, f"{INSTALL} --download-only {package}")
                install = timed(machine, f"{INSTALL} {package}")
                begin = time.monotonic()
                wait_until(lambda: machine.run("sh", "-c", READY).status == 0, "the server")
                self.assertIn('"recordName":"fog"', machine.shell(RECORD))
                record = time.monotonic() - begin
                print(f"\n{suite}: lists {update:.1f} s, downloads {download:.1f} s, installation {install:.1f} s, "
                      f"first record {record:.1f} s", flush=True)
                self.assertEqual(machine.shell("systemctl is-enabled fogbase; systemctl is-active fogbase"),
                                 "enabled\nactive")
                self.assertEqual(machine.shell("stat --format '%U:%G %a' /var/lib/fogbase /var/backups/fogbase"),
                                 "fogbase:fogbase 700\nfogbase:fogbase 700")
                self.assertIn("<title>", machine.shell("curl -sS --fail http://127.0.0.1:8080/_/"))
                machine.shell(f"sudo -u fogbase fogbase doctor {CONFIG}")
                log = machine.shell("journalctl --unit fogbase --no-pager")
                self.assertNotIn("fogadm_", log, "The journal has no token")

    def test_the_wheel_brings_its_libraries(self):
        for suite in SUITES:
            with self.subTest(suite), Machine(suite, files.WHEEL, is_booted=False, is_bare=True) as machine:
                machine.shell(f"apt-get update --quiet\n{INSTALL} python3-venv")
                machine.shell(f"python3 -m venv env\nenv/bin/pip install --no-index {files.WHEEL.name}")
                self.assertNotIn("libcurl", machine.shell("ls /usr/lib/*-linux-gnu"), "The system has none")
                self.assertIn("env/bin/../lib/fogbase/libcurl", machine.shell("ldd env/bin/fogbase"))
                output = machine.shell(
                    "env/bin/fogbase serve --data data > said 2>&1 &\n"
                    "until env/bin/fogbase health; do sleep 0.1; done\n"
                    "env/bin/python -c 'from urllib.request import urlopen as get\n"
                    "print(get(\"http://127.0.0.1:8080/_/\").read())'\n"
                    "cat said\nkill %1\nwait %1")
                self.assertIn("<title>", output)
                self.assertIn("fogadm_", output)
                machine.shell("env/bin/pip uninstall --yes fogbase")
                # pip leaves empty directories.
                self.assertEqual(machine.shell("find env -path '*fogbase*' -type f"), "")

    def test_pipx_runs_the_wheel(self):
        with Machine("bookworm", files.WHEEL, is_booted=False) as machine:
            machine.shell(f"apt-get update --quiet\n{INSTALL} pipx")
            self.assertIn("Fogbase", machine.shell(f"pipx run --spec ./{files.WHEEL.name} fogbase version"))


class LifeTests(unittest.TestCase):
    """A package over its life, on Debian 12."""

    def test_an_upgrade_restarts_the_server_and_keeps_data_and_settings(self):
        with Machine("bookworm", files.DEB, OLDER) as machine:
            machine.shell(f"apt-get update --quiet\n{INSTALL} ./{OLDER.name}\n{self.wait()}\n{RECORD}")
            machine.shell("printf '[accounts]\\nsign_up = closed\\n' >> /etc/fogbase.conf")
            before = machine.shell("systemctl show --property MainPID fogbase")
            machine.shell(f"{INSTALL} ./{files.DEB.name}\n{self.wait()}")
            self.assertNotIn(OLD_VERSION, machine.shell("dpkg-query --show fogbase"))
            self.assertNotEqual(machine.shell("systemctl show --property MainPID fogbase"), before)
            self.assertIn("Hello, fog", machine.shell(READ))
            self.assertIn("sign_up = closed", machine.shell("cat /etc/fogbase.conf"))
            machine.shell(f"sudo -u fogbase fogbase doctor {CONFIG}")
            self.assertIn('"recordName":"fog"', machine.shell(READ))

    def test_a_service_that_an_administrator_disabled_stays_disabled(self):
        with Machine("bookworm", files.DEB, OLDER) as machine:
            machine.shell(f"apt-get update --quiet\n{INSTALL} ./{OLDER.name}\n{self.wait()}\n"
                          f"systemctl disable fogbase\n{INSTALL} ./{files.DEB.name}")
            self.assertEqual(machine.run("systemctl", "is-enabled", "fogbase").text.strip(), "disabled")

    def test_a_removal_keeps_the_data_and_a_purge_keeps_the_backups_alone(self):
        with Machine("bookworm", files.DEB) as machine:
            machine.shell(f"apt-get update --quiet\n{INSTALL} ./{files.DEB.name}\n{self.wait()}\n{RECORD}\n"
                          f"sudo -u fogbase fogbase backup create /var/backups/fogbase/one {CONFIG}\n"
                          "systemctl enable --now fogbase-backup.timer")
            machine.shell("apt-get remove --yes fogbase")
            self.assertEqual(machine.run("systemctl", "is-active", "fogbase").text.strip(), "inactive")
            self.assertFalse(machine.has("/usr/bin/fogbase") or machine.has("/usr/share/fogbase"))
            self.assertTrue(machine.has("/var/lib/fogbase/server.sqlite") and machine.has("/etc/fogbase.conf"))
            machine.shell(f"{INSTALL} ./{files.DEB.name}\n{self.wait()}")
            self.assertIn("Hello, fog", machine.shell(READ))
            self.assertEqual(machine.shell("systemctl is-enabled fogbase"), "enabled")
            machine.shell("apt-get purge --yes fogbase")
            left = machine.shell("find / -xdev -path /proc -prune -o -path /root -prune -o -name '*fogbase*' -print"
                                 " -prune").splitlines()
            self.assertEqual(left, ["/var/backups/fogbase"], "and its user")
            machine.shell(f"{INSTALL} ./{files.DEB.name}\n{self.wait()}\nsystemctl stop fogbase\n"
                          "sudo -u fogbase fogbase backup restore --data /var/lib/fogbase --replace"
                          f" /var/backups/fogbase/one\nsystemctl start fogbase\n{self.wait()}")
            self.assertIn("Hello, fog", machine.shell(READ), "The backup brings it back")

    def test_a_policy_against_services_is_honoured(self):
        with Machine("bookworm", files.DEB) as machine:
            machine.shell("printf '#!/bin/sh\\nexit 101\\n' > /usr/sbin/policy-rc.d\nchmod 755 /usr/sbin/policy-rc.d\n"
                          f"apt-get update --quiet\n{INSTALL} ./{files.DEB.name}")
            self.assertEqual(machine.run("systemctl", "is-active", "fogbase").text.strip(), "inactive")
            self.assertEqual(machine.shell("systemctl is-enabled fogbase"), "enabled")

    def test_the_package_works_without_systemd(self):
        with Machine("bookworm", files.DEB, is_booted=False) as machine:
            machine.shell(f"apt-get update --quiet\n{INSTALL} procps ./{files.DEB.name}")
            machine.shell(f"sudo -u fogbase fogbase serve {CONFIG} > said 2>&1 &\n{self.wait()}\n{RECORD}")
            self.assertIn("fogbase", machine.shell("stat --format %U /proc/$(pgrep --oldest --exact fogbase)"))
            machine.shell("pkill --exact fogbase\napt-get purge --yes fogbase")
            self.assertFalse(machine.has("/var/lib/fogbase"))

    @staticmethod
    def wait() -> str:
        return f"for i in $(seq 100); do {READY} > /dev/null 2>&1 && break; sleep 0.1; done; {READY}"


class UnitTests(unittest.TestCase):
    def test_the_unit_is_valid_and_confined(self):
        with Machine("bookworm", files.DEB) as machine:
            machine.shell(f"apt-get update --quiet\n{INSTALL} ./{files.DEB.name}")
            self.assertEqual(machine.shell("systemd-analyze verify fogbase.service 2>&1"), "")
            shown = machine.shell("systemd-analyze security --no-pager --offline=true"
                                  " /usr/lib/systemd/system/fogbase.service")
            exposure = float(re.search(r"Overall exposure level.*: ([0-9.]+)", shown)[1])
            self.assertLessEqual(exposure, 2.0, shown)
