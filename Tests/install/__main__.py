"""Makes the packages and installs them in fresh trees of Debian and Ubuntu, with a real systemd.

    python3 -m Tests.install                   # all
    python3 -m Tests.install --before FILE     # upgrades from an older binary
    python3 -m Tests.install LifeTests PageTests.test_the_package

The page Deploying.md is run too: each of its commands. Trees come from debootstrap, and are containers of podman: their
packages are installed if they are missing. Needs root, an optimized build, and the mirrors of Debian and Ubuntu.
"""
import sys
import tempfile
import unittest
from pathlib import Path

from Tests.harness.arguments import ROOT, make_parser, parse, run_main
from Tests.install import packages, test_machines, test_packages, test_page

MODULES = (test_packages, test_machines, test_page)


def main() -> int:
    parser = make_parser(__doc__, ".install")
    parser.add_argument("--before", help="the binary of an older version (default: the same binary)")
    parser.add_argument("--packages", type=Path, help="test the packages in this directory, instead of making some")
    parser.add_argument("tests", nargs="*", help="names of tests; by default all")
    options = parse(parser)
    test_packages.BINARY = options.binary
    modules = MODULES[1:] if options.packages else MODULES
    with tempfile.TemporaryDirectory() as directory:
        if options.packages:
            tarball, deb, wheel = (next(options.packages.glob(one)) for one in ("*.tar.gz", "*.deb", "*.whl"))
        else:
            tarball, deb, wheel = packages.make(options.binary, Path(directory), "tarball", "deb", "wheel")
        test_packages.TARBALL, test_packages.DEB, test_packages.WHEEL = tarball, deb, wheel
        test_machines.OLDER = packages.make_older(deb, Path(directory) / "old", options.before)
        for file in (tarball, deb, wheel):
            print(f"{file.name}: {file.stat().st_size / 1e6:.1f} MB", flush=True)
        loader, suite = unittest.TestLoader(), unittest.TestSuite()
        for module in modules:
            names = [one for one in options.tests if hasattr(module, one.split(".")[0])]
            suite.addTests(loader.loadTestsFromNames(names, module) if options.tests
                           else loader.loadTestsFromModule(module))
        done = unittest.TextTestRunner(verbosity=2).run(suite)
    return 0 if done.wasSuccessful() and done.testsRun else 1


if __name__ == "__main__":
    sys.argv[0] = "python3 -m Tests.install"
    run_main(main)
