"""Writes the order in which the linker places the server's functions: that in which requests call them.

The server runs under callgrind while each kind of request is sent some hundred times. Functions that lie beside each
other share lines of the processor's caches and pages of its tables; a read calls six hundred functions out of a binary
of ten megabytes. `make order` builds what this needs.
"""
import argparse
import subprocess
from collections.abc import Callable, Iterable
from pathlib import Path
from urllib.parse import quote

from Tests.bench import callgraph
from Tests.bench.context import Context, Options
from Tests.bench.forum import SCHEMA, TYPE, batch, post, thread
from Tests.bench.scenarios.queries import condition_path
from Tests.harness import tools
from Tests.harness.arguments import ROOT, run_main
from Tests.harness.client import Client, message
from Tests.harness.errors import Problem
from Tests.harness.server import Server

HEAD = """\
# Functions in the order in which requests call them, for the linker (--symbol-ordering-file): see "Where functions lie"
# in Tests/bench/README.md. Written by `make order`; names that a binary lacks are ignored.
"""
LISTED = "Listed"
POSTS = 200
WARM_UP = 50
REQUESTS = 200
# A function that a request calls this often is in the loop over the records of a page. The functions of that loop are
# placed together: spread among the others, they would evict each other from the instruction cache.
LOOP_CALLS = 20
# With a smaller share of its functions in the binary, the order must be computed again.
LEAST_SHARE = 0.8


# The kinds of requests, those that should be closest together first. A page is by filter and sort; `list` is of records
# with access lists.
KINDS = ("read", "read-session", "read-list", "page", "page-session", "page-list", "changes", "create", "increment",
         "update", "batch", "upload", "download")


def workload(server: Server) -> dict[str, Callable[[int], bytes]]:
    """The kinds of requests in the order of `KINDS`; each makes its request of a number."""
    server.client(server.admin).call("PUT", "/schema", SCHEMA)
    token = server.sign_up()
    posts = batch([post(number, thread(number % 4), "board-0") for number in range(POSTS)])
    client = server.client(token)
    created = client.send(message("POST", "/records", token, posts)).json()["records"]
    names = [record["recordName"] for record in created]
    access = {"acl": {client.call("GET", "/users/me").json()["userRecordName"]: ["read", "write"]}}
    one_listed = {"operationType": "create", "record": {"recordType": LISTED, "fields": {}} | access}
    listed = client.batch([one_listed] * POSTS)
    since = quote(client.call("GET", "/changes?limit=200").json()["token"])
    asset = client.send(_upload(token, 0)).json()["asset"]
    page = condition_path(f'threadname == "{thread(1)}"', "&sort=-timestamp")
    one = post(1, thread(1), "board-1")

    def path(number: int) -> str:
        return f"/records/{TYPE}/{names[number % len(names)]}"

    def listed_path(number: int) -> str:
        return f"/records/{LISTED}/{listed[number % len(listed)]['recordName']}"

    return {
        "read": lambda number: message("GET", path(number)),
        "read-session": lambda number: message("GET", path(number), token),
        "read-list": lambda number: message("GET", listed_path(number), token),
        "page": lambda _: message("GET", page),
        "page-session": lambda _: message("GET", page, token),
        "page-list": lambda _: message("GET", f"/records/{LISTED}?limit=50", token),
        "changes": lambda _: message("GET", f"/changes?since={since}&limit=50", token),
        "create": lambda _: message("POST", f"/records/{TYPE}", token, b'{"fields":%s}' % one),
        "increment": lambda number: message("PATCH", path(number), token, {"fields": {"likes": {"increment": 1}}}),
        "update": lambda number: message("PATCH", path(number), token, {"fields": {"title": f"title {number}"}}),
        "batch": lambda _: message("POST", "/records", token, batch([one] * 20)),
        "upload": lambda number: _upload(token, number + 1),
        "download": lambda _: message("GET", asset["downloadURL"]),
    }


def _upload(token: str, number: int) -> bytes:
    content = b"%08d" % number * 4096
    head = (f"POST /assets?filename=a.bin HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {token}\r\n"
            f"Content-Type: application/octet-stream\r\nContent-Length: {len(content)}\r\n\r\n")
    return head.encode() + content


def profile(context: Context, binary: Path, kinds: Iterable[str] = KINDS) -> dict[str, callgraph.Profile]:
    """A profile of each kind of request."""
    output = context.fresh_directory("profiles")
    output.mkdir()
    prefix = [tools.path("valgrind"), "--quiet", "--tool=callgrind", "--instr-atstart=no", "--demangle=no",
              f"--callgrind-out-file={output / 'part'}"]
    found = {}
    with context.server(prefix=prefix) as server:
        client, requests = server.client(), workload(server)
        for number, kind in enumerate(kinds, 1):
            request = requests[kind]
            print(f"{kind} …", flush=True)
            _send(client, request, range(WARM_UP))
            _control(server, "--instr=on")
            _send(client, request, range(WARM_UP, WARM_UP + REQUESTS))
            _control(server, "--dump")
            _control(server, "--instr=off")
            found[kind] = callgraph.read(output / f"part.{number}", binary.name)
    return found


def _send(client: Client, request: Callable[[int], bytes], numbers: range) -> None:
    for number in numbers:
        response = client.send(request(number))
        if response.status not in (200, 201):
            raise Problem(f"a request answered {response.status}: {response.body[:400]!r}")


def _control(server: Server, command: str) -> None:
    subprocess.run([tools.path("callgrind_control"), command, str(server.pid)], check=True, capture_output=True)


def write(binary: Path, linker_map: Path, work: Path, order_file: Path) -> None:
    """Finds the order of calls and writes it."""
    movable, order = callgraph.sections(linker_map), {}
    context = Context(Options(str(binary), work))
    try:
        # Without debug information, which valgrind takes a minute to read.
        stripped = context.fresh_directory("binary") / binary.name
        stripped.parent.mkdir()
        subprocess.run([tools.path("strip"), "--strip-debug", "-o", stripped, binary], check=True)
        context.options.binary = str(stripped)
        parts = profile(context, stripped)
        for calls in (LOOP_CALLS * REQUESTS, 0):
            for part in parts.values():
                order |= dict.fromkeys(callgraph.in_order_of_calls(part, least=REQUESTS, least_calls=calls))
    finally:
        context.close()
    names = [name for name in order if name in movable]
    if not names:
        raise Problem(f"{linker_map} names none of the functions that requests call: is it this binary's?")
    order_file.write_text(HEAD + "\n".join(names) + "\n")
    print(f"{order_file}: {len(names)} functions")


def check(binary: Path, order_file: Path) -> None:
    """Does the binary have the functions that the order names? Code that is renamed drops out of it."""
    named = {line for line in order_file.read_text().splitlines() if not line.startswith("#")}
    symbols = subprocess.run([tools.path("nm"), "--just-symbols", binary], check=True, capture_output=True, text=True)
    present = len(named.intersection(symbols.stdout.splitlines()))
    if present < len(named) * LEAST_SHARE:
        raise Problem(f"{binary} has {present} of the {len(named)} functions in {order_file}: run `make order`.")
    print(f"{present} of {len(named)} functions of the order are in the binary")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", type=Path, default=ROOT / ".build/release/fogbase",
                        help="the server (default: %(default)s)")
    task = parser.add_mutually_exclusive_group(required=True)
    task.add_argument("--map", type=Path, help="find the order; this is the linker's map of the binary (lld -Map)")
    task.add_argument("--check", action="store_true", help="say how many of the order's functions the binary has")
    parser.add_argument("--work", type=Path, default=ROOT / ".bench",
                        help="a directory on a real disk (default: .bench)")
    parser.add_argument("--order", type=Path, default=ROOT / "Sources/fogbase/function-order.txt",
                        help="the linker's file (default: %(default)s)")
    given = parser.parse_args()
    if given.check:
        check(given.binary, given.order)
    else:
        write(given.binary, given.map, given.work, given.order)
    return 0


if __name__ == "__main__":
    run_main(main)
