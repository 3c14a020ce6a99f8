"""Opens every room of the console, and edits a record, in engines other than Chromium's.

    python3 -m Tests.browser.engines [webkit | firefox]

FOGBASE names the program (.build/debug/fogbase), SHOTS a directory for screenshots, if any are wanted. An engine that is
not installed is skipped.
"""

import contextlib
import glob
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import traceback

from Tests.browser.runner import PROGRAM, PUBLIC

MINI_BROWSER = next(iter(glob.glob("/usr/lib*/*/webkit2gtk-4.*/MiniBrowser") + glob.glob("/usr/lib*/webkit2gtk-4.*/MiniBrowser")), None)
FIREFOX = shutil.which("firefox-esr") or shutil.which("firefox")
# Of these two, only the engine knows the errors of a page. A script before all others keeps them.
RECORDER = """
    const keep = (text) => {
        const before = JSON.parse(sessionStorage.getItem("mistakes") ?? "[]");
        sessionStorage.setItem("mistakes", JSON.stringify([...before, `${location.hash}: ${text}`]));
    };
    addEventListener("error", (event) => {
        // A picture that does not load has a substitute.
        if (event.message !== undefined || event.target.tagName !== "IMG") keep(event.message ?? `cannot load ${event.target.src}`);
    }, true);
    addEventListener("unhandledrejection", (event) => keep(`${event.reason?.stack ?? ""} ${event.reason}`));
    addEventListener("securitypolicyviolation", (event) => keep(`${event.violatedDirective} ${event.blockedURI}`));
    for (const level of ["error", "warn"]) {
        const real = console[level];
        console[level] = (...values) => { keep(values.join(" ")); real(...values); };
    }"""


def missing(engine):
    """A sentence for each thing that this engine lacks."""
    if engine == "firefox":
        if FIREFOX is None:
            yield "Firefox is missing (Debian: apt-get install firefox-esr)."
        if shutil.which("geckodriver") is None:
            yield "geckodriver is missing (https://github.com/mozilla/geckodriver/releases; no Debian package has it)."
    else:
        if MINI_BROWSER is None or shutil.which("WebKitWebDriver") is None:
            yield "WebKit is missing (Debian: apt-get install webkit2gtk-driver)."
        if "DISPLAY" not in os.environ and shutil.which("Xvfb") is None:
            yield "A display is missing (Debian: apt-get install xvfb)."


@contextlib.contextmanager
def display():
    """WebKit's browser needs a display, which may be in memory."""
    if "DISPLAY" in os.environ:
        yield
        return
    with subprocess.Popen(["Xvfb", "-displayfd", "1", "-screen", "0", "1920x1200x24"], stdout=subprocess.PIPE, text=True,
                          stderr=subprocess.DEVNULL) as server:
        os.environ["DISPLAY"] = ":" + server.stdout.readline().strip()
        try:
            yield
        finally:
            del os.environ["DISPLAY"]
            server.terminate()


def open_firefox():
    from selenium import webdriver
    from selenium.webdriver.firefox.service import Service
    options = webdriver.FirefoxOptions()
    options.binary_location = FIREFOX
    options.add_argument("-headless")
    options.add_argument("-remote-allow-system-access")  # to make the page as narrow as a phone
    options.set_preference("intl.accept_languages", "en")
    return webdriver.Firefox(options=options, service=Service(shutil.which("geckodriver"), log_path=os.devnull))


def open_webkit():
    from selenium import webdriver
    options = webdriver.WebKitGTKOptions()
    options.binary_location = MINI_BROWSER
    options.add_argument("--automation")
    return webdriver.WebKitGTK(options=options, executable_path=shutil.which("WebKitWebDriver"))
