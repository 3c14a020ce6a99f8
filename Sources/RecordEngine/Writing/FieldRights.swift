internal import RecordModel
internal import RecordStorage
internal import RecordWire

/// Field-level permissions of an operation.
extension RecordOperation {
    /// Rejects field operations on fields that the caller may not read, and copies of such fields. The success or failure
    /// of such an operation would reveal the field's value.
    ///
    /// - Throws: ACCESS_DENIED.
    func requireReadable(_ visibility: Visibility, _ row: RecordRow, _ type: RecordTypeDefinition) throws(RecordError) {
        guard let first = input.fields.first(where: \.buildsOnValue) else { return }
        guard visibility.mayRead(row.facts) else { throw .operationDenied(first.name) }
        let unreadable = visibility.unreadable(creator: row.creator)
        guard !unreadable.isEmpty else { return }
        for field in input.fields where field.buildsOnValue {
            let name = input.source(of: field) ?? field.name
            if let field = type[name], unreadable.contains(field.id) { throw .operationDenied(name) }
        }
    }

    /// Checks the field permissions of the operation, and removes the fields that do not exist for the caller.
    ///
    /// A field that the caller may neither write nor read is handled like a field that the type does not have. The
    /// stored value has no influence.
    ///
    /// - Parameters:
    ///   - access: The fields that the caller may not read or write; `nil` if the caller may read and write all fields.
    ///   - isOwn: Whether the caller is or becomes the creator of the record.
    /// - Returns: The operation without removals of fields that do not exist for the caller; `nil` if nothing changes.
    /// - Throws: ACCESS_DENIED for a field that the caller may read but not write; BAD_REQUEST for a field that the
    ///   caller may neither read nor write. In the development environment, both are ACCESS_DENIED.
    func allowed(
        by access: FieldAccess?, of type: RecordTypeDefinition, isOwn: Bool, in environment: RecordEnvironment
    ) throws(RecordError) -> RecordOperation? {
        guard let access else { return nil }
        let unwritable = access.unwritable(isOwn: isOwn)
        guard !unwritable.isEmpty else { return nil }
        let unreadable = access.unreadable(isOwn: isOwn)
        var allowed: RecordOperation?
        for input in input.fields {
            guard let field = type[input.name], unwritable.contains(field.id) else { continue }
            // The development environment creates unknown fields, so "unknown field" would be a false error.
            guard unreadable.contains(field.id), environment == .production else { throw .fieldDenied(input.name) }
            guard input.isRemoval else { throw .unknownField(field.name, of: type.name, offset: input.offset) }
            if allowed == nil { allowed = self }
            allowed?.input.fields.removeAll { $0.name == input.name }
            allowed?.preparation = .none
        }
        return allowed
    }
}

extension Visibility {
    /// Returns the fields in an operation that its caller may not read in a record.
    func unread(_ resolved: ResolvedFields, in row: RecordRow) -> Set<Int> {
        let named = resolved.changes.lazy.map(\.fieldID)
        guard mayRead(row.facts) else { return Set(named) }
        let unreadable = unreadable(creator: row.creator)
        return unreadable.isEmpty ? [] : Set(named.filter { unreadable.contains($0) })
    }
}

extension RecordError {
    /// The error for a field operation on a value that the caller may not read.
    static func operationDenied(_ name: String) -> RecordError {
        RecordError(
            .accessDenied,
            "A field operation needs the current value, and you may not read that of \(name). Send a value instead",
            details: [("field", .text(name))])
    }

    /// The error for a field that the caller may not write.
    static func fieldDenied(_ name: String) -> RecordError {
        RecordError(
            .accessDenied, "You may not write the field \(name). Leave it out", details: [("field", .text(name))])
    }
}
