/// The work of one bind: walks the syntax and hands fields and values to `FieldConditions`.
struct PredicateBinding {
    let binder: PredicateBinder
    let positional: [QueryArgument]
    let named: [String: QueryArgument]
    private var usedNames: Set<String> = []
    /// The members of all lists so far.
    private var members = 0
    /// The bytes of all texts that were given as arguments so far, counted wherever they are named.
    private var textBytes = 0

    init(binder: PredicateBinder, positional: [QueryArgument] = [], named: [String: QueryArgument] = [:]) {
        self.binder = binder
        self.positional = positional
        self.named = named
    }

    func checkCounts(_ syntax: PredicateSyntax) throws(RecordError) {
        guard positional.count + named.count <= Limits.queryArguments else {
            throw .conditionTooLarge(
                "The query has too many arguments", limit: Limits.queryArguments, at: PredicatePlace())
        }
        guard positional.count == syntax.placeholders else {
            throw .condition(
                positional.count < syntax.placeholders
                    ? "The condition has more placeholders than there are arguments"
                    : "There are more arguments than the condition has placeholders",
                at: PredicatePlace(), found: Self.count(positional.count),
                expected: Self.count(syntax.placeholders))
        }
    }

    private static func count(_ number: Int) -> String {
        number == 1 ? "1 argument" : "\(number) arguments"
    }

    /// Refuses named values that nothing has used.
    func checkNames() throws(RecordError) {
        guard usedNames.count < named.count, let name = named.keys.filter({ !usedNames.contains($0) }).min() else {
            return
        }
        throw .condition(
            "A variable is given that the condition does not have",
            at: PredicatePlace(argument: .text(name.clipped)), found: name.clipped, expected: "no such variable")
    }

    mutating func predicate(_ node: PredicateSyntax.Node) throws(RecordError) -> Predicate {
        switch node {
        case .constant(let value): return .constant(value)
        case .comparison(let comparison): return try predicate(comparison)
        case .and(let nodes): return .and(try predicates(nodes))
        case .or(let nodes): return .or(try predicates(nodes))
        case .not(let node): return .not(try predicate(node))
        }
    }

    private mutating func predicates(_ nodes: [PredicateSyntax.Node]) throws(RecordError) -> [Predicate] {
        var predicates: [Predicate] = []
        predicates.reserveCapacity(nodes.count)
        for node in nodes { predicates.append(try predicate(node)) }
        return predicates
    }

    private mutating func predicate(_ comparison: PredicateSyntax.Comparison) throws(RecordError) -> Predicate {
        let left = try resolve(comparison.left)
        let right = try resolve(comparison.right, isValue: true)
        switch (left, right) {
        case (.field(let field), .value(let value)):
            return try predicate(field, comparison.operation, value, comparison)
        case (.value(let value), .field(let field)):
            return try turned(value, field, comparison)
        case (.field, .field(let field)):
            throw .condition(
                "Two fields cannot be compared with each other", at: PredicatePlace(offset: comparison.right.offset),
                found: field.field.name.clipped, expected: "a value")
        case (.value, .value):
            throw .condition(
                "A comparison needs a field on one side", at: PredicatePlace(offset: comparison.left.offset),
                found: "two values", expected: "a field and a value")
        }
    }

    private func predicate(
        _ field: PlacedField, _ operation: PredicateSyntax.Operation, _ value: PlacedValue,
        _ comparison: PredicateSyntax.Comparison
    ) throws(RecordError) -> Predicate {
        let conditions = FieldConditions(
            field: field.field, fieldPlace: field.place, isMember: comparison.quantifier != nil,
            operatorPlace: PredicatePlace(offset: comparison.offset), binder: binder)
        let predicate: Predicate
        switch operation {
        case .relation(let relation): predicate = try conditions.relation(relation, value)
        case .isIn: predicate = try conditions.isIn(value)
        case .isBetween: predicate = try conditions.isBetween(value)
        case .contains: predicate = try conditions.contains(value)
        case .beginsWith: predicate = try conditions.beginsWith(value)
        }
        return comparison.quantifier == PredicateSyntax.Quantifier.none ? .not(predicate) : predicate
    }

    /// A comparison with the value on the left: `100 <= salesPrice`, `'red' IN colours`.
    private func turned(
        _ value: PlacedValue, _ field: PlacedField, _ comparison: PredicateSyntax.Comparison
    ) throws(RecordError) -> Predicate {
        let operation: PredicateSyntax.Operation
        switch comparison.operation {
        case .relation(let relation): operation = .relation(relation.turned)
        case .isIn: operation = .contains
        case .contains: operation = .isIn
        case .isBetween, .beginsWith:
            throw .condition(
                "The field stands on the left of this operator", at: PredicatePlace(offset: comparison.left.offset),
                found: value.argument.typeName, expected: "a field")
        }
        guard comparison.quantifier == nil else {
            throw .condition(
                "A quantifier stands before a list field", at: PredicatePlace(offset: comparison.left.offset),
                found: value.argument.typeName, expected: "a list field")
        }
        return try predicate(field, operation, value, comparison)
    }
}

/// A field, and where it is named.
struct PlacedField {
    var field: QueryField
    var place: PredicatePlace
}

/// A value, and where it comes from.
struct PlacedValue {
    var argument: QueryArgument
    var place: PredicatePlace
    /// The members of a list that stands in the text.
    var members: [PlacedValue]?
}

extension PredicateBinding {
    private enum Resolved {
        case field(PlacedField)
        case value(PlacedValue)
    }

    /// - Parameter isValue: Mostly a value stands there.
    private mutating func resolve(
        _ operand: PredicateSyntax.Operand, isValue: Bool = false
    ) throws(RecordError) -> Resolved {
        let place = PredicatePlace(offset: operand.offset)
        switch operand.form {
        case .key(let name):
            return .field(PlacedField(field: try binder.field(name, at: place, isValue: isValue), place: place))
        case .keyArgument(let index):
            let place = PredicatePlace(offset: operand.offset, argument: .number(Int64(index)))
            guard case .string(let name) = positional[index] else {
                throw .condition(
                    "The argument of %K is the name of a field", cause: .typeMismatch, at: place,
                    found: positional[index].typeName, expected: "STRING")
            }
            return .field(PlacedField(field: try binder.field(name, at: place), place: place))
        default: return .value(try value(operand))
        }
    }

    private mutating func value(_ operand: PredicateSyntax.Operand) throws(RecordError) -> PlacedValue {
        var place = PredicatePlace(offset: operand.offset)
        switch operand.form {
        case .literal(let literal): return PlacedValue(argument: literal, place: place)
        case .now: return PlacedValue(argument: .timestamp(binder.now), place: place)
        case .argument(let index):
            place.argument = .number(Int64(index))
            return try counted(PlacedValue(argument: positional[index], place: place))
        case .variable(let name):
            place.argument = .text(name.clipped)
            guard let argument = named[name] else {
                throw .condition(
                    "The condition has a variable that is not given", at: place, found: "$\(name.clipped)",
                    expected: "a variable that is given")
            }
            usedNames.insert(name)
            return try counted(PlacedValue(argument: argument, place: place))
        case .list(let items):
            var members: [PlacedValue] = []
            members.reserveCapacity(items.count)
            for item in items { members.append(try value(item)) }
            self.members += items.count
            try checkMembers(at: place)
            return PlacedValue(argument: .list([]), place: place, members: members)
        case .key, .keyArgument:
            throw .condition(
                "A list has values and no fields", at: place, found: "a field", expected: "a value")
        }
    }

    /// Counts the members and the texts of what was given as an argument. A variable may be named many times, and each
    /// time it is compared and copied anew.
    mutating func counted(_ value: PlacedValue) throws(RecordError) -> PlacedValue {
        textBytes += value.argument.textBytes
        guard textBytes <= Limits.conditionTextBytes else {
            throw .conditionTooLarge(
                "The texts that the condition compares with are too long together", limit: Limits.conditionTextBytes,
                at: value.place)
        }
        guard case .list(let list) = value.argument else { return value }
        guard list.count <= Limits.conditionListMembers else {
            throw .conditionTooLarge(
                "A list of the condition has too many members", limit: Limits.conditionListMembers, at: value.place)
        }
        members += list.count
        try checkMembers(at: value.place)
        return value
    }

    private func checkMembers(at place: PredicatePlace) throws(RecordError) {
        guard members <= Limits.conditionMembers else {
            throw .conditionTooLarge(
                "The lists of the condition have too many members", limit: Limits.conditionMembers, at: place)
        }
    }
}
