#!/bin/sh
# Prints the command that builds an image: of docker, podman or buildah, the first that works. A docker client without its
# engine does not.
set -eu

# buildah and podman build OCI images by default, which have no health check. buildah keeps no layers by default, and the second
# image shares all but one with the first.
if docker info > /dev/null 2>&1; then
    echo "docker build"
elif podman info > /dev/null 2>&1; then
    echo "podman build --format docker"
elif command -v buildah > /dev/null 2>&1; then
    echo "buildah build --layers --format docker"
else
    echo "Neither docker, podman nor buildah works on this machine. Install one of them, such as 'apt-get install podman'." >&2
    echo false
fi
