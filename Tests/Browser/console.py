#!/usr/bin/env python3
"""Drives the console in Public/ with a headless Chromium against a server started here.

    python3 Tests/Browser/console.py [part of a check's name]

FOGBASE names the program (.build/debug/fogbase), SHOTS a folder for screenshots, if any are wanted.
"""

import importlib.util
import os
import pathlib
import shutil
import sys
import traceback

HOME = pathlib.Path(__file__).resolve().parents[2]
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


def main():
    complaints = list(missing())
    if complaints:
        print("\n".join(complaints), file=sys.stderr)
        return 2

    import checks_of_assets
    import checks_of_pages
    import checks_of_queries
    import checks_of_records
    from page import Page, open_browser
    from server import Server

    wanted = sys.argv[1] if len(sys.argv) > 1 else ""
    every = checks_of_pages.CHECKS + checks_of_records.CHECKS + checks_of_queries.CHECKS + checks_of_assets.CHECKS
    checks = [each for each in every if wanted in each.__name__]
    failed = 0
    for check in checks:
        name = check.__name__.replace("_", " ")
        # A browser and a server of its own: no check can lean on another.
        browser = open_browser()
        try:
            with Server(PROGRAM, str(HOME / "Public")) as server:
                page = Page(browser, server.address)
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


if __name__ == "__main__":
    sys.exit(main())
