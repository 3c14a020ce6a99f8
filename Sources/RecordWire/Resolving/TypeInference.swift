import RecordModel

/// Infers the type of a field that the schema lacks. The source is a value or operation in a request.
enum TypeInference {
    /// Infers the type of a new field.
    ///
    /// - Returns: The type; `nil` if the input does not require the field to exist.
    /// - Throws: `BAD_REQUEST`, cause `TYPE_MISMATCH`, if the value does not determine a type.
    static func type(of input: FieldInput, reader: JSONReader) throws(RecordError) -> FieldType? {
        switch input.form {
        case .remove: return nil
        case .value(let token): return try type(of: token, input: input, reader: reader)
        case .operation(let kind, let operand):
            switch kind {
            // The type is that of the other field.
            case .remove, .copy: return nil
            case .serverTime: return try tagged(input) ?? .timestamp
            case .increment, .append, .appendUnique, .setIfAbsent:
                return try type(of: operand, input: input, reader: reader)
            }
        }
    }

    private static func tagged(_ input: FieldInput) throws(RecordError) -> FieldType? {
        if case .type(let type)? = input.tag { return type }
        return nil
    }

    private static func type(
        of token: JSONToken, input: FieldInput, reader: JSONReader
    ) throws(RecordError) -> FieldType {
        if let type = try tagged(input) { return type }
        if token.kind != .array {
            guard input.tag != .anyList else {
                throw ValueMismatch(token).error(field: input.name, expected: .stringList)
            }
            return try scalar(token, input: input, reader: reader)
        }
        var list = JSONReader(reader.bytes, at: token)
        var isFirst = true
        do {
            try list.enter()
            guard try list.nextElement(&isFirst) else { throw cannotTell(input, "is an empty list", token) }
            return try scalar(try list.value(), input: input, reader: reader).list
        } catch let error as RecordError {
            throw error
        } catch {
            throw cannotTell(input, "is no list", token)
        }
    }

    private static func scalar(
        _ token: JSONToken, input: FieldInput, reader: JSONReader
    ) throws(RecordError) -> FieldType {
        switch token.kind {
        case .string, .escapedString: return .string
        case .integer, .trueWord, .falseWord: return .int64
        case .fraction: return .double
        case .null: throw cannotTell(input, "has null in a list", token)
        case .array: throw cannotTell(input, "has a list in a list", token)
        case .object: break
        }
        var object = JSONReader(reader.bytes, at: token)
        var (latitude, longitude, recordName, fileChecksum) = (false, false, false, false)
        // Read the keys without building a tree, because the object may have megabytes.
        do {
            try object.enter()
            var keys = JSONKeySet()
            while let key = try object.nextKey(&keys) {
                latitude = latitude || object.string(key, is: "latitude")
                longitude = longitude || object.string(key, is: "longitude")
                recordName = recordName || object.string(key, is: "recordName")
                fileChecksum = fileChecksum || object.string(key, is: "fileChecksum")
                _ = try object.value()
            }
        } catch {
            throw cannotTell(input, "is no object", token)
        }
        if latitude, longitude { return .location }
        if recordName { return .reference }
        if fileChecksum { return .asset }
        throw .badRequest(
            "Field '\(input.name)' is new, and no type holds such an object: send text, or a field for each member. "
                + FieldOperationKind.objectRule,
            cause: .typeMismatch, details: [("field", .text(input.name)), ("offset", .number(Int64(token.start)))])
    }

    private static func cannotTell(_ input: FieldInput, _ problem: String, _ token: JSONToken) -> RecordError {
        .badRequest(
            "Field '\(input.name)' is new and \(problem); give its value a type, as in "
                + "{\"value\":…,\"type\":\"STRING_LIST\"}",
            cause: .typeMismatch, details: [("field", .text(input.name)), ("offset", .number(Int64(token.start)))])
    }
}
