"""The room of backups."""

import io
import subprocess
import tarfile
import time

from Tests.browser.checks.home import respond, server_again, verdict
from Tests.browser.checks.pages import enter
from Tests.browser.runner import PROGRAM
from Tests.browser.suite import check

LIST = "section[aria-label='Last backups']"
HOUR = 3_600_000
RUNNING = {"state": "running", "activity": "development", "unit": "pages", "done": 1_000, "total": 4_000}


def fogbase(server, *words):
    """Runs a command for backups on the server's data."""
    subprocess.run([server.binary, "backup", *words, "--data", str(server.data)], env=server.environment, check=True,
                   capture_output=True, timeout=120)


@check
def a_backup_is_made_downloaded_and_deleted(page, server):
    server.create("Post", "a", title="sea")
    enter(page, "#/backups")
    page.heading("Backups")
    page.see("The server knows of no backup.", "What a backup has")
    page.press("Make a backup", ".archive")
    page.see("as a tar file.", "It is complete.")
    page.until(lambda: "complete" in page.find(LIST).text, "the backup in the list")
    row = page.run(f"""
        return [...document.querySelector("{LIST} tbody tr").cells].map((each) => each.textContent)""")
    now = page.run("return new Intl.DateTimeFormat(navigator.language, { dateStyle: 'medium' }).format(new Date())")
    assert now in row[0] and row[1].endswith(".tar") and row[2] == "to download" and "tested" in row[4], row
    page.shot("backup-done")
    # The address that the button follows, with the ticket.
    page.run("""
        HTMLAnchorElement.prototype.click = function () {
            window.followed = [this.getAttribute("href"), this.hasAttribute("download")];
        }""")
    page.press("Download", ".archive")
    page.until(lambda: page.run("return window.followed"), "a download")
    address, is_download = page.run("return window.followed")
    assert is_download and "ticket=" in address, address
    with tarfile.open(fileobj=io.BytesIO(server.client().call("GET", address, None, (200,)).body)) as archive:
        names = archive.getnames()
    assert any(name.endswith("manifest.json") for name in names), names
    page.press("Delete…", ".archive")
    page.press("Keep it", "dialog")
    page.see("as a tar file.")
    page.press("Delete…", ".archive")
    page.press("Delete the backup", "dialog")
    page.until(lambda: page.find(".archive").text.endswith("Make a backup"), "no backup to download")
    page.go("#/")
    verdict(page, "Healthy")


@check
def progress_and_failures_of_a_backup_are_shown(page, server):
    respond(page, "/backup/archive", RUNNING)
    enter(page, "#/backups")
    page.see("A backup is under way.", "development: 1,000 of 4,000 pages")
    assert page.find(".archive progress").get_attribute("value") == "0.25"
    page.shot("backup-running")
    page.press("Stop it", ".archive")
    page.press("Let it go on", "dialog")
    page.see("A backup is under way.")
    server_again(page)
    page.until(lambda: "Make a backup" in page.find(".archive").text, "the server's own state")
    respond(page, "/backup/archive", {"state": "failed", "reason": "The disk is full"})
    page.open("#/backups")
    page.see("The backup has failed.", "The disk is full")
    server_again(page)
    page.press("Make a backup", ".archive")
    page.see("as a tar file.")


@check
def tests_of_backups_are_shown_and_damage_loudly(page, server):
    now = int(time.time()) * 1000
    done = {"state": "done", "bytes": 5_000, "created": now, "expires": now + HOUR}
    respond(page, "/backup/archive", done | {"test": {"state": "running", "activity": "Forum/development: records",
                                                      "done": 250, "total": 1_000}})
    respond(page, "/backups", {"backups": [
        {"created": now, "kind": "archive", "name": "fogbase-now.tar", "bytes": 5_000},
        {"created": now - 30 * HOUR, "kind": "directory", "name": "nightly", "bytes": 7_000, "tested": now - 29 * HOUR,
         "problems": 3, "problem": "Forum/development/secret is missing."},
        {"created": now - 60 * HOUR, "kind": "directory", "name": "before", "bytes": 9, "tested": now, "problems": 0}]})
    enter(page, "#/backups")
    page.see("Forum/development: records: 250 of 1,000", "The server reads it all again")
    assert page.find(".archive .test progress").get_attribute("value") == "0.25"
    page.find(".archive .actions")
    page.until(lambda: len(page.all(f"{LIST} tbody tr")) == 3, "three backups")
    rows = [each.text for each in page.all(f"{LIST} tbody tr")]
    assert "not tested" in rows[0] and "to download" in rows[0], rows
    assert "damaged" in rows[1] and "secret is missing. 2 more problems." in rows[1] and "directory" in rows[1], rows
    assert "complete" in rows[2] and "tested" in rows[2], rows
    page.shot("backup-tests")
    page.size(390, 844)
    page.shot("backup-tests-narrow")
    page.size(1440, 900)
    respond(page, "/backup/archive", done | {"test": {"state": "damaged", "tested": now, "problems": 1,
                                                      "problem": "Forum/development/secret is missing."}})
    page.open("#/backups")
    page.until(lambda: page.all(".archive .problem-box"), "the damage")
    page.see("This backup is damaged.", "Make another one, and check the disk of the server.")
    page.shot("backup-damaged")
    server_again(page)
    page.press("Make another one", ".archive")
    page.see("It is complete.")


@check
def backups_that_run_or_have_failed_are_listed(page, server):
    now = int(time.time()) * 1000
    job = {"kind": "backup", "created": now, "started": now, "done": 5, "total": 9, "task": {}}
    respond(page, "/jobs", {"jobs": [
        job | {"id": "a", "state": "running"}, job | {"id": "b", "state": "succeeded", "ended": now},
        job | {"id": "c", "state": "failed", "ended": now, "error": {"reason": "The disk is full"}}]})
    enter(page, "#/backups")
    name = "[aria-label='Backups that run or have failed'] tbody tr"
    page.until(lambda: len(page.all(name)) == 2, "two jobs")
    rows = [each.text for each in page.all(name)]
    assert "running" in rows[0] and "5 of 9" in rows[0] and "The disk is full" in rows[1], rows


@check
def a_test_with_the_command_is_remembered(page, server):
    server.create("Post", "a", title="sea")
    to = f"{server.directory.name}/tested"
    fogbase(server, "create", to)
    enter(page, "#/backups")
    page.until(lambda: "not tested" in page.find(LIST).text, "the backup that was not tested")
    page.go("#/")
    verdict(page, "Needs attention: Last backup")
    assert "not tested yet" in page.find(".health").text
    fogbase(server, "verify", to)
    page.open("#/")
    verdict(page, "Healthy")


@check
def commands_for_backups_are_copied(page, server):
    enter(page, "#/backups")
    page.heading("Backups")
    page.run("navigator.clipboard.writeText = async (text) => { window.copied = text; }")
    page.click(page.find("button[aria-label='Copy: Make and check a backup']"))
    page.see("Copied.")
    copied = page.run("return window.copied")
    # They run as they are printed, with the server's own directory.
    commands = copied.replace("fogbase backup", f"{PROGRAM} backup")
    run = subprocess.run(["bash", "-ec", commands], capture_output=True, text=True)
    assert run.returncode == 0 and "The backup is complete." in run.stderr + run.stdout, run
    page.see(f"fogbase backup restore --data {server.directory.name}/data --replace", "complete")
