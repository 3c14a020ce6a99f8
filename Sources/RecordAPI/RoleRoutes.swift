internal import HTTP
internal import RecordEngine
internal import RecordModel
internal import RecordWire

/// Custom roles and their members. Administrators.
extension RecordAPI {
    func listRoles(_ call: RecordCall) throws -> HTTPResponse {
        try call.require(.readRights)
        return .json(["roles": .array(try call.reader.roles().map(Self.document))])
    }

    func readRole(_ call: RecordCall) throws -> HTTPResponse {
        try call.require(.readRights)
        let name = try call.roleName()
        guard let role = try call.reader.role(name) else {
            throw RecordError(.notFound, "There is no role with this name", details: [("role", .text(name.text))])
        }
        return .json(Self.document(role))
    }

    /// `PUT /roles/{role}` with `{"members":[…]}` makes a role or replaces its members.
    func putRole(_ call: inout RecordCall) async throws -> HTTPResponse {
        try call.require(.changeRights)
        let name = try call.roleName()
        let object = try await call.object(keys: ["members", "name"])
        try call.require(.changeRights)
        if let stated = object["name"], stated.string != name.text {
            throw RecordError.badRequest("The body's name is not that of the path. Leave it out or make them the same")
        }
        guard let values = object["members"]?.array, case let members = values.compactMap(\.string),
            members.count == values.count
        else {
            throw RecordError.badRequest(
                "'members' is a list of user record names, and of role: with the name of another role",
                details: [("path", .text("members"))])
        }
        let isNew = try await call.database.putRole(name, members: members, by: call.actor)
        return .json(Self.document(name.text, members), status: isNew ? .created : .ok)
    }

    func deleteRole(_ call: RecordCall) async throws -> HTTPResponse {
        try call.require(.changeRights)
        try await call.database.removeRole(try call.roleName(), by: call.actor)
        return HTTPResponse(.noContent)
    }

    private static func document(_ role: Role) -> JSONValue { document(role.name, role.members) }

    private static func document(_ name: String, _ members: [String]) -> JSONValue {
        ["name": .string(name), "members": .array(members.map(JSONValue.string))]
    }
}

extension RecordCall {
    fileprivate func roleName() throws(RecordError) -> RoleName {
        guard let name = RoleName(parameters[0]) else {
            throw .badRequest(
                "A role's name is a letter, then letters, digits and underscores, at most \(Limits.identifierBytes)")
        }
        return name
    }
}
