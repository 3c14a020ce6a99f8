package import RecordModel

/// The type that the tests of conditions bind to, and their shared code.
package enum QuerySample {
    package static let now: Int64 = 1_772_366_400_000

    package static let fields: [(String, FieldType)] = [
        ("threadname", .string), ("title", .string), ("name", .string), ("state", .string), ("salesPrice", .int64),
        ("size", .int64), ("a", .int64), ("b", .int64), ("c", .int64), ("in", .int64), ("cost", .double),
        ("timestamp", .timestamp), ("endDate", .timestamp), ("author", .reference), ("topics", .stringList),
        ("scores", .int64List), ("rates", .doubleList), ("days", .timestampList), ("friends", .referenceList),
        ("picture", .asset), ("data", .bytes), ("place", .location), ("pictures", .assetList),
        ("places", .locationList),
        ("date", .timestamp), ("now", .int64),
    ]

    package static func type() throws(RecordError) -> RecordTypeDefinition {
        guard let name = RecordTypeName("Post") else { throw .recordNotFound }
        var definitions: [FieldDefinition] = []
        for (index, (text, type)) in fields.enumerated() {
            guard let name = FieldName(text) else { throw .recordNotFound }
            definitions.append(FieldDefinition(id: index + 1, name: name, type: type))
        }
        return RecordTypeDefinition(id: TypeID(rawValue: 1), name: name, grants: .standard, fields: definitions)
    }

    package static func binder() throws(RecordError) -> PredicateBinder {
        PredicateBinder(type: try type(), now: now) { name in name == "_bob" ? UserID(rawValue: 7) : nil }
    }

    package static func field(_ name: String) throws(RecordError) -> QueryField {
        if let system = SystemField(name) { return .system(system) }
        guard let field = try type()[name] else { throw .recordNotFound }
        return .field(field)
    }

    /// A text, bound.
    package static func bind(
        _ text: String, _ arguments: [QueryArgument] = [], _ variables: [String: QueryArgument] = [:]
    ) throws(RecordError) -> Predicate {
        try binder().bind(try PredicateSyntax.parse(text), positional: arguments, named: variables)
    }

    /// The error with which a text is rejected, in parsing or binding.
    package static func rejection(
        _ text: String, _ arguments: [QueryArgument] = [], _ variables: [String: QueryArgument] = [:]
    ) -> RecordError? {
        do throws(RecordError) {
            _ = try bind(text, arguments, variables)
            return nil
        } catch { return error }
    }

    package static func condition(
        _ name: String, _ test: ValueTest, _ subject: Condition.Subject = .value
    ) throws(RecordError) -> Predicate {
        .condition(Condition(try field(name), test, subject: subject))
    }

    package static func text(_ text: String) -> QueryValue { .text(Array(text.utf8)) }
}

extension RecordError {
    package func detail(_ key: String) -> Detail? { details.first { $0.key == key }?.value }

    package var offset: Int? {
        if case .number(let number)? = detail("offset") { Int(number) } else { nil }
    }

    package var found: String? {
        if case .text(let text)? = detail("found") { text } else { nil }
    }

    package var expected: String? {
        if case .text(let text)? = detail("expected") { text } else { nil }
    }
}

extension ValueRange {
    package init(from lower: QueryValue? = nil, to upper: QueryValue? = nil, isInclusive: Bool = true) {
        self.init(
            lower: lower.map { Bound($0, isInclusive: isInclusive) },
            upper: upper.map { Bound($0, isInclusive: isInclusive) })
    }
}
