"""The images of docker/Dockerfile, run in containers."""
