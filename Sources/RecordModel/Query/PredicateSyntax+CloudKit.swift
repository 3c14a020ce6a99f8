internal import UnicodeText

extension PredicateSyntax {
    /// Rejects the first construct that CloudKit's CKQuery lacks, for clients that test their predicates.
    ///
    /// Tests for NULL are rejected too: CloudKit's list of operators does not have them.
    ///
    /// - Parameters:
    ///   - text: The text of the predicate.
    ///   - type: The record type. The meaning of CONTAINS depends on the type of its field.
    ///   - positional: The values of the positional placeholders.
    ///   - named: The values of the variables.
    /// - Throws: `BAD_REQUEST` with the details `offset`, `found` and `expected`, which is what CloudKit has instead.
    package func requireCloudKit(
        _ text: String, of type: RecordTypeDefinition, positional: [QueryArgument] = [],
        named: [String: QueryArgument] = [:]
    ) throws(RecordError) {
        try CloudKitCheck(bytes: Array(text.utf8), type: type, positional: positional, named: named).check(root)
    }
}

/// Searches a predicate for constructs that CloudKit lacks (CKQuery, "Predicate Rules for Query Objects").
private struct CloudKitCheck {
    let bytes: [UInt8]
    let type: RecordTypeDefinition
    let positional: [QueryArgument]
    let named: [String: QueryArgument]

    func check(_ node: PredicateSyntax.Node) throws(RecordError) {
        switch node {
        case .constant: return
        case .comparison(let comparison): try check(comparison)
        case .and(let nodes): for node in nodes { try check(node) }
        case .or(_, let offset):
            throw rejection(
                "OR", at: offset, "AND; IN for several values of one field; otherwise one query for each part")
        case .not(let node, let offset):
            switch node {
            case .comparison(let comparison):
                if offset > comparison.left.offset {
                    throw rejection("NOT before an operator", at: offset, "NOT before the whole comparison")
                }
                if comparison.operation == .isBetween {
                    throw rejection("NOT before BETWEEN", at: offset, "one query below the range and one above it")
                }
                if comparison.left.form.isDistance || comparison.right.form.isDistance {
                    throw rejection("NOT before a distance", at: offset, "the distance without NOT")
                }
                if comparison.left.form == .record {
                    throw rejection("NOT before a search", at: offset, "the search without NOT")
                }
                try check(comparison)
            case .constant: return
            case .and, .or, .not: throw rejection("NOT before a group", at: offset, "NOT before one comparison")
            }
        }
    }

    private func check(_ comparison: PredicateSyntax.Comparison) throws(RecordError) {
        switch comparison.quantifier {
        case .all?: throw rejection("ALL", at: comparison.left.offset, "ANY or SOME")
        case PredicateSyntax.Quantifier.none?:
            throw rejection("NONE", at: comparison.left.offset, "NOT before a comparison with ANY")
        case .any?, nil: break
        }
        try checkKey(comparison.left)
        try checkDistance(comparison)
        try checkOperation(comparison)
        try checkKey(comparison.right)
        if hasModifiers(comparison) {
            throw rejection("a modifier such as [c]", at: comparison.offset, "the operator alone")
        }
        try checkValue(comparison.left)
        try checkValue(comparison.right)
    }

    /// Checks that a distance is compared as "less than a radius".
    private func checkDistance(_ comparison: PredicateSyntax.Comparison) throws(RecordError) {
        let isLeft = comparison.left.form.isDistance
        guard isLeft || comparison.right.form.isDistance else { return }
        let distance = isLeft ? comparison.left : comparison.right
        if bytes[distance.offset...].starts(with: "distance(".utf8) {
            throw rejection("distance()", at: distance.offset, "distanceToLocation:fromLocation:")
        }
        guard case .relation(let relation) = comparison.operation, (isLeft ? relation : relation.turned) == .less
        else {
            throw rejection("a distance with another operator than <", at: comparison.offset, "< and a radius")
        }
    }

    private func checkOperation(_ comparison: PredicateSyntax.Comparison) throws(RecordError) {
        let texts = "BEGINSWITH, or == for all of a text"
        switch comparison.operation {
        case .endsWith: throw rejection("ENDSWITH", at: comparison.offset, texts)
        case .like: throw rejection("LIKE", at: comparison.offset, texts)
        case .matches: throw rejection("MATCHES", at: comparison.offset, texts)
        case .contains:
            let members = "CONTAINS for the members of a list; for texts BEGINSWITH"
            if comparison.quantifier != nil, comparison.left.form != .record {
                throw rejection("CONTAINS behind ANY", at: comparison.offset, members)
            }
            if isText(comparison.left) { throw rejection("CONTAINS on a text", at: comparison.offset, members) }
        case .isIn:
            if isText(comparison.right) {
                throw rejection("IN with a text on its right", at: comparison.offset, "a list, or a list field")
            }
        case .containsTokens:
            throw rejection(
                "a search of one field, or for all of several words", at: comparison.offset, "SELF CONTAINS")
        case .relation, .isBetween, .beginsWith: break
        }
        if comparison.quantifier == .any, let field = field(comparison.left), !field.type.isList {
            throw rejection("ANY before a field that is no list", at: comparison.left.offset, "a list field behind ANY")
        }
    }

    /// Whether the text has brackets between operator and value.
    private func hasModifiers(_ comparison: PredicateSyntax.Comparison) -> Bool {
        guard comparison.folding.isEmpty else { return true }
        guard comparison.offset < comparison.right.offset else { return false }
        return bytes[comparison.offset..<comparison.right.offset].contains(UInt8(ascii: "["))
    }

    private func checkKey(_ operand: PredicateSyntax.Operand) throws(RecordError) {
        switch operand.form {
        case .count: throw rejection("@count", at: operand.offset, "a field with the number")
        case .path:
            throw rejection("a path to another record", at: operand.offset, "a query of the other type, and IN")
        case .keyArgument(let index):
            if case .string(let name) = positional[safe: index], name.utf8.contains(UInt8(ascii: ".")) {
                throw rejection("a path to another record", at: operand.offset, "a query of the other type, and IN")
            }
        default: break
        }
    }

    private func checkValue(_ operand: PredicateSyntax.Operand) throws(RecordError) {
        switch operand.form {
        case .literal(.null): throw noNull(at: operand.offset)
        case .literal(.timestamp): throw rejection("a time in the text", at: operand.offset, "%@ and a date")
        case .literal(.reference): throw rejection("ref()", at: operand.offset, "%@ and a reference")
        case .argument(let index): if positional[safe: index] == .null { throw noNull(at: operand.offset) }
        case .variable(let name): if named[name] == .null { throw noNull(at: operand.offset) }
        case .arithmetic, .duration:
            throw rejection("arithmetic", at: operand.offset, "%@ and the result")
        case .list(let items):
            if bytes[operand.offset] != UInt8(ascii: "{") {
                throw rejection("a list in ( ) or [ ]", at: operand.offset, "a list in { }, or %@ and an array")
            }
            for item in items { try checkValue(item) }
        case .region:
            throw rejection("a region", at: operand.offset, "distanceToLocation:fromLocation: and <")
        case .literal, .now, .record, .key, .keyArgument, .path, .count, .distance: break
        }
    }

    private func noNull(at offset: Int) -> RecordError {
        rejection("NULL", at: offset, "a value; Apple documents no test for NULL")
    }

    /// The field that an operand names; `nil` for other operands and unknown names.
    private func field(_ operand: PredicateSyntax.Operand) -> FieldDefinition? {
        switch operand.form {
        case .key(let name): return type[name]
        case .keyArgument(let index):
            if case .string(let name) = positional[safe: index] { return type[name] }
            return nil
        default: return nil
        }
    }

    private func isText(_ operand: PredicateSyntax.Operand) -> Bool {
        field(operand)?.type == .string
    }

    private func rejection(_ construct: String, at offset: Int, _ expected: String) -> RecordError {
        .notInCloudKit(construct, at: PredicateLocation(offset: offset), expected)
    }
}

extension RecordError {
    /// - Parameter expected: What CloudKit has instead.
    fileprivate static func notInCloudKit(
        _ construct: String, at location: PredicateLocation, _ expected: String
    ) -> RecordError {
        .condition(
            "CloudKit's queries do not have \(construct). They have: \(expected)", at: location, found: construct,
            expected: expected)
    }

    /// An error about a part of a query, other than its predicate, that CloudKit lacks.
    ///
    /// - Parameters:
    ///   - construct: The part.
    ///   - expected: What CloudKit has instead.
    package static func notInCloudKit(_ construct: String, _ expected: String) -> RecordError {
        notInCloudKit(construct, at: PredicateLocation(), expected)
    }
}

extension [QueryArgument] {
    fileprivate subscript(safe index: Int) -> QueryArgument? {
        indices.contains(index) ? self[index] : nil
    }
}
