package import RecordModel

/// Access lists as JSON: `{"*":["read"],"_0f6d…":["read","write"],"role:editors":["read"]}`. The form in which NCMB
/// writes the rights, `{"read":true}`, is accepted too.
extension AccessTemplate {
    /// Reads an access list.
    ///
    /// - Parameter path: The path of the value, for error messages.
    /// - Throws: `BAD_REQUEST` with the path and the invalid principal; cause `TOO_LARGE` for too many entries.
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

    /// The access list as JSON.
    package var json: JSONValue {
        .object(JSONObject(entries.map { ($0.name.text, $0.rights.json) }))
    }
}

extension AccessRights {
    /// Parses `read` or `write`, in lowercase or uppercase.
    package init?(word: String) {
        switch word {
        case "read", "READ": self = .read
        case "write", "WRITE": self = .write
        default: return nil
        }
    }

    /// The rights as JSON text for responses.
    package var jsonText: StaticString {
        switch (contains(.read), contains(.write)) {
        case (true, true): "[\"read\",\"write\"]"
        case (true, false): "[\"read\"]"
        case (false, true): "[\"write\"]"
        case (false, false): "[]"
        }
    }

    /// The rights as a JSON value.
    package var json: JSONValue {
        .array([(AccessRights.read, "read"), (.write, "write")].filter { contains($0.0) }.map { .string($0.1) })
    }
}

/// The change of an access list that a document requests.
package enum AccessChange: Hashable, Sendable {
    /// The document does not contain an access list, so the present list is not changed.
    case none
    /// `null`: the access list is removed.
    case remove
    case replace(AccessTemplate)

    /// Reads the change.
    ///
    /// - Parameter value: The value in the document; `nil` if the key is absent.
    /// - Throws: The errors of `AccessTemplate.init(_:path:)`.
    package init(_ value: JSONValue?, path: String = "acl") throws(RecordError) {
        switch value {
        case nil: self = .none
        case .null: self = .remove
        case let value?: self = .replace(try AccessTemplate(value, path: path))
        }
    }
}

extension RecordInput {
    /// Returns the change of the access list that the record requests.
    ///
    /// - Throws: The errors of `AccessTemplate.init(_:path:)`.
    package func accessChange() throws(RecordError) -> AccessChange {
        guard let acl else { return .none }
        let value = body.withUnsafeBufferPointer { body -> JSONValue in
            var reader = JSONReader(UnsafeRawBufferPointer(body), at: acl)
            // The text was scanned before. So the only possible errors are a number out of range and a duplicate key.
            return (try? JSONValue.read(&reader)) ?? .string("")
        }
        return try AccessChange(value)
    }
}
