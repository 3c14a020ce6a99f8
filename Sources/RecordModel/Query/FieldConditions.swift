/// Builds the conditions on one field. The type checks that the field's type allows the operator, and converts the
/// values to the field's type.
///
/// All errors are `BAD_REQUEST`. The cause is `TYPE_MISMATCH` if the type of the field or of a value does not fit.
struct FieldConditions {
    let field: QueryField
    let fieldLocation: PredicateLocation
    /// Whether the condition has a quantifier. The condition then applies to the members of the field.
    let isMember: Bool
    let operatorLocation: PredicateLocation
    let binder: PredicateBinder

    private var type: FieldType { field.type }

    func relation(_ relation: PredicateSyntax.Relation, _ value: LocatedValue) throws(RecordError) -> Predicate {
        if value.argument == .null { return try null(relation, value) }
        try checkSubject()
        if relation != .equal, relation != .unequal { try checkOrder() }
        let fitted = try fit(value)
        switch relation {
        case .equal: return equals(fitted)
        case .unequal: return isMember ? differs(fitted) : .not(equals(fitted))
        case .less: return within(.none, upper(fitted, isInclusive: false))
        case .lessOrEqual: return within(.none, upper(fitted, isInclusive: true))
        case .greater: return within(lower(fitted, isInclusive: false), .none)
        case .greaterOrEqual: return within(lower(fitted, isInclusive: true), .none)
        }
    }

    /// Binds `== NULL` and `!= NULL`, for fields of every type. `ANY f != NULL` tests whether the list has a member.
    private func null(_ relation: PredicateSyntax.Relation, _ value: LocatedValue) throws(RecordError) -> Predicate {
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
        if isMember, !type.isList {
            let conditions = FieldConditions(
                field: field, fieldLocation: fieldLocation, isMember: false, operatorLocation: operatorLocation,
                binder: binder)
            return try conditions.isIn(list)
        }
        try checkSubject()
        var values: [QueryValue] = []
        var seen: Set<QueryValue> = []
        for member in try members(of: list) {
            if case .exact(let value) = try fit(member), seen.insert(value).inserted { values.append(value) }
        }
        return values.isEmpty ? .constant(false) : condition(.isIn(values))
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

    /// Binds `f CONTAINS value`, which tests for a member of a list.
    func contains(_ value: LocatedValue) throws(RecordError) -> Predicate {
        guard type.isList, !isMember else {
            if type.element == .string {
                throw rejection(
                    "CONTAINS on a text, which searches within it, is not available in this version. "
                        + "Expected here: a list field, or BEGINSWITH",
                    at: operatorLocation, found: "CONTAINS", expected: "a list field, or BEGINSWITH")
            }
            throw rejection(
                isMember
                    ? "Field '\(field.name)' needs no quantifier with CONTAINS"
                    : "Field '\(field.name)' of type \(type.schemaName) is no list, and contains nothing",
                cause: .typeMismatch, at: fieldLocation, found: type.schemaName, expected: "a list field")
        }
        let members = try asMember()
        return members.equals(try members.fit(value))
    }

    func beginsWith(_ value: LocatedValue) throws(RecordError) -> Predicate {
        try checkSubject()
        guard type.element == .string else {
            throw rejection(
                "Field '\(field.name)' of type \(type.schemaName) has no beginning; only texts have",
                cause: .typeMismatch,
                at: operatorLocation, found: type.schemaName, expected: "STRING")
        }
        guard case .exact(.text(let prefix)) = try fit(value) else { return .constant(false) }
        // The meaning of an empty prefix is ambiguous: in Foundation no string starts with it, in other systems every
        // string does.
        guard !prefix.isEmpty else {
            throw rejection(
                "BEGINSWITH needs a string that is not empty. Leave the test out, or ask for records that have the field "
                    + "with \(field.name) != NULL", at: value.location, found: "''",
                expected: "a string that is not empty"
            )
        }
        return condition(.hasPrefix(prefix))
    }

    /// Tests whether the field contains all members of `list`. For an empty list, the test holds if the field is
    /// present.
    func containsAll(_ list: LocatedValue) throws(RecordError) -> Predicate {
        try checkSubject()
        var predicates: [Predicate] = []
        for member in try members(of: list) { predicates.append(equals(try fit(member))) }
        return predicates.isEmpty ? .not(isNull) : .and(predicates)
    }

    /// Returns the conditions on the members of the same field.
    private func asMember() throws(RecordError) -> FieldConditions {
        let conditions = FieldConditions(
            field: field, fieldLocation: fieldLocation, isMember: true, operatorLocation: operatorLocation,
            binder: binder)
        try conditions.checkSubject()
        return conditions
    }
}

/// Helpers that the operators share.
extension FieldConditions {
    /// Rejects types that predicates cannot compare, scalars with a quantifier, and lists without one.
    private func checkSubject() throws(RecordError) {
        switch type.element {
        case .bytes, .asset, .location:
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
        if type.element == .reference {
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
        try binder.fit(value.argument, to: field, at: value.location)
    }

    private func equals(_ fitted: FittedValue) -> Predicate {
        guard case .exact(let value) = fitted else { return .constant(false) }
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
        case (.impossible, _), (_, .impossible): return .constant(false)
        case (.none, .none) where !isMember: return .not(isNull)
        default: break
        }
        if case .bound(let bound) = lower { range.lower = bound }
        if case .bound(let bound) = upper { range.upper = bound }
        return range.isEmpty ? .constant(false) : condition(.isWithin(range))
    }

    private func condition(_ test: ValueTest) -> Predicate {
        .condition(Condition(field, test, subject: isMember ? .anyMember : .value))
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
