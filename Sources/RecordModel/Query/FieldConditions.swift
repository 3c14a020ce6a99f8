internal import UnicodeText

/// Builds the conditions on one field. The type checks that the field's type allows the operator, and converts the
/// values to the field's type.
///
/// All errors are `BAD_REQUEST`. The cause is `TYPE_MISMATCH` if the type of the field or of a value does not fit.
struct FieldConditions {
    let field: QueryField
    let fieldLocation: PredicateLocation
    /// Whether the condition applies to the value, to the members, or to their number.
    let subject: Condition.Subject
    /// The differences between texts that the condition ignores.
    let folding: TextFolding
    let operatorLocation: PredicateLocation
    let binder: PredicateBinder
    /// The patterns of the predicate so far.
    var patterns = PatternCache()

    private var type: FieldType { field.type }
    /// Whether the condition has a quantifier.
    private var isMember: Bool { subject == .anyMember || subject == .everyMember }
    private var form: TextForm { TextForm(folding: folding) }

    func relation(_ relation: PredicateSyntax.Relation, _ value: LocatedValue) throws(RecordError) -> Predicate {
        if value.argument == .null { return try null(relation, value) }
        try checkSubject()
        if relation != .equal, relation != .unequal { try checkOrder() }
        let fitted = try fit(value)
        switch relation {
        case .equal: return equals(fitted)
        case .unequal:
            switch subject {
            case .value, .memberCount: return .not(equals(fitted))
            case .anyMember: return differs(fitted)
            case .everyMember: return .not(any.equals(fitted))
            }
        case .less: return within(.none, upper(fitted, isInclusive: false))
        case .lessOrEqual: return within(.none, upper(fitted, isInclusive: true))
        case .greater: return within(lower(fitted, isInclusive: false), .none)
        case .greaterOrEqual: return within(lower(fitted, isInclusive: true), .none)
        }
    }

    /// The same conditions on at least one member.
    private var any: FieldConditions { of(.anyMember) }

    private func of(_ subject: Condition.Subject) -> FieldConditions {
        FieldConditions(
            field: field, fieldLocation: fieldLocation, subject: subject, folding: folding,
            operatorLocation: operatorLocation, binder: binder, patterns: patterns)
    }

    /// Binds `== NULL` and `!= NULL`, for fields of every type. `ANY f != NULL` tests whether the list has a member.
    private func null(_ relation: PredicateSyntax.Relation, _ value: LocatedValue) throws(RecordError) -> Predicate {
        guard subject == .value || subject == .anyMember else {
            throw rejection(
                subject == .memberCount
                    ? "The number of members is never NULL; it is 0 for a record without the field"
                    : "No member of a list is NULL", at: value.location, found: "NULL", expected: "a value")
        }
        switch (relation, isMember) {
        case (.equal, false): return isNull
        case (.unequal, false): return .not(isNull)
        case (.unequal, true):
            try checkSubject()
            return condition(.isWithin(ValueRange()))
        case (.equal, true):
            throw rejection("A list has no member that is NULL", at: value.location, found: "NULL", expected: "a value")
        default:
            throw rejection(
                "NULL can only be tested with == and !=", at: operatorLocation, found: relation.rawValue,
                expected: "== or !=")
        }
    }

    private var isNull: Predicate {
        // Every record has all system fields.
        if case .system = field { return .constant(false) }
        return .condition(Condition(field, .isNull))
    }

    /// Binds `f IN list`. `ANY f IN list` is also allowed for a scalar field, so that clients need not distinguish
    /// scalars from lists.
    func isIn(_ list: LocatedValue) throws(RecordError) -> Predicate {
        if let area = list.area { return try isInside(area, list.location) }
        if subject == .anyMember, !type.isList { return try of(.value).isIn(list) }
        try checkSubject()
        var values: [QueryValue] = []
        var seen: Set<QueryValue> = []
        for member in try members(of: list) {
            if case .exact(let value) = try fit(member), seen.insert(value).inserted { values.append(value) }
        }
        return values.isEmpty ? impossible : condition(.isIn(values))
    }

    /// Binds `f IN box(…)`. For a list without a quantifier, it tests for at least one member, like the distance.
    private func isInside(_ area: PlaceArea, _ location: PredicateLocation) throws(RecordError) -> Predicate {
        guard case .field = field, type.element == .location, subject != .memberCount else {
            throw rejection(
                "Only places lie in a region, and field '\(field.name)' is of type \(type.schemaName)",
                cause: .typeMismatch, at: fieldLocation, found: type.schemaName, expected: "a LOCATION")
        }
        let subject: Condition.Subject = type.isList ? (subject == .everyMember ? subject : .anyMember) : .value
        return .condition(Condition(field, .isInside(area), subject: subject))
    }

    func isBetween(_ list: LocatedValue) throws(RecordError) -> Predicate {
        try checkSubject()
        try checkOrder()
        let bounds = try members(of: list)
        guard bounds.count == 2 else {
            throw rejection(
                "BETWEEN needs a list of two values", at: list.location,
                found: bounds.count == 1 ? "1 value" : "\(bounds.count) values", expected: "2 values")
        }
        return within(
            lower(try fit(bounds[0]), isInclusive: true), upper(try fit(bounds[1]), isInclusive: true))
    }

    /// Binds `f CONTAINS value`, which tests for a member of a list or for a part of a text.
    func contains(_ value: LocatedValue) throws(RecordError) -> Predicate {
        if type.isList, subject == .value {
            try any.checkSubject()
            return any.equals(try any.fit(value))
        }
        guard type.element == .string, subject != .memberCount else {
            throw rejection(
                subject == .value || !isMember
                    ? "Field '\(field.name)' of type \(type.schemaName) is no list and no text, and contains nothing"
                    : "Field '\(field.name)' needs no quantifier with CONTAINS",
                cause: .typeMismatch, at: fieldLocation, found: type.schemaName, expected: "a list field or a STRING")
        }
        return try partOfText(value, "CONTAINS") { .contains($0) }
    }

    func beginsWith(_ value: LocatedValue) throws(RecordError) -> Predicate {
        try partOfText(value, "BEGINSWITH") { .hasPrefix($0) }
    }

    /// Binds `f ENDSWITH text`: the reversed text begins with the reversed end.
    func endsWith(_ value: LocatedValue) throws(RecordError) -> Predicate {
        try partOfText(value, "ENDSWITH", isReversed: true) { .hasPrefix($0) }
    }

    private func partOfText(
        _ value: LocatedValue, _ word: String, isReversed: Bool = false, _ test: ([UInt8]) -> ValueTest
    ) throws(RecordError) -> Predicate {
        try checkSubject()
        guard type.element == .string, subject != .memberCount else {
            throw rejection(
                "\(word) tests texts, and field '\(field.name)' is of type \(type.schemaName)", cause: .typeMismatch,
                at: operatorLocation, found: type.schemaName, expected: "STRING")
        }
        guard case .exact(.text(let text)) = try fit(value) else { return impossible }
        // The meaning of an empty text is ambiguous: in Foundation no string contains it, in other systems every string
        // does.
        guard !text.isEmpty else {
            throw rejection(
                "\(word) needs a string that is not empty. Leave the test out, or ask for records that have the field "
                    + "with \(field.name) != NULL", at: value.location, found: "''",
                expected: "a string that is not empty"
            )
        }
        return condition(test(isReversed ? text.reversed() : text), isReversed: isReversed)
    }

    /// Binds `f LIKE pattern` and `f MATCHES pattern`. Where the pattern needs no automaton, the result is a simpler
    /// test. If each match starts with a known text, the result also tests the start, for which an index may exist.
    func matches(_ value: LocatedValue, _ language: TextPattern.Language) throws(RecordError) -> Predicate {
        let word = language == .wildcards ? "LIKE" : "MATCHES"
        try checkSubject()
        guard type.element == .string, subject != .memberCount else {
            throw rejection(
                "\(word) tests texts, and field '\(field.name)' is of type \(type.schemaName)", cause: .typeMismatch,
                at: operatorLocation, found: type.schemaName, expected: "STRING")
        }
        guard case .string(let text) = value.argument else {
            throw rejection(
                "The pattern of \(word) is a text", cause: .typeMismatch, at: value.location,
                found: value.argument.typeName, expected: "STRING")
        }
        let pattern: TextPattern
        do throws(PatternProblem) {
            pattern = try patterns.pattern(text, language, folding: folding)
        } catch {
            throw rejection(
                "The pattern of \(word) cannot be used: \(error.reason) (at character \(error.offset))",
                at: value.location, found: text.clipped, expected: "a pattern")
        }
        if let simple = simple(pattern) { return simple }
        let whole = condition(.matches(pattern))
        return pattern.prefix.isEmpty ? whole : .and([condition(.hasPrefix(pattern.prefix)), whole])
    }

    /// Returns the test that a pattern of wildcards means, if it needs no automaton: `a*` begins with a.
    private func simple(_ pattern: TextPattern) -> Predicate? {
        guard pattern.language == .wildcards, let texts = Wildcards(pattern.text, folding: folding).texts else {
            return nil
        }
        switch texts.count {
        case 1: return condition(.equals(.text(texts[0])))
        case 2 where texts[0].isEmpty && texts[1].isEmpty: return condition(.isWithin(ValueRange()))
        case 2 where texts[1].isEmpty: return condition(.hasPrefix(texts[0]))
        case 2 where texts[0].isEmpty: return condition(.hasPrefix(texts[1].reversed()), isReversed: true)
        case 3 where texts[0].isEmpty && texts[2].isEmpty && !texts[1].isEmpty: return condition(.contains(texts[1]))
        default: return nil
        }
    }

    /// Tests whether the field contains all members of `list`. For an empty list, the test holds if the field is
    /// present.
    func containsAll(_ list: LocatedValue) throws(RecordError) -> Predicate {
        try checkSubject()
        var predicates: [Predicate] = []
        for member in try members(of: list) { predicates.append(equals(try fit(member))) }
        return predicates.isEmpty ? .not(isNull) : .and(predicates)
    }
}

/// Helpers that the operators share.
extension FieldConditions {
    /// Rejects types that predicates cannot compare, scalars with a quantifier, and lists without one.
    private func checkSubject() throws(RecordError) {
        if subject == .memberCount { return }
        switch type.element {
        case .location:
            throw rejection(
                "Field '\(field.name)' of type \(type.schemaName) can only be tested with distance(), == NULL, != NULL, "
                    + "and IN box(), circle() or polygon()",
                cause: .typeMismatch, at: fieldLocation, found: type.schemaName, expected: "such a test")
        case .bytes, .asset:
            throw rejection(
                "Field '\(field.name)' of type \(type.schemaName) can only be tested with == NULL and != NULL",
                cause: .typeMismatch, at: fieldLocation, found: type.schemaName, expected: "a field of another type")
        default: break
        }
        if isMember, !type.isList {
            throw rejection(
                "Field '\(field.name)' of type \(type.schemaName) is no list and takes no quantifier",
                cause: .typeMismatch, at: fieldLocation, found: type.schemaName, expected: "a list field")
        }
        if !isMember, type.isList {
            throw rejection(
                "Field '\(field.name)' of type \(type.schemaName) is a list; test its members with ANY or CONTAINS",
                cause: .typeMismatch, at: fieldLocation, found: type.schemaName, expected: "ANY, CONTAINS or NULL")
        }
    }

    private func checkOrder() throws(RecordError) {
        if type.element == .reference, subject != .memberCount {
            throw rejection(
                "Field '\(field.name)' of type \(type.schemaName) has no order", cause: .typeMismatch,
                at: operatorLocation, found: type.schemaName, expected: "==, != or IN")
        }
    }

    private func members(of list: LocatedValue) throws(RecordError) -> [LocatedValue] {
        if let members = list.members { return members }
        guard case .list(let values) = list.argument else {
            throw rejection(
                "A list is needed here", cause: .typeMismatch, at: list.location, found: list.argument.typeName,
                expected: "list")
        }
        return values.map { LocatedValue(argument: $0, location: list.location) }
    }

    private func fit(_ value: LocatedValue) throws(RecordError) -> FittedValue {
        if subject == .memberCount { return try binder.fitCount(value.argument, of: field, at: value.location) }
        guard !folding.isEmpty else { return try binder.fit(value.argument, to: field, at: value.location) }
        guard type.element == .string else {
            throw rejection(
                "The modifiers \(folding.modifiers) compare texts, and field '\(field.name)' is of type "
                    + type.schemaName, cause: .typeMismatch, at: operatorLocation, found: folding.modifiers,
                expected: "no modifiers")
        }
        let fitted = try binder.fit(value.argument, to: field, at: value.location)
        if case .exact(let value) = fitted { return .exact(form.of(value)) }
        return fitted
    }

    /// The condition that no value passes.
    private var impossible: Predicate {
        // A record without members passes every test of all members.
        subject == .everyMember ? condition(.isIn([])) : .constant(false)
    }

    private func equals(_ fitted: FittedValue) -> Predicate {
        guard case .exact(let value) = fitted else { return impossible }
        return condition(.equals(value))
    }

    /// Tests whether a member differs from a value.
    private func differs(_ fitted: FittedValue) -> Predicate {
        guard case .exact(let value) = fitted else { return condition(.isWithin(ValueRange())) }
        let bound = ValueRange.Bound(value, isInclusive: false)
        return .or([condition(.isWithin(ValueRange(upper: bound))), condition(.isWithin(ValueRange(lower: bound)))])
    }

    /// One side of a range.
    private enum Side {
        case none
        case bound(ValueRange.Bound)
        /// No value can satisfy this side.
        case impossible
    }

    private func lower(_ fitted: FittedValue, isInclusive: Bool) -> Side {
        switch fitted {
        case .exact(let value): .bound(ValueRange.Bound(value, isInclusive: isInclusive))
        case .between(_, let above): .bound(ValueRange.Bound(above, isInclusive: true))
        case .belowAll: .none
        case .aboveAll, .nobody: .impossible
        }
    }

    private func upper(_ fitted: FittedValue, isInclusive: Bool) -> Side {
        switch fitted {
        case .exact(let value): .bound(ValueRange.Bound(value, isInclusive: isInclusive))
        case .between(let below, _): .bound(ValueRange.Bound(below, isInclusive: true))
        case .aboveAll: .none
        case .belowAll, .nobody: .impossible
        }
    }

    private func within(_ lower: Side, _ upper: Side) -> Predicate {
        var range = ValueRange()
        switch (lower, upper) {
        case (.impossible, _), (_, .impossible): return impossible
        case (.none, .none) where subject == .value: return .not(isNull)
        default: break
        }
        if case .bound(let bound) = lower { range.lower = bound }
        if case .bound(let bound) = upper { range.upper = bound }
        return range.isEmpty ? impossible : condition(.isWithin(range))
    }

    private func condition(_ test: ValueTest, isReversed: Bool = false) -> Predicate {
        .condition(
            Condition(field, test, subject: subject, form: TextForm(folding: folding, isReversed: isReversed)))
    }

    private func rejection(
        _ reason: String, cause: RecordError.Cause? = nil, at location: PredicateLocation, found: String,
        expected: String
    ) -> RecordError {
        .condition(reason, cause: cause, field: field.name, at: location, found: found, expected: expected)
    }
}

extension ValueRange {
    /// Whether no value lies between the bounds.
    var isEmpty: Bool {
        guard let lower, let upper else { return false }
        return upper.value.precedes(lower.value)
            || (upper.value == lower.value && !(upper.isInclusive && lower.isInclusive))
    }
}
