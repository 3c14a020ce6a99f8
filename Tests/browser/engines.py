"""Visits every room of the console and does a short work in it with the engines of Safari and Firefox.

    python3 -m Tests.browser.engines [webkit | firefox]

FOGBASE names the program (.build/debug/fogbase), SHOTS a directory for screenshots, if any are wanted. An engine that
is not installed is skipped, and the output says what it lacks; one that was named, or all of them, may not be missing.
"""

import contextlib
import glob
import importlib.util
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import traceback

from Tests.browser.runner import PROGRAM, PUBLIC

MINI_BROWSER = next((path for folder in ["/usr/lib/*", "/usr/libexec"]
                     for path in glob.glob(f"{folder}/webkit2gtk-4.*/MiniBrowser")), None)
FIREFOX = shutil.which("firefox-esr") or shutil.which("firefox")
# These drivers do not report the errors of a page. A script that runs before all others keeps them.
RECORDER = """
    const keep = (text) => {
        const before = JSON.parse(sessionStorage.getItem("mistakes") ?? "[]");
        sessionStorage.setItem("mistakes", JSON.stringify([...before, `${location.hash}: ${text}`]));
    };
    addEventListener("error", ({ message, target }) => {
        if (message !== undefined) keep(message);
        else if (target.tagName !== "IMG") keep(target.outerHTML); // A picture that cannot be loaded has a substitute.
    }, true);
    addEventListener("unhandledrejection", (event) => keep(`${event.reason} ${event.reason?.stack}`));
    addEventListener("securitypolicyviolation", (event) => keep(`${event.violatedDirective} ${event.blockedURI}`));
    for (const level of ["error", "warn"]) {
        const real = console[level];
        console[level] = (...values) => { keep(values.join(" ")); real(...values); };
    }"""


def missing(engine):
    """A sentence for each thing that this engine lacks."""
    if importlib.util.find_spec("selenium") is None:
        yield "Selenium for Python is missing (Debian: apt-get install python3-selenium; or pip install selenium)."
    if engine == "firefox":
        if FIREFOX is None:
            yield "Firefox is missing (Debian: apt-get install firefox-esr)."
        if shutil.which("geckodriver") is None:
            yield "geckodriver is missing (https://github.com/mozilla/geckodriver/releases; not in Debian)."
    else:
        if MINI_BROWSER is None or shutil.which("WebKitWebDriver") is None:
            yield "WebKit is missing (Debian: apt-get install webkit2gtk-driver)."
        if "DISPLAY" not in os.environ and shutil.which("Xvfb") is None:
            yield "A display is missing (Debian: apt-get install xvfb)."


@contextlib.contextmanager
def display():
    """A display in memory, unless there is a real one. WebKit's browser needs one."""
    if "DISPLAY" in os.environ:
        yield
        return
    with subprocess.Popen(["Xvfb", "-displayfd", "1", "-screen", "0", "1920x1200x24"], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True) as server:
        os.environ["DISPLAY"] = ":" + server.stdout.readline().strip()
        try:
            yield
        finally:
            del os.environ["DISPLAY"]
            server.terminate()


@contextlib.contextmanager
def open_firefox():
    from selenium import webdriver
    from selenium.webdriver.firefox.service import Service
    options = webdriver.FirefoxOptions()
    options.binary_location = FIREFOX
    options.add_argument("-headless")
    options.add_argument("-remote-allow-system-access")  # to make the page as narrow as a phone
    options.set_preference("intl.accept_languages", "en")
    browser = webdriver.Firefox(options=options, service=Service(shutil.which("geckodriver"), log_path=os.devnull))
    try:
        yield browser
    finally:
        browser.quit()


@contextlib.contextmanager
def open_webkit():
    from selenium import webdriver
    options = webdriver.WebKitGTKOptions()
    options.binary_location = MINI_BROWSER
    options.add_argument("--automation")
    with display():
        browser = webdriver.WebKitGTK(options=options, executable_path=shutil.which("WebKitWebDriver"))
        try:
            yield browser
        finally:
            browser.quit()


def recorded(directory):
    """Copies the pages to this directory, with the script that keeps errors."""
    public = pathlib.Path(shutil.copytree(PUBLIC, pathlib.Path(directory) / "Public"))
    (public / "recorder.js").write_text(RECORDER)
    page = (public / "index.html").read_text()
    (public / "index.html").write_text(page.replace("<link", '<script src="recorder.js"></script>\n<link', 1))
    return str(public)


def page_of(browser, address):
    """A page whose size and errors do not depend on Chromium's driver."""
    from Tests.browser.page import Page

    class EnginePage(Page):
        def size(self, width, height, scheme="light"):
            # Firefox has no window below 500 px, so the page in it is made narrower. WebKit's has at least 447 px.
            if browser.name == "firefox":
                with browser.context("chrome"):
                    self.run("gBrowser.selectedBrowser.style.maxWidth = `${arguments[0]}px`", width)
            browser.set_window_size(width, height)

        def look(self, language, theme):
            self.run("""localStorage.setItem("fogbase.language", arguments[0]);
                        localStorage.setItem("fogbase.theme", arguments[1])""", language, theme)

        def mistakes(self):
            return json.loads(self.run("""
                const kept = sessionStorage.getItem("mistakes") ?? "[]";
                sessionStorage.removeItem("mistakes");
                return kept;"""))
    return EnginePage(browser, address)


def every_room(page, server):
    """No room has an error or is wider than the window, in either language, theme and width."""
    from Tests.browser.checks.looks import ROOMS, fill, visit
    fill(server)
    page.open()
    enter(page)
    for language, theme, width in [("en", "light", 390), ("ja", "dark", 1440)]:
        page.size(width, 900)
        page.look(language, theme)
        page.open()
        page.find("h1")
        for place in ROOMS:
            visit(page, place)
            shown, wide, window = page.run("""
                return [document.documentElement.lang, document.documentElement.scrollWidth, innerWidth]""")
            page.shot(f"{page.browser.name}-{language}-{width}-{ROOMS.index(place)}")
            assert shown == language and wide <= window, f"{place} in {shown} is {wide} px wide at {window} px"
            mistakes = page.mistakes()
            assert not mistakes, f"{place}: {mistakes}"


def a_short_work(page, server):
    """Records are created with files, found, changed by two clients, and deleted."""
    from selenium.webdriver.common.keys import Keys

    from Tests.browser.checks.queries import find, rows
    from Tests.browser.files import arrived, choose, drop, file, picture, shown
    from Tests.browser.lists import focused, press_key
    server.create("Note", "a", title="sea", likes=1)
    server.create("Note", "b", title="fog", likes=2)
    page.size(1200, 900)
    page.open()
    page.look("en", "")
    page.open("#/types/Note/new")
    enter(page)
    page.heading("New Note")
    page.fill("recordName", "c")
    page.fill("title", "storm")
    page.fill("likes", "3")
    page.add_field("seen", "TIMESTAMP")
    page.set(page.control("seen"), "2026-03-01T14:05:09.250")
    page.add_field("image", "ASSET")
    choose(page, "image", file("sea.png", picture(40, 30)))
    arrived(page)
    shown(page)
    page.add_field("text", "ASSET")
    drop(page, "text", ["one.txt", "text/plain", "one"])
    arrived(page)
    page.press("Create")
    page.heading("c")
    fields = server.fields("Note", "c")
    assert (fields["likes"], fields["seen"], fields["text"]["size"]) == (3, 1772373909250, 3), fields

    # A reload of the list, a filter and a sort; then another client writes.
    page.open("#/types/Note")
    rows(page, "a", "b", "c")
    find(page, "likes > 1", "-likes")
    rows(page, "c", "b")
    page.press("Clear", ".filters")
    rows(page, "a", "b", "c")
    page.press("a", "tbody")
    page.heading("a")
    server.call("PATCH", "/records/Note/a", {"fields": {"likes": 7}})
    page.see("administrator has changed this record")
    page.until(lambda: page.control("likes").get_attribute("value") == "7", "what another client has written")
    page.fill("title", "wave")
    page.press("Save")
    page.until(lambda: server.fields("Note", "a")["title"] == "wave", "the change")

    # The keyboard in a dialog.
    page.go("#/types/Note/record/b")
    page.heading("b")
    page.press("Delete", "main")
    page.find("dialog[open]")
    first = focused(page)
    press_key(page, Keys.TAB)
    assert page.run("return document.activeElement.closest('dialog') !== null") and focused(page) != first
    press_key(page, Keys.ESCAPE)
    page.until(lambda: not page.all("dialog") and focused(page) == "Delete", "the focus where it was")
    page.press("Delete", "main")
    page.press("Delete", "dialog .actions")
    page.heading("Note")
    rows(page, "a", "c")
    page.sign_out()
    page.see("You are signed out.")


def enter(page):
    from Tests.browser.server import TOKEN
    page.sign_in(TOKEN)
    page.signed_in()


def run(engine):
    """Runs both checks; returns how many have failed."""
    from Tests.browser.server import Server
    failed = 0
    for check in [every_room, a_short_work]:
        opened = open_firefox() if engine == "firefox" else open_webkit()
        with tempfile.TemporaryDirectory(prefix="fogbase-engines-") as directory, opened as browser, \
                Server(PROGRAM, recorded(directory)) as server:
            page = page_of(browser, server.address)
            try:
                check(page, server)
                mistakes = page.mistakes()
                assert not mistakes, "the browser complains:\n" + "\n".join(mistakes)
                print(f"ok      {engine}: {check.__name__.replace('_', ' ')}", flush=True)
            except Exception:
                failed += 1
                print(f"FAILED  {engine}: {check.__name__.replace('_', ' ')}\n{traceback.format_exc()}", flush=True)
                page.shot(f"{engine}-{check.__name__}")
    return failed


def main(names):
    if not os.access(PROGRAM, os.X_OK):
        print(f"The server is missing at {PROGRAM} (swift build --product fogbase).", file=sys.stderr)
        return 2
    failed, skipped, engines = 0, [], names or ["webkit", "firefox"]
    for engine in engines:
        complaints = list(missing(engine))
        if complaints:
            skipped.append(engine)
            print(f"skipped {engine}: {' '.join(complaints)}")
        else:
            failed += run(engine)
    print(f"{len(engines) - len(skipped)} of {len(engines)} engines were visited, {failed} checks failed")
    return 1 if failed or skipped == engines or names and skipped else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
