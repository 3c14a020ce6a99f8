package import RecordModel

extension QueryInput {
    /// Parses the JSON value of one `arg` parameter. Scalars and lists may be bare, or may have a type as in the fields
    /// of a record, such as `{"value":1767225600000,"type":"TIMESTAMP"}`. An object with `recordName` is a reference.
    ///
    /// - Throws: `BAD_REQUEST`, without the position of the argument; cause `TOO_LARGE` for too many list members.
    package static func argument(_ json: String) throws(RecordError) -> QueryArgument {
        let bytes = Array(json.utf8)
        return try bytes.withUnsafeBufferPointer { buffer throws(RecordError) -> QueryArgument in
            var reader = try RequestReader(UnsafeRawBufferPointer(buffer))
            let argument = try reader.queryArgument()
            try reader.finish()
            return argument
        }
    }

    /// Parses the values of all `arg` parameters, in order.
    ///
    /// - Throws: `BAD_REQUEST` with the position from 0 in `details.argument`; cause `TOO_LARGE` for too many
    ///   arguments.
    package static func arguments(_ texts: [String]) throws(RecordError) -> [QueryArgument] {
        guard texts.count <= Limits.queryArguments else { throw tooManyArguments }
        var arguments: [QueryArgument] = []
        for (index, text) in texts.enumerated() {
            do throws(RecordError) {
                arguments.append(try argument(text))
            } catch {
                var rejection = error.naming(argument: .number(Int64(index)))
                if error.cause == .malformedJSON { rejection.reason = noJSON(text, at: index) }
                throw rejection
            }
        }
        return arguments
    }

    /// Returns the message for an argument that is not JSON. The usual cause is a text without quotes.
    private static func noJSON(_ text: String, at index: Int) -> String {
        let rule = "Argument \(index) is no JSON value; texts stand in quotes"
        let isPlain = text.utf8.count <= 64 && !text.isEmpty && !text.contains { "\"\\{}[]".contains($0) }
        return isPlain ? rule + ": arg=\"\(text)\"" : rule
    }

    static let tooManyArguments = RecordError.badRequest(
        "The query has too many arguments", cause: .tooLarge,
        details: [("limit", .number(Int64(Limits.queryArguments)))])
}

extension RecordError {
    /// Returns the error with the argument in its details.
    func naming(argument: Detail) -> RecordError {
        var error = self
        error.details.insert(("argument", argument), at: 0)
        return error
    }
}

extension RequestReader {
    /// Reads an argument. The current byte must be the argument's first byte.
    ///
    /// - Throws: `BAD_REQUEST`.
    mutating func queryArgument() throws(RecordError) -> QueryArgument {
        let token = try value()
        return try QueryArgumentReader(json: json).argument(token)
    }
}

/// Converts scanned values to query arguments. All errors are `BAD_REQUEST`.
private struct QueryArgumentReader {
    let json: JSONReader

    func argument(_ token: JSONToken) throws(RecordError) -> QueryArgument {
        token.kind == .array ? .list(try members(of: token)) : try scalar(token)
    }

    /// Converts the members of a list. If `element` is given, each member must have that type.
    private func members(of token: JSONToken, as element: FieldType? = nil) throws(RecordError) -> [QueryArgument] {
        var members: [QueryArgument] = []
        var list = try RequestReader(json, at: token)
        var isFirst = true
        var areLocations = true
        try list.enterList()
        while try list.nextElement(&isFirst) {
            let member = try list.value()
            if let element {
                members.append(try decoded(member, as: element))
            } else {
                members.append(try scalar(member))
            }
            areLocations = areLocations && members[members.count - 1].isLocation
            try checkCount(members.count, areLocations, token)
        }
        return members
    }

    /// - Parameter areLocations: Whether all members are locations: the corners of a polygon.
    private func checkCount(_ count: Int, _ areLocations: Bool, _ token: JSONToken) throws(RecordError) {
        let limit = areLocations ? Limits.conditionCorners : Limits.conditionListMembers
        guard count <= limit else {
            throw .badRequest(
                "A list of the condition has too many members", cause: .tooLarge,
                details: [
                    ("limit", .number(Int64(limit))), ("offset", .number(Int64(token.start))),
                ])
        }
    }

    private func scalar(_ token: JSONToken) throws(RecordError) -> QueryArgument {
        switch token.kind {
        case .null: return .null
        case .trueWord: return .bool(true)
        case .falseWord: return .bool(false)
        case .string, .escapedString: return .string(json.string(token))
        case .integer, .fraction:
            if token.kind == .integer, let integer = json.int64(token) { return .integer(integer) }
            guard let double = json.double(token) else {
                throw Self.rejection("A number is outside the range of DOUBLE", token)
            }
            return .double(double)
        case .object: return try object(token)
        case .array: throw Self.rejection("A list cannot hold a list", token)
        }
    }

    /// Converts a typed value, or a value whose JSON is an object.
    private func object(_ token: JSONToken) throws(RecordError) -> QueryArgument {
        var object = try RequestReader(json, at: token)
        var keys = JSONKeySet()
        var (content, tag, stray): (JSONToken?, JSONToken?, JSONToken?)
        var bare: FieldType?
        try object.enterObject("An argument")
        while let key = try object.nextKey(&keys) {
            let value = try object.value()
            if json.string(key, is: "value") {
                content = value
            } else if json.string(key, is: "type") {
                tag = value
            } else {
                stray = stray ?? key
                if json.string(key, is: "recordName") {
                    bare = .reference
                } else if json.string(key, is: "latitude") || json.string(key, is: "longitude") {
                    bare = .location
                } else if json.string(key, is: "fileChecksum") {
                    bare = .asset
                }
            }
        }
        if let content {
            if let stray { throw Self.rejection("A typed value has the keys 'value' and 'type' alone", stray) }
            return try typed(content, tag)
        }
        guard let bare else {
            throw Self.rejection(
                "An object is a typed value, with 'value' and 'type', or a reference, with 'recordName'", token)
        }
        return try decoded(token, as: bare)
    }

    private func typed(_ content: JSONToken, _ tag: JSONToken?) throws(RecordError) -> QueryArgument {
        guard let tag, tag.kind != .null else { return try bareContent(content) }
        if tag.isString, json.string(tag, is: "LIST") { return try list(content, of: nil) }
        guard tag.isString, let type = FieldType(tag, of: json) else {
            throw Self.rejection("A type is unknown; use STRING, INT64, DOUBLE, TIMESTAMP, REFERENCE or a list", tag)
        }
        if content.kind == .null { return .null }
        return type.isList ? try list(content, of: type.element) : try decoded(content, as: type)
    }

    /// Converts the content of a typed value without a type. The content must not be a typed value itself.
    private func bareContent(_ token: JSONToken) throws(RecordError) -> QueryArgument {
        guard token.kind == .object else { return try argument(token) }
        var inner = JSONReader(json.bytes, at: token)
        guard let value = try? JSONValue.read(&inner), value["value"] == nil else {
            throw Self.rejection("A typed value cannot hold another", token)
        }
        return try object(token)
    }

    private func list(_ token: JSONToken, of element: FieldType?) throws(RecordError) -> QueryArgument {
        if token.kind == .null { return .null }
        guard token.kind == .array else {
            throw ValueMismatch(token).error(field: nil, expected: (element ?? .string).list)
        }
        return .list(try members(of: token, as: element))
    }

    private func decoded(_ token: JSONToken, as type: FieldType) throws(RecordError) -> QueryArgument {
        // A reference may be given as its record name alone, as in a bare argument.
        if type == .reference, token.isString { return .reference(json.string(token)) }
        do throws(ValueMismatch) {
            // A comparison accepts a date without a time of day.
            if type == .timestamp, token.isString { return .timestamp(try moment(token)) }
            switch try CanonicalValue.decode(token, of: json, as: type) {
            case .string(let text): return .string(text)
            case .int64(let integer): return .integer(integer)
            case .double(let double): return .double(double)
            case .timestamp(let milliseconds): return .timestamp(milliseconds)
            case .reference(let reference): return .reference(reference.recordName.text)
            case .bytes: return .bytes
            case .asset: return .asset
            case .location(let location):
                guard let place = location.place else { throw ValueMismatch(token) }
                return .location(place)
            case .list: throw ValueMismatch(token)
            }
        } catch {
            throw error.error(field: nil, expected: type)
        }
    }

    private func moment(_ token: JSONToken) throws(ValueMismatch) -> Int64 {
        do throws(Timestamp.Problem) {
            return try Timestamp.read(json.string(token), takesDates: true)
        } catch {
            throw ValueMismatch(error, at: token.start)
        }
    }

    private static func rejection(_ reason: String, _ token: JSONToken) -> RecordError {
        .badRequest(reason, details: [("offset", .number(Int64(token.start)))])
    }
}
