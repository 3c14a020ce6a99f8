package import RecordModel
internal import Encodings
internal import RecordStorage
internal import RecordWire

extension RecordReader {
    /// Looks up a record and appends its JSON to the output.
    ///
    /// - Parameter fields: The fields to show; `nil` for all.
    /// - Returns: The record's version, for the ETag.
    /// - Throws: NOT_FOUND for a record that does not exist, has another type or may not be read by the caller;
    ///   AUTHENTICATION_REQUIRED for anonymous callers that may read no record of the type; INTERNAL_ERROR if the
    ///   stored form is damaged.
    package func lookUp(
        _ name: RecordName, type typeName: RecordTypeName, in address: DatabaseAddress, for caller: Caller,
        fields: [String]?, to output: inout [UInt8]
    ) throws(RecordError) -> RecordVersion {
        let (cursor, row, type, visibility) = try find(name, type: typeName, in: address, for: caller)
        defer { cursor.finish() }
        let showsAccess = try append(
            cursor.record, row.systemFields, type, VisibleFields(fields, of: type, visibility), to: &output)
        return RecordVersion(
            revision: row.revision, hidden: visibility.unreadable(creator: row.creator), showsAccess: showsAccess,
            renamed: type.renames?.sequence ?? 0)
    }

    /// Returns the content of a BYTES, ASSET or ASSET_LIST field.
    ///
    /// - Parameter index: The index of the list member; 0 for a field that is not a list.
    /// - Throws: The errors of `lookUp`; NOT_FOUND also for a missing field or list member; BAD_REQUEST with cause
    ///   TYPE_MISMATCH for a field of another type.
    package func content(
        of field: String, index: Int, in name: RecordName, type typeName: RecordTypeName, at address: DatabaseAddress,
        for caller: Caller
    ) throws(RecordError) -> FieldContent {
        let (cursor, row, type, visibility) = try find(name, type: typeName, in: address, for: caller)
        defer { cursor.finish() }
        let view = try StoredFieldsView(text: cursor.fields, layout: cursor.layout)
        let shown = VisibleFields([field], of: type, visibility).selection(creator: row.creator)
        guard let definition = type[field], case .only([definition.id]) = shown,
            let entry = view.entry(definition.id)
        else {
            throw RecordError(.notFound, "The record has no field with this name", details: [("field", .text(field))])
        }
        if definition.type.element == .asset {
            let assets: [FieldValue] =
                switch try CanonicalValue.decode(view.valueText(of: entry), as: entry.type) {
                case .list(_, let members): members
                case let single: [single]
                }
            guard index < assets.count, case .asset(let asset) = assets[index] else {
                throw RecordError(
                    .notFound, "The list has no member with this index", details: [("field", .text(field))])
            }
            return .asset(try self.assets.open(asset))
        }
        guard definition.type == .bytes, index == 0 else {
            throw .badRequest(
                "Only BYTES and ASSET fields have content of their own; read the record instead",
                cause: .typeMismatch,
                details: [("field", .text(field)), ("found", .text(definition.type.schemaName))])
        }
        var json: [UInt8] = []
        if entry.isExternal {
            try store.records.appendLargeValue(record: row.id, field: entry.fieldID, to: &json)
        } else {
            json.append(contentsOf: view.valueText(of: entry))
        }
        // A BYTES value is stored as canonical base64 text in quotes.
        let decoded = json.withUnsafeBytes {
            Base64.decode(UnsafeRawBufferPointer(rebasing: $0.dropFirst().dropLast()))
        }
        guard let decoded else {
            throw RecordError(.internalError, "The value is damaged. Ask the operator to run the doctor")
        }
        return .bytes(decoded, revision: row.revision)
    }

    /// Finds a record that the caller may read. The calling method must finish the returned cursor.
    private func find(
        _ name: RecordName, type typeName: RecordTypeName, in address: DatabaseAddress, for caller: Caller
    ) throws(RecordError) -> (RecordRowCursor, RecordRow, RecordTypeDefinition, Visibility) {
        guard let type = schema[typeName] else {
            try schema.rejectFormerName(typeName)
            throw .recordNotFound
        }
        // Check the type before the record is read. A caller that may read no record of the type must not learn which
        // names exist.
        let visibility = Visibility(of: type, for: caller, in: address.scope)
        if visibility.reads == .none {
            throw caller == .anonymous ? .rejected(caller, .read, .records(typeName)) : .recordNotFound
        }
        guard let zone = try zoneID(address) else { throw .recordNotFound }
        let found = try store.records.find(zone: zone, name: name.text)
        guard let cursor = found else { throw .recordNotFound }
        let row = cursor.row
        guard !row.isDeleted, row.type == type.id, visibility.mayRead(row.facts) else {
            cursor.finish()
            throw .recordNotFound
        }
        return (cursor, row, type, visibility)
    }
}
