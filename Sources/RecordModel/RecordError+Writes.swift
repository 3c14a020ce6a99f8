/// What a write of records is refused for, in the words that the server and its double share.
extension RecordError {
    /// The name of a record to create is taken; by what, of which type and whether for the caller's eyes, is not told.
    package static let recordExists = RecordError(
        .exists,
        "record to insert already exists: names are unique over all types. Leave recordName out to get a new one, "
            + "or replace a record of this type with PUT")

    /// The same for a caller that can read the record with the name.
    package static func recordExists(as type: RecordTypeName) -> RecordError {
        RecordError(
            .exists,
            "record to insert already exists: a record of type \(type) has this name, and names are unique over all types. Leave recordName out to get a new one, or replace the record with PUT /records/\(type)/…",
            details: [("recordType", .text(type.text))])
    }

    /// No zone has this name.
    package static let zoneNotFound = RecordError(
        .zoneNotFound, "Zone not found. Only _defaultZone exists in this database")

    /// A tag, `If-Match` or `If-None-Match` did not hold.
    ///
    /// - Parameter wantsNone: Whether there was to be no record.
    package static func preconditionFailed(_ serverRecord: [UInt8]?, wantsNone: Bool) -> RecordError {
        RecordError(
            .conflict,
            wantsNone
                ? "If-None-Match: * demands that there is no record with this name, and there is one"
                : "record to update already exists with a different change tag",
            cause: .preconditionFailed, serverRecord: serverRecord)
    }

    /// `If-Match` on a record that does not exist, or not for this caller: 412, and CloudKit's sentence for it.
    package static let conditionOnMissing = RecordError(
        .notFound, "recordChangeTag specified, but record not found", cause: .preconditionFailed)

    /// A deletion would take more records along than one request may.
    package static func cascadeTooLarge(_ limit: Int) -> RecordError {
        .badRequest(
            "Deleting this record would delete more records through DELETE_SELF references than one request may. Delete some of them first",
            cause: .tooLarge, details: [("limit", .number(Int64(limit)))])
    }

    /// The target of a VALIDATE reference is not there, or not for the caller.
    package static func missingTarget(_ target: RecordName, field: String) -> RecordError {
        RecordError(
            .validatingReferenceError,
            "Field=\(field), recordID=\(target), title=Reference target does not exist, rejecting update",
            details: [("field", .text(field)), ("recordName", .text(target.text))])
    }

    /// A VALIDATE reference holds a record that is to go; by which field of which record, for whoever may read it.
    package static func stillReferenced(by name: String?, field: String?) -> RecordError {
        guard let name, let field else {
            return RecordError(
                .validatingReferenceError, "Record delete would violate validating reference, rejecting update")
        }
        return RecordError(
            .validatingReferenceError,
            "Field=\(field), recordID=\(name), title=Record delete would violate validating reference, rejecting update",
            details: [("field", .text(field)), ("recordName", .text(name))])
    }
}
