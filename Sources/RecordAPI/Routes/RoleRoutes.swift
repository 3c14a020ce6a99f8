internal import HTTP
internal import RecordEngine
internal import RecordModel
internal import RecordWire

/// The routes for custom roles and their members. For administrators.
enum RoleRoutes {
    private static let members: [Route.Response] = [
        .json(200, "Role", "The role as it is now, with ETag"), .error(404, "There is no such role"),
        .error(412, "The role has another tag"),
    ]

    static let routes: [Route] = [
        Route(
            "GET /roles", "listRoles", .rights, "Lists the custom roles (administrators)", rate: .administer,
            right: .readRights, responses: [.json(200, "Roles", "The roles")]
        ) { call in try list(call) },
        Route(
            "GET /roles/{role}", "readRole", .rights, "Shows a custom role (administrators)", rate: .administer,
            right: .readRights, headers: ["ifNoneMatch"],
            responses: [.json(200, "Role", "The role, with ETag"), .unchanged]
        ) { call in try read(call) },
        Route(
            "PUT /roles/{role}", "putRole", .rights, "Makes a custom role or replaces its members (administrators)",
            rate: .administer, right: .changeRights, headers: ["ifMatch", "ifNoneMatch"], body: .json("Role"),
            responses: [
                .json(200, "Role", "The role, with ETag"), .json(201, "Role", "The new role"), .preconditionFailed,
            ]
        ) { call in try await replace(&call) },
        Route(
            "DELETE /roles/{role}", "deleteRole", .rights, "Takes a custom role away (administrators)",
            rate: .administer, right: .changeRights, headers: ["ifMatch"],
            responses: [.empty(204, "Gone"), .error(412, "The role has another tag")]
        ) { call in try await delete(call) },
        Route(
            "PUT /roles/{role}/members/{user}", "addRoleMember", .rights,
            "Takes one member into a custom role (administrators)", rate: .administer, right: .changeRights,
            headers: ["ifMatch"], responses: members
        ) { call in try await setMember(call, isMember: true) },
        Route(
            "DELETE /roles/{role}/members/{user}", "removeRoleMember", .rights,
            "Takes one member out of a custom role (administrators)", rate: .administer, right: .changeRights,
            headers: ["ifMatch"], responses: members
        ) { call in try await setMember(call, isMember: false) },
    ]

    static func list(_ call: RecordCall) throws -> HTTPResponse {
        .json(["roles": .array(try call.reader.roles.list().map(\.json))])
    }

    static func read(_ call: RecordCall) throws -> HTTPResponse {
        let name = try self.name(call)
        guard let role = try call.reader.roles.find(name) else {
            throw RecordError(.notFound, "There is no role with this name", details: [("role", .text(name.text))])
        }
        return try call.respond(role.json, tag: role.tag)
    }

    /// `PUT /roles/{role}` with `{"members":[…]}`: creates a role or replaces its members.
    static func replace(_ call: inout RecordCall) async throws -> HTTPResponse {
        let name = try self.name(call)
        let precondition = try call.documentPrecondition()
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
        let (role, isNew) = try await call.database.roles.put(name, members: members, if: precondition, by: call.actor)
        return .document(role.json, tag: role.tag, status: isNew ? .created : .ok)
    }

    /// `PUT` and `DELETE /roles/{role}/members/{user}`: adds or removes one member and returns the role. The other
    /// members do not change, even if other requests change them at the same time.
    static func setMember(_ call: RecordCall, isMember: Bool) async throws -> HTTPResponse {
        let precondition = try call.documentPrecondition()
        guard precondition != .absent else {
            throw RecordError.badRequest(
                "A member is taken into a role that exists. If-None-Match: * is for PUT of the role itself")
        }
        let role = try await call.database.roles.setMember(
            call.parameters[1], of: try name(call), isMember: isMember, if: precondition, by: call.actor)
        return .document(role.json, tag: role.tag)
    }

    static func delete(_ call: RecordCall) async throws -> HTTPResponse {
        try await call.database.roles.remove(
            try name(call), if: try call.documentPrecondition(), by: call.actor)
        return HTTPResponse(.noContent)
    }

    private static func name(_ call: RecordCall) throws(RecordError) -> RoleName {
        guard let name = RoleName(call.parameters[0]) else {
            throw .badRequest(
                "A role's name \(Identifier.rule)")
        }
        return name
    }

    static let schemas: StaticString = #"""
        "Role":{"type":"object","required":["members"],"properties":{"name":{"type":"string"},
        "members":{"type":"array","items":{"type":"string"}}}},
        "Roles":{"type":"object","required":["roles"],"properties":{
        "roles":{"type":"array","items":{"$ref":"#/components/schemas/Role"}}}}
        """#
}
