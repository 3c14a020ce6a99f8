#!/bin/sh
# Checks that the dependencies of the build are installed. Installs missing ones with apt-get, or prints their names.
# With the argument "libraries" it does not check for Swift and Python. With "tests" it also installs time zones, openssl, and
# nginx, without which the tests of reverse proxies are skipped, with "node" Node.js, and with "package" the tools for packages.
set -eu

fail() {
    echo "$*" >&2
    exit 1
}

system=$(uname -s)
[ "$system" = Linux ] || fail "Fogbase's server runs on Linux, and this is $system. On a Mac, run it in Docker: 'make docker', then
    docker run --rm --interactive --tty --publish 127.0.0.1:8080:8080 --volume fogbase:/data fogbase
Apps with the Swift client need no server to be built: Xcode builds them."

has_header() {
    [ -e "/usr/include/$1" ] || [ -e "/usr/local/include/$1" ]
}

missing=""
has_header sqlite3.h || missing="$missing libsqlite3-dev"
has_header zlib.h || missing="$missing zlib1g-dev"
has_header openssl/evp.h || missing="$missing libssl-dev"
has_header crypt.h || missing="$missing libcrypt-dev"
ls /usr/include/curl/curl.h /usr/include/*/curl/curl.h /usr/local/include/curl/curl.h 2>/dev/null | grep -q . ||
    missing="$missing libcurl4-openssl-dev"
# The linker needs the start files and libraries of a C++ compiler.
ls /usr/lib/gcc/*/*/crtbegin.o >/dev/null 2>&1 || missing="$missing g++"
command -v make >/dev/null 2>&1 || missing="$missing make"
if [ "${1:-}" != libraries ]; then
    command -v python3 >/dev/null 2>&1 || missing="$missing python3"
fi

# Installs packages. Parameter: their names, each preceded by a space.
install() {
    command -v apt-get >/dev/null 2>&1 ||
        fail "Missing:$1. apt-get is not available: install the packages of your system that correspond to these Debian packages."
    if [ "$(id -u)" -eq 0 ]; then
        as_root=""
    elif command -v sudo >/dev/null 2>&1; then
        as_root="sudo"
    else
        fail "Missing:$1. Neither root nor sudo: run 'apt-get install$1' as root, then try again."
    fi
    echo "Installing:$1"
    $as_root apt-get update -qq || echo "The package lists could not be updated; trying with the old ones." >&2
    # shellcheck disable=SC2086 # word splitting is intended
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends $1 >/dev/null ||
        fail "apt-get could not install:$1."
}

[ -z "$missing" ] || install "$missing"

# CURLOPT_QUICK_EXIT.
curl_version=$(curl-config --vernum 2>/dev/null || echo 075700)
[ "$((0x$curl_version))" -ge "$((0x075700))" ] ||
    fail "libcurl 7.87 or later is required, and the version found is $(curl-config --version | sed 's/^libcurl //').
Debian 12 and Ubuntu 24.04 have a later one. Ubuntu 22.04 does not: build in Docker there ('make docker')."

if [ "${1:-}" = node ]; then
    command -v node >/dev/null 2>&1 || install " nodejs"
    node -e 'const [major, minor] = process.versions.node.split("."); process.exit(major * 100 + +minor < 2019 ? 1 : 0)' ||
        fail "Node.js 20.19 or later is required, and the version found is $(node --version)."
fi

if [ "${1:-}" = package ]; then
    missing=""
    for tool in patchelf dpkg-deb:dpkg strip:binutils; do
        command -v "${tool%:*}" >/dev/null 2>&1 || missing="$missing ${tool#*:}"
    done
    [ -z "$missing" ] || install "$missing"
fi

if [ "${1:-}" = tests ] && [ ! -e /usr/share/zoneinfo/Europe/Berlin ]; then
    install " tzdata"
fi

if [ "${1:-}" = tests ] && ! command -v openssl >/dev/null 2>&1; then
    install " openssl"
fi

if [ "${1:-}" = tests ] && ! PATH="$PATH:/usr/sbin" command -v nginx >/dev/null 2>&1; then
    (install " nginx") || echo "Without nginx, the tests of reverse proxies are skipped." >&2
fi

[ "${1:-}" != libraries ] || exit 0

swift_help="Install it from https://www.swift.org/install/linux and put it on the PATH."
command -v swift >/dev/null 2>&1 || fail "Swift 6.2 or later is required, and swift was not found. $swift_help"
version=$(swift --version 2>/dev/null | sed -n 's/.*Swift version \([0-9][0-9]*\.[0-9][0-9]*\).*/\1/p' | head -n 1)
major=${version%%.*}
minor=${version#*.}
if [ -z "$version" ] || [ "$major" -lt 6 ] || { [ "$major" -eq 6 ] && [ "$minor" -lt 2 ]; }; then
    fail "Swift 6.2 or later is required, and the version found is ${version:-unknown}. $swift_help"
fi
