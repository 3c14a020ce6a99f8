import RecordModel

/// The reason why a JSON value does not fit a type. The caller knows the field and converts the mismatch to a
/// `RecordError`.
struct ValueMismatch: Error {
    /// A short description of the value.
    let found: String
    /// The position in bytes from the start of the document.
    let offset: Int
    var isTooLong = false
    /// The field operation, if the type does not support it.
    private var operation: FieldOperationKind?
    /// The correct form, as a sentence without its period.
    var remedy: String?

    init(_ found: String, at offset: Int) {
        self.found = found
        self.offset = offset
    }

    init(_ problem: Timestamp.Problem, at offset: Int) {
        self.init(problem.words, at: offset)
        remedy = "Write it like \"\(problem.example)\", or as milliseconds since 1970"
    }

    init(_ token: JSONToken) {
        self.init(token.kind.word, at: token.start)
    }

    static func tooLong(at offset: Int) -> ValueMismatch {
        var mismatch = ValueMismatch("more than \(Limits.listMembers) members", at: offset)
        mismatch.isTooLong = true
        return mismatch
    }

    static func operation(_ kind: FieldOperationKind, at offset: Int) -> ValueMismatch {
        var mismatch = ValueMismatch("operation '\(kind.rawValue)'", at: offset)
        mismatch.operation = kind
        return mismatch
    }

    /// Returns the error, which names the field, its type and the description of the value.
    func error(field: String?, expected: FieldType) -> RecordError {
        var details: [(key: String, value: RecordError.Detail)] = []
        if let field { details.append(("field", .text(field))) }
        details += [
            ("expected", .text(expected.schemaName)), ("found", .text(found)), ("offset", .number(Int64(offset))),
        ]
        if isTooLong {
            details.append(("limit", .number(Int64(Limits.listMembers))))
            return .badRequest("A list has too many members", cause: .tooLarge, details: details)
        }
        let place = field.map { "Field '\($0.prefix(Limits.identifierBytes))' takes" } ?? "The value must be"
        return .badRequest(
            "\(place) \(Self.withArticle(expected.schemaName)), and \(problem)" + hint(for: expected),
            cause: .typeMismatch, details: details)
    }

    private var problem: String {
        switch operation {
        case nil: "this is \(Self.withArticle(found))"
        case .increment?: "'increment' is an operation on INT64 and DOUBLE"
        case .serverTime?: "'serverTime' is an operation on TIMESTAMP"
        case .append?, .appendUnique?, .remove?, .setIfAbsent?, .copy?:
            "'\(operation?.rawValue ?? "")' is an operation on lists"
        }
    }

    /// Returns the remedy, or the rule for objects if the value is an unexpected object. The usual cause of such an
    /// object is a misspelled key or operation.
    private func hint(for expected: FieldType) -> String {
        if let remedy { return ". " + remedy }
        guard found == JSONKind.object.word, operation == nil else { return "" }
        switch expected.element {
        case .reference, .asset, .location: return ""
        default: return ". " + FieldOperationKind.objectRule
        }
    }

    private static func withArticle(_ words: String) -> String {
        if words == JSONKind.null.word || words.hasPrefix("more ") || words.hasPrefix("no ") { return words }
        return ("AEIOUaeiou".contains(words.prefix(1)) ? "an " : "a ") + words
    }
}
