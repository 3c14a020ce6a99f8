/// A function over the values of one field in a group of records. Absent values are ignored, as in SQL.
package enum AggregateFunction: String, Hashable, Sendable, CaseIterable {
    /// The number of records; with a field, the number of records that have a value.
    case count
    /// The number of distinct values.
    case countDistinct
    /// The exact sum. No value: null.
    case sum
    /// The mean as a DOUBLE. No value: null.
    case avg
    /// The least value. No value: null.
    case min
    /// The greatest value. No value: null.
    case max
}

/// One term of `groupBy` or `values`, parsed but not bound:
///
/// ```
/// term = [alias ":"] (name | name "(" [field] ")")
/// ```
///
/// Examples: `threadname`, `count`, `sum(likes)`, `total:sum(likes)`, `day(createdTimestamp)`.
package struct AggregateTerm: Hashable, Sendable {
    /// The name of the column in the response.
    package var name: String
    /// The word before the parentheses, or the only word.
    package var word: String
    /// The word in the parentheses; `nil` without parentheses or with empty ones.
    package var field: String?
    /// Whether the term has parentheses.
    package var isCall: Bool

    /// Parses a term. Spaces around its words are ignored.
    ///
    /// - Throws: BAD_REQUEST for a text that is not a term.
    package init(_ text: String) throws(RecordError) {
        func malformed() -> RecordError {
            .badRequest(
                "'\(text.clipped)' is not a term of an aggregate; terms are such as threadname, count, sum(likes), day(createdTimestamp), or total:sum(likes) with a name",
                details: [("found", .text(text.clipped))])
        }
        var rest = Self.trimmed(text[...])
        var alias: String?
        if let colon = rest.firstIndex(of: ":") {
            let word = String(Self.trimmed(rest[..<colon]))
            guard FieldName(word) != nil else { throw malformed() }
            alias = word
            rest = Self.trimmed(rest[rest.index(after: colon)...])
        }
        if let open = rest.firstIndex(of: "(") {
            guard rest.last == ")" else { throw malformed() }
            word = String(Self.trimmed(rest[..<open]))
            let inner = Self.trimmed(rest[rest.index(after: open)...].dropLast())
            guard !inner.contains(where: { "():,".contains($0) }) else { throw malformed() }
            field = inner.isEmpty ? nil : String(inner)
            isCall = true
        } else {
            word = String(rest)
            field = nil
            isCall = false
        }
        guard !word.isEmpty, !word.contains(where: { " ():,'\"".contains($0) }) else { throw malformed() }
        if let alias {
            name = alias
        } else if let field {
            name = "\(word)(\(field))"
        } else {
            name = word
        }
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text.drop { $0 == " " }
        while text.last == " " { text.removeLast() }
        return text
    }
}
