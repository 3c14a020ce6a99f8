internal import TextSearch

/// A filter of CloudKit's query dictionary (CloudKit Web Services Reference, "Filter Dictionary"), parsed from JSON. A
/// filter means the same as the corresponding condition in a predicate's text.
package struct FilterSyntax: Hashable, Sendable {
    /// The field name, in any spelling.
    package var fieldName: String
    /// The comparator, such as `EQUALS` or `NOT_IN`.
    package var comparator: String
    /// The value of `fieldValue`.
    package var value: QueryArgument
    /// The value of `distance`, in meters; only with the comparator `NEAR`.
    package var distance: QueryArgument?

    /// All comparators.
    package static var comparators: [String] {
        FilterTest.allCases.flatMap { $0.isNegatable ? [$0.rawValue, "NOT_" + $0.rawValue] : [$0.rawValue] }
    }

    /// Creates a filter that compares a field with a value.
    ///
    /// - Parameters:
    ///   - distance: The radius in meters for the comparator `NEAR`.
    package init(fieldName: String, comparator: String, value: QueryArgument, distance: QueryArgument? = nil) {
        self.distance = distance
        self.fieldName = fieldName
        self.comparator = comparator
        self.value = value
    }
}

extension PredicateBinder {
    /// Binds filters. A record must match all of them.
    ///
    /// - Throws: `BAD_REQUEST` with the position of the filter in the detail `filter`, and the same errors as `bind`
    ///   for text.
    package func bind(_ filters: [FilterSyntax]) throws(RecordError) -> Predicate {
        var binding = PredicateBinding(binder: self)
        var predicates: [Predicate] = []
        var conditions = 0
        for (index, filter) in filters.enumerated() {
            let location = PredicateLocation(filter: index)
            let value = try binding.counted(LocatedValue(argument: filter.value, location: location))
            conditions += 1
            // Each member becomes a condition, and all of them must hold.
            if filter.comparator.hasSuffix("LIST_CONTAINS_ALL"), case .list(let list) = filter.value {
                conditions += list.count
            }
            guard conditions <= Limits.conditions else {
                throw .conditionTooLarge("The query has too many tests", limit: Limits.conditions, at: location)
            }
            predicates.append(try predicate(filter, value))
        }
        return try limitingSearches(.and(predicates))
    }

    private func predicate(_ filter: FilterSyntax, _ value: LocatedValue) throws(RecordError) -> Predicate {
        let location = value.location
        let isNegated = filter.comparator.hasPrefix("NOT_")
        let comparator = isNegated ? String(filter.comparator.dropFirst(4)) : filter.comparator
        guard let test = FilterTest(rawValue: comparator), !isNegated || test.isNegatable else {
            throw .condition(
                "Unknown comparator", field: filter.fieldName, at: location, found: filter.comparator.clipped,
                expected: "a comparator of CloudKit, such as EQUALS")
        }
        if let mode = test.searchMode {
            let field = filter.fieldName.isEmpty ? nil : try field(filter.fieldName, at: location)
            return try search(field, at: location, mode, for: value)
        }
        let field = try field(filter.fieldName, at: location)
        if test == .near {
            let near = try near(field, filter, value)
            return isNegated ? .not(near) : near
        }
        let conditions = { (isMember: Bool) in
            FieldConditions(
                field: field, fieldLocation: location, subject: isMember ? .anyMember : .value, folding: [],
                operatorLocation: location, binder: self)
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
        case .near: preconditionFailure("NEAR has returned")
        case .containsAnyTokens, .containsAllTokens: preconditionFailure("Searches are bound above")
        }
        return isNegated ? .not(predicate) : predicate
    }

    /// Binds `NEAR`: the distance to the location is at most `distance` meters.
    private func near(
        _ field: QueryField, _ filter: FilterSyntax, _ value: LocatedValue
    ) throws(RecordError) -> Predicate {
        guard case .location(let origin) = value.argument, let radius = filter.distance else {
            throw .condition(
                "NEAR needs a LOCATION as 'fieldValue', and a number of meters as 'distance'", cause: .typeMismatch,
                field: filter.fieldName, at: value.location, found: value.argument.typeName, expected: "LOCATION")
        }
        let conditions = FieldConditions(
            field: try Self.distance(of: field, from: origin, at: value.location), fieldLocation: value.location,
            subject: .value, folding: [], operatorLocation: value.location, binder: self)
        return try conditions.relation(
            .lessOrEqual, LocatedValue(argument: radius, location: value.location))
    }
}

/// The comparators without the prefix `NOT_`.
private enum FilterTest: String, CaseIterable {
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
    case near = "NEAR"
    case containsAnyTokens = "CONTAINS_ANY_TOKENS"
    case containsAllTokens = "CONTAINS_ALL_TOKENS"

    /// Which of its words a search needs; `nil` for other comparators.
    var searchMode: SearchText.Mode? {
        switch self {
        case .containsAnyTokens: .any
        case .containsAllTokens: .all
        default: nil
        }
    }

    var isNegatable: Bool {
        switch self {
        case .lessThan, .lessThanOrEquals, .greaterThan, .greaterThanOrEquals, .containsAnyTokens, .containsAllTokens:
            false
        default: true
        }
    }
}
