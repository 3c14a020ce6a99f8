/// The errors of rejected writes, shared by the server and the test double.
extension RecordError {
    /// The error if the name of a new record is in use. The message discloses neither the type of the existing record
    /// nor whether the caller may read it.
    package static let recordExists = RecordError(
        .exists,
        "record to insert already exists: names are unique over all types. Leave recordName out to get a new one, "
            + "or replace a record of this type with PUT")

    /// The error if the name of a new record is in use and the caller may read the existing record.
    package static func recordExists(as type: RecordTypeName) -> RecordError {
        RecordError(
            .exists,
            "record to insert already exists: a record of type \(type) has this name, and names are unique over all types. Leave recordName out to get a new one, or replace the record with PUT /records/\(type)/…",
            details: [("recordType", .text(type.text))])
    }

    /// The error if no zone has the requested name.
    package static let zoneNotFound = RecordError(
        .zoneNotFound,
        "Zone not found. A private database has the zones that its owner created; the shared database, with the owner's record name, those that others share with you; the public database has _defaultZone alone"
    )

    /// The error if a change tag, `If-Match` or `If-None-Match` did not match.
    ///
    /// - Parameter wantsNone: Whether the precondition requires that no record exists.
    package static func preconditionFailed(_ serverRecord: [UInt8]?, wantsNone: Bool) -> RecordError {
        RecordError(
            .conflict,
            wantsNone
                ? "If-None-Match: * demands that there is no record with this name, and there is one"
                : "record to update already exists with a different change tag",
            cause: .preconditionFailed, serverRecord: serverRecord)
    }

    /// The error for `If-Match` on a record that does not exist or whose existence is hidden from the caller. The
    /// status is 412, with CloudKit's message.
    package static let preconditionOnMissing = RecordError(
        .notFound, "recordChangeTag specified, but record not found", cause: .preconditionFailed)

    /// The error if a deletion would delete too many records through DELETE_SELF references.
    package static func cascadeTooLarge(_ limit: Int) -> RecordError {
        .badRequest(
            "Deleting this record would delete more records through DELETE_SELF references than one request may. Delete some of them first",
            cause: .tooLarge, details: [("limit", .number(Int64(limit)))])
    }

    /// The error if the target of a VALIDATE reference does not exist or its existence is hidden from the caller.
    package static func missingTarget(_ target: RecordName, field: String) -> RecordError {
        RecordError(
            .validatingReferenceError,
            "Field=\(field), recordID=\(target), title=Reference target does not exist, rejecting update",
            details: [("field", .text(field)), ("recordName", .text(target.text))])
    }

    /// The error if a VALIDATE reference prevents the deletion of its target.
    ///
    /// - Parameters:
    ///   - name: The name of the record with the reference; `nil` if the caller may not read the record.
    ///   - field: The name of the field with the reference; `nil` if the caller may not read the field.
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
