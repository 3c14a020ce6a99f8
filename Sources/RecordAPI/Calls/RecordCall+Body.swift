internal import HTTP
internal import RecordEngine
internal import RecordModel
internal import RecordWire

/// The body of a request, as most routes read it.
extension RecordCall {
    /// The whole body, which is JSON.
    ///
    /// The caller was judged before, so that a stranger's body never crosses the network, and is judged again behind a
    /// body that took its time: the token may have been revoked meanwhile.
    ///
    /// - Parameter limit: The most bytes, where the route can do with less than any body may have.
    mutating func body(upTo limit: Int = .max) async throws -> [UInt8] {
        let limit = min(limit, database.limits.bodyBytes)
        try requireJSONBody(request.fields)
        switch request.body {
        case .empty: return []
        case .bytes(let bytes):
            guard bytes.count <= limit else { throw HTTPBodyError.tooLarge(limit: limit) }
            return bytes
        case .stream:
            let bytes = try await request.body.collect(upTo: limit)
            try judgeAgain()
            return bytes
        }
    }

    /// What the whole body says, such as a schema: a long one is read on another thread, and its caller judged again behind
    /// that, as in `body`.
    ///
    /// - Parameter limit: The most bytes, where the route can do with less than any body may have.
    mutating func document<Value: Sendable>(
        upTo limit: Int = .max, _ read: @escaping @Sendable ([UInt8]) throws(RecordError) -> Value
    ) async throws -> Value {
        let bytes = try await body(upTo: limit)
        guard bytes.count >= InputWorker.minimumBytes else { return try read(bytes) }
        return try await readElsewhere(bytes.count) { () throws(RecordError) in try read(bytes) }
    }

    /// Reads a long body on the thread for those of writes, and judges the caller again behind that.
    ///
    /// - Parameter bytes: How long it is.
    mutating func readElsewhere<Value: Sendable>(
        _ bytes: Int, _ read: @escaping @Sendable () throws(RecordError) -> Value
    ) async throws -> Value {
        let value = try await database.inputs.run(bytes: bytes, read)
        try judgeAgain()
        return value
    }

    /// Reads the long body of a query among long queries, of which no more may wait than of these.
    ///
    /// - Parameter limit: The most bytes.
    mutating func readersDocument<Value: Sendable>(
        upTo limit: Int, _ read: @escaping @Sendable ([UInt8]) throws(RecordError) -> Value
    ) async throws -> Value {
        let bytes = try await body(upTo: limit)
        guard bytes.count >= InputWorker.minimumBytes else { return try read(bytes) }
        let value = try await reader.onPool { () throws(RecordError) in try read(bytes) }
        try judgeAgain()
        return value
    }

    /// After a suspension the view is a new one, and the token, or the right that the route demands, may have been
    /// revoked.
    mutating func judgeAgain() throws {
        try reader.refresh()
        caller = try Bearer.authenticate(request.fields, with: reader)
        rightsVersion = reader.rightsVersion
        try requireRight()
    }

    /// A body that is an object with no keys but these.
    ///
    /// - Parameter isOptional: An empty body stands for an empty object.
    mutating func object(
        keys: [String], upTo limit: Int = .max, isOptional: Bool = false
    ) async throws -> JSONObject {
        try await object(keys: keys, upTo: limit, isOptional: isOptional) { object in object }
    }

    /// What `read` makes of a body that is an object with no keys but these; of a long one on another thread.
    mutating func object<Value: Sendable>(
        keys: [String], upTo limit: Int = .max, isOptional: Bool = false,
        _ read: @escaping @Sendable (JSONObject) throws(RecordError) -> Value
    ) async throws -> Value {
        try await document(upTo: limit) { bytes throws(RecordError) in
            if isOptional, bytes.isEmpty { return try read(JSONObject()) }
            let value: JSONValue
            do throws(JSONError) { value = try JSONValue.parse(bytes) } catch { throw RecordError(error) }
            guard let object = value.object else { throw RecordError.badRequest("The body must be a JSON object") }
            if let unknown = object.keys.first(where: { !keys.contains($0) }) {
                throw RecordError.badRequest(
                    "Unknown key '\(unknown.prefix(64))'. This route takes \(keys.joined(separator: ", "))",
                    details: [("key", .text(String(unknown.prefix(64))))])
            }
            return try read(object)
        }
    }

    /// The body of a route that anyone may send something to: it is read into a tree many times its size, so it has far
    /// less room than other bodies.
    ///
    /// - Parameter isOptional: An empty body stands for an empty object.
    mutating func smallObject(keys: [String], isOptional: Bool = false) async throws -> JSONObject {
        try await object(keys: keys, upTo: 16_384, isOptional: isOptional)
    }
}
