internal import UnicodeText

/// A path to a field of another record, such as `author.name`.
struct LocatedPath {
    /// The field with the reference.
    var reference: LocatedField
    /// The name of the target's field.
    var name: String
    /// The position of the target's field.
    var location: PredicateLocation
    /// Whether the number of members is meant: `@count`.
    var isCount = false
}

/// Binding of tests of other records.
extension PredicateBinding {
    /// Returns the path that an operand means; `nil` for the name of a field.
    func path(
        _ form: PredicateSyntax.Operand.Form, at location: PredicateLocation
    ) throws(RecordError) -> LocatedPath? {
        switch form {
        case .path(let first, let name, let offset):
            return LocatedPath(
                reference: try field(first, at: location, isValue: false), name: name,
                location: PredicateLocation(offset: offset))
        case .keyArgument(let index):
            guard case .string(let text) = positional[index] else { return nil }
            let parts = text.split(separator: ".", omittingEmptySubsequences: false)
            guard parts.count == 2 else { return nil }
            let location = PredicateLocation(offset: location.offset, argument: .number(Int64(index)))
            let field = try binder.field(String(parts[0]), at: location)
            return LocatedPath(
                reference: LocatedField(field: field, location: location), name: String(parts[1]), location: location)
        default: return nil
        }
    }

    /// Binds a comparison with a field of another record.
    mutating func predicate(
        _ path: LocatedPath, _ operation: PredicateSyntax.Operation, _ value: LocatedValue,
        _ comparison: PredicateSyntax.Comparison
    ) throws(RecordError) -> Predicate {
        let reference = path.reference.field
        guard case .field(let definition) = reference, definition.type == .reference else {
            throw .condition(
                Self.reason(reference), cause: .typeMismatch, field: reference.name, at: path.reference.location,
                found: reference.type.schemaName, expected: "a field of type REFERENCE")
        }
        guard let targets = binder.targets else {
            throw .condition(
                "A test of another record is not possible here, because a change of that record would not be noticed",
                field: reference.name, at: path.reference.location, found: "\(reference.name).\(path.name.clipped)",
                expected: "fields of the record itself")
        }
        targetTests += 1
        guard targetTests <= Limits.targetTests else {
            throw .conditionTooLarge(
                "The condition has too many tests of other records", limit: Limits.targetTests, at: path.location)
        }
        let branches = try branches(path, operation, value, comparison, types: try targets(path.name))
        let holdsIfAbsent =
            if value.argument == .null { operation == .relation(.equal) } else {
                branches[0].predicate.evaluate(AbsentRecord())
            }
        return .condition(
            Condition(reference, .leadsTo(TargetTest(branches: branches, holdsIfAbsent: holdsIfAbsent))))
    }

    private static func reason(_ field: QueryField) -> String {
        if field.isUser {
            return "Field '\(field.name)' is an account. A path begins with a field of type REFERENCE"
        }
        return field.type == .referenceList
            ? "Field '\(field.name)' is a list of references. A path begins with a field with one reference"
            : "Field '\(field.name)' of type \(field.type.schemaName) is no reference, so it leads to no record"
    }

    /// Binds the comparison to each type that has the field.
    ///
    /// - Returns: At least one branch. Types to whose field the comparison does not apply are left out.
    private func branches(
        _ path: LocatedPath, _ operation: PredicateSyntax.Operation, _ value: LocatedValue,
        _ comparison: PredicateSyntax.Comparison, types: [RecordTypeDefinition]
    ) throws(RecordError) -> [TargetTest.Branch] {
        let system = SystemField(path.name) == nil ? nil : try binder.field(path.name, at: path.location)
        var branches: [TargetTest.Branch] = []
        var failure: RecordError?
        // Fields of one type give the same test, so that patterns are compiled and accounts looked up once.
        var known: [FieldType: Predicate?] = [:]
        for type in types {
            guard let field = system ?? type[path.name].map({ .field($0) }) else { continue }
            if known[field.type] == nil {
                do throws(RecordError) {
                    let located = LocatedField(field: field, location: path.location, isCount: path.isCount)
                    known[field.type] = try predicate(located, operation, value, comparison).simplified()
                } catch {
                    known[field.type] = .some(nil)
                    if failure == nil { failure = error }
                }
            }
            guard let test = known[field.type] ?? nil else { continue }
            branches.append(
                TargetTest.Branch(typeName: type.name, type: type.id, predicate: test.testing(field)))
        }
        guard branches.isEmpty else { return branches }
        throw failure
            ?? .condition(
                "Field \(path.name.clipped) not found in any type to which '\(path.reference.field.name)' may lead",
                cause: .unknownName, field: path.name, at: path.location, found: path.name.clipped,
                expected: "a field of another type")
    }
}
