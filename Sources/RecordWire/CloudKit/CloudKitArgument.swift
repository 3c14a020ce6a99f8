package import RecordModel

extension CloudKitReader {
    /// Reads the value of a filter: a field dictionary, `{"value":…,"type":…}`. The type is optional.
    ///
    /// - Throws: `BAD_REQUEST` with CloudKit's sentences.
    mutating func argument(_ key: StaticString) throws(RecordError) -> QueryArgument {
        if try null() { return .null }
        var content: JSONToken?
        var tag: JSONToken?
        try object(key) { reader, key throws(RecordError) in
            let token = try reader.value()
            switch key {
            case "value": content = token
            case "type": tag = token
            default: break
            }
        }
        guard let content else { return .null }
        return try CloudKitArgumentReader(json: json).argument(content, try CloudKitTag(tag, json)?.type)
    }
}

/// Converts scanned values to query arguments. All errors are `BAD_REQUEST`.
private struct CloudKitArgumentReader {
    let json: JSONReader

    func argument(_ token: JSONToken, _ tag: TypeTag?) throws(RecordError) -> QueryArgument {
        if token.kind == .null { return .null }
        switch tag {
        case .type(let type)? where type.isList: return try list(token, of: type.element)
        case .type(let type)?: return try scalar(token, as: type)
        case .anyList?: return try list(token, of: nil)
        case nil: return token.kind == .array ? try list(token, of: nil) : try bare(token)
        }
    }

    private func list(_ token: JSONToken, of element: FieldType?) throws(RecordError) -> QueryArgument {
        guard token.kind == .array else {
            guard let element else { throw .unexpectedInput() }
            throw .cloudKitMismatch(element.list)
        }
        var members: [QueryArgument] = []
        var list = try CloudKitReader(json, at: token)
        var isFirst = true
        try list.request.enterList()
        while try list.request.nextElement(&isFirst) {
            guard members.count < Limits.conditionListMembers else {
                throw .badRequest(
                    "A list of the query has too many members", cause: .tooLarge,
                    details: [("limit", .number(Int64(Limits.conditionListMembers)))])
            }
            let member = try list.value()
            let argument = if let element { try scalar(member, as: element) } else { try bare(member) }
            members.append(argument)
        }
        return .list(members)
    }

    /// Converts a value whose type only its JSON tells.
    private func bare(_ token: JSONToken) throws(RecordError) -> QueryArgument {
        switch token.kind {
        case .null: return .null
        case .trueWord: return .bool(true)
        case .falseWord: return .bool(false)
        case .string, .escapedString: return .string(json.string(token))
        case .integer, .fraction:
            if token.kind == .integer, let integer = json.int64(token) { return .integer(integer) }
            guard let double = json.double(token) else { throw .cloudKitMismatch(.double) }
            return .double(double)
        case .array: throw .unexpectedInput()
        case .object: break
        }
        var object = try CloudKitReader(json, at: token)
        var type: FieldType?
        try object.object("A value") { reader, key throws(RecordError) in
            _ = try reader.value()
            switch key {
            case "recordName": type = .reference
            case "latitude", "longitude": type = .location
            case "fileChecksum", "receipt": type = .asset
            default: break
            }
        }
        guard let type else { throw .unexpectedInput() }
        return try scalar(token, as: type)
    }

    private func scalar(_ token: JSONToken, as type: FieldType) throws(RecordError) -> QueryArgument {
        if token.kind == .null { return .null }
        if type == .reference { return .reference(try recordName(token)) }
        do throws(ValueMismatch) {
            switch try CanonicalValue.decode(token, of: json, as: type, unknownKeys: .ignored) {
            case .string(let text): return .string(text)
            case .int64(let integer): return .integer(integer)
            case .double(let double): return .double(double)
            case .timestamp(let milliseconds): return .timestamp(milliseconds)
            case .bytes: return .bytes
            case .asset: return .asset
            case .location(let location):
                guard let place = location.place else { throw ValueMismatch(token) }
                return .location(place)
            case .reference, .list: throw ValueMismatch(token)
            }
        } catch {
            throw .cloudKitMismatch(type)
        }
    }

    /// Returns the record name of a reference. A filter compares references by name, so action and zone are ignored.
    private func recordName(_ token: JSONToken) throws(RecordError) -> String {
        if token.isString { return json.string(token) }
        guard token.kind == .object else { throw .cloudKitMismatch(.reference) }
        var object = try CloudKitReader(json, at: token)
        var name: String?
        try object.object("A reference") { reader, key throws(RecordError) in
            if key == "recordName" {
                name = try reader.string("recordName")
            } else {
                _ = try reader.value()
            }
        }
        guard let name else { throw .cloudKitMismatch(.reference) }
        return name
    }
}

/// The `type` of a value in a request.
struct CloudKitTag {
    /// The type without encryption.
    let type: TypeTag
    /// Whether the tag is one of CloudKit's encrypted types.
    var isEncrypted = false

    /// Reads a tag. Besides CloudKit's tags, those of an old client are known: `BYTE`, `INT` and `DATETIME`.
    ///
    /// - Returns: `nil` for an absent or null tag.
    /// - Throws: `BAD_REQUEST` for an unknown tag.
    init?(_ token: JSONToken?, _ json: JSONReader) throws(RecordError) {
        guard let token, token.kind != .null else { return nil }
        guard token.isString else { throw .unexpectedInput("'type' must be a string") }
        if let type = FieldType(token, of: json) {
            self.type = .type(type)
            return
        }
        let word = json.string(token)
        if word.hasPrefix("ENCRYPTED_"), let type = FieldType(tag: String(word.dropFirst("ENCRYPTED_".count))) {
            self.type = .type(type)
            isEncrypted = true
            return
        }
        switch word {
        case "LIST": type = .anyList
        case "BYTE": type = .type(.bytes)
        case "INT": type = .type(.int64)
        case "DATETIME": type = .type(.timestamp)
        default: throw .unexpectedInput("'\(word.prefix(64))' is no type. \(FieldType.rule)")
        }
    }
}

extension RecordError {
    /// CloudKit's error for a value whose JSON is not that of its type.
    package static func cloudKitMismatch(_ type: FieldType) -> RecordError {
        .badRequest(
            CloudKitReason.invalidValue(expected: type.schemaName), cause: .typeMismatch,
            details: [("expected", .text(type.schemaName))])
    }
}
