"""Checks the Markdown pages: fences and brackets of code that are not closed, and links that lead nowhere.

    python3 -m Tests.lint.links

Pages are read on the file system and by DocC, so a link to a page or a file is a relative path with its ending;
`<doc:…>` is dead outside DocC. `make docs` turns links between the pages of one manual into DocC's.
"""

import re
import sys
from pathlib import Path

from Tests.lint.docstrings import without_text

SKIPPED = {".build", ".git", ".bench", "node_modules"}

FENCE = re.compile(r"^ {0,3}(`{3,})(.*)$")
# Over line ends, and not over the end of a paragraph.
CODE_SPAN = re.compile(r"(`+)(?!`)(?:(?!\n *\n).)*?(?<!`)\1(?!`)", re.DOTALL)
LINK = re.compile(r"\[(?:[^\[\]]|\[[^\]]*\])*\]\(([^()\s]*(?:\([^()\s]*\))?)(?: \"[^\"]*\")?\)")
DOC_LINK = re.compile(r"<doc:[^>]*>|\]\(doc:[^)]*\)")
HEADING = re.compile(r"^ {0,3}#{1,6} +(.*?)(?: +#+)?$")
ELSEWHERE = re.compile(r"^[a-z][a-z0-9+.-]*:")
PAIRS = {")": "(", "]": "[", "}": "{"}


def split(text):
    """The lines outside of code, blank where code is, and the blocks as (line number, language, lines), with the line
    numbers of what is wrong with fences."""
    prose, blocks, found = [], [], []
    fence = None
    for number, line in enumerate(text.split("\n"), 1):
        match = FENCE.match(line)
        if fence is None:
            if match and "`" not in match[2]:
                fence = match[1]
                blocks.append((number, match[2].strip(), []))
                line = ""
        elif match and len(match[1]) >= len(fence):
            if match[2].strip():
                found.append((number, f"a block begins within the one of line {blocks[-1][0]}"))
            fence, line = None, ""
        else:
            blocks[-1][2].append(line)
            line = ""
        prose.append(line)
    if fence is not None:
        found.append((blocks[-1][0], "the block is not closed"))
    return prose, blocks, found


def unbalanced(code):
    """The problem with the brackets of Swift code, or None."""
    open_brackets = []
    for character in without_text(code):
        if character in "([{":
            open_brackets.append(character)
        elif character in PAIRS:
            if not open_brackets or open_brackets.pop() != PAIRS[character]:
                return f"a '{character}' that nothing opens"
    return f"a '{open_brackets[-1]}' that nothing closes" if open_brackets else None


def slug(heading):
    """The anchor of a heading, as GitHub makes it."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").lower()
    return re.sub(r"[^\w\- ]", "", text).strip().replace(" ", "-")


def anchors(text):
    """All anchors of a page; a heading that comes twice has a number behind its second one."""
    found = []
    for line in split(text)[0]:
        if match := HEADING.match(line):
            name = slug(match[1])
            times = sum(1 for each in found if each == name or re.fullmatch(re.escape(name) + r"-\d+", each))
            found.append(f"{name}-{times}" if times else name)
    return set(found)


def problems(path, read):
    """(line number, what is wrong) of a page; `read` gives the text of a path, None where nothing is, and the empty
    text for what is no page."""
    text = read(path)
    prose, blocks, found = split(text)
    for number, language, lines in blocks:
        wrong = unbalanced("\n".join(lines)) if language == "swift" else None
        if wrong:
            found.append((number, f"the block has {wrong}"))
    # A code span may cross the end of a line, so blanks of its length replace it, and line ends stay.
    whole = CODE_SPAN.sub(lambda span: re.sub(r"[^\n]", " ", span[0]), "\n".join(prose))
    for match in DOC_LINK.finditer(whole):
        found.append((whole.count("\n", 0, match.start()) + 1,
                      f"{match[0]} is dead outside of DocC: write [title](Page.md)"))
    for match in LINK.finditer(whole):
        target = match[1]
        if ELSEWHERE.match(target):
            continue
        number = whole.count("\n", 0, match.start()) + 1
        file, _, anchor = target.partition("#")
        other = path.parent / file if file else path
        content = read(other)
        if content is None:
            found.append((number, f"{target} leads to no file"))
        elif anchor and anchor.lower() not in anchors(content):
            found.append((number, f"{target} leads to no heading"))
    return sorted(found)


def read(path):
    if path.is_dir():
        return ""
    if not path.is_file():
        return None
    return path.read_text(encoding="utf-8") if path.suffix == ".md" else ""


def pages(home):
    return sorted(page for page in home.rglob("*.md")
                  if not SKIPPED & set(page.relative_to(home).parts))


def main():
    home = Path(__file__).resolve().parents[2]
    lines = [f"{page.relative_to(home)}:{number}: {what}"
             for page in pages(home) for number, what in problems(page, read)]
    for line in lines:
        print(line, file=sys.stderr)
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
