import RecordModel
internal import UnicodeText

/// A reader of the parts that several kinds of requests share. The type wraps `JSONReader` and throws `RecordError` for
/// errors of syntax and form alike.
struct RequestReader {
    var json: JSONReader

    init(_ body: UnsafeRawBufferPointer) throws(RecordError) {
        json = JSONReader(body)
        do { try json.beginDocument() } catch { throw RecordError(error) }
    }

    mutating func finish() throws(RecordError) {
        do { try json.endDocument() } catch { throw RecordError(error) }
    }

    mutating func value() throws(RecordError) -> JSONToken {
        do { return try json.value() } catch { throw RecordError(error) }
    }

    /// Enters an object.
    ///
    /// - Throws: `BAD_REQUEST` for another value.
    mutating func enterObject(_ what: StaticString) throws(RecordError) {
        guard json.next == UInt8(ascii: "{") else { throw try unexpected("\(what) must be a JSON object") }
        do { try json.enter() } catch { throw RecordError(error) }
    }

    mutating func enterList() throws(RecordError) {
        do { try json.enter() } catch { throw RecordError(error) }
    }

    mutating func nextKey(_ keys: inout JSONKeySet) throws(RecordError) -> JSONToken? {
        do { return try json.nextKey(&keys) } catch { throw RecordError(error) }
    }

    mutating func nextElement(_ isFirst: inout Bool) throws(RecordError) -> Bool {
        do { return try json.nextElement(&isFirst) } catch { throw RecordError(error) }
    }

    /// Returns the error for an unexpected value at the current position.
    ///
    /// - Throws: `BAD_REQUEST` with the cause `MALFORMED_JSON` if the value is malformed JSON. This error takes
    ///   precedence.
    mutating func unexpected(_ reason: String) throws(RecordError) -> RecordError {
        let start = json.position
        _ = try value()
        return .badRequest(reason, details: [("offset", .number(Int64(start)))])
    }

    /// Reads a string. The result is `nil` for null.
    ///
    /// - Throws: `BAD_REQUEST` for another value.
    mutating func optionalString(_ key: StaticString) throws(RecordError) -> String? {
        let token = try value()
        if token.kind == .null { return nil }
        guard token.isString else {
            throw .badRequest("'\(key)' must be a string", details: [("offset", .number(Int64(token.start)))])
        }
        return json.string(token)
    }

    mutating func recordName() throws(RecordError) -> RecordName? {
        let start = json.position
        guard let text = try optionalString("recordName") else { return nil }
        guard let name = RecordName(text) else {
            throw .badRequest(
                "A record name has 1 to \(Limits.recordNameBytes) UTF-8 bytes and no control characters, and is neither . nor ..",
                details: [("offset", .number(Int64(start)))])
        }
        return name
    }

    mutating func recordTypeName() throws(RecordError) -> RecordTypeName? {
        let start = json.position
        guard let text = try optionalString("recordType") else { return nil }
        guard let name = RecordTypeName(text) else {
            throw .badRequest(
                "A record type's name \(Identifier.rule)", details: [("offset", .number(Int64(start)))])
        }
        return name
    }

    /// Reads the members of `fields`. A null value means no fields.
    ///
    /// - Throws: `BAD_REQUEST`; cause `TOO_LARGE` for more fields than a type may have.
    mutating func fields(_ dialect: FieldDialect = .native) throws(RecordError) -> [FieldInput] {
        if json.next == UInt8(ascii: "n") {
            _ = try value()
            return []
        }
        try enterObject("'fields'")
        var keys = JSONKeySet()
        var fields: [FieldInput] = []
        // The set is used from the first key that is not in NFC.
        var names: Set<String> = []
        while let key = try nextKey(&keys) {
            if fields.isEmpty { fields.reserveCapacity(8) }
            guard fields.count < Limits.fieldsPerType else {
                throw .badRequest(
                    "'fields' has more members than a record may have fields", cause: .tooLarge,
                    details: [("limit", .number(Int64(Limits.fieldsPerType))), ("offset", .number(Int64(key.start)))])
            }
            let text = json.string(key)
            if text.isNFC, names.isEmpty {
                fields.append(try field(named: text, at: key.start, dialect))
                continue
            }
            // The keys of the JSON object differ, but two of them may normalize to the same name.
            let name = text.nfc
            if names.isEmpty { names = Set(fields.map(\.name)) }
            guard names.insert(name).inserted else {
                throw .badRequest(
                    "Field '\(name.prefix(64))' is named twice, in different forms of Unicode", cause: .malformedJSON,
                    details: [("offset", .number(Int64(key.start)))])
            }
            fields.append(try field(named: name, at: key.start, dialect))
        }
        return fields
    }

    /// Reads one field. The current byte must be the first byte of the field's value.
    mutating func field(
        named name: String, at offset: Int, _ dialect: FieldDialect = .native
    ) throws(RecordError) -> FieldInput {
        if case .cloudKit(let isPublic) = dialect {
            var reader = CloudKitReader(self)
            defer { self = reader.request }
            return try reader.field(named: name, at: offset, isPublic: isPublic)
        }
        guard json.next == UInt8(ascii: "{") else {
            let token = try value()
            return FieldInput(name: name, form: token.kind == .null ? .remove : .value(token), tag: nil, offset: offset)
        }
        return try FieldForm(reading: &self, field: name).input(name: name, offset: offset, reader: self)
    }
}
