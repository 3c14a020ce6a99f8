internal import RecordWire

/// Exports of NCMB: `user.json`, `role.json`, `file.json`, and a file for each class of the data store.
struct NCMBDialect: ObjectDialect {
    let scope = "ncmb"
    let userClass = "user"
    let roleClass = "role"
    let protectedUserFields: Set<String> = ["userName", "mailAddressConfirm"]

    func reasonToSkip(_ className: String) -> String? {
        switch className {
        case "installation", "installations": belongsToPushService("installations")
        case "push", "pushes": belongsToPushService("push notifications")
        default: nil
        }
    }

    /// The keys that are no fields.
    private static let keys: Set<String> = [
        "objectId", "_id", "createDate", "updateDate", "acl", "__type", "className",
    ]

    func read(
        _ object: JSONObject, of className: String, declared: [String: DeclaredField]
    ) throws(ObjectProblem) -> ForeignObject {
        // A file has no objectId: its name is unique.
        guard let id = (object["objectId"] ?? (className == "file" ? object["fileName"] : nil))?.string else {
            throw .noID
        }
        var result = ForeignObject(
            id: id, created: ForeignValue.time(object["createDate"]), modified: ForeignValue.time(object["updateDate"]),
            access: try ForeignObject.Access.read(object["acl"]))
        var hidden = Self.keys
        switch className {
        case userClass:
            hidden.formUnion(["authData", "password", "sessionToken", "sessionInfo"])
            result.userNames = [object["userName"], object["mailAddress"]].compactMap { $0?.string }
            result.hasOtherSignIns = object["authData"]?.hasSignIns ?? false
        case roleClass:
            guard let name = object["roleName"]?.string else { throw ObjectProblem(reason: "the role has no roleName") }
            result.roleName = name
            result.users = Self.ids(object["belongUser"])
            result.roles = Self.ids(object["belongRole"])
            return result
        default: break
        }
        for member in object.members where !hidden.contains(member.key) {
            result.fields.append((member.key, ForeignValue(marked: member.value)))
        }
        if className == "file", let name = object["fileName"]?.string {
            result.fields.append(
                ("content", ForeignValue(content: .file(name: name, url: nil), source: .string(name))))
        }
        return result
    }

    /// Returns the identifiers in a list of objects, pointers or texts. A relation has none.
    private static func ids(_ source: JSONValue?) -> [String] {
        (source?.array ?? []).compactMap { $0.string ?? $0["objectId"]?.string }
    }
}
