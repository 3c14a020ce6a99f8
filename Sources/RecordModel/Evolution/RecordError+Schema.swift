extension RecordError {
    /// A NOT_FOUND error for a record type that the schema lacks.
    package static func unknownType(_ name: RecordTypeName) -> RecordError {
        RecordError(
            .notFound, "Unknown record type \(name). Put it into the schema first", cause: .unknownName,
            details: [("recordType", .text(name.text))])
    }

    /// A BAD_REQUEST error for a role that does not exist.
    package static func unknownRole(_ name: RoleName) -> RecordError {
        .badRequest(
            "The role \(name) does not exist. Make it with PUT /roles/\(name) first", cause: .unknownName,
            details: [("role", .text(name.text))])
    }

    /// A BAD_REQUEST error for an access list that names an unknown user or role.
    package static func unknownPrincipal(_ name: String) -> RecordError {
        .badRequest(
            "The access list names a user or a role that does not exist", cause: .unknownName,
            details: [("principal", .text(name))])
    }

    /// A BAD_REQUEST error for a UNIQUE index on fields with different readers.
    static func uniqueIndexMixesReaders(_ type: RecordTypeName) -> RecordError {
        badSchema(
            "A caller that writes one field of a unique index learns about the others. Give the fields the same 'read', or leave one out of the index",
            type)
    }

    /// A BAD_REQUEST error for a schema change that breaks a rule.
    ///
    /// - Parameters:
    ///   - type: The record type in the error details.
    ///   - field: The field in the error details.
    ///   - limit: The limit that the change exceeds. It goes into the details and makes the cause `TOO_LARGE`.
    package static func badSchema(
        _ reason: String, _ type: RecordTypeName? = nil, _ field: FieldName? = nil, limit: Int? = nil
    ) -> RecordError {
        var details: [(key: String, value: Detail)] = []
        if let type { details.append(("recordType", .text(type.text))) }
        if let field { details.append(("field", .text(field.text))) }
        if let limit { details.append(("limit", .number(Int64(limit)))) }
        return .badRequest(reason, cause: limit == nil ? nil : .tooLarge, details: details)
    }
}
