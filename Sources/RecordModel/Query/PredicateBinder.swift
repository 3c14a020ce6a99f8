/// Binds conditions and sorts to a record type: names become fields, and values get the types of their fields.
package struct PredicateBinder {
    let type: RecordTypeDefinition
    let now: Int64
    let userID: (String) throws(RecordError) -> UserID?

    /// - Parameters:
    ///   - now: What `now()` means, in milliseconds since 1970-01-01 UTC.
    ///   - userID: The number of the account with a record name; `nil` if there is none, and nothing matches.
    package init(
        type: RecordTypeDefinition, now: Int64, userID: @escaping (String) throws(RecordError) -> UserID?
    ) {
        self.type = type
        self.now = now
        self.userID = userID
    }

    /// Binds a text with the values of its placeholders. Each value is used at least once.
    ///
    /// - Throws: `BAD_REQUEST` with `offset`, `found`, `expected` and, where they are known, `field` and `argument`;
    ///   cause `UNKNOWN_NAME` for a field that the type does not have, `TYPE_MISMATCH` for a value that its field
    ///   cannot be compared with, `TOO_LARGE` over a bound.
    package func bind(
        _ syntax: PredicateSyntax, positional: [QueryArgument] = [], named: [String: QueryArgument] = [:]
    ) throws(RecordError) -> Predicate {
        var binding = PredicateBinding(binder: self, positional: positional, named: named)
        try binding.checkCounts(syntax)
        let predicate = try binding.predicate(syntax.root)
        try binding.checkNames()
        return predicate
    }

    /// The key of a sort.
    ///
    /// - Throws: `BAD_REQUEST`; cause `UNKNOWN_NAME` for a field that the type does not have.
    package func sortTerm(_ name: String, isAscending: Bool) throws(RecordError) -> SortTerm {
        let field = try self.field(name, at: PredicatePlace())
        let isUser = field.isUser
        guard !field.type.isList, !isUser,
            [.string, .int64, .double, .timestamp].contains(field.type)
        else {
            throw .badRequest(
                "Records cannot be sorted by field '\(field.name)' of type \(field.type.schemaName)",
                cause: .typeMismatch, details: [("field", .text(field.name)), ("type", .text(field.type.schemaName))])
        }
        return SortTerm(field, isAscending: isAscending)
    }

    /// The field that a name means, in any spelling of the system fields.
    ///
    /// - Parameter isValue: The name stands where mostly a value does.
    func field(_ name: String, at place: PredicatePlace, isValue: Bool = false) throws(RecordError) -> QueryField {
        if let system = SystemField(name) {
            guard QueryField.querySystemFields.contains(system) else {
                throw .condition(
                    "Field '\(system.name)' cannot be queried", field: name, at: place, found: name,
                    expected: "a field of the type, or another system field")
            }
            return .system(system)
        }
        if let field = type[name] { return .field(field) }
        if name.utf8.contains(UInt8(ascii: ".")) {
            throw .condition(
                "A key path, which leads to another record, is not available in this version", field: name, at: place,
                found: name.clipped, expected: "the name of a field")
        }
        throw .condition(
            "Field \(name.clipped) not found in \(type.name)"
                + (isValue ? "; a text stands in quotes: '\(name.clipped)'" : ""), cause: .unknownName, field: name,
            at: place,
            found: name.clipped, expected: "a field of \(type.name)")
    }
}

extension QueryField {
    /// Whether its values are accounts.
    var isUser: Bool {
        self == .system(.createdUserRecordName) || self == .system(.modifiedUserRecordName)
    }
}
