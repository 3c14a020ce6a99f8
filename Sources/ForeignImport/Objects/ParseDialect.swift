internal import RecordModel
internal import RecordWire

/// Exports of Parse Server: as its dashboard and its REST interface write them, or by `mongoexport`.
struct ParseDialect: ObjectDialect {
    let scope = "parse"
    let userClass = "_User"
    let roleClass = "_Role"
    let protectedUserFields: Set<String> = ["username", "emailVerified"]

    func reasonToSkip(_ className: String) -> String? {
        switch className {
        case userClass, roleClass: nil
        case "_Session": "sessions end: users sign in again"
        case "_Installation": belongsToPushService("installations")
        case let name where name.hasPrefix("_"): "the class belongs to Parse Server itself"
        default: nil
        }
    }

    /// The keys that are no fields.
    private static let keys: Set<String> = [
        "objectId", "_id", "createdAt", "updatedAt", "_created_at", "_updated_at", "ACL", "_acl", "_rperm", "_wperm",
        "__type", "className",
    ]

    private static let userKeys: Set<String> = ["authData", "password", "bcryptPassword", "sessionToken"]

    func read(
        _ object: JSONObject, of className: String, declared: [String: DeclaredField]
    ) throws(ObjectProblem) -> ForeignObject {
        guard let id = Self.id(object["objectId"] ?? object["_id"]) else {
            throw .noID
        }
        var access = ForeignObject.Access.read(readers: object["_rperm"], writers: object["_wperm"])
        if access == nil { access = try ForeignObject.Access.read(object["ACL"]) }
        if access == nil { access = try ForeignObject.Access.read(object["_acl"], keys: ("r", "w")) }
        var result = ForeignObject(
            id: id, created: ForeignValue.time(object["createdAt"] ?? object["_created_at"]),
            modified: ForeignValue.time(object["updatedAt"] ?? object["_updated_at"]), access: access)
        if className == roleClass {
            guard let name = object["name"]?.string else { throw ObjectProblem(reason: "the role has no name") }
            result.roleName = name
            return result
        }
        if className == userClass {
            result.userNames = [object["username"], object["email"]].compactMap { $0?.string }
            result.password = (object["_hashed_password"] ?? object["bcryptPassword"])?.string
            result.hasOtherSignIns = object.members.contains { member in
                (member.key == "authData" || member.key.hasPrefix("_auth_data_")) && member.value.hasSignIns
            }
        }
        for member in object.members where !Self.keys.contains(member.key) {
            if className == userClass, Self.userKeys.contains(member.key) { continue }
            if member.key.hasPrefix("_p_") {
                result.fields.append((String(member.key.dropFirst(3)), Self.pointer(member.value)))
            } else if !member.key.hasPrefix("_") {
                result.fields.append((member.key, Self.value(member.value, declared[member.key])))
            }
            // The other names with an underscore are the server's own, such as those of tokens and failed sign-ins.
        }
        return result
    }

    /// Returns an identifier: a text, or the `$oid` of objects that were not created by Parse Server.
    static func id(_ source: JSONValue?) -> String? { source?.string ?? source?["$oid"]?.string }

    /// Reads a pointer as MongoDB has it: `_User$4OyLk2vXkM`.
    private static func pointer(_ source: JSONValue) -> ForeignValue {
        if source.isNull { return ForeignValue(content: .null, source: source) }
        guard let text = source.string, let dollar = text.firstIndex(of: "$") else {
            return ForeignValue(content: .invalid("pointers that cannot be read were left out"), source: source)
        }
        return ForeignValue(
            content: .reference(className: String(text[..<dollar]), id: String(text[text.index(after: dollar)...])),
            source: source)
    }

    /// Reads a value. In MongoDB, only the schema tells places, files and bytes from lists and texts.
    private static func value(_ source: JSONValue, _ declared: DeclaredField?) -> ForeignValue {
        switch declared?.kind {
        case .geopoint:
            if let numbers = source.array, numbers.count == 2 {
                let place = ForeignValue.place(number(numbers[1]), number(numbers[0]))
                return ForeignValue(content: place, source: source)
            }
        case .file:
            if let name = source.string {
                return ForeignValue(content: .file(name: name, url: nil), source: source)
            }
        case .bytes:
            if let text = source.string {
                return ForeignValue(marked: ["__type": "Bytes", "base64": .string(text)])
            }
        case .date:
            if let text = source.string, let time = try? Timestamp.read(text) {
                return ForeignValue(content: .date(time), source: source)
            }
        default: break
        }
        return ForeignValue(marked: source)
    }

    private static func number(_ source: JSONValue) -> Double? {
        switch ForeignValue(marked: source).content {
        case .integer(let value): Double(value)
        case .double(let value): value
        default: nil
        }
    }
}
