"""Tests of Package.swift: apps that depend on the Swift client take no unsafe flags from it."""

import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

HOME = Path(__file__).resolve().parents[2]

# They find the swift-syntax of the toolchain, whose directory has no other way into a manifest.
MACROS = {"FogbaseMacros", "FogbaseMacrosPlugin"}
SEARCH_PATHS = {"-I", "-L", "-rpath", "-Xlinker"}


def targets(**variables):
    """The targets of the manifest, by name."""
    with tempfile.TemporaryDirectory(prefix="manifest-") as scratch:
        text = subprocess.run(
            ["swift", "package", "--scratch-path", scratch, "dump-package"], cwd=HOME, check=True,
            capture_output=True, env={**os.environ, **variables}).stdout
    return {target["name"]: target for target in json.loads(text)["targets"]}


def reachable(found, product):
    """The product's target with all that it depends on."""
    wanted, ends = set(), [product]
    while ends:
        if (name := ends.pop()) not in wanted:
            wanted.add(name)
            ends += [one["byName"][0] for one in found[name]["dependencies"] if "byName" in one]
    return wanted


def unsafe_flags(target):
    """The flags for compiler and linker that SwiftPM calls unsafe, in any configuration."""
    return [flag for setting in target["settings"] for flag in setting["kind"].get("unsafeFlags", {}).get("_0", [])]


class ManifestTests(unittest.TestCase):
    def test_the_client_has_no_unsafe_flags(self):
        found = targets(FOGBASE_MACROS="off")
        names = reachable(found, "FogbaseClient")
        self.assertIn("RecordWire", names)
        self.assertEqual({name: flags for name in names if (flags := unsafe_flags(found[name]))}, {})

    def test_its_macros_have_search_paths_alone(self):
        found = targets()
        for name in reachable(found, "FogbaseClient"):
            flags = unsafe_flags(found[name])
            if name not in MACROS:
                self.assertEqual(flags, [], name)
            others = [flag for flag in flags if flag not in SEARCH_PATHS and not flag.startswith("/")]
            self.assertEqual(others, [], name)


if __name__ == "__main__":
    unittest.main()
