"""Tests of arrows.py: a check that never fails proves nothing."""

import tempfile
import unittest
from pathlib import Path

from Tests.lint import arrows


class ImportsTests(unittest.TestCase):
    def names(self, source):
        return [name for name, _ in arrows.imports(source)]

    def test_every_form_of_an_import_is_seen(self):
        source = (
            "import A\npublic import B\n@testable import C\n@preconcurrency internal import D\n"
            "import struct E.Thing\n  import F // why\n@_spi(Testing) package import G\nimport H.Sub\n"
        )
        self.assertEqual(self.names(source), list("ABCDEFGH"))

    def test_comments_and_strings_are_no_imports(self):
        source = (
            '// import A\n/* \nimport B\n*/\nlet a = """\n  import C\n  """\nlet b = "import D"\n'
            "/// import E\nimport F\n"
        )
        self.assertEqual(arrows.imports(source), [("F", 10)])

    def test_words_that_begin_alike_are_no_imports(self):
        self.assertEqual(self.names("importRecords()\nlet x = importer\n"), [])


class PackageTests(unittest.TestCase):
    def problems(self, files, arrows_of):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            for path, source in files.items():
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text(source)
            targets = [
                {
                    "name": name,
                    "type": "test" if name.endswith("Tests") else "regular",
                    "dependencies": [{"byName": [other, None]} for other in others],
                }
                for name, others in arrows_of.items()
            ]
            return arrows.check_package(root, {"targets": targets})

    def test_declared_arrows_and_allowed_system_modules_pass(self):
        files = {
            "Sources/Sockets/Loop.swift": "import Glibc\nimport Threads\n",
            "Tests/SocketsTests/LoopTests.swift": "import Foundation\nimport Testing\n@testable import Sockets\n",
        }
        self.assertEqual(self.problems(files, {"Sockets": ["Threads"], "Threads": [], "SocketsTests": ["Sockets"]}), [])

    def test_an_undeclared_arrow_fails(self):
        files = {"Sources/RecordAPI/Deep/Route.swift": "\nimport HTTPTransport\n"}
        self.assertEqual(
            self.problems(files, {"RecordAPI": [], "HTTPTransport": []}),
            [
                "Sources/RecordAPI/Deep/Route.swift:2: import HTTPTransport: "
                "Package.swift has no arrow from RecordAPI to HTTPTransport"
            ],
        )

    def test_a_pure_module_with_an_arrow_fails_even_if_it_is_declared(self):
        found = self.problems({"Sources/HTTP/A.swift": "import Threads\n"}, {"HTTP": ["Threads"], "Threads": []})
        self.assertEqual(len(found), 2)
        self.assertTrue(all("HTTP imports no module of the package that is not pure" in line for line in found))

    def test_foundation_in_sources_fails(self):
        for module in ["Foundation", "FoundationEssentials", "FoundationNetworking", "Dispatch", "XCTest"]:
            self.assertEqual(len(self.problems({"Sources/Threads/A.swift": f"import {module}\n"}, {"Threads": []})), 1)

    def test_swift_syntax_is_for_macros_and_their_tests(self):
        files = {
            "Sources/FogbaseMacros/A.swift": "@_spi(A) internal import SwiftCompilerPluginMessageHandling\n",
            "Tests/FogbaseMacrosTests/ATests.swift": "import SwiftParser\nimport FogbaseMacros\n",
        }
        arrows_of = {"FogbaseMacros": [], "FogbaseMacrosTests": ["FogbaseMacros"]}
        self.assertEqual(self.problems(files, arrows_of), [])
        for path in ["Sources/FogbaseClient/A.swift", "Tests/FogbaseClientTests/ATests.swift"]:
            name = path.split("/")[1]
            self.assertEqual(len(self.problems({path: "import SwiftParser\n"}, {name: []})), 1)
        self.assertEqual(len(self.problems({"Sources/FogbaseMacros/A.swift": "import Glibc\n"}, arrows_of)), 1)


if __name__ == "__main__":
    unittest.main(verbosity=0)
