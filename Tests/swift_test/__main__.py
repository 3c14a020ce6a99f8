"""Runs tests that are built, shows what a person needs, and writes everything that `swift test` prints to a file.

    python3 -m Tests.swift_test --log FILE [--each-target] [arguments of swift test]

While the tests run there is one line of progress, and each failure as it happens. At the end stand the closing line of
`swift test`, the tests that were skipped with their reasons, the name of the file, and last what failed.

`--each-target` runs the tests of one target after the other, each in a process of its own, unless `--filter` names
some. Under the address sanitizer, which looks at the memory of every thread, all targets at once took half an hour, and
minutes so.

The tests write below a directory of their own, which is removed at the end. It is in memory (/dev/shm) where that has
room: most tests start with a new database, and syncing these to the disk took a quarter of the time of a run. TMPDIR in
the environment is another place.

RETRY=1 in the environment runs up to five suites that failed once more, alone, and says whether they fail again. It
excuses nothing: a race in the server fails now and then, too.
"""

import argparse
import os
import queue
import shutil
import subprocess
import sys
import tempfile
import threading
import time

from Tests.harness.arguments import ROOT
from Tests.swift_test.output import Output

# Suites that are run once more; where more have failed, the cause is not their unsteadiness.
MOST_RETRIED = 5
# Findings that are repeated at the end, and seconds between two lines of progress where lines stay.
MOST_FINDINGS = 50
SECONDS_BETWEEN = 30

# Bytes that must be free in memory for the files of tests.
MEMORY = "/dev/shm"
MEMORY_BYTES = 4 << 30


class Screen:
    """Lines that stay, and on a terminal one line of progress below them that is written over."""

    def __init__(self, stream, is_terminal):
        self.stream, self.is_terminal = stream, is_terminal
        self.shown = 0.0
        self.has_progress = False

    def show(self, line):
        self.clear()
        self.stream.write(line + "\n")
        self.stream.flush()

    def progress(self, line):
        now = time.monotonic()
        if self.is_terminal:
            self.clear()
            self.stream.write(line[:os.get_terminal_size(self.stream.fileno()).columns - 1])
            self.stream.flush()
            self.has_progress = True
        elif now - self.shown >= SECONDS_BETWEEN:
            self.show(line)
        else:
            return
        self.shown = now

    def clear(self):
        if self.has_progress:
            self.stream.write("\r\x1b[K")
            self.has_progress = False


def place_of_files():
    """Where the directory for the files of the tests is made; None for the system's default, or what TMPDIR says."""
    if os.environ.get("TMPDIR") or not os.access(MEMORY, os.W_OK | os.X_OK):
        return None
    return MEMORY if shutil.disk_usage(MEMORY).free >= MEMORY_BYTES else None


def run(arguments, log, screen):
    """Runs `swift test` once; returns its exit status and its output."""
    # A short name: the path of a Unix socket has at most 107 bytes.
    directory = tempfile.mkdtemp(prefix="fog-", dir=place_of_files())
    try:
        return run_in(directory, arguments, log, screen)
    finally:
        shutil.rmtree(directory, ignore_errors=True)


def run_in(directory, arguments, log, screen):
    output = Output(screen.show, expected=None if "--filter" in arguments else count_tests())
    screen.shown = time.monotonic()
    process = subprocess.Popen(
        ["swift", "test", *arguments], cwd=ROOT, env=os.environ | {"TMPDIR": directory}, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT)
    lines = queue.Queue()

    def read():
        for line in process.stdout:
            log.write(line)
            lines.put(line)
        lines.put(None)

    # A thread, so that progress continues while a test hangs and prints nothing.
    threading.Thread(target=read, daemon=True).start()
    drawn = time.monotonic()
    while True:
        try:
            line = lines.get(timeout=1)
        except queue.Empty:
            line = b""
        if line is None:
            break
        if line:
            output.take(line.decode("utf-8", "replace").rstrip("\r\n"))
        if time.monotonic() - drawn >= 1:
            drawn = time.monotonic()
            screen.progress(output.progress())
    status = process.wait()
    log.flush()
    screen.clear()
    if status and output.running:
        output.findings.append(["Running when it ended: " + ", ".join(list(output.running)[:10])])
    return status, output


def count_tests():
    """About how many tests there are, by their sources."""
    count = sum(file.read_text().count("@Test") for file in (ROOT / "Tests").glob("*Tests/**/*.swift"))
    return round(count, -2)


def targets():
    return sorted(directory.name for directory in (ROOT / "Tests").glob("*Tests") if directory.is_dir())


def run_all(arguments, each_target, log, screen):
    """Runs all requested tests; returns the first status other than 0, and the output of all runs."""
    if not each_target or "--filter" in arguments:
        status, output = run(arguments, log, screen)
        return status, [output]
    first, outputs = 0, []
    for target in targets():
        screen.show(f"== {target}")
        status, output = run([*arguments, "--filter", f"^{target}\\."], log, screen)
        if status and not (output.findings or output.verdicts):
            output.findings.append([f"{target} ended with status {status}"])
        first = first or status
        outputs.append(output)
    return first, outputs


def retry(suites, arguments, log, screen):
    """Runs suites once more, alone; returns the message about it."""
    screen.show("\nOnce more, alone: " + ", ".join(suites))
    rest = list(arguments)
    while "--filter" in rest:
        place = rest.index("--filter")
        del rest[place:place + 2]
    status, _ = run([*rest, "--filter", f"[./]({'|'.join(suites)})/"], log, screen)
    return " (alone, too)" if status else " (unsteady: alone it passes)"


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False)
    parser.add_argument("--log", required=True, help="the file for everything that is printed")
    parser.add_argument("--each-target", action="store_true", help="one target after the other")
    options, arguments = parser.parse_known_args()
    screen = Screen(sys.stdout, sys.stdout.isatty())
    path = ROOT / options.log
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "wb") as log:
        status, outputs = run_all(arguments, options.each_target, log, screen)
        verdict = ""
        suites = sorted({suite for output in outputs for suite in output.failed_suites})
        if status and os.environ.get("RETRY") and 0 < len(suites) <= MOST_RETRIED:
            verdict = retry(suites, arguments, log, screen)
    if skipped := sorted({one for output in outputs for one in output.skipped}):
        screen.show(f"{len(skipped)} skipped:")
        for one in skipped:
            screen.show(f"    {one}")
    screen.show(f"All that was printed is in {options.log}.")
    if status:
        findings = [finding for output in outputs for finding in output.findings]
        screen.show(f"\nWhat failed{verdict}:")
        for finding in findings[:MOST_FINDINGS]:
            screen.show("\n".join(finding))
        if len(findings) > MOST_FINDINGS:
            screen.show(f"… and {len(findings) - MOST_FINDINGS} more.")
        for line in [verdict for output in outputs for verdict in output.verdicts][:MOST_FINDINGS]:
            screen.show(line)
    return status


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        # `swift test` has had the same signal.
        sys.exit(130)
