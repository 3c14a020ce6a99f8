"""Runs the example applications as people do, against a server started here, and checks what they print.

    python3 -m Tests.examples [Forum Goods Calendar CleanUp TypedPosts CloudKit]

Each runs twice on the same server. FOGBASE names the server's program (.build/debug/fogbase), EXAMPLE_PROGRAMS the
directory of the examples (.build/debug).
"""

import os
import pathlib
import subprocess
import sys
import time

from Tests.browser.server import TOKEN, Server
from Tests.harness.arguments import ROOT

PROGRAM = os.environ.get("FOGBASE", str(ROOT / ".build/debug/fogbase"))
DIRECTORY = pathlib.Path(os.environ.get("EXAMPLE_PROGRAMS", ROOT / ".build/debug"))
RUNS = 2

# What each example claims near its end: it stops at the first claim that does not hold.
LIKES, RANGE, TABLET = "and no like is lost", "100 to 500 has both ends, by price and then by cost rate", (
    "a deletion comes to the tablet")
BAR, PAGES = "[########################################] 100 %", "a loop reads all pages"
CLAIMS = {
    "Forum": [f"fifty clients have pressed at once, {LIKES}"], "Goods": [RANGE], "Calendar": [TABLET], "CleanUp": [BAR],
    "TypedPosts": [PAGES],
    "CloudKit": [f"twenty clients have pressed at once, {LIKES}", RANGE, TABLET, BAR, PAGES],
}

# Seconds that one example may take, on a machine that has other work too.
LONGEST = 120


def run(name, *arguments, expect, status=0, environment=None):
    """Runs an example; returns the sentences about what is wrong."""
    own = {key: value for key, value in os.environ.items() if not key.startswith("FOGBASE_")}
    command = [DIRECTORY / f"{name}Example", *arguments]
    start = time.monotonic()
    try:
        process = subprocess.run(command, timeout=LONGEST, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                 env=own | (environment or {}))
    except subprocess.TimeoutExpired as error:
        print((error.stdout or b"").decode(errors="replace"))
        return [f"{name}: it has not ended within {LONGEST} seconds"]
    print(f"{process.stdout}   {time.monotonic() - start:.1f} s\n", flush=True)
    problems = [f"{name}: it has not printed '{line}'" for line in expect if line not in process.stdout]
    if process.returncode != status:
        problems.append(f"{name}: it has ended with status {process.returncode} instead of {status}")
    return problems


def account(server):
    """An API token and the web auth token of a new account, for a developer without the administrator's token."""
    client = server.client(TOKEN)
    token = client.call("POST", "/cloudkit/tokens", {"name": "App"}, (201,)).json()
    user = {"name": "ann", "password": "correct horse battery"}
    client.call("POST", "/users", user, (201,))
    session = client.call("POST", f"/cloudkit/sign-in/{token['id']}", user, (201,)).json()
    return ["--api-token", token["token"], "--web-auth-token", session["webAuthToken"]]


def main():
    names = sys.argv[1:] or list(CLAIMS)
    programs = [PROGRAM, *(DIRECTORY / f"{name}Example" for name in names)]
    missing = [path for path in programs if not os.access(path, os.X_OK)]
    if missing:
        print("\n".join(f"There is no program at {path} (make examples)." for path in missing), file=sys.stderr)
        return 2
    problems = []
    for name in names:
        # A server for each, as all of them together sign up more accounts than one address may.
        with Server(PROGRAM, str(ROOT / "Public")) as server:
            address = ["--server", server.address]
            for number in range(1, RUNS + 1):
                print(f"== {name}, run {number}", flush=True)
                problems += run(name, *address, expect=CLAIMS[name], environment={"FOGBASE_ADMIN_TOKEN": TOKEN})
            if name == "CloudKit":
                print("== CloudKit, with the tokens it is given, and with none", flush=True)
                tokens = account(server)
                for _ in range(RUNS):
                    problems += run(name, *address, "--app", "goods", *tokens, expect=[RANGE])
                problems += run(name, *address, expect=["Failed: there is neither an API token"], status=1)
    first = names[0]
    print(f"== {first}: its usage, an error, and no server", flush=True)
    problems += run(first, "--help", expect=["--server URL"])
    problems += run(first, "--port", expect=["'--port' is not known"], status=1)
    problems += run(first, *address, expect=["Failed: The server cannot be reached"], status=1,
                    environment={"FOGBASE_ADMIN_TOKEN": TOKEN})
    print("\n".join(problems) or f"All {len(names)} examples have done what they say.")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
