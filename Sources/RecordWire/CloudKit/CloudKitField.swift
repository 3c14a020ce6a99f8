import RecordModel

/// How a request writes the fields of a record.
enum FieldDialect {
    /// Bare values, `{"value":…}` and field operations.
    case native
    /// CloudKit's field dictionaries, in the public database or in another one.
    case cloudKit(isPublic: Bool)
}

extension CloudKitReader {
    /// Reads a field of CloudKit's protocol (CloudKit Web Services Reference, "Record Field Dictionary"): a field
    /// dictionary, or null. A dictionary without a value, and one with the value null, removes the field.
    ///
    /// - Throws: `BAD_REQUEST`, also for a field that the client wants encrypted: this server has no encrypted fields.
    mutating func field(
        named name: String, at offset: Int, isPublic: Bool
    ) throws(RecordError) -> FieldInput {
        if try null() { return FieldInput(name: name, form: .remove, tag: nil, offset: offset) }
        guard json.next == UInt8(ascii: "{") else {
            throw try unexpected(
                "field '\(name.prefix(Limits.identifierBytes))' must be an object with 'value'")
        }
        var content: JSONToken?
        var tag: JSONToken?
        var isEncrypted = false
        var stray: String?
        try object("A field") { reader, key throws(RecordError) in
            let token = try reader.value()
            switch key {
            case "value": content = token
            case "type": tag = token
            case "isEncrypted": isEncrypted = token.kind == .trueWord
            default: stray = stray ?? key
            }
        }
        let type = try CloudKitTag(tag, json)
        if isEncrypted || type?.isEncrypted == true {
            throw isPublic ? .encryptedInPublic : .encryptedInPlainField
        }
        guard let content, content.kind != .null else {
            // A misspelled 'value' must not remove the field.
            if content == nil, let stray {
                throw .unexpectedInput(
                    "field '\(name.prefix(Limits.identifierBytes))' has '\(stray.prefix(64))' and no 'value'")
            }
            return FieldInput(name: name, form: .remove, tag: nil, offset: offset)
        }
        return FieldInput(name: name, form: .value(content), tag: type?.type, offset: offset)
    }
}

extension RecordError {
    /// CloudKit's error for an encrypted value in the public database.
    static let encryptedInPublic = RecordError.badRequest(CloudKitReason.encryptedInPublic)

    /// CloudKit's error for an encrypted value in a field that is not encrypted.
    static let encryptedInPlainField = RecordError.badRequest(CloudKitReason.encryptedIntoPlain)
}
