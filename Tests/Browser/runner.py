"""Runs checks, each in a browser and on a server of its own: no check can lean on another."""

import importlib.util
import os
import pathlib
import shutil
import sys
import traceback

HOME = pathlib.Path(__file__).resolve().parents[2]
PUBLIC = str(HOME / "Public")
PROGRAM = os.environ.get("FOGBASE", str(HOME / ".build/debug/fogbase"))


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
    """Runs the checks of these modules for the pages below `root`; the command line may have a part of their names
    or of their file's."""
    complaints = list(missing())
    if complaints:
        print("\n".join(complaints), file=sys.stderr)
        return 2

    from page import Page, open_browser
    from server import Server

    wanted = sys.argv[1] if len(sys.argv) > 1 else ""
    every = [check for name in names for check in importlib.import_module(name).CHECKS]
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
