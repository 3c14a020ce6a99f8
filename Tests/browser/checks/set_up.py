"""The link that the server prints while it has no administrator, and how fast the console starts."""

import re
import tempfile
import time
from pathlib import Path

from Tests.browser.checks.administrators import is_signed_in, sign_in
from Tests.browser.checks.pages import enter
from Tests.browser.page import Page
from Tests.browser.runner import PROGRAM, PUBLIC
from Tests.browser.server import SETTINGS
from Tests.browser.suite import check
from Tests.harness import server as harness

PASSWORD = "correct horse battery"
ROUND_TRIP = 80  # milliseconds


def fill_in(page, **values):
    for box, text in values.items():
        element = page.find(f"#{box}")
        element.clear()
        element.send_keys(text)
    page.press("Make the administrator")


@check
def the_printed_link_makes_the_first_administrator(page, server):
    with tempfile.TemporaryDirectory(prefix="fogbase-first-") as directory:
        settings = SETTINGS | {"FOGBASE_ADMIN_TOKEN": ""}
        with harness.Server(PROGRAM, Path(directory) / "data", settings, arguments=["--public", PUBLIC]) as fresh:
            fresh.admin = None
            link = page.until(lambda: re.search(r"/_/#/welcome\?code=\S+", Path(fresh.log).read_text()), "the link")
            first = Page(page.browser, f"http://127.0.0.1:{fresh.port}")
            # Into a tab that shows the sign-in page: only the part after # changes.
            first.open("#/")
            first.see("Sign in")
            first.run("location.hash = arguments[0]", link.group().removeprefix("/_/"))
            first.heading("Welcome")
            # And back again.
            first.run("location.hash = '#/'")
            first.find("#token")
            first.run("location.hash = arguments[0]", link.group().removeprefix("/_/"))
            first.heading("Welcome")
            fill_in(first, name="", password=PASSWORD, again=PASSWORD)
            first.see("Choose a name first.")
            fill_in(first, name="grace", password="short", again="short")
            first.see("A password has at least 12 characters.")
            fill_in(first, name="grace", password=PASSWORD, again=PASSWORD + "x")
            first.see("The two passwords differ.")
            fill_in(first, name="Grace", password=PASSWORD, again=PASSWORD)
            is_signed_in(first, "grace owner")
            first.heading("Home")
            assert "code" not in first.run("return location.href"), "the code stays in the address"
            first.sign_out()
            first.see("You are signed out.")
            first.open(link.group().removeprefix("/_/"))
            first.see("This link is not valid any more", "Sign in")
            assert first.run("return location.hash") == "#/"
            assert not first.all("#again"), "the form is shown for a used link"
            # The link does not sign out an administrator who opens it again.
            sign_in(first, "grace")
            first.heading("Home")
            for _ in range(2):
                first.run("location.hash = arguments[0]", link.group().removeprefix("/_/"))
                first.until(lambda: first.run("return location.hash") == "#/", "Home")
                first.heading("Home")
            first.open(link.group().removeprefix("/_/"))
            first.heading("Home")


def usable_after(page):
    """Loads the page, and returns the milliseconds until Home shows its first tile."""
    start = time.monotonic()
    page.browser.get(f"{page.address}{page.root}")
    page.find(".tiles")
    return (time.monotonic() - start) * 1_000


@check
def home_is_usable_soon_at_eighty_milliseconds(page, server):
    for number in range(20):
        server.create("Post", f"p{number}", title=f"Post {number}")
    enter(page)
    page.signed_in()
    page.browser.execute_cdp_cmd("Network.enable", {})
    page.browser.execute_cdp_cmd("Network.clearBrowserCache", {})
    page.browser.execute_cdp_cmd("Network.emulateNetworkConditions", {
        "offline": False, "latency": ROUND_TRIP, "downloadThroughput": -1, "uploadThroughput": -1})
    first = usable_after(page)
    later = min(usable_after(page) for _ in range(3))
    page.until(lambda: page.run("return performance.getEntriesByType('resource').length") > 10, "the files")
    # Files with the version in their address come from the browser's own cache, without a request.
    asked = page.run("""
        return performance.getEntriesByType("resource").filter(({ name, transferSize }) =>
            name.includes("/_/v-") && transferSize > 0).map(({ name }) => name)""")
    print(f"        at {ROUND_TRIP} ms: {first:.0f} ms at the first visit, {later:.0f} ms at a later one", flush=True)
    assert not asked, asked
