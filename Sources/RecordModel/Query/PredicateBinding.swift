internal import TextSearch
internal import UnicodeText

/// The binding of one predicate. The type traverses the syntax tree and passes fields and values to `FieldConditions`.
///
/// All functions throw the errors of `PredicateBinder.bind`.
struct PredicateBinding {
    let binder: PredicateBinder
    let positional: [QueryArgument]
    let named: [String: QueryArgument]
    private var usedNames: Set<String> = []
    /// The number of members of all lists so far.
    private var members = 0
    /// The number of bytes of all text arguments so far. An argument counts each time the predicate uses it.
    private var textBytes = 0
    /// The number of tests of other records so far.
    var targetTests = 0
    /// The number of corners of all polygons so far.
    private var corners = 0
    private let patterns = PatternCache()

    init(binder: PredicateBinder, positional: [QueryArgument] = [], named: [String: QueryArgument] = [:]) {
        self.binder = binder
        self.positional = positional
        self.named = named
    }

    func checkCounts(_ syntax: PredicateSyntax) throws(RecordError) {
        guard positional.count + named.count <= Limits.queryArguments else {
            throw .conditionTooLarge(
                "The query has too many arguments", limit: Limits.queryArguments, at: PredicateLocation())
        }
        guard positional.count == syntax.placeholders else {
            throw .condition(
                positional.count < syntax.placeholders
                    ? "The condition has more placeholders than there are arguments"
                    : "There are more arguments than the condition has placeholders",
                at: PredicateLocation(), found: Self.count(positional.count),
                expected: Self.count(syntax.placeholders))
        }
    }

    private static func count(_ number: Int) -> String {
        number == 1 ? "1 argument" : "\(number) arguments"
    }

    /// Rejects named values that the predicate does not use.
    func checkNames() throws(RecordError) {
        guard usedNames.count < named.count, let name = named.keys.filter({ !usedNames.contains($0) }).min() else {
            return
        }
        throw .condition(
            "A variable is given that the condition does not have",
            at: PredicateLocation(argument: .text(name.clipped)), found: name.clipped, expected: "no such variable")
    }

    mutating func predicate(_ node: PredicateSyntax.Node) throws(RecordError) -> Predicate {
        switch node {
        case .constant(let value): return .constant(value)
        case .comparison(let comparison): return try predicate(comparison)
        case .and(let nodes): return .and(try predicates(nodes))
        case .or(let nodes, _): return .or(try predicates(nodes))
        case .not(let node, _): return .not(try predicate(node))
        }
    }

    private mutating func predicates(_ nodes: [PredicateSyntax.Node]) throws(RecordError) -> [Predicate] {
        var predicates: [Predicate] = []
        predicates.reserveCapacity(nodes.count)
        for node in nodes { predicates.append(try predicate(node)) }
        return predicates
    }

    private mutating func predicate(_ comparison: PredicateSyntax.Comparison) throws(RecordError) -> Predicate {
        if case .record = comparison.left.form { return try search(comparison) }
        let left = try resolve(comparison.left)
        let right = try resolve(comparison.right, isValue: true)
        switch (left, right) {
        case (.field(let field), .value(let value)):
            return try predicate(field, comparison.operation, value, comparison)
        case (.path(let path), .value(let value)):
            return try predicate(path, comparison.operation, value, comparison)
        case (.value(let value), .field(let field)):
            let operation = try turned(value, comparison)
            return try predicate(field, operation, value, comparison)
        case (.value(let value), .path(let path)):
            let operation = try turned(value, comparison)
            return try predicate(path, operation, value, comparison)
        case (_, .field(let field)): throw twoFields(field.field.name, comparison)
        case (_, .path(let path)): throw twoFields(path.name, comparison)
        case (.value, .value):
            throw .condition(
                "A comparison needs a field on one side", at: PredicateLocation(offset: comparison.left.offset),
                found: "two values", expected: "a field and a value")
        }
    }

    private func twoFields(_ name: String, _ comparison: PredicateSyntax.Comparison) -> RecordError {
        .condition(
            "Two fields cannot be compared with each other", at: PredicateLocation(offset: comparison.right.offset),
            found: name.clipped, expected: "a value")
    }

    func predicate(
        _ field: LocatedField, _ operation: PredicateSyntax.Operation, _ value: LocatedValue,
        _ comparison: PredicateSyntax.Comparison
    ) throws(RecordError) -> Predicate {
        let conditions = FieldConditions(
            field: field.field, fieldLocation: field.location,
            subject: try subject(of: field, comparison), folding: comparison.folding,
            operatorLocation: PredicateLocation(offset: comparison.offset), binder: binder, patterns: patterns)
        let predicate: Predicate
        switch operation {
        case .relation(let relation): predicate = try conditions.relation(relation, value)
        case .isIn: predicate = try conditions.isIn(value)
        case .isBetween: predicate = try conditions.isBetween(value)
        case .contains: predicate = try conditions.contains(value)
        case .beginsWith: predicate = try conditions.beginsWith(value)
        case .endsWith: predicate = try conditions.endsWith(value)
        case .like: predicate = try conditions.matches(value, .wildcards)
        case .matches: predicate = try conditions.matches(value, .expression)
        case .containsTokens(let mode):
            guard comparison.quantifier == nil, !field.isCount else {
                throw .condition(
                    "A search for words takes no quantifier: it looks in all members of a list",
                    field: field.field.name, at: field.location, found: field.field.name.clipped,
                    expected: "a field alone")
            }
            predicate = try binder.search(field.field, at: field.location, mode, for: value)
        }
        return comparison.quantifier == PredicateSyntax.Quantifier.none ? .not(predicate) : predicate
    }

    private func subject(
        of field: LocatedField, _ comparison: PredicateSyntax.Comparison
    ) throws(RecordError) -> Condition.Subject {
        switch (comparison.quantifier, field.isCount) {
        case (nil, false): return .value
        case (.any?, false), (PredicateSyntax.Quantifier.none?, false): return .anyMember
        case (.all?, false): return .everyMember
        case (nil, true):
            guard field.field.type.isList else {
                throw .condition(
                    "Field '\(field.field.name)' of type \(field.field.type.schemaName) is no list and has no members to "
                        + "count", cause: .typeMismatch, field: field.field.name, at: field.location,
                    found: field.field.type.schemaName, expected: "a list field")
            }
            return .memberCount
        default:
            throw .condition(
                "The number of members takes no quantifier", field: field.field.name, at: field.location,
                found: "@count", expected: "a field, or no quantifier")
        }
    }

    /// The operation of a comparison with the value on the left, as if the field stood there: `100 <= salesPrice`,
    /// `'red' IN colours`.
    private func turned(
        _ value: LocatedValue, _ comparison: PredicateSyntax.Comparison
    ) throws(RecordError) -> PredicateSyntax.Operation {
        let operation: PredicateSyntax.Operation
        switch comparison.operation {
        case .relation(let relation): operation = .relation(relation.turned)
        case .isIn: operation = .contains
        case .contains: operation = .isIn
        case .isBetween, .beginsWith, .endsWith, .like, .matches, .containsTokens:
            throw .condition(
                "The field stands on the left of this operator", at: PredicateLocation(offset: comparison.left.offset),
                found: value.argument.typeName, expected: "a field")
        }
        guard comparison.quantifier == nil else {
            throw .condition(
                "A quantifier stands before a list field", at: PredicateLocation(offset: comparison.left.offset),
                found: value.argument.typeName, expected: "a list field")
        }
        return operation
    }
}

/// A field, and its position for errors.
struct LocatedField {
    var field: QueryField
    var location: PredicateLocation
    /// Whether the number of members is meant: `@count`.
    var isCount = false
}

/// A value, and its position for errors.
struct LocatedValue {
    var argument: QueryArgument
    var location: PredicateLocation
    /// The members, for a list in the text.
    var members: [LocatedValue]?
    /// The region, for a function such as `box()`.
    var area: PlaceArea?
}

extension PredicateBinding {
    enum Resolved {
        case field(LocatedField)
        case path(LocatedPath)
        case value(LocatedValue)
    }

    /// Resolves one side of a comparison.
    ///
    /// - Parameter isValue: Whether a value is expected at this position.
    mutating func resolve(
        _ operand: PredicateSyntax.Operand, isValue: Bool = false
    ) throws(RecordError) -> Resolved {
        let location = PredicateLocation(offset: operand.offset)
        switch operand.form {
        case .key, .keyArgument, .path:
            if let path = try path(operand.form, at: location) { return .path(path) }
            return .field(try field(operand.form, at: location, isValue: isValue))
        case .count(let form):
            if var path = try path(form, at: location) {
                path.isCount = true
                return .path(path)
            }
            var field = try field(form, at: location, isValue: isValue)
            field.isCount = true
            return .field(field)
        case .distance(let form, let origin):
            return .field(try distance(of: try field(form, at: location, isValue: isValue), from: origin))
        default: return .value(try value(operand))
        }
    }

    func field(
        _ form: PredicateSyntax.Operand.Form, at location: PredicateLocation, isValue: Bool
    ) throws(RecordError) -> LocatedField {
        switch form {
        case .keyArgument(let index):
            let location = PredicateLocation(offset: location.offset, argument: .number(Int64(index)))
            guard case .string(let name) = positional[index] else {
                throw .condition(
                    "The argument of %K is the name of a field", cause: .typeMismatch, at: location,
                    found: positional[index].typeName, expected: "STRING")
            }
            return LocatedField(field: try binder.field(name, at: location), location: location)
        case .key(let name):
            return LocatedField(field: try binder.field(name, at: location, isValue: isValue), location: location)
        default: preconditionFailure("Only keys name fields")
        }
    }

    mutating func value(_ operand: PredicateSyntax.Operand) throws(RecordError) -> LocatedValue {
        var location = PredicateLocation(offset: operand.offset)
        switch operand.form {
        case .literal(let literal): return LocatedValue(argument: literal, location: location)
        case .now: return LocatedValue(argument: .timestamp(binder.now), location: location)
        case .argument(let index):
            location.argument = .number(Int64(index))
            return try counted(LocatedValue(argument: positional[index], location: location))
        case .variable(let name):
            location.argument = .text(name.clipped)
            guard let argument = named[name] else {
                throw .condition(
                    "The condition has a variable that is not given", at: location, found: "$\(name.clipped)",
                    expected: "a variable that is given")
            }
            usedNames.insert(name)
            return try counted(LocatedValue(argument: argument, location: location))
        case .list(let items):
            var members: [LocatedValue] = []
            members.reserveCapacity(items.count)
            for item in items { members.append(try value(item)) }
            self.members += items.count
            try checkMembers(at: location)
            return LocatedValue(argument: .list([]), location: location, members: members)
        case .arithmetic(let operation, let left, let right):
            if case .duration(let duration) = right.form {
                let time = try shift(try value(left), by: operation == .plus ? duration : -duration)
                return LocatedValue(argument: time, location: location)
            }
            let (one, other) = (try value(left), try value(right))
            return LocatedValue(argument: try result(operation, one, other), location: location)
        case .duration:
            throw .condition(
                "A duration is added to a time or subtracted from one", at: location, found: "a duration",
                expected: "a time, as in now() - 183 days")
        case .region(let kind, let operands): return try area(kind, operands, at: location)
        case .record:
            throw .condition(
                "SELF stands before CONTAINS, CONTAINS_ANY_TOKENS or CONTAINS_ALL_TOKENS, and searches all SEARCHABLE "
                    + "texts", at: location, found: "SELF", expected: "a field or a value")
        case .key, .keyArgument, .path, .count, .distance:
            throw .condition(
                "A list has values and no fields", at: location, found: "a field", expected: "a value")
        }
    }

    /// Adds a number of milliseconds to a time.
    private func shift(_ value: LocatedValue, by duration: Int64) throws(RecordError) -> QueryArgument {
        switch value.argument {
        case .timestamp(let time), .integer(let time):
            let (sum, isTooLarge) = time.addingReportingOverflow(duration)
            if !isTooLarge { return .timestamp(sum) }
        case .string(let text):
            if let time = try? Timestamp.read(text, takesDates: true) { return .timestamp(time + duration) }
        default: break
        }
        throw .condition(
            "A duration is added to a time or subtracted from one", cause: .typeMismatch, at: value.location,
            found: value.argument.typeName, expected: "a TIMESTAMP")
    }

    /// Calculates with two numbers. Integers give an integer where the result is one, and a double otherwise.
    private func result(
        _ operation: PredicateSyntax.Arithmetic, _ left: LocatedValue, _ right: LocatedValue
    ) throws(RecordError) -> QueryArgument {
        let (one, other) = (try number(left), try number(right))
        if case .integer(let one) = left.argument, case .integer(let other) = right.argument {
            let (integer, isTooLarge) =
                switch operation {
                case .plus: one.addingReportingOverflow(other)
                case .minus: one.subtractingReportingOverflow(other)
                case .times: one.multipliedReportingOverflow(by: other)
                case .dividedBy:
                    other == 0 || one.remainderReportingOverflow(dividingBy: other).partialValue != 0
                        ? (0, true) : one.dividedReportingOverflow(by: other)
                }
            if !isTooLarge { return .integer(integer) }
        }
        let double =
            switch operation {
            case .plus: one + other
            case .minus: one - other
            case .times: one * other
            case .dividedBy: one / other
            }
        guard double.isFinite else {
            throw .condition(
                other == 0 ? "A number cannot be divided by 0" : "The result is no number", at: right.location,
                found: operation.rawValue, expected: "a result in the range of DOUBLE")
        }
        return .double(double)
    }

    func number(_ value: LocatedValue) throws(RecordError) -> Double {
        switch value.argument {
        case .integer(let integer): return Double(integer)
        case .double(let double): return double
        default:
            throw .condition(
                "Only numbers can be added, subtracted, multiplied and divided", cause: .typeMismatch,
                at: value.location, found: value.argument.typeName, expected: "a number")
        }
    }

    /// Adds an argument's list members and text bytes to the counts and checks the limits. Each use of a variable
    /// counts, because each use is compared and copied.
    mutating func counted(_ value: LocatedValue) throws(RecordError) -> LocatedValue {
        textBytes += value.argument.textBytes
        guard textBytes <= Limits.conditionTextBytes else {
            throw .conditionTooLarge(
                "The texts that the condition compares with are too long together", limit: Limits.conditionTextBytes,
                at: value.location)
        }
        guard case .list(let list) = value.argument else { return value }
        if case .location? = list.first, list.allSatisfy(\.isLocation) {
            try countCorners(list.count, at: value.location)
            return value
        }
        guard list.count <= Limits.conditionListMembers else {
            throw .conditionTooLarge(
                "A list of the condition has too many members", limit: Limits.conditionListMembers, at: value.location)
        }
        members += list.count
        try checkMembers(at: value.location)
        return value
    }

    /// Adds the corners of a polygon to their count and checks the limit.
    mutating func countCorners(_ count: Int, at location: PredicateLocation) throws(RecordError) {
        corners += count
        guard corners <= Limits.conditionCorners else {
            throw .conditionTooLarge(
                "The polygons of the condition have too many corners", limit: Limits.conditionCorners, at: location)
        }
    }

    private func checkMembers(at location: PredicateLocation) throws(RecordError) {
        guard members <= Limits.conditionMembers else {
            throw .conditionTooLarge(
                "The lists of the condition have too many members", limit: Limits.conditionMembers, at: location)
        }
    }
}
