internal import HTTP
internal import RecordEngine
internal import RecordModel
internal import RecordWire

/// Custom roles and their members. Administrators.
extension RecordAPI {
    func listRoles(_ call: RecordCall) throws -> HTTPResponse {
        try call.require(.readRights)
        return .json(["roles": .array(try call.reader.roles().map(\.json))])
    }

    func readRole(_ call: RecordCall) throws -> HTTPResponse {
        try call.require(.readRights)
        let name = try call.roleName()
        guard let role = try call.reader.role(name) else {
            throw RecordError(.notFound, "There is no role with this name", details: [("role", .text(name.text))])
        }
        return try call.answer(role.json, tag: role.tag)
    }

    /// `PUT /roles/{role}` with `{"members":[…]}` makes a role or replaces its members.
    func putRole(_ call: inout RecordCall) async throws -> HTTPResponse {
        try call.require(.changeRights)
        let name = try call.roleName()
        let writeGuard = try call.documentGuard()
        let members = try await call.object(keys: ["members", "name"]) { object throws(RecordError) in
            if let stated = object["name"], stated.string != name.text {
                throw RecordError.badRequest(
                    "The body's name is not that of the path. Leave it out or make them the same")
            }
            guard let values = object["members"]?.array, case let members = values.compactMap(\.string),
                members.count == values.count
            else {
                throw RecordError.badRequest(
                    "'members' is a list of user record names, and of role: with the name of another role",
                    details: [("path", .text("members"))])
            }
            return members
        }
        try call.require(.changeRights)
        let (role, isNew) = try await call.database.putRole(name, members: members, if: writeGuard, by: call.actor)
        return .document(role.json, tag: role.tag, status: isNew ? .created : .ok)
    }

    /// `PUT` and `DELETE /roles/{role}/members/{user}` take one member in or out, and answer the role. The others stay
    /// as they are, whoever changes them at the same time.
    func setMember(_ call: RecordCall, isMember: Bool) async throws -> HTTPResponse {
        try call.require(.changeRights)
        let writeGuard = try call.documentGuard()
        guard writeGuard != .absent else {
            throw RecordError.badRequest(
                "A member is taken into a role that exists. If-None-Match: * is for PUT of the role itself")
        }
        let role = try await call.database.setMember(
            call.parameters[1], of: try call.roleName(), isMember: isMember, if: writeGuard, by: call.actor)
        return .document(role.json, tag: role.tag)
    }

    func deleteRole(_ call: RecordCall) async throws -> HTTPResponse {
        try call.require(.changeRights)
        try await call.database.removeRole(
            try call.roleName(), if: try call.documentGuard(), by: call.actor)
        return HTTPResponse(.noContent)
    }
}

extension RecordCall {
    fileprivate func roleName() throws(RecordError) -> RoleName {
        guard let name = RoleName(parameters[0]) else {
            throw .badRequest(
                "A role's name \(Identifier.rule)")
        }
        return name
    }
}
