/// The conditions on one field: checks that its type can be asked so, and fits the values.
struct FieldConditions {
    let field: QueryField
    let fieldPlace: PredicatePlace
    /// Whether a quantifier asks for the members of the field.
    let isMember: Bool
    let operatorPlace: PredicatePlace
    let binder: PredicateBinder

    private var type: FieldType { field.type }

    func relation(_ relation: PredicateSyntax.Relation, _ value: PlacedValue) throws(RecordError) -> Predicate {
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

    /// `== NULL` and `!= NULL`, for fields of every type. `ANY f != NULL` asks whether the list has a member.
    private func null(_ relation: PredicateSyntax.Relation, _ value: PlacedValue) throws(RecordError) -> Predicate {
        switch (relation, isMember) {
        case (.equal, false): return isNull
        case (.unequal, false): return .not(isNull)
        case (.unequal, true):
            try checkSubject()
            return condition(.isWithin(ValueRange()))
        case (.equal, true):
            throw refusal("A list has no member that is NULL", at: value.place, found: "NULL", expected: "a value")
        default:
            throw refusal(
                "NULL can only be tested with == and !=", at: operatorPlace, found: relation.rawValue,
                expected: "== or !=")
        }
    }

    private var isNull: Predicate {
        // System fields are always there.
        if case .system = field { return .constant(false) }
        return .condition(Condition(field, .isNull))
    }

    /// `f IN list`; so is `ANY f IN list` of a field that is no list, since clients need not know which it is.
    func isIn(_ list: PlacedValue) throws(RecordError) -> Predicate {
        if isMember, !type.isList {
            let conditions = FieldConditions(
                field: field, fieldPlace: fieldPlace, isMember: false, operatorPlace: operatorPlace, binder: binder)
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

    func isBetween(_ list: PlacedValue) throws(RecordError) -> Predicate {
        try checkSubject()
        try checkOrder()
        let bounds = try members(of: list)
        guard bounds.count == 2 else {
            throw refusal(
                "BETWEEN needs a list of two values", at: list.place,
                found: bounds.count == 1 ? "1 value" : "\(bounds.count) values", expected: "2 values")
        }
        return within(
            lower(try fit(bounds[0]), isInclusive: true), upper(try fit(bounds[1]), isInclusive: true))
    }

    /// `f CONTAINS value`, which asks for a member of a list.
    func contains(_ value: PlacedValue) throws(RecordError) -> Predicate {
        guard type.isList, !isMember else {
            if type.element == .string {
                throw refusal(
                    "CONTAINS on a text, which searches within it, is not available in this version. "
                        + "Expected here: a list field, or BEGINSWITH",
                    at: operatorPlace, found: "CONTAINS", expected: "a list field, or BEGINSWITH")
            }
            throw refusal(
                isMember
                    ? "Field '\(field.name)' needs no quantifier with CONTAINS"
                    : "Field '\(field.name)' of type \(type.schemaName) is no list, and contains nothing",
                cause: .typeMismatch, at: fieldPlace, found: type.schemaName, expected: "a list field")
        }
        let members = try asMember()
        return members.equals(try members.fit(value))
    }

    func beginsWith(_ value: PlacedValue) throws(RecordError) -> Predicate {
        try checkSubject()
        guard type.element == .string else {
            throw refusal(
                "Field '\(field.name)' of type \(type.schemaName) has no beginning; only texts have",
                cause: .typeMismatch,
                at: operatorPlace, found: type.schemaName, expected: "STRING")
        }
        guard case .exact(.text(let prefix)) = try fit(value) else { return .constant(false) }
        // In Foundation no string begins with an empty one, elsewhere each does.
        guard !prefix.isEmpty else {
            throw refusal(
                "BEGINSWITH needs a string that is not empty. Leave the test out, or ask for records that have the field "
                    + "with \(field.name) != NULL", at: value.place, found: "''", expected: "a string that is not empty"
            )
        }
        return condition(.hasPrefix(prefix))
    }

    /// Whether all members of `list` are members of the field. A field that is there has all members of an empty list.
    func containsAll(_ list: PlacedValue) throws(RecordError) -> Predicate {
        try checkSubject()
        var predicates: [Predicate] = []
        for member in try members(of: list) { predicates.append(equals(try fit(member))) }
        return predicates.isEmpty ? .not(isNull) : .and(predicates)
    }

    /// The same field, asked for its members.
    private func asMember() throws(RecordError) -> FieldConditions {
        let conditions = FieldConditions(
            field: field, fieldPlace: fieldPlace, isMember: true, operatorPlace: operatorPlace, binder: binder)
        try conditions.checkSubject()
        return conditions
    }
}

/// What the operators share.
extension FieldConditions {
    /// Refuses types that conditions cannot compare, scalars with a quantifier, and lists without one.
    private func checkSubject() throws(RecordError) {
        switch type.element {
        case .bytes, .asset, .location:
            throw refusal(
                "Field '\(field.name)' of type \(type.schemaName) can only be tested with == NULL and != NULL",
                cause: .typeMismatch, at: fieldPlace, found: type.schemaName, expected: "a field of another type")
        default: break
        }
        if isMember, !type.isList {
            throw refusal(
                "Field '\(field.name)' of type \(type.schemaName) is no list and takes no quantifier",
                cause: .typeMismatch, at: fieldPlace, found: type.schemaName, expected: "a list field")
        }
        if !isMember, type.isList {
            throw refusal(
                "Field '\(field.name)' of type \(type.schemaName) is a list; test its members with ANY or CONTAINS",
                cause: .typeMismatch, at: fieldPlace, found: type.schemaName, expected: "ANY, CONTAINS or NULL")
        }
    }

    private func checkOrder() throws(RecordError) {
        if type.element == .reference {
            throw refusal(
                "Field '\(field.name)' of type \(type.schemaName) has no order", cause: .typeMismatch,
                at: operatorPlace, found: type.schemaName, expected: "==, != or IN")
        }
    }

    private func members(of list: PlacedValue) throws(RecordError) -> [PlacedValue] {
        if let members = list.members { return members }
        guard case .list(let values) = list.argument else {
            throw refusal(
                "A list is needed here", cause: .typeMismatch, at: list.place, found: list.argument.typeName,
                expected: "list")
        }
        return values.map { PlacedValue(argument: $0, place: list.place) }
    }

    private func fit(_ value: PlacedValue) throws(RecordError) -> FittedValue {
        try binder.fit(value.argument, to: field, at: value.place)
    }

    private func equals(_ fitted: FittedValue) -> Predicate {
        guard case .exact(let value) = fitted else { return .constant(false) }
        return condition(.equals(value))
    }

    /// Whether a member is another value.
    private func differs(_ fitted: FittedValue) -> Predicate {
        guard case .exact(let value) = fitted else { return condition(.isWithin(ValueRange())) }
        let bound = ValueRange.Bound(value, isInclusive: false)
        return .or([condition(.isWithin(ValueRange(upper: bound))), condition(.isWithin(ValueRange(lower: bound)))])
    }

    /// One side of a range.
    private enum Side {
        case none
        case bound(ValueRange.Bound)
        /// No value is on this side.
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

    private func refusal(
        _ reason: String, cause: RecordError.Cause? = nil, at place: PredicatePlace, found: String, expected: String
    ) -> RecordError {
        .condition(reason, cause: cause, field: field.name, at: place, found: found, expected: expected)
    }
}

extension ValueRange {
    /// Whether the bounds leave nothing between them.
    var isEmpty: Bool {
        guard let lower, let upper else { return false }
        return upper.value.precedes(lower.value)
            || (upper.value == lower.value && !(upper.isInclusive && lower.isInclusive))
    }
}
