package import RecordModel

/// Reads and writes grants as JSON: `{"_world":["READ"],"editors":["READ","WRITE"]}`.
package enum GrantsDocument {
    /// Reads grants.
    ///
    /// - Parameter path: The path of the value, for error messages.
    /// - Throws: `BAD_REQUEST` with the path if the value is no object, a role name is invalid or repeated, or a word
    ///   is unknown.
    package static func read(_ value: JSONValue, path: String) throws(RecordError) -> Grants {
        var grants = Grants()
        var roles: Set<RoleName> = []
        for member in try SchemaDocument.object(value, path).members {
            let place = "\(path).\(member.key)"
            guard let role = RoleName(member.key) else {
                throw SchemaDocument.invalid("This is no name of a role", place)
            }
            // The keys of the JSON object differ, but two of them may normalize to the same role name.
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

    /// Returns the grants as JSON, sorted by role name.
    package static func json(_ grants: Grants) -> JSONValue {
        var object = JSONObject()
        for (role, permissions) in grants.byRole.sorted(by: { $0.key.text < $1.key.text }) {
            object[role.text] = .array(permissions.words.map { .string($0) })
        }
        return .object(object)
    }
}
