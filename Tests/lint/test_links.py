"""Tests of links.py and docc_links.py: a check that never fails proves nothing."""

import os
import unittest
from pathlib import Path

from Tests.lint import docc_links, links

PAGES = {
    Path("a/Page.md"): None,
    Path("a/Other.md"): "# Other\n\n## The server's own `token`\n\n## Twice\n\n## Twice\n\n```sh\n# No heading\n```\n",
    Path("README.md"): "# Read me\n",
    Path("a/picture.svg"): "",
    Path("a"): "",
}


class LinksTests(unittest.TestCase):
    def problems(self, text):
        pages = {**PAGES, Path("a/Page.md"): text}
        return links.problems(Path("a/Page.md"), lambda path: pages.get(Path(os.path.normpath(path))))

    def test_links_with_a_target_are_accepted(self):
        for link in ("[a](Other.md)", "[a](Other.md#the-servers-own-token)", "[a](Other.md#The-servers-own-token)",
                     "[a](Other.md#twice-1)", "[a](../README.md#read-me)", "[a](picture.svg)", "![a](picture.svg)",
                     "[a](https://example.org/a(b))", "[a](mailto:a@example.org)", "# Here\n[a](#here)",
                     "[a\nb](Other.md)", "[`a[0]`](Other.md)"):
            self.assertEqual(self.problems(link), [], link)

    def test_links_to_no_file_and_to_no_heading_are_found(self):
        for link, what in (("[a](None.md)", "None.md leads to no file"),
                           ("![a](none.svg)", "none.svg leads to no file"),
                           ("[a](Other.md#no-heading)", "Other.md#no-heading leads to no heading"),
                           ("[a](#nowhere)", "#nowhere leads to no heading"),
                           ("[a](Other.md#twice-2)", "Other.md#twice-2 leads to no heading")):
            self.assertEqual(self.problems("# Page\n\n" + link + "\n"), [(3, what)])

    def test_links_of_docc_are_found(self):
        self.assertEqual([line for line, _ in self.problems("See <doc:Other>\nand [this](doc:Other#Twice).")], [1, 2])

    def test_code_is_no_link(self):
        for code in ("`[a](None.md)`", "``[a](`None.md)``", "```\n[a](None.md)\n```", "`a\n[a](None.md)` b",
                     "`<doc:X>`"):
            self.assertEqual(self.problems(code), [], code)

    def test_a_fence_that_is_not_closed_is_found(self):
        self.assertEqual(self.problems("a\n```sh\nb\n"), [(2, "the block is not closed")])
        self.assertEqual(self.problems("```sh\nb\n\n```swift\nc()\n```\n")[0],
                         (4, "a block begins within the one of line 1"))
        self.assertEqual(self.problems("````md\n```sh\nb\n```\n````\n"), [])

    def test_brackets_of_swift_that_are_not_closed_are_found(self):
        def swift(code):
            return [what for _, what in self.problems(f"```swift\n{code}\n```\n")]
        self.assertEqual(swift("do {\n    a(\"}\")\n} catch {\n    b()"), ["the block has a '{' that nothing closes"])
        self.assertEqual(swift("a()\n}"), ["the block has a '}' that nothing opens"])
        self.assertEqual(swift("a([1)]"), ["the block has a ')' that nothing opens"])
        self.assertEqual(swift("do {\n    a(\"{ \\(b)\") // {\n}\nlet c = #\"\"\"\n  {\"a\":[\n  \"\"\"#"), [])
        self.assertEqual(self.problems("```json\n{\n```\n"), [])

    def test_this_repository_has_pages(self):
        home = Path(__file__).resolve().parents[2]
        names = [str(page.relative_to(home)) for page in links.pages(home)]
        self.assertIn("README.md", names)
        self.assertIn("Sources/fogbase/fogbase.docc/Interface.md", names)
        self.assertFalse([name for name in names if name.startswith(".build")])


class DocCLinksTests(unittest.TestCase):
    def test_links_to_pages_and_pictures_are_docs_and_others_stay(self):
        for source, wanted in (("[a](Page.md)", "[a](doc:Page)"), ("[a](Page.md#The-part)", "[a](doc:Page#The-part)"),
                               ("![a](Resources/b.svg)", "![a](b.svg)"), ("[a.b](../../A.md) c", "a.b c"),
                               ("[a](https://example.org/b.md)", "[a](https://example.org/b.md)")):
            self.assertEqual(docc_links.translated(source), wanted)


if __name__ == "__main__":
    unittest.main()
