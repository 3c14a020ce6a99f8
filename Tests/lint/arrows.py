"""Checks the arrows between modules: each import of each Swift file against the dependencies in Package.swift.

SwiftPM builds a file that imports a module its target does not declare, as long as something else has built that module
before; and it knows nothing of what the house keeps out. This check fails on both.

    python3 -m Tests.lint.arrows
"""

import json
import re
import subprocess
import sys
from pathlib import Path

# Modules that import no module of the package except each other, whatever Package.swift says: bytes and values in,
# values out.
PURE = {
    "Calendars", "Containers", "Encodings", "Geography", "HTTP", "RecordModel", "Pictures", "TextSearch", "UnicodeText",
}

# The imports from outside the package that any file in Sources may have. Foundation is not among them: it costs a
# process 50 MB, and a request more than the rest of its way through the server.
SYSTEM = {"Swift", "Glibc", "Darwin", "Synchronization"}

# Modules that the Swift client uses too, which also runs on Apple's systems.
PORTABLE = {"TextSearch"}

# Further imports of the Swift client and its examples: they run in apps, which have Foundation.
CLIENT_SYSTEM = {"Swift", "Foundation", "FoundationNetworking", "Security"}
CLIENTS = {"FogbaseClient"}

# Imports of the client's macros: they run inside the compiler's build, with the swift-syntax of their package.
MACRO_SYSTEM = {
    "Swift", "SwiftCompilerPluginMessageHandling", "SwiftDiagnostics", "SwiftParser", "SwiftSyntax",
    "SwiftSyntaxBuilder", "SwiftSyntaxMacroExpansion", "SwiftSyntaxMacros",
}
MACROS = {"FogbaseMacros", "FogbaseMacrosPlugin"}

# Further imports of tests, which may use Foundation.
TEST_SYSTEM = SYSTEM | {"Testing", "Foundation", "FoundationEssentials", "FoundationNetworking"}

IMPORT = re.compile(
    r"^[ \t]*(?:@\w+(?:\([^)\n]*\))?[ \t]+)*"
    r"(?:(?:public|package|internal|fileprivate|private)[ \t]+)?"
    r"import[ \t]+(?:(?:struct|class|enum|protocol|typealias|func|let|var|actor|macro)[ \t]+)?"
    r"(\w+)",
    re.MULTILINE,
)
TEXT_OR_COMMENT = re.compile(r'"""(?:\\.|[^\\])*?"""|"(?:\\.|[^"\\\n])*"|/\*.*?\*/|//[^\n]*', re.DOTALL)


def imports(source):
    """Returns the imported modules with their line numbers; comments and string literals do not count."""
    code = TEXT_OR_COMMENT.sub(lambda match: "\n" * match.group().count("\n"), source)
    return [(match.group(1), code.count("\n", 0, match.start(1)) + 1) for match in IMPORT.finditer(code)]


def system_modules(name, is_test, is_example):
    """Returns the imports from outside the package that a target may have."""
    if is_test:
        return TEST_SYSTEM | MACRO_SYSTEM if name.removesuffix("Tests") in MACROS else TEST_SYSTEM
    if name in MACROS:
        return MACRO_SYSTEM
    if name in PORTABLE:
        return SYSTEM | {"Darwin"}
    return CLIENT_SYSTEM if name in CLIENTS or is_example else SYSTEM


def check_target(name, declared, package_modules, system):
    """Returns a function from an imported module to its problem, or None."""

    def problem(module):
        if module == name:
            return "imports itself"
        if module in package_modules:
            if name in PURE and module not in PURE:
                return f"{name} imports no module of the package that is not pure"
            if module not in declared:
                return f"Package.swift has no arrow from {name} to {module}"
        elif module not in system:
            return f"{module} is not among the system modules that are allowed here"
        return None

    return problem


def check_package(root, description):
    """Returns one line for each forbidden import in the package at `root` that `swift package dump-package` shows."""
    targets = description["targets"]
    package_modules = {target["name"] for target in targets}
    lines = []
    for target in targets:
        if target["type"] == "system":
            continue
        name, is_test = target["name"], target["type"] == "test"
        folder = root / (target.get("path") or f"{'Tests' if is_test else 'Sources'}/{name}")
        is_test = is_test or folder.is_relative_to(root / "Tests")
        declared = {next(iter(arrow.values()))[0] for arrow in target["dependencies"]}
        is_example = folder.is_relative_to(root / "Sources" / "Examples")
        problem = check_target(name, declared, package_modules, system_modules(name, is_test, is_example))
        if name in PURE:
            lines += [f"Package.swift: {name} imports no module of the package that is not pure, such as {other}"
                      for other in sorted(declared - PURE)]
        for file in sorted(folder.rglob("*.swift")):
            for module, number in imports(file.read_text(encoding="utf-8")):
                if what := problem(module):
                    lines.append(f"{file.relative_to(root)}:{number}: import {module}: {what}")
    return lines


def main():
    root = Path(__file__).resolve().parents[2]
    dump = subprocess.run(["swift", "package", "dump-package"], cwd=root, stdout=subprocess.PIPE, check=True)
    lines = check_package(root, json.loads(dump.stdout))
    for line in lines:
        print(line, file=sys.stderr)
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
