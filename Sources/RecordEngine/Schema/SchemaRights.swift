internal import RecordModel
internal import RecordWire

extension RecordTypeDefinition {
    /// The grants and access list settings of the type, for audit entries.
    var rightsJSON: JSONValue {
        var members = JSONObject([("grants", GrantsDocument.json(grants))])
        let fields = fieldsWithGrants.sorted { $0.name.text < $1.name.text }.map { field in
            var roles = JSONObject()
            if let readers = field.readers { roles["read"] = RolesChange.json(readers) }
            if let writers = field.writers { roles["write"] = RolesChange.json(writers) }
            return (field.name.text, JSONValue.object(roles))
        }
        if !fields.isEmpty { members["fields"] = .object(JSONObject(fields)) }
        if let defaultAccess { members["acl"] = defaultAccess.json }
        if requiresAccessLists { members["aclRequired"] = true }
        return .object(members)
    }
}
