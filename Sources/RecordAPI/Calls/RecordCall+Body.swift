internal import HTTP
internal import RecordEngine
internal import RecordModel
internal import RecordWire

/// Reads the body of a request in the forms that most routes need.
extension RecordCall {
    /// What a body contains.
    enum BodyForm {
        case json
        /// A text of the schema language. The caller has checked the media type.
        case schemaText
    }

    /// Returns the whole body, whose media type must be JSON.
    ///
    /// The caller is authorized before the body is read, so that a caller without permission cannot send a large body.
    /// If reading suspends, the caller is authorized again, because its token may have been revoked in the meantime.
    ///
    /// - Parameter limit: The maximum size in bytes, if the route needs less than the general limit.
    /// - Throws: BAD_REQUEST for another media type, `HTTPBodyError`, or the errors of `reauthorize`.
    mutating func body(upTo limit: Int = .max, of form: BodyForm = .json) async throws -> [UInt8] {
        let limit = min(limit, database.limits.bodyBytes)
        if form == .json { try requireJSONBody(request.fields) }
        switch request.body {
        case .empty: return []
        case .bytes(let bytes):
            guard bytes.count <= limit else { throw HTTPBodyError.tooLarge(limit: limit) }
            return bytes
        case .stream:
            let bytes = try await request.body.collect(upTo: limit)
            try reauthorize()
            return bytes
        }
    }

    /// Returns the value that `read` parses from the whole body, such as a schema. A long body is parsed on another
    /// thread. The caller is then authorized again, as in `body`.
    ///
    /// - Parameter limit: The maximum size in bytes, if the route needs less than the general limit.
    /// - Throws: The errors of `body` and of `read`.
    mutating func document<Value: Sendable>(
        upTo limit: Int = .max, of form: BodyForm = .json,
        _ read: @escaping @Sendable ([UInt8]) throws(RecordError) -> Value
    ) async throws -> Value {
        let bytes = try await body(upTo: limit, of: form)
        guard bytes.count >= BodyParserThread.minimumBytes else { return try read(bytes) }
        return try await readElsewhere(bytes.count) { () throws(RecordError) in try read(bytes) }
    }

    /// Parses a long body on the thread for the bodies of writes, then authorizes the caller again.
    ///
    /// - Parameter bytes: The length of the body in bytes.
    /// - Throws: The errors of `read` and of `reauthorize`.
    mutating func readElsewhere<Value: Sendable>(
        _ bytes: Int, _ read: @escaping @Sendable () throws(RecordError) -> Value
    ) async throws -> Value {
        let value = try await database.inputs.run(bytes: bytes, read)
        try reauthorize()
        return value
    }

    /// Parses the long body of a query in the pool of long queries, whose queue limit applies.
    ///
    /// - Parameter limit: The maximum size of the body in bytes.
    /// - Throws: The errors of `body`, of the pool and of `read`.
    mutating func readersDocument<Value: Sendable>(
        upTo limit: Int, _ read: @escaping @Sendable ([UInt8]) throws(RecordError) -> Value
    ) async throws -> Value {
        let bytes = try await body(upTo: limit)
        guard bytes.count >= BodyParserThread.minimumBytes else { return try read(bytes) }
        let value = try await reader.onPool(for: PoolUser(caller, network)) { () throws(RecordError) in try read(bytes)
        }
        try reauthorize()
        return value
    }

    /// Authorizes the caller again after a suspension, with a new snapshot. The token or the permission that the route
    /// requires may have been revoked.
    ///
    /// - Throws: The errors of authentication and of `requireRight`.
    mutating func reauthorize() throws {
        try reader.refresh()
        caller = try query.caller(of: try Bearer.authenticate(request.fields, with: reader), reader)
        rightsVersion = reader.rightsVersion
        try requireRight()
    }

    /// Returns the object in the body. The object may have only the given keys.
    ///
    /// - Parameter isOptional: Whether an empty body counts as an empty object.
    /// - Throws: The errors of `document`; BAD_REQUEST for a value that is not an object or for an unknown key.
    mutating func object(
        keys: [String], upTo limit: Int = .max, isOptional: Bool = false
    ) async throws -> JSONObject {
        try await object(keys: keys, upTo: limit, isOptional: isOptional) { object in object }
    }

    /// Returns the value that `read` makes of the object in the body. The object may have only the given keys. A long
    /// body is parsed on another thread.
    ///
    /// - Throws: The errors of `document` and of `read`; BAD_REQUEST for a value that is not an object or for an
    ///   unknown key.
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

    /// Returns the object in the body of a route that anyone may use. The body is limited to 16 KiB, because its parsed
    /// form needs many times as much memory.
    ///
    /// - Parameter isOptional: Whether an empty body counts as an empty object.
    /// - Throws: The errors of `object`.
    mutating func smallObject(keys: [String], isOptional: Bool = false) async throws -> JSONObject {
        try await object(keys: keys, upTo: 16_384, isOptional: isOptional)
    }
}
