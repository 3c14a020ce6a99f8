package import RecordModel

/// Access lists as JSON: `{"*":["read"],"_0f6d…":["read","write"],"role:editors":["read"]}`; NCMB's form of a right,
/// `{"read":true}`, is taken too.
extension AccessTemplate {
    /// - Parameter path: Where the value stands, for errors.
    /// - Throws: BAD_REQUEST with the path, and the principal that is wrong.
    package init(_ value: JSONValue, path: String = "acl") throws(RecordError) {
        guard let object = value.object else {
            throw .badRequest(
                "An access list is an object that gives each principal its rights, such as {\"*\":[\"read\"]}, or null for none",
                details: [("path", .text(path))])
        }
        guard object.members.count <= Limits.accessEntries else {
            throw .badRequest(
                "An access list has at most \(Limits.accessEntries) entries. Name a role instead of its members",
                cause: .tooLarge,
                details: [("path", .text(path)), ("limit", .number(Int64(Limits.accessEntries)))])
        }
        var entries: [Entry] = []
        for member in object.members {
            guard let name = Name(member.key) else {
                throw .badRequest(
                    "An access list names *, _creator, the record name of a user, or role: with a role's name",
                    cause: .unknownName,
                    details: [("path", .text(path)), ("principal", .text(String(member.key.prefix(64))))])
            }
            guard !entries.contains(where: { $0.name == name }) else {
                throw .badRequest(
                    "An access list names each principal once, in whatever form of Unicode", cause: .malformedJSON,
                    details: [("path", .text(path)), ("principal", .text(String(member.key.prefix(64))))])
            }
            guard let rights = Self.rights(member.value) else {
                throw .badRequest(
                    "The rights of an access list are a list of \"read\" and \"write\", such as [\"read\",\"write\"]",
                    details: [("path", .text(path)), ("principal", .text(String(member.key.prefix(64))))])
            }
            entries.append(Entry(name: name, rights: rights))
        }
        self.init(entries: entries)
    }

    private static func rights(_ value: JSONValue) -> AccessRights? {
        var rights: AccessRights = []
        if let words = value.array {
            for word in words {
                guard let right = word.string.flatMap(AccessRights.init(word:)) else { return nil }
                rights.formUnion(right)
            }
            return rights
        }
        guard let flags = value.object else { return nil }
        for flag in flags.members {
            guard let right = AccessRights(word: flag.key), let isGiven = flag.value.bool else { return nil }
            if isGiven { rights.formUnion(right) }
        }
        return rights
    }

    package var json: JSONValue {
        .object(JSONObject(entries.map { ($0.name.text, $0.rights.json) }))
    }
}

extension AccessRights {
    /// A right by its word, in either case.
    package init?(word: String) {
        switch word {
        case "read", "READ": self = .read
        case "write", "WRITE": self = .write
        default: return nil
        }
    }

    /// The words as JSON text, as answers show them.
    package var jsonText: StaticString {
        switch (contains(.read), contains(.write)) {
        case (true, true): "[\"read\",\"write\"]"
        case (true, false): "[\"read\"]"
        case (false, true): "[\"write\"]"
        case (false, false): "[]"
        }
    }

    /// The same as a value.
    package var json: JSONValue {
        .array([(AccessRights.read, "read"), (.write, "write")].filter { contains($0.0) }.map { .string($0.1) })
    }
}

/// What a document says of an access list.
package enum AccessChange: Hashable, Sendable {
    /// Nothing: it stays as it is.
    case none
    /// `null`: there shall be none.
    case remove
    case replace(AccessTemplate)

    /// - Parameter value: `nil` if the document does not speak of it.
    package init(_ value: JSONValue?, path: String = "acl") throws(RecordError) {
        switch value {
        case nil: self = .none
        case .null: self = .remove
        case let value?: self = .replace(try AccessTemplate(value, path: path))
        }
    }
}

extension RecordInput {
    /// What the record says of its access list.
    package func accessChange() throws(RecordError) -> AccessChange {
        guard let acl else { return .none }
        let value = body.withUnsafeBufferPointer { body -> JSONValue in
            var reader = JSONReader(UnsafeRawBufferPointer(body), at: acl)
            // The text was scanned before; only a number out of range, or a key that comes twice, is left to be wrong.
            return (try? JSONValue.read(&reader)) ?? .string("")
        }
        return try AccessChange(value)
    }
}
