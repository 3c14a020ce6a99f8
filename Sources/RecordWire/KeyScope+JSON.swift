package import RecordModel

/// The scope of an API key as JSON: `{"types":["Post"],"actions":["read","write"],"rights":["changeSchema"]}`.
///
/// Without `types` the scope covers all types, including future ones. `"readOnly":true` is short for
/// `"actions":["read"]`.
extension KeyScope {
    /// The operations that no API key may perform. A key could use them to obtain permissions beyond its scope.
    package static let withheldRights: Set<AdministratorOperation> = [
        .manageAdministrators, .readAudit, .downloadBackups,
    ]

    /// The most types that one scope may name.
    private static let typeCount = 1_000

    /// Reads a scope.
    ///
    /// - Parameter path: The path of the value, for error messages.
    /// - Throws: `BAD_REQUEST` with the path for unknown keys and words, and for a scope without permissions.
    package init(_ value: JSONValue, path: String = "scope") throws(RecordError) {
        let object = try SchemaDocument.object(value, path, keys: ["types", "actions", "readOnly", "rights"])
        var types: Set<RecordTypeName>?
        if let list = object["types"] {
            types = try Self.words(list, "\(path).types", "The types are a list of names of record types") {
                RecordTypeName($0)
            }
            guard types?.isEmpty == false else {
                throw SchemaDocument.invalid("Without any type a key is good for nothing", "\(path).types")
            }
        }
        var permissions: Permissions = []
        if let list = object["actions"] {
            let words: Set<String> = try Self.words(
                list, "\(path).actions", "The actions are a list of \"read\", \"create\" and \"write\""
            ) { Self.action($0) == nil ? nil : $0 }
            for word in words { permissions.formUnion(Self.action(word) ?? []) }
        }
        if let flag = object["readOnly"] {
            guard let isReadOnly = flag.bool else {
                throw SchemaDocument.invalid("'readOnly' is true or false", "\(path).readOnly")
            }
            if isReadOnly {
                guard object["actions"] == nil else {
                    throw SchemaDocument.invalid(
                        "'readOnly' stands for the actions [\"read\"]. Leave one of them out", "\(path).readOnly")
                }
                permissions = .read
            }
        }
        var operations: Set<AdministratorOperation> = []
        if let list = object["rights"] {
            let able = AdministratorOperation.allCases.filter { !Self.withheldRights.contains($0) }
            let known = able.map(\.rawValue).joined(separator: ", ")
            operations = try Self.words(list, "\(path).rights", "The rights are a list of \(known)") { word in
                AdministratorOperation(rawValue: word).flatMap { able.contains($0) ? $0 : nil }
            }
        }
        guard !permissions.isEmpty || !operations.isEmpty else {
            throw SchemaDocument.invalid(
                "A scope says what the key may do: 'actions', 'readOnly' or 'rights'", path)
        }
        self.init(types: types, permissions: permissions, operations: operations)
    }

    /// Reads the members of a list of words.
    ///
    /// - Throws: `BAD_REQUEST` with the path.
    private static func words<Word: Hashable>(
        _ value: JSONValue, _ path: String, _ rule: String, _ read: (String) -> Word?
    ) throws(RecordError) -> Set<Word> {
        guard let list = value.array, list.count <= typeCount else { throw SchemaDocument.invalid(rule, path) }
        var words: Set<Word> = []
        for (place, member) in list.enumerated() {
            guard let word = member.string.flatMap(read) else {
                throw SchemaDocument.invalid(rule, "\(path)[\(place)]")
            }
            words.insert(word)
        }
        return words
    }

    private static func action(_ word: String) -> Permissions? {
        switch word {
        case "read": .read
        case "create": .create
        case "write": .write
        default: nil
        }
    }

    /// The words of the actions, in a fixed order.
    package var actionWords: [String] {
        [(Permissions.read, "read"), (.create, "create"), (.write, "write")].filter { permissions.contains($0.0) }
            .map(\.1)
    }

    /// The scope as JSON.
    package var json: JSONValue {
        var object = JSONObject()
        if let types { object["types"] = .array(types.map(\.text).sorted().map(JSONValue.string)) }
        object["actions"] = .array(actionWords.map(JSONValue.string))
        if !operations.isEmpty {
            object["rights"] = .array(operations.map(\.rawValue).sorted().map(JSONValue.string))
        }
        return .object(object)
    }
}
