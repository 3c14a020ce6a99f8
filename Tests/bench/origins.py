"""The dates, places and builds of rows, and the rows that differ from most."""
from collections import Counter

# A day, a host in words, and the commit of the server.
Origin = tuple[str, str, str]
FACTS = ("date", "processor", "cores", "kernel")
COMMIT = "commit"
UNKNOWN: Origin = ("unknown", "unknown", "unknown")


def of(line: dict) -> Origin:
    """Of a row, or of the facts of a machine."""
    commit = line.get(COMMIT, UNKNOWN[2])
    if any(fact not in line for fact in FACTS):
        return *UNKNOWN[:2], commit
    return line["date"][:10], f"{line['processor']}, {line['cores']} cores, Linux {line['kernel']}", commit


def usual(origins: dict[str, Origin]) -> Origin:
    """That of most rows."""
    return Counter(origins.values()).most_common(1)[0][0] if origins else UNKNOWN


def others(origins: dict[str, Origin]) -> list[tuple[str, ...]]:
    """The names of the rows that have another origin than most, by origin: newest first."""
    most, found = usual(origins), {}
    for name, origin in origins.items():
        if origin != most:
            found.setdefault(origin, []).append(name)
    return [(", ".join(names), *origin) for origin, names in sorted(found.items(), reverse=True)]
