#!/usr/bin/env python3
"""Drives the web's forum in Public/examples/forum with headless Chromiums against a server started here.

    python3 Tests/Browser/forum.py [part of a check's or a file's name]

FOGBASE names the program (.build/debug/fogbase), EXAMPLES the folder with the Swift examples (.build/debug), SHOTS a
folder for screenshots, if any are wanted.
"""

import sys

from runner import run

CHECKS = ["checks_of_forum_reading", "checks_of_forum_writing", "checks_of_forum_places",
          "checks_of_forum_origins"]

if __name__ == "__main__":
    sys.exit(run(CHECKS, "/_/examples/forum/"))
