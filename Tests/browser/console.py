"""Checks the console in Public/ with a headless Chromium against a server started here.

    python3 -m Tests.browser.console [part of a check's or a module's name]

FOGBASE names the program (.build/debug/fogbase), SHOTS a directory for screenshots, if any are wanted.
"""

import sys

from Tests.browser.runner import run

MODULES = ["set_up", "waiting", "pages", "looks", "tables", "connection", "grid", "administrators", "places",
           "records", "queries", "schema", "schema_text", "promotion", "views", "assets", "base_path", "shown_files",
           "security", "users", "keys", "administrator_rooms", "invitations", "webhooks", "operation", "interface",
           "record_room", "home", "logs", "backups", "reading", "cloudkit", "transfers"]

if __name__ == "__main__":
    sys.exit(run(MODULES, "/_/"))
