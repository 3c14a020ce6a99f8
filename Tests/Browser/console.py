#!/usr/bin/env python3
"""Drives the console in Public/ with a headless Chromium against a server started here.

    python3 Tests/Browser/console.py [part of a check's or a file's name]

FOGBASE names the program (.build/debug/fogbase), SHOTS a folder for screenshots, if any are wanted.
"""

import sys

from runner import run

CHECKS = ["checks_of_waiting", "checks_of_pages", "checks_of_administrators", "checks_of_places", "checks_of_records",
          "checks_of_queries", "checks_of_assets", "checks_of_base_path", "checks_of_shown_files"]

if __name__ == "__main__":
    sys.exit(run(CHECKS, "/_/"))
