"""The shared code of all suites: a server process, HTTP clients, options, tools from Debian, /proc, and the running of
rounds."""
