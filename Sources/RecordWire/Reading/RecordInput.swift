package import RecordModel

/// A record in a request, before the check against the schema. Syntax and form are already checked.
package struct RecordInput: Sendable {
    /// The record name; `nil` if the request contains none.
    package var recordName: RecordName?
    /// The record type; `nil` if the request contains none.
    package var recordType: RecordTypeName?
    /// The change tag; `nil` if the request contains none.
    package var recordChangeTag: String?
    /// The zone of the record; `nil` for the zone that the request addresses.
    package var zone: ZoneName?
    /// The fields, in the order of the request.
    package var fields: [FieldInput]
    /// The value of `acl`; `nil` if the record has none.
    package var acl: JSONToken?
    /// The value of `created`; `nil` if the key is absent or its value is null.
    package var created: JSONToken?
    /// The value of `modified`; `nil` if the key is absent or its value is null.
    package var modified: JSONToken?
    /// The parent of the record, and the members of share records; `nil` if the record has none of these keys.
    package var sharing: SharingInput?
    /// The request body, which the tokens refer to.
    package var body: [UInt8]
    /// Whether unknown keys in references, assets and locations are ignored instead of rejected.
    package var ignoresUnknownKeys = false

    /// Creates an input from its parts; tests and forms use it.
    package init(
        recordName: RecordName? = nil, recordType: RecordTypeName? = nil, recordChangeTag: String? = nil,
        fields: [FieldInput] = [], acl: JSONToken? = nil, body: [UInt8] = []
    ) {
        self.recordName = recordName
        self.recordType = recordType
        self.recordChangeTag = recordChangeTag
        self.fields = fields
        self.acl = acl
        self.body = body
    }

    /// Returns the name of the field that a field copies; `nil` if it copies none.
    package func source(of field: FieldInput) -> String? {
        guard case .operation(.copy, let operand) = field.form else { return nil }
        return body.withUnsafeBytes { JSONReader($0).string(operand) }
    }

    /// Whether the request contains `acl`.
    package var hasACL: Bool { acl != nil }

    /// Reads the body of a write of one record: `{"fields":{…},"recordName"?,"recordType"?,"acl"?}`.
    ///
    /// - Parameter takesStamps: Whether `created` and `modified` are allowed.
    /// - Throws: `BAD_REQUEST`; cause `READ_ONLY_KEY` for any other key.
    package static func readSingle(_ body: [UInt8], takesStamps: Bool = false) throws(RecordError) -> RecordInput {
        var record = RecordInput(body: body)
        try body.withUnsafeBufferPointer { buffer throws(RecordError) in
            var reader = try RequestReader(UnsafeRawBufferPointer(buffer))
            try record.readSingle(&reader, takesStamps: takesStamps)
            try reader.finish()
        }
        return record
    }

    private mutating func readSingle(_ reader: inout RequestReader, takesStamps: Bool) throws(RecordError) {
        try reader.enterObject("The body")
        var keys = JSONKeySet()
        var members = SharingMembers()
        while let key = try reader.nextKey(&keys) {
            if reader.json.string(key, is: "fields") {
                fields = try reader.fields()
            } else if reader.json.string(key, is: "recordName") {
                recordName = try reader.recordName()
            } else if reader.json.string(key, is: "recordType") {
                recordType = try reader.recordTypeName()
            } else if reader.json.string(key, is: "acl") {
                acl = try reader.value()
            } else if takesStamps, try readStamp(key, &reader) {
                continue
            } else if try members.read(key, &reader) {
                continue
            } else {
                _ = try reader.value()
                let name = String(reader.json.string(key).prefix(64))
                let advice =
                    name == "created" || name == "modified"
                    ? "an import keeps it with preserve=\(name), by an administrator's right"
                    : "values belong into 'fields'"
                throw .badRequest(
                    "Key '\(name)' cannot be written; \(advice)", cause: .readOnlyKey,
                    details: [("key", .text(name)), ("offset", .number(Int64(key.start)))])
            }
        }
        sharing = try members.input()
    }

    /// Reads a record that a server has written: a line of an export. Unknown keys are ignored as in a batch.
    ///
    /// - Throws: `BAD_REQUEST`.
    package static func readExported(_ body: [UInt8]) throws(RecordError) -> RecordInput {
        try body.withUnsafeBufferPointer { buffer throws(RecordError) in
            var reader = try RequestReader(UnsafeRawBufferPointer(buffer))
            let record = try RecordInput(reading: &reader, body: body)
            try reader.finish()
            return record
        }
    }

    /// Reads the record of a batch operation. Clients often send a record as they received it, so unknown keys are
    /// ignored, except misspellings of known keys.
    ///
    /// - Throws: `BAD_REQUEST`; cause `READ_ONLY_KEY` for a misspelled key.
    init(reading reader: inout RequestReader, body: [UInt8]) throws(RecordError) {
        self.init(body: body)
        try reader.enterObject("'record'")
        var keys = JSONKeySet()
        var members = SharingMembers()
        while let key = try reader.nextKey(&keys) {
            if reader.json.string(key, is: "fields") {
                fields = try reader.fields()
            } else if reader.json.string(key, is: "recordName") {
                recordName = try reader.recordName()
            } else if reader.json.string(key, is: "recordType") {
                recordType = try reader.recordTypeName()
            } else if reader.json.string(key, is: "recordChangeTag") {
                recordChangeTag = try reader.optionalString("recordChangeTag")
            } else if reader.json.string(key, is: "acl") {
                acl = try reader.value()
            } else if reader.json.string(key, is: "zoneID") {
                zone = try reader.zone()
            } else if try !readStamp(key, &reader), try !members.read(key, &reader) {
                try reader.skipUnknown(key, meaning: Self.batchKeys)
            }
        }
        sharing = try members.input()
    }

    /// Reads `created` or `modified`. Returns false for any other key.
    private mutating func readStamp(_ key: JSONToken, _ reader: inout RequestReader) throws(RecordError) -> Bool {
        let isCreated = reader.json.string(key, is: "created")
        guard isCreated || reader.json.string(key, is: "modified") else { return false }
        let token = try reader.value()
        if token.kind == .null { return true }
        if isCreated { created = token } else { modified = token }
        return true
    }

    private static let batchKeys = ["fields", "recordName", "recordType", "recordChangeTag", "acl", "zoneID"]
}

extension RequestReader {
    /// Skips the value of an unknown key.
    ///
    /// - Throws: `BAD_REQUEST` with the cause `READ_ONLY_KEY` if the key looks like a misspelling of a known key. If,
    ///   for example, `Fields` were ignored, the record would be replaced by one without fields.
    mutating func skipUnknown(_ key: JSONToken, meaning known: [String]) throws(RecordError) {
        _ = try value()
        // Keys of responses differ from the known keys by more than case and a plural s.
        guard key.end - key.start <= 32 else { return }
        let name = json.string(key)
        let word = name.lowercased()
        guard let meant = known.first(where: { $0.lowercased() == word || $0.lowercased() == word + "s" }) else {
            return
        }
        throw .badRequest(
            "Key '\(name)' has no meaning here. Write '\(meant)'", cause: .readOnlyKey,
            details: [("key", .text(name)), ("offset", .number(Int64(key.start)))])
    }

    /// Reads a `zoneID`.
    ///
    /// - Returns: The zone that it names; `nil` for null and for an object without a name.
    /// - Throws: `BAD_REQUEST` for anything else, and for an invalid name.
    mutating func zone() throws(RecordError) -> ZoneName? {
        let token = try value()
        guard let zone = ZoneReader.read(token, of: json) else {
            throw .badRequest(
                "'zoneID' is an object with the 'zoneName' of a zone",
                details: [("offset", .number(Int64(token.start)))]
            )
        }
        return zone
    }
}
