/// Parses a configuration file.
///
/// ```
/// # A comment.
/// server.port = 8080
/// data.containers = iCloud.org.example.Forum, iCloud.org.example.Chess
///
/// [limits]                  # the keys below belong to this section
/// body_bytes = 32MiB
/// admin.token = "with # and spaces"
/// ```
enum ConfigurationFile {
    struct Entry: Hashable {
        let key: String
        let value: String
        let line: Int
    }

    /// A problem in a line.
    struct Problem: Hashable {
        let line: Int
        let sentence: String
    }

    /// Returns the entries of a file, and the problems of all lines that are not valid entries. Keys are not checked
    /// here.
    static func parse(_ text: String) -> (entries: [Entry], problems: [Problem]) {
        var entries: [Entry] = []
        var problems: [Problem] = []
        var lines: [String: Int] = [:]
        var section = ""
        for (index, raw) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let number = index + 1
            let line = raw.trimmed
            if line.isEmpty || line.hasPrefix("#") || line.hasPrefix(";") { continue }
            if line.hasPrefix("[") {
                let head = String(withoutComment(line).trimmed)
                guard head.hasSuffix("]") else {
                    problems.append(Problem(line: number, sentence: "A section is written [name]."))
                    continue
                }
                section = String(head.dropFirst().dropLast().trimmed)
                continue
            }
            guard let equals = line.firstIndex(of: "=") else {
                problems.append(Problem(line: number, sentence: "A line is written section.key = value."))
                continue
            }
            let name = String(line[..<equals].trimmed)
            let key = section.isEmpty || name.contains(".") ? name : section + "." + name
            guard let value = value(line[line.index(after: equals)...]) else {
                problems.append(
                    Problem(line: number, sentence: "The value of \(key) has an unclosed quotation mark."))
                continue
            }
            if let first = lines[key] {
                problems.append(Problem(line: number, sentence: "\(key) is already set in line \(first)."))
                continue
            }
            lines[key] = number
            entries.append(Entry(key: key, value: value, line: number))
        }
        return (entries, problems)
    }

    /// Returns a value without quotation marks, list brackets and comment; `nil` if a quotation mark is not closed.
    private static func value(_ raw: Substring) -> String? {
        var text = raw.trimmed
        if text.hasPrefix("[") {
            // The value of a list in TOML syntax is its comma-separated items.
            text = withoutComment(text).trimmed
            guard text.hasSuffix("]") else { return nil }
            let items = text.dropFirst().dropLast().split(separator: ",").map {
                quoted($0.trimmed) ?? String($0.trimmed)
            }
            return items.joined(separator: ",")
        }
        guard text.hasPrefix("\"") else { return String(withoutComment(text).trimmed) }
        return quoted(text)
    }

    /// Returns the content of a quoted text; `nil` if the closing mark is followed by anything except a comment.
    private static func quoted(_ text: Substring) -> String? {
        guard text.hasPrefix("\"") else { return nil }
        var result = ""
        var rest = text.dropFirst()
        while let character = rest.popFirst() {
            switch character {
            case "\"":
                let tail = rest.trimmed
                return tail.isEmpty || tail.hasPrefix("#") ? result : nil
            case "\\":
                guard let next = rest.popFirst() else { return nil }
                result.append(next)
            default: result.append(character)
            }
        }
        return nil
    }

    /// Returns the text before the first `#` that follows whitespace.
    private static func withoutComment(_ text: Substring) -> Substring {
        var isAfterSpace = true
        for index in text.indices {
            if text[index] == "#", isAfterSpace { return text[..<index] }
            isAfterSpace = text[index].isWhitespace
        }
        return text
    }
}
