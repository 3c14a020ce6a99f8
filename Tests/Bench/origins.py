"""When and where rows were measured, and which of them on another day or host than most."""
from collections import Counter

# A day, and a host in words.
Origin = tuple[str, str]
FACTS = ("date", "processor", "cores", "kernel")
UNKNOWN: Origin = ("unknown", "unknown")


def of(line: dict) -> Origin:
    """Of a row, or of the facts of a machine."""
    if any(fact not in line for fact in FACTS):
        return UNKNOWN
    return line["date"][:10], f"{line['processor']}, {line['cores']} cores, Linux {line['kernel']}"


def usual(origins: dict[str, Origin]) -> Origin:
    """That of most rows."""
    return Counter(origins.values()).most_common(1)[0][0] if origins else UNKNOWN


def others(origins: dict[str, Origin]) -> list[tuple[str, str, str]]:
    """The names of the rows that have another origin than most, by origin: newest first."""
    most, found = usual(origins), {}
    for name, origin in origins.items():
        if origin != most:
            found.setdefault(origin, []).append(name)
    return [(", ".join(names), *origin) for origin, names in sorted(found.items(), reverse=True)]
