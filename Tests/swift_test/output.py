"""Reads the output of `swift test` and keeps the relevant lines: issues, crashes, verdicts and the closing line."""

import re
import time

# The first line of an issue, a crash, or a sanitizer's report.
ISSUE = re.compile(r"^✘ .* recorded an issue")
CRASH = re.compile(r"Fatal error|^error: |^\*\*\* |💣|^Segmentation fault|^Illegal instruction|^Thread \d+ .*crashed:")
SANITIZER = re.compile(r"(WARNING: ThreadSanitizer|ERROR: (Address|Leak)Sanitizer|: runtime error: )")
SANITIZER_END = re.compile(r"^SUMMARY: ")

STARTED = re.compile(r"^◇ Test (?!run |case )(.+) started\.$")
# A test's own name may have the words that end a line.
ENDED = re.compile(r"^(✔|✘) Test (?!run |case )(.+?)(?: with \d+ test cases?)? (?:passed|failed) after \d"
                   r"|^(➜) Test (?!run |case )(.+?) skipped(?:[.:]|$)")
SKIPPED = re.compile(r"^➜ (?:Test|Suite) (?!run |case )(.+?) skipped(?:: (.+)|\.)?$")
SUITE_ENDED = re.compile(r'^(✔|✘) Suite "?(\w+)"? (passed|failed) after')
CLOSING = re.compile(r"^[✔✘] Test run with |^\s*Executed [1-9]\d* tests?")
# Each event of the testing library begins with one of these; lines without one belong to the event before.
EVENT = re.compile(r"^[◇✔✘➜]")

LONGEST_LINE = 1_000
LINES_OF_AN_ISSUE = 12
LINES_OF_A_SANITIZER = 60


def cut(line):
    """A line that is too long without its middle: it has the arguments, followed by the location and the reason."""
    if len(line) <= LONGEST_LINE:
        return line
    return f"{line[:LONGEST_LINE // 4]} … {line[len(line) - LONGEST_LINE * 3 // 4 + 3:]}"


class Output:
    """Takes the lines of one run, in order.

    `show` is called with each line that a person sees while the tests run. `expected` is about how many tests there
    are.
    """

    def __init__(self, show, clock=time.monotonic, expected=None):
        self.show, self.clock, self.expected = show, clock, expected
        self.last = None  # the test that has ended last
        self.begun = clock()
        self.findings = []  # a list of lines for each
        self.verdicts = []  # of tests that failed
        self.failed_suites = []
        self.skipped = []  # tests and suites, with their reasons
        self.passed = self.suites = 0
        self.running = {}  # how many tests of this name run, in the order in which they began
        self._open = None  # the finding that the next lines may belong to
        self._is_sanitizer = False

    def take(self, line):
        """Takes one line, without its end."""
        if self._continues(line):
            return
        if match := SKIPPED.match(line):
            self.skipped.append(f"{match[1]}: {match[2] or 'no reason is given'}")
        if ISSUE.match(line) or CRASH.search(line):
            self._begin(line, is_sanitizer=False)
        elif SANITIZER.search(line):
            self._begin(line, is_sanitizer=True)
        elif CLOSING.match(line):
            self.show(line.strip())
        elif match := STARTED.match(line):
            self.running[match[1]] = self.running.get(match[1], 0) + 1
        elif match := ENDED.match(line):
            self._end(match[1] or match[3], match[2] or match[4], line)
        elif match := SUITE_ENDED.match(line):
            self.suites += 1
            if match[1] == "✘":
                self.failed_suites.append(match[2])

    def progress(self):
        """One line: how many tests have ended, of how many, and which one has ended last.

        Swift Testing starts all tests at once, and most of them wait. So a test that has been running longest tells
        nothing.
        """
        seconds = int(self.clock() - self.begun)
        failed = f", {len(self.verdicts)} failed" if self.verdicts else ""
        whole = f" of about {self.expected:,}" if self.expected else ""
        last = f"; last: {self.last}" if self.last else ""
        return f"{self.passed:,}{whole} tests passed{failed}, {seconds} s{last}"

    def _begin(self, line, is_sanitizer):
        self._open, self._is_sanitizer = [cut(line)], is_sanitizer
        self.findings.append(self._open)
        self.show(cut(line))

    def _continues(self, line):
        """Adds the line to the finding before it, if it belongs there."""
        if self._open is None:
            return False
        if EVENT.match(line) or ISSUE.match(line) or CRASH.search(line) or SANITIZER.search(line):
            self._open = None
            return False
        if len(self._open) < (LINES_OF_A_SANITIZER if self._is_sanitizer else LINES_OF_AN_ISSUE):
            self._open.append(cut(line))
            self.show(cut(line))
        if self._is_sanitizer and SANITIZER_END.match(line):
            self._open = None
        return True

    def _end(self, symbol, name, line):
        self.last = name
        count = self.running.get(name, 0)
        if count > 1:
            self.running[name] = count - 1
        else:
            self.running.pop(name, None)
        if symbol == "✘":
            self.verdicts.append(cut(line))
        elif symbol == "✔":
            self.passed += 1
