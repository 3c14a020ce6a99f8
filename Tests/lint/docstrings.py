"""Finds what apps can use of the client and has no comment that documents it, or one that forgets a parameter.

    python3 -m Tests.lint.docstrings

It reads FogbaseClient and what that exports, RecordModel. Documented is a declaration with a line of `///` before it or
before its attributes. What meets the requirement of a protocol inherits the requirement's comment, and needs none. A
comment may say nothing of parameters; where it speaks of some, it speaks of all, as DocC demands.
"""

import re
import sys
from collections import defaultdict
from pathlib import Path

MODULES = ["FogbaseClient", "RecordModel"]

WORDS = ("public|open|package|internal|private|fileprivate|static|final|mutating|nonmutating|nonisolated|indirect|"
         "prefix|postfix|override|convenience|required|lazy|weak|borrowing|consuming|async")
KINDS = ("struct|class|enum|actor|protocol|extension|func|init|var|let|case|typealias|subscript|associatedtype|macro")
DECLARATION = re.compile(
    rf"^\s*(?P<words>(?:@\w+(?:\([^)]*\))?\s+|(?:{WORDS})(?:\(\w+\))?\s+)*)"
    rf"(?P<kind>{KINDS})\b(?P<rest>.*)$")
TYPES = {"struct", "class", "enum", "actor", "protocol", "extension"}

# The requirements of the language's own protocols, by the names that their witnesses have.
STANDARD = {
    "Equatable": {"=="}, "Hashable": {"==", "hash(into:)", "hashValue"}, "Comparable": {"<"},
    "Decodable": {"init(from:)"}, "Encodable": {"encode(to:)"}, "Codable": {"init(from:)", "encode(to:)"},
    "CustomStringConvertible": {"description"}, "LocalizedError": {"errorDescription"},
    "Error": {"localizedDescription"},
    "RawRepresentable": {"rawValue", "init(rawValue:)"}, "OptionSet": {"rawValue", "init(rawValue:)"},
    "ExpressibleByStringLiteral": {"init(stringLiteral:)"}, "ExpressibleByIntegerLiteral": {"init(integerLiteral:)"},
    "ExpressibleByArrayLiteral": {"init(arrayLiteral:)"},
    "ExpressibleByDictionaryLiteral": {"init(dictionaryLiteral:)"},
    "Sequence": {"makeIterator()"}, "IteratorProtocol": {"next()"}, "AsyncSequence": {"makeAsyncIterator()"},
    "AsyncIteratorProtocol": {"next()", "next(isolation:)"}, "Identifiable": {"id"}, "CaseIterable": {"allCases"},
}
STANDARD["OptionSet"] |= STANDARD["Hashable"]


class Declaration:
    """What is declared where: its kind, the name with argument labels, and the scopes that it stands in."""

    def __init__(self, line, kind, name, words, header, scopes, comment, forgotten):
        self.line, self.kind, self.name, self.header = line, kind, name, header
        self.documented, self.forgotten = bool(comment), forgotten
        self.scopes = scopes
        self.says_public = bool(re.search(r"\b(public|open)\b(?!\()", words))

    @property
    def owner(self):
        """The name of the enclosing type, without its own outer types."""
        return self.scopes[-1].name if self.scopes else ""


def without_text(source):
    """Returns the source with comments and the insides of strings blanked, so that the remaining brackets are code."""
    out, index = [], 0
    while index < len(source):
        rest = source[index:]
        if rest.startswith("//"):
            end = source.find("\n", index)
            end = len(source) if end < 0 else end
            out.append(" " * (end - index))
            index = end
        elif rest.startswith('"'):
            mark = '"""' if rest.startswith('"""') else '"'
            out.append(" " * len(mark))
            index += len(mark)
            index = skip_string(source, index, mark, out)
        else:
            out.append(source[index])
            index += 1
    return "".join(out)


def skip_string(source, index, mark, out):
    """Blanks a string whose opening mark was read, with the code that it holds; returns where it ends."""
    while index < len(source) and not source.startswith(mark, index):
        if source.startswith("\\(", index):
            depth, start = 1, index + 2
            index = start
            while index < len(source) and depth:
                if source[index] == '"':
                    index = skip_string(source, index + 1, '"', [])
                    continue
                depth += {"(": 1, ")": -1}.get(source[index], 0)
                index += 1
            out.append(" " * (index - start + 2))
        else:
            step = 2 if source[index] == "\\" else 1
            out.append("".join("\n" if each == "\n" else " " for each in source[index:index + step]))
            index += step
    out.append(" " * len(mark))
    return index + len(mark)


def comment_before(lines, number):
    """The lines of `///` before the declaration in a line, or before its attributes, from the last to the first."""
    number -= 1
    open_brackets = 0
    found = []
    while number >= 0:
        line = lines[number].strip()
        if line.startswith("///"):
            found.append(line[3:])
        elif found:
            break
        else:
            open_brackets += line.count(")") - line.count("(")
            if not (line.startswith("@") or open_brackets > 0):
                break
        number -= 1
    return found


def forgotten_parameters(names, comment):
    """The parameters that a comment leaves out which speaks of others."""
    said = {match[1] for line in comment if (match := re.match(r"\s+- (?:Parameter )?(\w+):", line))}
    return [name for name in names if name not in said] if said & set(names) else []


def arguments(text):
    """(label, name) of each argument in the brackets that open first."""
    found, depth, words, is_head = [], 0, [], True
    for part in re.findall(r"[\w`]+|->|[^\w\s]", text[text.find("(") + 1:]):
        if part == ")" and depth == 0:
            break
        if part in ",:" and depth == 0:
            if is_head and words:
                found.append((words[0], words[-1]))
            words, is_head = [], part == ","
        elif is_head and re.match(r"[\w`]", part):
            words.append(part)
        depth += {"(": 1, "[": 1, "<": 1, ")": -1, "]": -1, ">": -1}.get(part, 0)
    return found


def full_name(kind, rest, following):
    """The name of a declaration; of functions with the labels of its arguments."""
    if kind in {"init", "subscript", "func", "macro"}:
        text = rest + " " + following
        name = kind if kind in {"init", "subscript"} else text.split("(")[0].split("<")[0].strip() or text.split()[0]
        if kind == "func" and re.match(r"\s*[^\w\s]", rest):
            return rest.split()[0]
        return f"{name}({''.join(label + ':' for label, _ in arguments(text))})"
    found = re.match(r"\s*`?([\w.]+)", rest)
    return found.group(1) if found else rest.strip()


def declarations(source):
    """All declarations of a file outside of functions, in order."""
    lines = source.split("\n")
    found, scopes, pending = [], [], None
    for number, line in enumerate(without_text(source).split("\n")):
        match = DECLARATION.match(line)
        in_types = all(scope is not None for scope in scopes)
        if match and in_types and not (match["kind"] == "case" and (not scopes or scopes[-1].kind != "enum")):
            following = " ".join(lines[number + 1:number + 12])
            name = full_name(match["kind"], match["rest"], following)
            comment = comment_before(lines, number)
            has_arguments = match["kind"] in {"init", "func", "subscript", "macro"}
            names = [name for _, name in arguments(match["rest"] + " " + following)] if has_arguments else []
            pending = Declaration(number + 1, match["kind"], name, match["words"], match["rest"], list(scopes),
                                  comment, forgotten_parameters(names, comment))
            found.append(pending)
        elif pending and "{" not in pending.header:
            pending.header += " " + line
        for character in line:
            if character == "{":
                scopes.append(pending if pending and pending.kind in TYPES else None)
                pending = None
            elif character == "}" and scopes:
                scopes.pop()
    return found


def conformances(all_declarations):
    """By the name of each type, the names of all protocols that some declaration says behind its colon."""
    direct = defaultdict(set)
    for each in all_declarations:
        if each.kind in TYPES | {"typealias"}:
            mark = "=" if each.kind == "typealias" else ":"
            behind = re.split(r"\{|\bwhere\b", each.header)[0].partition(mark)[2]
            direct[each.name.split(".")[-1]] |= set(re.findall(r"[A-Z]\w*", behind))
    closed = {}
    for name in direct:
        reached, rest = set(), [name]
        while rest:
            for other in direct.get(rest.pop(), ()):
                if other not in reached:
                    reached.add(other)
                    rest.append(other)
        closed[name] = reached
    return closed


def missing(sources):
    """(file, line, name) for each declaration of the sources, by file, that apps see and nothing documents; behind the
    name stand the parameters that its comment forgets."""
    by_file = {file: declarations(source) for file, source in sources.items()}
    everything = [each for found in by_file.values() for each in found]
    hidden = {each.name for each in everything
              if each.kind in TYPES - {"extension"} and not is_public(each, set())}
    hidden -= {each.name for each in everything if each.kind in TYPES - {"extension"} and is_public(each, set())}
    requirements = defaultdict(set, {name: set(names) for name, names in STANDARD.items()})
    for each in everything:
        if each.scopes and each.scopes[-1].kind == "protocol" and each.documented:
            requirements[each.owner].add(each.name)
    known = conformances(everything)
    problems = []
    for file, found in by_file.items():
        for each in found:
            if each.kind in {"extension", "associatedtype"} or not is_public(each, hidden):
                continue
            if each.documented:
                if each.forgotten:
                    problems.append((file, each.line, f"{each.name} {', '.join(each.forgotten)}"))
                continue
            owner = each.owner.split(".")[-1]
            inherited = known.get(owner, set()) | {owner}
            is_requirement = each.scopes and each.scopes[-1].kind == "protocol"
            if not is_requirement and any(each.name in requirements[name] for name in inherited):
                continue
            problems.append((file, each.line, each.name))
    return problems


def is_public(each, hidden):
    """Whether apps see a declaration: it is public, or a case or requirement, and so is all that it stands in."""
    for scope in each.scopes:
        if scope.kind == "extension":
            if scope.name.split(".")[-1] in hidden:
                return False
        elif not scope.says_public and not (scope.scopes and scope.scopes[-1].kind == "protocol"):
            return False
    if each.says_public:
        return True
    return bool(each.scopes) and (each.kind == "case" or each.scopes[-1].kind == "protocol")


def main():
    home = Path(__file__).resolve().parents[2]
    files = [file for module in MODULES for file in sorted((home / "Sources" / module).rglob("*.swift"))]
    problems = missing({str(file.relative_to(home)): file.read_text(encoding="utf-8") for file in files})
    for file, line, name in problems:
        print(f"{file}:{line}: no documentation of {name}", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
