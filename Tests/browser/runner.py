"""Runs checks, each with a browser and a server of its own, so that no check depends on another."""

import importlib
import importlib.util
import os
import shutil
import sys
import traceback

from Tests.browser.suite import checks_of
from Tests.harness.arguments import ROOT

PUBLIC = str(ROOT / "Public")
PROGRAM = os.environ.get("FOGBASE", str(ROOT / ".build/debug/fogbase"))


def missing():
    """A sentence for each thing that is not there."""
    if not (shutil.which("chromium") or shutil.which("chromium-browser")):
        yield "Chromium is missing (Debian: apt-get install chromium)."
    if shutil.which("chromedriver") is None:
        yield "chromedriver is missing (Debian: apt-get install chromium-driver)."
    if importlib.util.find_spec("selenium") is None:
        yield "Selenium for Python is missing (Debian: apt-get install python3-selenium; or pip install selenium)."
    if not os.access(PROGRAM, os.X_OK):
        yield f"The server is missing at {PROGRAM} (swift build --product fogbase)."


def run(names, root):
    """Runs the checks of these modules for the pages below `root`. The command line may name a part of a check's or a
    module's name."""
    complaints = list(missing())
    if complaints:
        print("\n".join(complaints), file=sys.stderr)
        return 2

    # Only here, as a machine without Selenium gets a sentence instead.
    from Tests.browser.page import Page, open_browser
    from Tests.browser.server import Server

    wanted = sys.argv[1] if len(sys.argv) > 1 else ""
    every = [check for name in names for check in checks_of(importlib.import_module(f"Tests.browser.checks.{name}"))]
    checks = [each for each in every if wanted in each.__name__ or wanted in each.__module__]
    failed = 0
    for check in checks:
        name = check.__name__.replace("_", " ")
        browser = open_browser()
        try:
            with Server(PROGRAM, PUBLIC) as server:
                page = Page(browser, server.address, root)
                try:
                    check(page, server)
                    mistakes = page.mistakes()
                    assert not mistakes, "the browser complains:\n" + "\n".join(mistakes)
                    print(f"ok      {name}", flush=True)
                except Exception:
                    failed += 1
                    print(f"FAILED  {name}\n{traceback.format_exc()}", flush=True)
                finally:
                    page.shot(check.__name__)
        finally:
            browser.quit()
    print(f"{len(checks) - failed} passed, {failed} failed")
    return 1 if failed or not checks else 0
