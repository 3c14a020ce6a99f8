"""Builds the images of docker/Dockerfile and runs them in containers, without a Docker engine.

    python3 -m Tests.docker                    # the images contain the binary of `make build`
    python3 -m Tests.docker --full             # the whole Dockerfile: its first stage builds the binary, in 5 minutes
    python3 -m Tests.docker --before FILE      # upgrades from an older binary
    python3 -m Tests.docker ContainerTests.test_a_container_survives_a_kill

Base images come from debootstrap, containers from podman, images from buildah: Debian's packages are installed if they
are missing. Needs root, and an optimized build.
"""
import sys
import unittest

from Tests.docker import images, test_compose, test_containers, test_proxies
from Tests.harness.arguments import make_parser, parse, run_main


def main() -> int:
    parser = make_parser(__doc__, ".docker")
    parser.add_argument("--before", help="the binary of an older version (default: the same binary)")
    parser.add_argument("--full", action="store_true", help="build the binary in the image, with the local toolchain")
    parser.add_argument("tests", nargs="*", help="names of tests; by default all")
    options = parse(parser)
    images.make(options.binary, options.before, options.full)
    loader = unittest.TestLoader()
    suite = unittest.TestSuite()
    for module in (test_containers, test_proxies, test_compose):
        if options.tests:
            classes = [one for one in options.tests if hasattr(module, one.split(".")[0])]
            suite.addTests(loader.loadTestsFromNames(classes, module))
        else:
            suite.addTests(loader.loadTestsFromModule(module))
    return 0 if unittest.TextTestRunner(verbosity=2).run(suite).wasSuccessful() and suite.countTestCases() else 1


if __name__ == "__main__":
    sys.argv[0] = "python3 -m Tests.docker"
    run_main(main)
