"""The man page, made from the help texts of the program."""
import re
import subprocess
import time

INTRODUCTION = """\
.SH NAME
fogbase \\- {summary}
.SH SYNOPSIS
.B fogbase
.I COMMAND
.RI [ FLAGS ]
.SH DESCRIPTION
Fogbase stores records, users and files, and serves them over HTTP and JSON, with the data model of CloudKit.
.B fogbase serve
is the server; the other commands manage its data directory, also while it runs.
.SH COMMANDS
"""
END = """\
.SH ENVIRONMENT
Each setting is also a variable: FOGBASE_SECTION_KEY, such as FOGBASE_SERVER_PORT for server.port. FOGBASE_CONFIG names the
file with settings. The command line overrides the environment, and the environment overrides the file.
.SH FILES
.TP
/etc/fogbase.conf
settings of the service
.TP
/var/lib/fogbase
its data directory
.SH EXIT STATUS
.TP
0
success
.TP
1
failure, or the answer no
.TP
64
an invalid command line
.TP
78
an invalid setting in a file or the environment
.TP
130
ended by Ctrl-C
"""


def escape(text: str) -> str:
    """A text as roff: no escapes, and hyphens that can be copied."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + text if text[:1] in (".", "'") else text


def sections(text: str) -> list[list[str]]:
    """The paragraphs of a help text, as lines."""
    return [part.split("\n") for part in text.strip("\n").split("\n\n")]


def rows(lines: list[str]) -> list[tuple[str, str]]:
    """The rows of a table of two columns. Columns are at least two blanks apart."""
    return [tuple((re.split(r" {2,}", line.strip(), maxsplit=1) + [""])[:2]) for line in lines]


def command_words(usage: str) -> list[str]:
    """The name of a command without the names of its operands: `users add` of `users add NAME`."""
    words = usage.split(" ")
    return [word for word in words[:2] if re.fullmatch(r"[a-z-]+", word)]


def describe(usage: str, text: str) -> str:
    """The part of the page about one command."""
    _, (summary, *_), table, *notes = sections(text)
    lines = [f".SS fogbase {escape(usage)}", escape(summary[:1].upper() + summary[1:]) + "."]
    for term, meaning in rows(table):
        # The default of this machine.
        meaning = re.sub(r"(one per core) \(\d+\)", r"\1", meaning)
        lines += [".TP", f".B {escape(term)}", escape(meaning)]
    for note in notes:
        lines += [".PP", ".nf", *map(escape, note), ".fi"]
    return "\n".join(lines) + "\n"


def page(build) -> str:
    def help_text(*words: str) -> str:
        return subprocess.run([build.binary, "help", *words], capture_output=True, text=True, check=True).stdout

    title, _, commands, *_ = sections(help_text())
    summary = title[0].split(": ", 1)[1]
    date = time.strftime("%Y-%m-%d", time.gmtime(build.time))
    parts = [f'.TH FOGBASE 1 "{date}" "Fogbase {build.version}"\n', INTRODUCTION.format(summary=escape(summary))]
    for usage, _ in rows(commands):
        parts.append(describe(usage, help_text(*command_words(usage))))
    return "".join(parts) + END
