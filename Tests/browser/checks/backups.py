"""The room of backups."""

import io
import tarfile

from Tests.browser.checks.home import respond, server_again, verdict
from Tests.browser.checks.pages import enter
from Tests.browser.suite import check

RUNNING = {"state": "running", "activity": "development", "unit": "pages", "done": 1_000, "total": 4_000}


@check
def a_backup_is_made_downloaded_and_deleted(page, server):
    server.create("Post", "a", title="sea")
    enter(page, "#/backups")
    page.heading("Backups")
    page.see("No backup in the last week.", "What a backup has")
    page.press("Make a backup", ".archive")
    page.see("as a tar file.")
    page.until(lambda: "done" in page.find("section[aria-label='Backups of the last week']").text, "the job")
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
def commands_for_backups_are_copied(page, server):
    enter(page, "#/backups")
    page.heading("Backups")
    page.run("navigator.clipboard.writeText = async (text) => { window.copied = text; }")
    page.click(page.find("button[aria-label='Copy: Make and check a backup']"))
    page.see("Copied.")
    copied = page.run("return window.copied")
    assert "fogbase backup create --data /var/lib/fogbase /var/backups" in copied and "verify" in copied, copied
    page.see("fogbase backup restore --data /var/lib/fogbase --replace")
