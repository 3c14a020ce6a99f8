internal import RecordModel
internal import RecordWire

/// CloudKit's name for the calling user, `__defaultOwner__` (`CKCurrentUserDefaultName`), in the bodies of requests.
///
/// It is the user's record name as the value of `recordName` and `userRecordName`: of participants, in lookups of users
/// and of their records, and in references to them. Owners of zones are handled where zone IDs are read. Anywhere else it
/// is a text like others.
enum CloudKitCurrentUser {
    /// The name.
    static let name = "__defaultOwner__"

    private static let literal = Array("\"\(name)\"".utf8)
    private static let keys = [Array("\"recordName\"".utf8), Array("\"userRecordName\"".utf8)]
    /// How far the search moves, by the last byte under the literal (Horspool's algorithm).
    private static let steps: [Int] = {
        var steps = [Int](repeating: literal.count, count: 256)
        for (index, byte) in literal.dropLast().enumerated() { steps[Int(byte)] = literal.count - 1 - index }
        return steps
    }()

    /// Returns a body with the caller's record name in place of `name`.
    ///
    /// Most bodies do not contain the name. For those, the search looks at about each sixteenth byte.
    ///
    /// - Parameter caller: Returns the caller's record name. Called only if the body needs it.
    /// - Throws: The errors of `caller`.
    static func replaced(
        in body: [UInt8], by caller: () throws(RecordError) -> String
    ) throws(RecordError) -> [UInt8] {
        var (replaced, copied, from) = ([UInt8](), 0, 0)
        var own: [UInt8]?
        while let start = find(in: body, from: from) {
            from = start + literal.count
            guard isValueOfName(at: start, in: body) else { continue }
            if own == nil { own = Array("\"\(try caller())\"".utf8) }
            replaced += body[copied..<start]
            replaced += own ?? literal
            copied = from
        }
        return own == nil ? body : replaced + body[copied...]
    }

    /// Returns the start of the first literal at or after a position.
    private static func find(in body: [UInt8], from first: Int) -> Int? {
        body.withUnsafeBufferPointer { body in
            steps.withUnsafeBufferPointer { steps in
                literal.withUnsafeBufferPointer { literal in
                    var start = first
                    while start &+ literal.count <= body.count {
                        let last = body[start &+ literal.count &- 1]
                        if last == literal[literal.count &- 1],
                            literal.indices.allSatisfy({ body[start &+ $0] == literal[$0] })
                        {
                            return start
                        }
                        start &+= steps[Int(last)]
                    }
                    return nil
                }
            }
        }
    }

    /// Whether the string at a position is the value of one of the keys. In JSON, no other text has a colon and such a
    /// key before a quotation mark: inside of a string, the key's own quotation marks have backslashes.
    private static func isValueOfName(at start: Int, in body: [UInt8]) -> Bool {
        guard let colon = body[..<start].lastIndex(where: { !isSpace($0) }), body[colon] == UInt8(ascii: ":"),
            let end = body[..<colon].lastIndex(where: { !isSpace($0) })
        else { return false }
        return keys.contains { body[...end].suffix($0.count).elementsEqual($0) }
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
}

extension CloudKitCurrentUser {
    /// Returns a query with the caller's record name where a filter on a record's creator or modifier has `name` as a bare
    /// text, alone or in a list.
    ///
    /// - Parameters:
    ///   - query: The dictionary of a subscription's query. It is stored as it was sent.
    ///   - caller: Returns the caller's record name. Called only if a filter needs it.
    /// - Throws: The errors of `caller`.
    static func replaced(
        inQuery query: JSONValue, by caller: () throws(RecordError) -> String
    ) throws(RecordError) -> JSONValue {
        guard case .object(var object) = query else { return query }
        switch object["filterBy"] {
        case .array(var filters)?:
            for index in filters.indices { filters[index] = try replaced(inFilter: filters[index], by: caller) }
            object["filterBy"] = .array(filters)
        case let filter?: object["filterBy"] = try replaced(inFilter: filter, by: caller)
        case nil: break
        }
        return .object(object)
    }

    private static func replaced(
        inFilter filter: JSONValue, by caller: () throws(RecordError) -> String
    ) throws(RecordError) -> JSONValue {
        guard case .object(var object) = filter,
            let field = (object["systemFieldName"] ?? object["fieldName"])?.string, isUser(SystemField(field)),
            case .object(var value)? = object["fieldValue"]
        else { return filter }
        let placeholder = JSONValue.string(name)
        if value["value"] == placeholder {
            value["value"] = .string(try caller())
        } else if case .array(let members)? = value["value"], members.contains(placeholder) {
            let own = JSONValue.string(try caller())
            value["value"] = .array(members.map { $0 == placeholder ? own : $0 })
        }
        object["fieldValue"] = .object(value)
        return .object(object)
    }

    fileprivate static func isUser(_ field: SystemField?) -> Bool {
        field == .createdUserRecordName || field == .modifiedUserRecordName
    }
}

extension FilterSyntax {
    /// Replaces `__defaultOwner__` in a filter on a record's creator or modifier, whose value may be a bare text.
    ///
    /// - Parameter caller: Returns the caller's record name. Called only if the filter needs it.
    mutating func nameCurrentUser(_ caller: () throws(RecordError) -> String) throws(RecordError) {
        guard CloudKitCurrentUser.isUser(SystemField(fieldName)) else { return }
        let placeholder = QueryArgument.string(CloudKitCurrentUser.name)
        if value == placeholder {
            value = .string(try caller())
        } else if case .list(let members) = value, members.contains(placeholder) {
            let own = QueryArgument.string(try caller())
            value = .list(members.map { $0 == placeholder ? own : $0 })
        }
    }
}
