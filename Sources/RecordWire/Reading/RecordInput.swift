package import RecordModel

/// A record as a request gives it, checked for syntax and shape. The schema is not asked yet.
package struct RecordInput: Sendable {
    package var recordName: RecordName?
    package var recordType: RecordTypeName?
    package var recordChangeTag: String?
    package var fields: [FieldInput]
    /// The value of `acl`, if the record has one.
    package var acl: JSONToken?
    /// The values of `created` and `modified`, unless they are absent or null.
    package var created: JSONToken?
    package var modified: JSONToken?
    /// The whole request body, into which the tokens point.
    package var body: [UInt8]

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

    package var hasACL: Bool { acl != nil }

    /// Reads the body of a write of one record: `{"fields":{…},"recordName"?,"recordType"?,"acl"?}`.
    ///
    /// - Parameter takesStamps: Whether `created` and `modified` may stand there.
    /// - Throws: `BAD_REQUEST`, with cause `READ_ONLY_KEY` for any other key.
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
    }

    /// Reads the record of a batch operation, where clients send back what earlier answers held: other keys are ignored,
    /// unless they look like one that is not.
    init(reading reader: inout RequestReader, body: [UInt8]) throws(RecordError) {
        self.init(body: body)
        try reader.enterObject("'record'")
        var keys = JSONKeySet()
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
                try reader.defaultZone()
            } else if try !readStamp(key, &reader) {
                try reader.passOver(key, meaning: Self.batchKeys)
            }
        }
    }

    /// Reads `created` or `modified`, if the key is one of them.
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
    /// Passes over the value of a key without meaning.
    ///
    /// - Throws: `BAD_REQUEST`, with cause `READ_ONLY_KEY`, for a slip of the pen: a record whose `Fields` were ignored
    ///   would be replaced by one without any.
    mutating func passOver(_ key: JSONToken, meaning known: [String]) throws(RecordError) {
        _ = try value()
        // What answers hold differs from these by more than case and a plural.
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

    /// Reads a `zoneID` that must mean the default zone.
    mutating func defaultZone() throws(RecordError) {
        let token = try value()
        guard ZoneReader.isDefault(token, of: json) else {
            throw RecordError(
                .zoneNotFound, "Only the default zone exists here", details: [("offset", .number(Int64(token.start)))])
        }
    }
}
