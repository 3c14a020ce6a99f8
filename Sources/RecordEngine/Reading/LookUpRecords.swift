package import RecordModel
internal import Encodings
internal import RecordStorage
internal import RecordWire

extension RecordReader {
    /// Looks up one record and appends its dictionary.
    ///
    /// - Parameter fields: The fields to show; `nil` for all.
    /// - Returns: What the ETag stands for.
    /// - Throws: NOT_FOUND for a record that is not there, of another type, or not the caller's to read;
    ///   AUTHENTICATION_REQUIRED for anonymous callers who may read none of the type.
    package func lookUp(
        _ name: RecordName, type typeName: RecordTypeName, in address: DatabaseAddress, for caller: Caller,
        fields: [String]?, to output: inout [UInt8]
    ) throws(RecordError) -> RecordVersion {
        let (cursor, row, type, visibility) = try find(name, type: typeName, in: address, for: caller)
        defer { cursor.finish() }
        let showsAccess = try append(
            cursor.record, row.systemFields, type, ShownFields(fields, of: type, visibility), to: &output)
        return RecordVersion(
            revision: row.revision, hidden: visibility.unreadable(creator: row.creator), showsAccess: showsAccess)
    }

    /// The content of a BYTES, ASSET or ASSET_LIST field.
    ///
    /// - Parameter index: Which member of a list.
    /// - Throws: As `lookUp`; NOT_FOUND also for a field or member that the record does not have, BAD_REQUEST for a field
    ///   without content of its own.
    package func content(
        of field: String, index: Int, in name: RecordName, type typeName: RecordTypeName, at address: DatabaseAddress,
        for caller: Caller
    ) throws(RecordError) -> FieldContent {
        let (cursor, row, type, visibility) = try find(name, type: typeName, in: address, for: caller)
        defer { cursor.finish() }
        let view = try StoredFieldsView(text: cursor.fields, layout: cursor.layout)
        let shown = ShownFields([field], of: type, visibility).selection(creator: row.creator)
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
        // The stored text of a BYTES value is canonical base64 in quotes.
        let decoded = json.withUnsafeBytes {
            Base64.decode(UnsafeRawBufferPointer(rebasing: $0.dropFirst().dropLast()))
        }
        guard let decoded else {
            throw RecordError(.internalError, "The value is damaged. Ask the operator to run the doctor")
        }
        return .bytes(decoded, revision: row.revision)
    }

    /// Finds a record that the caller may read. The caller of this method finishes the cursor.
    private func find(
        _ name: RecordName, type typeName: RecordTypeName, in address: DatabaseAddress, for caller: Caller
    ) throws(RecordError) -> (RecordRowCursor, RecordRow, RecordTypeDefinition, Visibility) {
        guard let type = schema[typeName] else { throw .recordNotFound }
        // Before the record is looked at: who may read none of a type learns nothing about its names.
        let visibility = Visibility(of: type, for: caller, in: address.scope)
        if visibility.reads == .none {
            throw caller == .anonymous ? .refused(caller, .read, .records(typeName)) : .recordNotFound
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
