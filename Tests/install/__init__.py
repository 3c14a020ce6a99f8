"""Installations in fresh Debian and Ubuntu trees, with a real systemd."""
