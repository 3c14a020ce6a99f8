#!/bin/sh
# Makes sure that what the build needs is there: says nothing if so, installs what apt can, else says what is missing.
# With the argument "libraries" it looks neither for Swift nor for Python, which `make build` does without; with "tests" also for nginx, before
# which tests put a server, and which they are passed over without.
set -eu

fail() {
    echo "$*" >&2
    exit 1
}

has_header() {
    [ -e "/usr/include/$1" ] || [ -e "/usr/local/include/$1" ]
}

missing=""
has_header sqlite3.h || missing="$missing libsqlite3-dev"
has_header zlib.h || missing="$missing zlib1g-dev"
has_header openssl/evp.h || missing="$missing libssl-dev"
# The linker needs the start files and libraries of a C++ compiler, not the compiler itself.
ls /usr/lib/gcc/*/*/crtbegin.o >/dev/null 2>&1 || missing="$missing g++"
command -v make >/dev/null 2>&1 || missing="$missing make"
if [ "${1:-}" != libraries ]; then
    command -v python3 >/dev/null 2>&1 || missing="$missing python3"
fi

# Installs packages, named with a blank before each.
install() {
    command -v apt-get >/dev/null 2>&1 ||
        fail "Missing:$1. There is no apt-get here: install your system's packages of these Debian packages."
    if [ "$(id -u)" -eq 0 ]; then
        as_root=""
    elif command -v sudo >/dev/null 2>&1; then
        as_root="sudo"
    else
        fail "Missing:$1. Neither root nor sudo: run 'apt-get install$1' as root, then try again."
    fi
    echo "Installing:$1"
    $as_root apt-get update -qq || echo "The package lists could not be renewed; trying with the old ones." >&2
    # shellcheck disable=SC2086 # the list is meant to be split
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends $1 >/dev/null ||
        fail "apt-get could not install:$1."
}

[ -z "$missing" ] || install "$missing"

if [ "${1:-}" = tests ] && ! PATH="$PATH:/usr/sbin" command -v nginx >/dev/null 2>&1; then
    (install " nginx") || echo "Without nginx its tests are passed over." >&2
fi

[ "${1:-}" != libraries ] || exit 0

swift_help="Install it from https://www.swift.org/install/linux and put it on the PATH."
command -v swift >/dev/null 2>&1 || fail "Swift 6.2 or later is needed, and there is no swift here. $swift_help"
version=$(swift --version 2>/dev/null | sed -n 's/.*Swift version \([0-9][0-9]*\.[0-9][0-9]*\).*/\1/p' | head -n 1)
major=${version%%.*}
minor=${version#*.}
if [ -z "$version" ] || [ "$major" -lt 6 ] || { [ "$major" -eq 6 ] && [ "$minor" -lt 2 ]; }; then
    fail "Swift 6.2 or later is needed, and this is ${version:-of an unknown version}. $swift_help"
fi
