/// A predicate's text with other names of fields.
package struct RenamedPredicate: Hashable, Sendable {
    /// The text after the renames.
    package let text: String
    /// The positions of the arguments of `%K`, which are names of fields too.
    package let keyArguments: [Int]
    /// The first of the names that the text has behind a dot, where it names a field of another record; `nil` for none.
    package let pathName: String?

    /// Renames fields in the text of a predicate. Everything else stays as it is written.
    ///
    /// - Parameter names: The new names by the present ones. Fields may exchange names.
    /// - Throws: `BAD_REQUEST` for a text with an unknown sign.
    /// - Complexity: O(n) in the length of the text.
    package init(_ text: String, renaming names: [String: String]) throws(RecordError) {
        let bytes = Array(text.utf8)
        var lexer = PredicateLexer(bytes)
        // No number is looked at, so a sign before it can always stand for itself, as in `now() - 3 days`.
        lexer.readsSigns = true
        var renamed: [UInt8] = []
        var copied = 0
        var keyArguments: [Int] = []
        var pathName: String?
        var argument = 0
        var before = PredicateToken.Kind.end
        var token = try lexer.next()
        while token.kind != .end {
            let next = try lexer.next()
            switch token.kind {
            case .placeholder: argument += 1
            case .keyPlaceholder:
                keyArguments.append(argument)
                argument += 1
            case .name(let written):
                guard let name = names[Identifier.normalized(written) ?? written], !next.isSign("(") else { break }
                if before == .sign(UInt8(ascii: ".")) {
                    pathName = pathName ?? written
                } else if !Self.isUnit(after: before) {
                    renamed += bytes[copied..<token.start]
                    renamed += ((PredicateKeyword.isReserved(name) ? "#" : "") + name).utf8
                    copied = token.end
                }
            default: break
            }
            before = token.kind
            token = next
        }
        renamed += bytes[copied...]
        self.text = String(decoding: renamed, as: UTF8.self)
        self.keyArguments = keyArguments
        self.pathName = pathName
    }

    /// Whether a name behind a token is no field: a unit behind a number, such as `days`, or a modifier in brackets.
    private static func isUnit(after token: PredicateToken.Kind) -> Bool {
        switch token {
        case .integer, .double, .placeholder, .variable, .sign(UInt8(ascii: ")")), .sign(UInt8(ascii: "[")): true
        default: false
        }
    }
}
