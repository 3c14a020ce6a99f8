import RecordModel

/// Why a JSON value is not a value of a type. Who knows the field turns it into a `RecordError`.
struct ValueMismatch: Error {
    /// What stands there instead, in a few words.
    let found: String
    /// In bytes from the start of the document.
    let offset: Int
    var isTooLong = false

    init(_ found: String, at offset: Int) {
        self.found = found
        self.offset = offset
    }

    init(_ token: JSONToken) {
        self.init(token.kind.word, at: token.start)
    }

    static func tooLong(at offset: Int) -> ValueMismatch {
        var mismatch = ValueMismatch("more than \(Limits.listMembers) members", at: offset)
        mismatch.isTooLong = true
        return mismatch
    }

    /// The refusal in CloudKit's words.
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
        return .badRequest(
            "Invalid value, expected type \(expected.schemaName).", cause: .typeMismatch, details: details)
    }
}
