"""Checks comments, documentation and texts for phrases that need a second reading.

    python3 -m Tests.lint.words

Write subject, verb, object. The glossary (Sources/fogbase/fogbase.docc/Glossary.md) has the terms.
Names between backticks are not checked.
"""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# A pattern of each phrase, and what to write instead.
PHRASES = {
    r"who(m)?ever": "the noun: a caller, a client, a reader",
    r"who may": "the noun: callers with the permission",
    r"(is|are|was|were) told": "say who sends or reports what",
    r"tells? of": "reports, shows, lists",
    r"anew": "again",
    r"tak(e|es|en|ing) away": "delete (records), remove (members, entries)",
    r"hang(s|ing)? on": "depends on",
    r"(in|into) the place of": "instead of",
    r"stands? in for": "replaces, represents",
    r"is borne": "is accepted",
    r"(bring|brings|brought) about": "causes",
    r"has a use for": "needs",
    r"as good as": "almost, equivalent to",
    r"of its own accord": "without a request",
    r"by itself alone": "alone",
    r"a moment ago": "just now, recently",
    r"foretell\w*": "predict",
    r"nobody who": "no caller that",
    r"those who": "the noun: callers that, clients that",
    r"he who|one who|somebody who|someone who": "the noun: a caller that, a client that",
}
EXEMPT = {"Tests/lint/words.py", "Tests/lint/test_words.py"}
PATTERN = re.compile(r"\b(" + "|".join(f"(?:{one})" for one in PHRASES) + r")\b", re.IGNORECASE)


def problems(text):
    """Returns (line number, what is wrong) for each phrase in `text`."""
    found = []
    for number, line in enumerate(text.split("\n"), 1):
        for match in PATTERN.finditer(re.sub(r"`[^`]*`", "``", line)):
            found.append((number, f"“{match[0]}”: write {advice(match[0])}"))
    return found


def advice(phrase):
    return next(text for pattern, text in PHRASES.items() if re.fullmatch(pattern, phrase, re.IGNORECASE))


def files():
    kinds = ["*.swift", "*.md", "*.c", "*.h", "*.py", "*.js", "*.html", "Makefile"]
    names = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", *kinds],
                           cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    return [ROOT / name for name in names
            if name not in EXEMPT and "Transcripts" not in name and (ROOT / name).exists()]


def main():
    lines = [f"{file.relative_to(ROOT)}:{number}: {what}" for file in files()
             for number, what in problems(file.read_text(encoding="utf-8"))]
    for line in lines:
        print(line, file=sys.stderr)
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
