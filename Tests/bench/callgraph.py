"""The functions in a profile of `valgrind --tool=callgrind`, their callers, and an order that follows the calls."""
import re
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path

# A recursive call is a function of its own to callgrind: `name'2`.
_RECURSION = re.compile(r"'\d+$")
_NAME = re.compile(r"\((\d+)\)(?: (.*))?$")
_SECTION = re.compile(r":\(\.text\.(.+)\)$")


@dataclass
class Profile:
    """The work of a program: instructions by function, without its callees', and the number of calls between
    functions. `libraries` has the instructions of functions in libraries."""
    instructions: Counter[str] = field(default_factory=Counter)
    libraries: Counter[str] = field(default_factory=Counter)
    calls: Counter[tuple[str, str]] = field(default_factory=Counter)


def read(file: Path, program: str) -> Profile:
    """Reads a file of callgrind (its manual, "Callgrind Format Specification"); calls of libraries are left out."""
    found, names, objects = Profile(), {}, {}
    holder = called_holder = function = called = ""
    # None unless the next line is the cost of calls. Calls that began before the profile have a count of 0.
    count: int | None = None
    for line in file.read_text().splitlines():
        key, _, rest = line.partition("=")
        if key == "ob":
            holder = called_holder = _resolve(rest, objects)
        elif key == "fn":
            function, called_holder = _resolve(rest, names), holder
        elif key == "cob":
            called_holder = _resolve(rest, objects)
        elif key == "cfn":
            called = _resolve(rest, names)
        elif key == "calls":
            count = int(rest.split()[0])
        elif line[:1] in set("0123456789+-*"):
            # The line after `calls` is the cost of these calls, any other the function's own.
            ours = holder.endswith("/" + program)
            if count is not None:
                if count and ours and called_holder.endswith("/" + program) and called != function:
                    found.calls[function, called] += count
                count, called_holder = None, holder
                continue
            (found.instructions if ours else found.libraries)[function] += int(line.split()[-1])
    return found


def sections(linker_map: Path) -> set[str]:
    """The functions that have their own section, so that the linker can place them one by one."""
    with open(linker_map) as lines:
        return {match[1] for line in lines if (match := _SECTION.search(line.rstrip("\n")))}


def in_order_of_calls(profile: Profile, least: int, least_calls: int = 0) -> list[str]:
    """Each function before those that it calls, the most frequent first; not those of less than `least` instructions,
    nor those that were called less than `least_calls` times.

    Begins at functions that nobody has called: at the event loop's and the threads' own.
    """
    callees = defaultdict(list)
    for (caller, callee), _ in profile.calls.most_common():
        callees[caller].append(callee)
    called = {callee for _, callee in profile.calls}
    functions = [name for name, _ in profile.instructions.most_common()]
    # The last of these is the next.
    waiting = [name for name in reversed(functions) if name in called]
    waiting += [name for name in reversed(functions) if name not in called]
    found: dict[str, None] = {}
    while waiting:
        name = waiting.pop()
        if name not in found:
            found[name] = None
            waiting += reversed(callees[name])
    counts: Counter[str] = Counter()
    for (_, callee), count in profile.calls.items():
        counts[callee] += count
    return [name for name in found if profile.instructions[name] >= least and counts[name] >= least_calls]


def _resolve(text: str, names: dict[str, str]) -> str:
    """A name is written out once, as `(7) name`, and is `(7)` from then on."""
    match = _NAME.match(text)
    if match[2] is not None:
        names[match[1]] = _RECURSION.sub("", match[2])
    return names[match[1]]
