extension RecordError {
    /// No type has the name that the caller has asked for.
    package static func unknownType(_ name: RecordTypeName) -> RecordError {
        RecordError(
            .notFound, "Unknown record type \(name). Put it into the schema first", cause: .unknownName,
            details: [("recordType", .text(name.text))])
    }

    package static func unknownRole(_ name: RoleName) -> RecordError {
        .badRequest(
            "The role \(name) does not exist. Make it with PUT /roles/\(name) first", cause: .unknownName,
            details: [("role", .text(name.text))])
    }

    package static func unknownPrincipal(_ name: String) -> RecordError {
        .badRequest(
            "The access list names a user or a role that does not exist", cause: .unknownName,
            details: [("principal", .text(name))])
    }

    static func uniqueOfDifferentReaders(_ type: RecordTypeName) -> RecordError {
        badSchema(
            "A unique index tells of all its fields whoever writes one. Give the fields the same 'read', or take one out",
            type)
    }

    /// A change of the schema that breaks a rule.
    ///
    /// - Parameters:
    ///   - type: What the details name.
    ///   - limit: The greatest number of something.
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
