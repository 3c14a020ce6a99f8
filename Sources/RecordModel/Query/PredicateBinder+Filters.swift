/// One filter of CloudKit's query dictionary (CloudKit Web Services Reference, "Filter Dictionary"), after its JSON was
/// read. It means what the same test means in text.
package struct FilterSyntax: Hashable, Sendable {
    /// In any spelling.
    package var fieldName: String
    /// `EQUALS`, `NOT_IN`, …
    package var comparator: String
    /// `fieldValue`.
    package var value: QueryArgument

    package init(fieldName: String, comparator: String, value: QueryArgument) {
        self.fieldName = fieldName
        self.comparator = comparator
        self.value = value
    }
}

extension PredicateBinder {
    /// Binds filters; all of them must hold.
    ///
    /// - Throws: `BAD_REQUEST` with the position of the filter in `filter`, and what `bind` throws for texts.
    package func bind(_ filters: [FilterSyntax]) throws(RecordError) -> Predicate {
        var binding = PredicateBinding(binder: self)
        var predicates: [Predicate] = []
        var conditions = 0
        for (index, filter) in filters.enumerated() {
            let place = PredicatePlace(filter: index)
            let value = try binding.counted(PlacedValue(argument: filter.value, place: place))
            conditions += 1
            // A test per member, all of which must hold.
            if filter.comparator.hasSuffix("LIST_CONTAINS_ALL"), case .list(let list) = filter.value {
                conditions += list.count
            }
            guard conditions <= Limits.conditions else {
                throw .conditionTooLarge("The query has too many tests", limit: Limits.conditions, at: place)
            }
            predicates.append(try predicate(filter, value))
        }
        return .and(predicates)
    }

    private func predicate(_ filter: FilterSyntax, _ value: PlacedValue) throws(RecordError) -> Predicate {
        let place = value.place
        let isNegated = filter.comparator.hasPrefix("NOT_")
        let comparator = isNegated ? String(filter.comparator.dropFirst(4)) : filter.comparator
        guard let test = FilterTest(rawValue: comparator), !isNegated || test.isNegatable else {
            try refuseUnavailable(filter, place)
            throw .condition(
                "Unknown comparator", field: filter.fieldName, at: place, found: filter.comparator.clipped,
                expected: "a comparator of CloudKit, such as EQUALS")
        }
        let field = try field(filter.fieldName, at: place)
        let conditions = { (isMember: Bool) in
            FieldConditions(
                field: field, fieldPlace: place, isMember: isMember, operatorPlace: place, binder: self)
        }
        let predicate: Predicate
        switch test {
        case .equals: predicate = try conditions(false).relation(.equal, value)
        case .lessThan: predicate = try conditions(false).relation(.less, value)
        case .lessThanOrEquals: predicate = try conditions(false).relation(.lessOrEqual, value)
        case .greaterThan: predicate = try conditions(false).relation(.greater, value)
        case .greaterThanOrEquals: predicate = try conditions(false).relation(.greaterOrEqual, value)
        case .isIn: predicate = try conditions(false).isIn(value)
        case .beginsWith: predicate = try conditions(false).beginsWith(value)
        case .listContains: predicate = try conditions(false).contains(value)
        case .listContainsAny: predicate = try conditions(true).isIn(value)
        case .listContainsAll: predicate = try conditions(true).containsAll(value)
        case .listMemberBeginsWith: predicate = try conditions(true).beginsWith(value)
        }
        return isNegated ? .not(predicate) : predicate
    }

    /// The comparators that CloudKit has and this version does not.
    private func refuseUnavailable(_ filter: FilterSyntax, _ place: PredicatePlace) throws(RecordError) {
        let construct: String
        switch filter.comparator {
        case "NEAR": construct = "NEAR, the distance of places,"
        case "CONTAINS_ANY_TOKENS", "CONTAINS_ALL_TOKENS": construct = "\(filter.comparator), full-text search,"
        default: return
        }
        throw .condition(
            "\(construct) is not available in this version", field: filter.fieldName, at: place,
            found: filter.comparator, expected: "another comparator")
    }
}

/// The comparators without their `NOT_`.
private enum FilterTest: String {
    case equals = "EQUALS"
    case lessThan = "LESS_THAN"
    case lessThanOrEquals = "LESS_THAN_OR_EQUALS"
    case greaterThan = "GREATER_THAN"
    case greaterThanOrEquals = "GREATER_THAN_OR_EQUALS"
    case isIn = "IN"
    case beginsWith = "BEGINS_WITH"
    case listContains = "LIST_CONTAINS"
    case listContainsAny = "LIST_CONTAINS_ANY"
    case listContainsAll = "LIST_CONTAINS_ALL"
    case listMemberBeginsWith = "LIST_MEMBER_BEGINS_WITH"

    var isNegatable: Bool {
        switch self {
        case .lessThan, .lessThanOrEquals, .greaterThan, .greaterThanOrEquals: false
        default: true
        }
    }
}
