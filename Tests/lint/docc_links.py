"""Copies a manual, and turns the links between its pages, and those to its pictures, into DocC's, which checks them.
Those to other files become plain text. A first page that is not of a module becomes the root of its manual.

    python3 -m Tests.lint.docc_links Sources/fogbase/fogbase.docc .build/docs/fogbase.docc

In the sources they are relative paths, which every other reader of Markdown follows.
"""

import re
import shutil
import sys
from pathlib import Path

PAGE = re.compile(r"\]\((\w+)\.md(#[^)\s]*)?\)")
# To other files of the repository, which DocC's pages do not have.
OUTSIDE = re.compile(r"\[([^\[\]]+)\]\(\.\./[^)\s]*\)")
PICTURE = re.compile(r"\]\(Resources/([^)\s]*)\)")


def translated(text):
    text = PAGE.sub(lambda link: f"](doc:{link[1]}{link[2] or ''})", text)
    text = OUTSIDE.sub(r"\1", text)
    return PICTURE.sub(r"](\1)", text)


def rooted(text):
    """The first page with the directive, which every other reader of Markdown would show as text."""
    title, rest = text.split("\n", 1)
    return text if title.startswith("# ``") else f"{title}\n\n@Metadata {{\n    @TechnologyRoot\n}}\n{rest}"


def main():
    source, copy = map(Path, sys.argv[1:])
    shutil.copytree(source, copy, dirs_exist_ok=True)
    for page in copy.rglob("*.md"):
        text = translated(page.read_text(encoding="utf-8"))
        page.write_text(rooted(text) if page.stem == source.stem else text, encoding="utf-8")


if __name__ == "__main__":
    main()
