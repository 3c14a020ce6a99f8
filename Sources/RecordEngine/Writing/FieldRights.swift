internal import RecordModel
internal import RecordStorage
internal import RecordWire

/// Fields that a caller may not read or write though it may the record.
extension RecordOperation {
    /// Refuses operations on values that the caller may not read: whether a sum overflows or a list grows tells of them.
    func requireReadable(_ visibility: Visibility, _ row: RecordRow, _ type: RecordTypeDefinition) throws(RecordError) {
        guard let first = input.fields.first(where: \.buildsOnValue) else { return }
        guard visibility.mayRead(row.facts) else { throw .operationDenied(first.name) }
        let unreadable = visibility.unreadable(creator: row.creator)
        guard !unreadable.isEmpty else { return }
        for input in input.fields where input.buildsOnValue {
            if let field = type[input.name], unreadable.contains(field.id) { throw .operationDenied(input.name) }
        }
    }

    /// What is left of the operation for its caller, unless it names a field that the caller may not write.
    ///
    /// A field that the caller may not read either is answered as one that the type does not have, before its value is
    /// looked at.
    ///
    /// - Parameters:
    ///   - access: What the caller may not do; `nil` if nothing is held back.
    ///   - isOwn: Whether the caller has created the record, or creates it.
    /// - Returns: The operation without the removal of fields that do not exist for the caller; `nil` if it stays as it is.
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
            // Development makes unknown fields, and this one it cannot make.
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
    /// The fields that an operation names and its caller may not read in a record.
    func unread(_ resolved: ResolvedFields, in row: RecordRow) -> Set<Int> {
        let named = resolved.changes.lazy.map(\.fieldID)
        guard mayRead(row.facts) else { return Set(named) }
        let unreadable = unreadable(creator: row.creator)
        return unreadable.isEmpty ? [] : Set(named.filter { unreadable.contains($0) })
    }
}

extension RecordError {
    static func operationDenied(_ name: String) -> RecordError {
        RecordError(
            .accessDenied,
            "An operation builds on the value so far, and that of \(name) is not yours to read. Send a value instead",
            details: [("field", .text(name))])
    }

    static func fieldDenied(_ name: String) -> RecordError {
        RecordError(
            .accessDenied, "The field \(name) is not yours to write. Leave it out", details: [("field", .text(name))])
    }
}
