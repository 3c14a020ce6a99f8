package import RecordModel

/// A reader of bodies of CloudKit's protocol. Unknown keys are ignored, null is the same as an absent key, and a single
/// object may stand for a list of one. All errors are `BAD_REQUEST`.
struct CloudKitReader {
    /// The reader that the native routes use.
    var request: RequestReader

    init(_ request: RequestReader) {
        self.request = request
    }

    /// Creates a reader of a value that was scanned before.
    init(_ json: JSONReader, at token: JSONToken) throws(RecordError) {
        request = try RequestReader(json, at: token)
    }

    var json: JSONReader { request.json }

    mutating func value() throws(RecordError) -> JSONToken { try request.value() }

    /// Reads a whole body. An empty body is an empty object.
    ///
    /// - Parameter member: Reads the value of one key. It must read exactly one value.
    /// - Throws: `BAD_REQUEST`, and any error that `member` throws.
    static func readBody(
        _ body: [UInt8], _ member: (inout CloudKitReader, String) throws(RecordError) -> Void
    ) throws(RecordError) {
        guard !body.isEmpty else { return }
        try body.withUnsafeBufferPointer { buffer throws(RecordError) in
            var reader = CloudKitReader(try RequestReader(UnsafeRawBufferPointer(buffer)))
            try reader.object("The body", member)
            try reader.request.finish()
        }
    }

    /// Reads the object at the current position.
    mutating func object(
        _ what: StaticString, _ member: (inout CloudKitReader, String) throws(RecordError) -> Void
    ) throws(RecordError) {
        guard json.next == UInt8(ascii: "{") else { throw try unexpected("\(what) must be an object") }
        try request.enterObject(what)
        var keys = JSONKeySet()
        while let key = try request.nextKey(&keys) { try member(&self, json.string(key)) }
    }

    /// Reads a list of objects, or one object. Null is an empty list.
    ///
    /// - Parameters:
    ///   - limit: The most members.
    ///   - element: Reads one member.
    /// - Throws: `BAD_REQUEST`, with the cause `TOO_LARGE` for more members.
    mutating func objects(
        _ name: StaticString, limit: Int, _ element: (inout CloudKitReader) throws(RecordError) -> Void
    ) throws(RecordError) {
        if try null() { return }
        guard json.next == UInt8(ascii: "[") else { return try element(&self) }
        try request.enterList()
        var isFirst = true
        var count = 0
        while try request.nextElement(&isFirst) {
            guard count < limit else {
                throw .badRequest(
                    "'\(name)' has more than \(limit) members. Send the others with another request", cause: .tooLarge,
                    details: [("limit", .number(Int64(limit)))])
            }
            count += 1
            try element(&self)
        }
    }

    /// Reads a null. Returns false, and reads nothing, at any other value.
    mutating func null() throws(RecordError) -> Bool {
        guard json.next == UInt8(ascii: "n") else { return false }
        _ = try value()
        return true
    }

    /// Reads a string; `nil` for null.
    mutating func string(_ key: StaticString) throws(RecordError) -> String? {
        let token = try value()
        if token.kind == .null { return nil }
        guard token.isString else { throw .unexpectedInput("'\(key)' must be a string") }
        return json.string(token)
    }

    /// Reads a Boolean; `nil` for null.
    mutating func flag(_ key: StaticString) throws(RecordError) -> Bool? {
        switch try value().kind {
        case .trueWord: true
        case .falseWord: false
        case .null: nil
        default: throw .unexpectedInput("'\(key)' must be a Boolean")
        }
    }

    /// Reads a number of results; `nil` for null.
    mutating func limit() throws(RecordError) -> Int? {
        let token = try value()
        if token.kind == .null { return nil }
        guard let number = json.int64(token), number >= 1 else {
            throw .unexpectedInput("'resultsLimit' must be a number from 1 on")
        }
        return Int(clamping: number)
    }

    /// Reads a list of field names; `nil` for null. The names of unknown fields select nothing.
    mutating func fieldNames(_ key: StaticString = "desiredKeys") throws(RecordError) -> [String]? {
        if try null() { return nil }
        guard json.next == UInt8(ascii: "[") else { throw try unexpected("'\(key)' must be a list of strings") }
        var names: [String] = []
        var isFirst = true
        try request.enterList()
        while try request.nextElement(&isFirst) {
            let token = try value()
            guard token.isString else { throw .unexpectedInput("'\(key)' must be a list of strings") }
            // The limit bounds the work, because each record of the response looks up each name.
            guard names.count < Limits.fieldsPerType else {
                throw .badRequest(
                    "'\(key)' has more members than a record may have fields", cause: .tooLarge,
                    details: [("limit", .number(Int64(Limits.fieldsPerType)))])
            }
            names.append(json.string(token))
        }
        return names
    }

    /// Returns the error for an unexpected value at the current position.
    ///
    /// - Throws: The error of malformed JSON, which takes precedence.
    mutating func unexpected(_ problem: String) throws(RecordError) -> RecordError {
        _ = try value()
        return .unexpectedInput(problem)
    }
}

extension RecordError {
    /// CloudKit's error for JSON that it cannot decode.
    ///
    /// - Parameter detail: What is wrong, such as `'records' is an array of objects`; it follows CloudKit's words.
    package static func unexpectedInput(_ detail: String? = nil) -> RecordError {
        .badRequest(CloudKitReason.unexpectedInput + (detail.map { ": " + $0 } ?? ""))
    }
}
