/// Binds predicates and sorts to a record type: resolves names to fields, and converts each value to the type of its
/// field.
package struct PredicateBinder {
    let type: RecordTypeDefinition
    let now: Int64
    let userID: (String) throws(RecordError) -> UserID?
    let targets: Targets?

    /// Returns the record types with a field of a name to which a reference may lead, without the fields that the
    /// caller may not read.
    package typealias Targets = (String) throws(RecordError) -> [RecordTypeDefinition]

    /// Creates a binder for one record type.
    ///
    /// - Parameters:
    ///   - now: The value of `now()`, in milliseconds since 1970-01-01 UTC.
    ///   - userID: Returns the number of the account with a record name. If the result is `nil`, no record matches.
    ///   - targets: Returns the types to which references may lead; `nil` if the predicate cannot test other records.
    package init(
        type: RecordTypeDefinition, now: Int64, targets: Targets? = nil,
        userID: @escaping (String) throws(RecordError) -> UserID?
    ) {
        self.type = type
        self.now = now
        self.targets = targets
        self.userID = userID
    }

    /// Binds a parsed predicate with the values of its placeholders. Each value must be used at least once.
    ///
    /// - Throws: `BAD_REQUEST` with the details `offset`, `found`, `expected` and, where known, `field` and `argument`.
    ///   The cause is `UNKNOWN_NAME` for a field that the type lacks, `TYPE_MISMATCH` for a value that cannot be
    ///   compared with its field, and `TOO_LARGE` for an exceeded limit. Errors of the account lookup are passed on.
    package func bind(
        _ syntax: PredicateSyntax, positional: [QueryArgument] = [], named: [String: QueryArgument] = [:]
    ) throws(RecordError) -> Predicate {
        var binding = PredicateBinding(binder: self, positional: positional, named: named)
        try binding.checkCounts(syntax)
        let predicate = try binding.predicate(syntax.root)
        try binding.checkNames()
        return try limitingSearches(predicate)
    }

    /// Returns the sort term for a field.
    ///
    /// - Parameters:
    ///   - name: The name of the field, with modifiers such as `[c]` behind the name of a STRING.
    ///   - nulls: The place of records that lack the field; `nil` for the first in ascending order, and the last in
    ///     descending order.
    /// - Throws: `BAD_REQUEST`, with the cause `UNKNOWN_NAME` for a field that the type lacks, and `TYPE_MISMATCH` for
    ///   a field that has no sort order or no modifiers.
    package func sortTerm(
        _ name: String, isAscending: Bool, nulls: NullPlacement? = nil
    ) throws(RecordError) -> SortTerm {
        if name.hasPrefix("rank("), name.hasSuffix(")") {
            let weights = try RankWeights(parsing: String(name.dropFirst(5).dropLast()), for: type)
            return SortTerm(.rank(weights), isAscending: isAscending)
        }
        if let term = try distanceTerm(name, isAscending: isAscending, nulls: nulls) { return term }
        let column = ColumnName(parsing: name)
        let form = column?.form ?? .exact
        let field = try self.field(column?.name ?? name, at: PredicateLocation())
        let isUser = field.isUser
        guard !field.type.isList, !isUser,
            [.string, .int64, .double, .timestamp].contains(field.type)
        else {
            throw .badRequest(
                "Records cannot be sorted by field '\(field.name)' of type \(field.type.schemaName)",
                cause: .typeMismatch, details: [("field", .text(field.name)), ("type", .text(field.type.schemaName))])
        }
        guard
            form == .exact && column?.kind == nil || (field.type == .string && !form.isReversed && column?.kind == nil)
        else {
            throw .badRequest(
                "Only a STRING can be sorted without regard to case or diacritics, with [c], [d] or [cd] behind its name",
                cause: .typeMismatch, details: [("field", .text(field.name)), ("type", .text(field.type.schemaName))])
        }
        // Every record has all system fields.
        if case .system = field { return SortTerm(field, form: form, isAscending: isAscending) }
        return SortTerm(field, form: form, isAscending: isAscending, nulls: nulls)
    }

    /// Returns the field with a name. System fields may have any spelling.
    ///
    /// - Parameter isValue: Whether a value is expected at this position. The error message then explains how to quote
    ///   values.
    /// - Throws: `BAD_REQUEST`, with the cause `UNKNOWN_NAME` for a field that the type lacks.
    func field(_ name: String, at location: PredicateLocation, isValue: Bool = false) throws(RecordError) -> QueryField
    {
        if let system = SystemField(name) {
            guard QueryField.querySystemFields.contains(system) else {
                throw .condition(
                    "Field '\(system.name)' cannot be queried", field: name, at: location, found: name,
                    expected: "a field of the type, or another system field")
            }
            return .system(system)
        }
        if let field = type[name] { return .field(field) }
        if name.utf8.contains(UInt8(ascii: ".")) {
            throw .condition(
                "A path to a field of another record is possible only in the predicate 'where'", field: name,
                at: location, found: name.clipped, expected: "the name of a field")
        }
        if let field = type.field(formerly: name) {
            var error = RecordError.condition(
                "Field \(name) of \(type.name) is now called \(field.name)", cause: .unknownName, field: name,
                at: location, found: name, expected: field.name.text)
            error.details.append(("renamedTo", .text(field.name.text)))
            throw error
        }
        throw .condition(
            "Field \(name.clipped) not found in \(type.name)"
                + (isValue ? "; put a text in quotes: '\(name.clipped)'" : "")
                + (SystemField(systemFieldName: name) == nil
                    ? "" : ". The \(name) of the record itself cannot be queried"),
            cause: .unknownName, field: name,
            at: location,
            found: name.clipped, expected: "a field of \(type.name)")
    }
}

extension QueryField {
    /// Whether the values are accounts.
    var isUser: Bool {
        self == .system(.createdUserRecordName) || self == .system(.modifiedUserRecordName)
    }
}
