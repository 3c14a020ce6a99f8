package import RecordModel

/// Grants as JSON: `{"_world":["READ"],"editors":["READ","WRITE"]}`.
package enum GrantsDocument {
    /// - Parameter path: Where the value stands, for errors.
    package static func read(_ value: JSONValue, path: String) throws(RecordError) -> Grants {
        var grants = Grants()
        var roles: Set<RoleName> = []
        for member in try SchemaDocument.object(value, path).members {
            let place = "\(path).\(member.key)"
            guard let role = RoleName(member.key) else {
                throw SchemaDocument.invalid("This is no name of a role", place)
            }
            // The keys of the JSON differ; two forms may still be one name.
            guard roles.insert(role).inserted else { throw SchemaDocument.invalid("This role is named twice", place) }
            guard let words = member.value.array else {
                throw SchemaDocument.invalid("Grants are a list of CREATE, READ and WRITE", place)
            }
            var permissions: Permissions = []
            for word in words {
                guard let permission = word.string.flatMap(Permissions.init(word:)) else {
                    throw SchemaDocument.invalid("Grants are a list of CREATE, READ and WRITE", place)
                }
                permissions.insert(permission)
            }
            if !permissions.isEmpty { grants.byRole[role] = permissions }
        }
        return grants
    }

    /// Roles by name.
    package static func json(_ grants: Grants) -> JSONValue {
        var object = JSONObject()
        for (role, permissions) in grants.byRole.sorted(by: { $0.key.text < $1.key.text }) {
            object[role.text] = .array(permissions.words.map { .string($0) })
        }
        return .object(object)
    }
}
