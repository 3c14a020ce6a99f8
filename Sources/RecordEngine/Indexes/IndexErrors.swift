internal import RecordModel

extension RecordError {
    /// EXISTS: another record has the same values in a UNIQUE index. The error does not name the other record.
    ///
    /// - Parameter isWhole: Whether `fields` lists all fields of the index. The list omits fields that the caller may
    ///   not read.
    static func uniqueViolation(_ fields: [String], type: RecordTypeName, isWhole: Bool = true) -> RecordError {
        let homes = fields.map { "'\($0)'" }.joined(separator: ", ")
        return RecordError(
            .exists,
            isWhole
                ? "Another \(type) has the same value in \(homes), and no two may have it. Choose another value"
                : "Another \(type) has the same values where no two may have them. Choose others",
            cause: .uniqueViolation, details: [("recordType", .text(type.text)), ("fields", .list(fields))])
    }

    static func textTooLongForUnique(_ field: String, type: RecordTypeName) -> RecordError {
        .badRequest(
            "The text in '\(field)' is too long: \(type) has a UNIQUE index on the field, which compares texts of at most \(IndexKey.textBytes) bytes",
            cause: .tooLarge,
            details: [
                ("recordType", .text(type.text)), ("field", .text(field)),
                ("limit", .number(Int64(IndexKey.textBytes))),
            ])
    }

    /// BAD_REQUEST: an INT64 field is becoming a DOUBLE, and no DOUBLE equals the value that the client sent.
    static func noDouble(_ field: String, type: RecordTypeName) -> RecordError {
        .badRequest(
            "The field '\(field)' is becoming a DOUBLE, and no DOUBLE equals this number. Send another one, or take the change back with PATCH /schema/types/\(type)/fields/\(field) and {\"type\":\"INT64\"}",
            cause: .typeMismatch,
            details: [("recordType", .text(type.text)), ("field", .text(field)), ("expected", .text("DOUBLE"))])
    }

    static func tooManyMemberEntries(_ type: RecordTypeName) -> RecordError {
        .badRequest(
            "The request brings more than \(Limits.memberEntries) entries into indexes of lists: each distinct member is one, and one more for every reader in the record's access list. Send fewer records at once, shorten the lists, or let a role stand for its members",
            cause: .tooLarge,
            details: [("recordType", .text(type.text)), ("limit", .number(Int64(Limits.memberEntries)))])
    }

    static func tooManyIndexedMembers(_ field: String, type: RecordTypeName) -> RecordError {
        .badRequest(
            "The list in '\(field)' is too long: \(type) has an index on the field, which takes at most \(Limits.indexedMembers) distinct members",
            cause: .tooLarge,
            details: [
                ("recordType", .text(type.text)), ("field", .text(field)),
                ("limit", .number(Int64(Limits.indexedMembers))),
            ])
    }
}
