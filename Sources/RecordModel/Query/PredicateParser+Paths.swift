internal import UnicodeText

/// Parsing of paths to fields of other records.
extension PredicateSyntax.Operand.Form {
    /// Parses `.name` after this key, and returns the key of the field of the record to which this one leads. Without a
    /// dot, returns this key.
    func followedByPath(in parser: inout PredicateParser) throws(RecordError) -> Self {
        guard parser.token.isSign(".") else { return self }
        try parser.advance()
        guard case .name(let name) = parser.token.kind else {
            throw parser.unexpected("the name of a field; one with the name of a keyword is written with # before it")
        }
        let offset = parser.token.start
        try parser.advance()
        guard !parser.token.isSign(".") else {
            throw .condition(
                "A path leads from a record to one other record. Query the other type first, and use IN with the names",
                at: parser.location, found: ".", expected: "an operator")
        }
        return .path(self, name, offset: offset)
    }
}
