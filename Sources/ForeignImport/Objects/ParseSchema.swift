internal import RecordModel
internal import RecordWire

/// The schema of one class of Parse Server: of `_SCHEMA` as `mongoexport` writes it, or of the REST interface.
struct ParseSchema {
    let className: String
    private(set) var fields: [String: DeclaredField] = [:]
    /// The fields, in their order.
    private(set) var order: [String] = []
    /// The permissions by operation; `nil` if the schema has none.
    private(set) var permissions: JSONObject?
    /// The indexes: the fields by which each is sorted, and whether they ascend.
    private(set) var indexes: [[(field: String, ascends: Bool)]] = []

    /// Reads a schema; `nil` if the object is none.
    init?(_ object: JSONObject) {
        if let name = object["className"]?.string {
            className = name
            for member in object["fields"]?.object?.members ?? [] {
                add(member.key, member.value["type"]?.string?.lowercased(), member.value["targetClass"]?.string)
            }
            permissions = object["classLevelPermissions"]?.object
            readIndexes(object["indexes"])
        } else if let name = object["_id"]?.string {
            className = name
            for member in object.members where member.key != "_id" && member.key != "_metadata" {
                guard let text = member.value.string else { continue }
                if text.hasPrefix("*") {
                    add(member.key, "pointer", String(text.dropFirst()))
                } else if text.hasPrefix("relation<"), text.hasSuffix(">") {
                    add(member.key, "relation", String(text.dropFirst(9).dropLast()))
                } else {
                    add(member.key, text == "map" ? "object" : text, nil)
                }
            }
            permissions = object["_metadata"]?["class_permissions"]?.object
            readIndexes(object["_metadata"]?["indexes"])
        } else {
            return nil
        }
    }

    private mutating func add(_ name: String, _ kind: String?, _ target: String?) {
        guard !["objectId", "createdAt", "updatedAt", "ACL"].contains(name), !name.hasPrefix("_"),
            className != "_User" || !["password", "authData"].contains(name),
            let kind = kind.flatMap(DeclaredField.Kind.init(rawValue:))
        else { return }
        fields[name] = DeclaredField(kind: kind, target: target)
        order.append(name)
    }

    private mutating func readIndexes(_ source: JSONValue?) {
        for index in source?.object?.members ?? [] where index.key != "_id_" {
            let columns = (index.value.object?.members ?? []).map { column in
                let field = column.key.hasPrefix("_p_") ? String(column.key.dropFirst(3)) : column.key
                return (field, column.value.integer != -1)
            }
            if !columns.isEmpty { indexes.append(columns) }
        }
    }

    /// Returns the grants that correspond to the permissions; `nil` if the schema has none.
    ///
    /// - Parameters:
    ///   - role: Returns the name of a role here; `nil` for one that does not exist.
    ///   - note: Called with a sentence for each permission without an equivalent.
    func grants(role: (String) -> String?, note: (String) -> Void) -> JSONObject? {
        guard permissions != nil else { return nil }
        var grants: [(name: String, words: [JSONValue])] = []
        func grant(_ name: String, _ word: String) {
            if let index = grants.firstIndex(where: { $0.name == name }) {
                if !grants[index].words.contains(.string(word)) { grants[index].words.append(.string(word)) }
            } else {
                grants.append((name, [.string(word)]))
            }
        }
        // What Parse Server asks for each of them, and who is meant by everyone: nobody is let in who is not signed in.
        let rules: [(word: String, operations: [String], everyone: String)] = [
            ("READ", ["find", "get"], "_world"), ("CREATE", ["create"], "_icloud"),
            ("WRITE", ["update", "delete"], "_creator"),
        ]
        for rule in rules {
            let sets = rule.operations.map { principals(of: $0) }
            for name in sets[0].union(sets.last ?? []).sorted() {
                guard sets.allSatisfy({ $0.contains(name) || $0.contains("*") }) else {
                    note("\(name) has \(rule.operations.joined(separator: " or ")) only, and gets no \(rule.word)")
                    continue
                }
                switch name {
                case "*": grant(rule.everyone, rule.word)
                case "requiresAuthentication": grant(rule.word == "WRITE" ? "_creator" : "_icloud", rule.word)
                case let name where name.hasPrefix("role:"):
                    if let role = role(String(name.dropFirst(5))) { grant(role, rule.word) }
                default: note("the permission of \(name) to \(rule.operations[0]) has no equivalent in grants")
                }
            }
        }
        return JSONObject(grants.map { ($0.name, .array($0.words)) })
    }

    /// Returns the principals with the permission for an operation. Without an entry, nobody has it.
    private func principals(of operation: String) -> Set<String> {
        guard let entry = permissions?[operation]?.object else { return [] }
        var names = Set(entry.members.filter { $0.value.bool == true }.map(\.key))
        if entry["pointerFields"]?.array?.isEmpty == false { names.insert("pointerFields") }
        return names
    }
}
