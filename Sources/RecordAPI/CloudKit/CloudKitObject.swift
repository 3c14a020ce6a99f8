internal import RecordModel
internal import RecordWire

/// A JSON object in a request of CloudKit Web Services, read leniently: `null` means the same as a missing key, one
/// value stands for an array of one, and unknown keys are ignored.
struct CloudKitObject: Sendable {
    /// The object as it was sent.
    let json: JSONObject

    /// Creates an object from JSON.
    init(_ json: JSONObject = JSONObject()) {
        self.json = json
    }

    /// Parses the object in a body. An empty body and `null` are an empty object.
    ///
    /// - Throws: BAD_REQUEST.
    init(parsing bytes: [UInt8]) throws(RecordError) {
        guard bytes.contains(where: { !Self.isSpace($0) }) else {
            json = JSONObject()
            return
        }
        let value: JSONValue
        do throws(JSONError) { value = try JSONValue.parse(bytes) } catch {
            throw .unexpectedInput(RecordError(error).reason)
        }
        if value.isNull {
            json = JSONObject()
        } else if let object = value.object {
            json = object
        } else {
            throw .unexpectedInput("the body is a JSON object")
        }
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    /// The value of a key; `nil` if the key is missing or its value is `null`.
    subscript(key: String) -> JSONValue? {
        guard let value = json[key], !value.isNull else { return nil }
        return value
    }

    /// Returns the text of a key; `nil` if the key is missing.
    ///
    /// - Throws: BAD_REQUEST for another kind of value.
    func string(_ key: String) throws(RecordError) -> String? {
        try value(key, "a string", \.string)
    }

    /// Returns the truth value of a key; `nil` if the key is missing.
    ///
    /// - Throws: BAD_REQUEST for another kind of value.
    func bool(_ key: String) throws(RecordError) -> Bool? {
        try value(key, "true or false", \.bool)
    }

    /// Returns the exact whole number of a key; `nil` if the key is missing.
    ///
    /// - Throws: BAD_REQUEST for another kind of value, or a number outside Int64.
    func integer(_ key: String) throws(RecordError) -> Int64? {
        try value(key, "a whole number", \.integer)
    }

    /// Returns the object of a key; `nil` if the key is missing.
    ///
    /// - Throws: BAD_REQUEST for another kind of value.
    func object(_ key: String) throws(RecordError) -> CloudKitObject? {
        try value(key, "an object", \.object).map(CloudKitObject.init)
    }

    /// Returns the values of a key: the members of an array, or a single value; `nil` if the key is missing.
    func values(_ key: String) -> [JSONValue]? {
        guard let value = self[key] else { return nil }
        return value.array ?? [value]
    }

    /// Returns the objects of a key: the members of an array, or a single object; `nil` if the key is missing.
    ///
    /// - Throws: BAD_REQUEST for a member of another kind.
    func objects(_ key: String) throws(RecordError) -> [CloudKitObject]? {
        try members(key, "an array of objects", \.object)?.map(CloudKitObject.init)
    }

    /// Returns the texts of a key: the members of an array, or a single text; `nil` if the key is missing.
    ///
    /// - Throws: BAD_REQUEST for a member of another kind.
    func strings(_ key: String) throws(RecordError) -> [String]? {
        try members(key, "an array of strings", \.string)
    }

    /// Returns the value of a key that the operation needs.
    ///
    /// - Throws: BAD_REQUEST if the key is missing.
    func required<Value>(_ key: String, _ value: Value?) throws(RecordError) -> Value {
        guard let value else { throw .unexpectedInput("'\(key)' is missing") }
        return value
    }

    private func value<Value>(
        _ key: String, _ kind: String, _ read: (JSONValue) -> Value?
    ) throws(RecordError) -> Value? {
        guard let value = self[key] else { return nil }
        guard let read = read(value) else { throw .unexpectedInput("'\(key)' is \(kind)") }
        return read
    }

    private func members<Value>(
        _ key: String, _ kind: String, _ read: (JSONValue) -> Value?
    ) throws(RecordError) -> [Value]? {
        guard let values = values(key) else { return nil }
        let members = values.compactMap(read)
        guard members.count == values.count else { throw .unexpectedInput("'\(key)' is \(kind)") }
        return members
    }
}
