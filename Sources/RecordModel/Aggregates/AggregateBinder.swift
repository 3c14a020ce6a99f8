/// Binds the terms of an aggregate to a record type.
package struct AggregateBinder {
    private let binder: PredicateBinder

    /// Creates a binder for one record type.
    ///
    /// - Parameters:
    ///   - now: The value of `now()` in `having`, in milliseconds since 1970-01-01 UTC.
    ///   - userID: Returns the number of the account with a record name. If the result is `nil`, no group matches.
    package init(
        type: RecordTypeDefinition, now: Int64, userID: @escaping (String) throws(RecordError) -> UserID?
    ) {
        binder = PredicateBinder(type: type, now: now, userID: userID)
    }

    /// Returns the bound terms, without `having` and a sort.
    ///
    /// - Throws: BAD_REQUEST with the detail `found`; cause UNKNOWN_NAME for a field that the type lacks, TYPE_MISMATCH
    ///   for a field that the function does not accept, TOO_LARGE for too many terms.
    package func bind(
        groupBy: [String], values: [String], limit: Int, timeZone: String?
    ) throws(RecordError) -> Aggregation {
        for terms in [groupBy, values] where terms.count > Aggregation.maxTerms {
            throw .badRequest(
                "An aggregate has too many terms", cause: .tooLarge,
                details: [("limit", .number(Int64(Aggregation.maxTerms)))])
        }
        guard groupBy.count + values.count > 0 else {
            throw .badRequest("An aggregate needs 'values', such as count, or 'groupBy', such as threadname")
        }
        var aggregation = Aggregation(
            keys: [], values: [], having: .constant(true), order: [], limit: limit, timeZone: timeZone)
        for text in groupBy { aggregation.keys.append(try key(AggregateTerm(text))) }
        for text in values { aggregation.values.append(try value(AggregateTerm(text))) }
        var names: Set<String> = []
        for name in aggregation.names where !names.insert(name).inserted {
            throw .badRequest(
                "Two terms of the aggregate have the name '\(name.clipped)'. Name one of them: other:\(name.clipped)",
                details: [("found", .text(name.clipped))])
        }
        if timeZone != nil, !aggregation.keys.contains(where: { $0.bucket != nil }) {
            throw .badRequest(
                "'timeZone' is for groups by hour, day, week, month or year, and there is no such group",
                details: [("found", .text("timeZone"))])
        }
        return aggregation
    }

    private func key(_ term: AggregateTerm) throws(RecordError) -> Aggregation.Key {
        guard term.isCall else {
            let field = try field(term.word)
            return Aggregation.Key(name: term.word == term.name ? field.name : term.name, field: field)
        }
        guard let unit = TimeBucket.Unit(rawValue: term.word), let name = term.field else {
            throw .badRequest(
                "'groupBy' has fields, and \(Self.list(TimeBucket.Unit.allCases.map(\.rawValue))) of a TIMESTAMP, such as day(createdTimestamp)",
                details: [("found", .text(term.word.clipped))])
        }
        let field = try field(name)
        guard field.type == .timestamp else { throw Self.mismatch(term.word, field, expected: "a TIMESTAMP") }
        return Aggregation.Key(name: Self.name(of: term, field), field: field, bucket: unit)
    }

    private func value(_ term: AggregateTerm) throws(RecordError) -> Aggregation.Value {
        guard let function = AggregateFunction(rawValue: term.word) else {
            throw .badRequest(
                "'\(term.word.clipped)' is not a function of an aggregate; the functions are \(Self.list(AggregateFunction.allCases.map(\.rawValue)))",
                details: [("found", .text(term.word.clipped))])
        }
        guard let name = term.field else {
            guard function == .count else {
                throw .badRequest(
                    "'\(term.word)' needs a field in parentheses: \(term.word)(likes)",
                    details: [("found", .text(term.word))])
            }
            return Aggregation.Value(
                name: term.isCall && term.name == term.word ? "count" : term.name, function: .count)
        }
        let field = try field(name)
        switch function {
        case .count, .countDistinct: break
        case .sum, .avg:
            guard field.type == .int64 || field.type == .double else {
                throw Self.mismatch(term.word, field, expected: "an INT64 or a DOUBLE")
            }
        case .min, .max:
            guard !field.isUser, field.type != .reference else {
                throw Self.mismatch(term.word, field, expected: "a STRING, an INT64, a DOUBLE or a TIMESTAMP")
            }
        }
        return Aggregation.Value(name: Self.name(of: term, field), function: function, field: field)
    }

    /// The name of a column: the alias, or the term with the field's own spelling.
    private static func name(of term: AggregateTerm, _ field: QueryField) -> String {
        guard let written = term.field, term.name == "\(term.word)(\(written))" else { return term.name }
        return "\(term.word)(\(field.name))"
    }

    private func field(_ name: String) throws(RecordError) -> QueryField {
        let field = try binder.field(name, at: PredicateLocation())
        switch field.type {
        case .string, .int64, .double, .timestamp, .reference: return field
        default: throw Self.mismatch("An aggregate", field, expected: "a single value that has equality")
        }
    }

    private static func mismatch(_ user: String, _ field: QueryField, expected: String) -> RecordError {
        .badRequest(
            "\(user) needs \(expected), and field '\(field.name)' is \(field.type.schemaName)", cause: .typeMismatch,
            details: [
                ("field", .text(field.name)), ("type", .text(field.type.schemaName)), ("expected", .text(expected)),
            ])
    }

    private static func list(_ words: [String]) -> String { words.joined(separator: ", ") }

    // MARK: Conditions and sorts on groups

    /// Binds `having`, a predicate on the names of the aggregate's columns. A column with parentheses may be written as
    /// in the response, such as `sum(likes) > 10`. There are no placeholders.
    ///
    /// - Throws: As `PredicateSyntax.parse` and `PredicateBinder.bind`.
    package func bindHaving(_ text: String, in aggregation: Aggregation) throws(RecordError) -> Predicate {
        var fields: [FieldDefinition] = []
        var text = Array(text.utf8)
        for (number, name) in aggregation.names.enumerated() {
            // The same number of bytes, so that offsets in errors are those of the request.
            let word = String(
                decoding: name.utf8.map { Self.isParenthesis($0) ? UInt8(ascii: "_") : $0 }, as: UTF8.self)
            if word != name { Self.replace(Array(name.utf8), with: Array(word.utf8), in: &text) }
            guard let name = FieldName(word), !fields.contains(where: { $0.name == name }) else { continue }
            // Accounts have names only as values of the system fields.
            if number < aggregation.keys.count, aggregation.keys[number].field.isUser { continue }
            fields.append(FieldDefinition(id: number, name: name, type: aggregation.type(ofColumn: number)))
        }
        let type = RecordTypeDefinition(
            id: binder.type.id, name: binder.type.name, grants: binder.type.grants, fields: fields)
        let predicate: Predicate
        do throws(RecordError) {
            let syntax = try PredicateSyntax.parse(String(decoding: text, as: UTF8.self))
            predicate = try PredicateBinder(type: type, now: binder.now, userID: binder.userID).bind(syntax)
        } catch {
            var error = error
            // Offsets are those in `having`, not in `where`.
            error.details.append(("path", .text("having")))
            if error.cause == .unknownName {
                error.reason = "'having' names no column of the aggregate; it has \(Self.list(aggregation.names))"
            }
            throw error
        }
        // The names of system fields are no fields of the type above.
        let systems = aggregation.keys.filter { $0.bucket == nil && $0.name == $0.field.name }.map(\.field)
        try predicate.forEachCondition { condition throws(RecordError) in
            guard case .system = condition.field, !systems.contains(condition.field) else { return }
            throw Self.unknown(condition.field.name, in: aggregation)
        }
        return predicate.simplified()
    }

    private static func isParenthesis(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "(") || byte == UInt8(ascii: ")")
    }

    /// Replaces a name outside quoted texts. Both have the same length.
    private static func replace(_ name: [UInt8], with word: [UInt8], in text: inout [UInt8]) {
        var quote: UInt8?
        var position = 0
        while position < text.count {
            let byte = text[position]
            if let open = quote {
                if byte == UInt8(ascii: "\\") { position += 1 } else if byte == open { quote = nil }
            } else if byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\"") {
                quote = byte
            } else if text[position...].starts(with: name), position == 0 || !isNameByte(text[position - 1]) {
                text.replaceSubrange(position..<(position + name.count), with: word)
                position += name.count
                continue
            }
            position += 1
        }
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        byte >= 0x80 || byte == UInt8(ascii: "_") || (byte | 0x20) &- UInt8(ascii: "a") < 26
            || byte &- UInt8(ascii: "0") < 10
    }

    /// Returns the sort term for a column of the aggregate.
    ///
    /// - Throws: BAD_REQUEST with cause UNKNOWN_NAME for a name that no column has.
    package func order(
        _ name: String, isAscending: Bool, nulls: NullPlacement? = nil, in aggregation: Aggregation
    ) throws(RecordError) -> Aggregation.Order {
        guard let column = aggregation.names.firstIndex(of: name) else { throw Self.unknown(name, in: aggregation) }
        return Aggregation.Order(
            column: column, isAscending: isAscending, nulls: nulls ?? (isAscending ? .first : .last))
    }

    private static func unknown(_ name: String, in aggregation: Aggregation) -> RecordError {
        .badRequest(
            "The aggregate has no column '\(name.clipped)'; it has \(Self.list(aggregation.names))",
            cause: .unknownName, details: [("found", .text(name.clipped)), ("allowed", .list(aggregation.names))])
    }
}

extension Aggregation {
    /// The names of the columns in the response: of the keys, then of the values.
    package var names: [String] { keys.map(\.name) + values.map(\.name) }

    /// The type of a column's values.
    package func type(ofColumn column: Int) -> FieldType {
        if column < keys.count { return keys[column].field.type }
        let value = values[column - keys.count]
        switch value.function {
        case .count, .countDistinct: return .int64
        case .avg: return .double
        case .sum, .min, .max: return value.field?.type ?? .int64
        }
    }
}

extension Predicate {
    /// Calls `body` with each condition.
    fileprivate func forEachCondition(
        _ body: (Condition) throws(RecordError) -> Void
    ) throws(RecordError) {
        switch self {
        case .constant, .search: return
        case .condition(let condition): try body(condition)
        case .not(let part): try part.forEachCondition(body)
        case .and(let parts), .or(let parts): for part in parts { try part.forEachCondition(body) }
        }
    }
}
