/// How much the words found in each field count for the rank of a match. Fields without a weight count 1.
package struct RankWeights: Hashable, Sendable {
    /// The weights by the number of the field.
    package private(set) var byField: [Int: Double] = [:]
    /// The weights as queries write them, such as `title^3, body`.
    package private(set) var text = ""

    /// Creates equal weights.
    package init() {}

    /// The largest weight.
    package static let maximum = 1_000.0

    /// Returns the weight of a field.
    package func weight(of field: FieldDefinition) -> Double { byField[field.id] ?? 1 }

    /// Parses weights such as `title^3, body^0.5`, as they stand in the parentheses of `rank()`.
    ///
    /// - Throws: `BAD_REQUEST` for a weight that is no number from 0 to `maximum`; with the cause `UNKNOWN_NAME` for a
    ///   field that the type lacks, and `TYPE_MISMATCH` for a field without texts.
    package init(parsing text: String, for type: RecordTypeDefinition) throws(RecordError) {
        var written: [String] = []
        for part in text.split(separator: ",") {
            let halves = part.split(separator: "^", maxSplits: 1, omittingEmptySubsequences: false)
            let name = halves[0].trimmed
            guard let field = type[name] else {
                throw .badRequest(
                    "Field \(name.clipped) not found in \(type.name)", cause: .unknownName,
                    details: [("field", .text(name.clipped))])
            }
            guard field.type.element == .string else {
                throw .badRequest(
                    "Field '\(name)' of type \(field.type.schemaName) has no words that count for the rank",
                    cause: .typeMismatch,
                    details: [("field", .text(name)), ("type", .text(field.type.schemaName))])
            }
            var weight = 1.0
            if halves.count > 1 {
                guard let number = Double(halves[1].trimmed), number >= 0, number <= Self.maximum else {
                    throw .badRequest(
                        "The weight of '\(name)' is a number from 0 to 1000, as in rank(title^3)",
                        details: [("field", .text(name))])
                }
                weight = number
            }
            byField[field.id] = weight
            written.append(halves.count > 1 ? "\(name)^\(halves[1].trimmed)" : name)
        }
        self.text = written.joined(separator: ", ")
    }
}

extension Substring {
    fileprivate var trimmed: String {
        var rest = self
        while rest.first == " " { rest.removeFirst() }
        while rest.last == " " { rest.removeLast() }
        return String(rest)
    }
}
