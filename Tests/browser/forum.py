"""Checks the web's forum in Public/examples/forum with headless Chromiums against a server started here.

    python3 -m Tests.browser.forum [part of a check's or a module's name]

FOGBASE names the program (.build/debug/fogbase), EXAMPLES the directory with the Swift examples (.build/debug), SHOTS a
directory for screenshots, if any are wanted.
"""

import sys

from Tests.browser.runner import run

MODULES = ["forum_reading", "forum_writing", "forum_places", "forum_live",
          "forum_origins"]

if __name__ == "__main__":
    sys.exit(run(MODULES, "/_/examples/forum/"))
