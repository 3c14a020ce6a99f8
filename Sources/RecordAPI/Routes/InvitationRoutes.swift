internal import HTTP
internal import RecordEngine
internal import RecordModel
internal import RecordWire
internal import Threads

/// The routes for invitations to sign up. For administrators.
enum InvitationRoutes {
    static let routes: [Route] = [
        Route(
            "POST /invitations", "invite", .accounts,
            "Makes an invitation to sign up; its token is shown once (administrators)", rate: .administer,
            right: .manageUsers, body: .optionalJSON("InvitationInput"),
            responses: [.json(201, "Invitation", "The invitation; its token is shown once")]
        ) { call in try await invite(&call) },
        Route(
            "GET /invitations", "listInvitations", .accounts, "Lists the invitations (administrators)",
            rate: .administer, right: .manageUsers,
            responses: [.json(200, "Invitations", "The invitations, the oldest first")]
        ) { call in try list(call) },
        Route(
            "DELETE /invitations/{id}", "removeInvitation", .accounts, "Takes an invitation back (administrators)",
            rate: .administer, right: .manageUsers,
            responses: [.empty(204, "Gone"), .error(404, "There is none with this id")]
        ) { call in try await remove(call) },
    ]

    /// `POST /invitations` with `{"name"?,"expiresIn"?,"uses"?,"roles"?}`: creates an invitation. Its token is shown
    /// only once.
    static func invite(_ call: inout RecordCall) async throws -> HTTPResponse {
        let object = try await call.smallObject(keys: ["name", "expiresIn", "uses", "roles"], isOptional: true)
        let roles = try roles(object)
        // To give roles by an invitation, a caller needs the same permission as to give roles directly.
        if !roles.isEmpty { try call.require(.changeRights) }
        let request = try NewInvitation(
            name: try AccountRoutes.optionalText("name", object), seconds: try optionalSeconds("expiresIn", object),
            uses: try optionalNumber("uses", object), roles: roles)
        let made = try await call.database.invitations.create(request, by: call.actor)
        var response = HTTPResponse.json(document(made.info, token: made.token), status: .created)
        response.fields.set(.cacheControl, "no-store")
        return response
    }

    static func list(_ call: RecordCall) throws -> HTTPResponse {
        .json(["invitations": .array(try call.reader.invitations.list().map { document($0) })])
    }

    static func remove(_ call: RecordCall) async throws -> HTTPResponse {
        try await call.database.invitations.remove(call.parameters[0], by: call.actor)
        return HTTPResponse(.noContent)
    }

    private static func optionalSeconds(_ key: String, _ object: JSONObject) throws(RecordError) -> Int64? {
        guard let value = object[key], value != .null else { return nil }
        return try WireDuration.read(value, key)
    }

    private static func optionalNumber(_ key: String, _ object: JSONObject) throws(RecordError) -> Int64? {
        guard let value = object[key], value != .null else { return nil }
        guard let number = value.integer else {
            throw .badRequest("'\(key)' is a whole number", details: [("path", .text(key))])
        }
        return number
    }

    private static func roles(_ object: JSONObject) throws(RecordError) -> [RoleName] {
        guard let value = object["roles"], value != .null else { return [] }
        guard let values = value.array, case let names = values.compactMap({ $0.string.flatMap(RoleName.init) }),
            names.count == values.count
        else { throw .badRequest("'roles' is a list of names of roles", details: [("path", .text("roles"))]) }
        return names
    }

    private static func document(_ invitation: InvitationInfo, token: String? = nil) -> JSONValue {
        var object = JSONObject([("id", .string(invitation.id))])
        if let token { object["invitation"] = .string(token) }
        if let name = invitation.name { object["name"] = .string(name) }
        object["createdTimestamp"] = .integer(invitation.created)
        object["expiresAt"] = .integer(invitation.expires)
        object["uses"] = .integer(invitation.uses)
        object["used"] = .integer(invitation.used)
        object["state"] = .string(invitation.state(at: WallClock.milliseconds))
        object["roles"] = .array(invitation.roles.map(JSONValue.string))
        return .object(object)
    }

    static let schemas: StaticString = #"""
        "InvitationInput":{"type":"object","properties":{"name":{"type":"string"},
        "expiresIn":{"$ref":"#/components/schemas/Seconds"},"uses":{"type":"integer","minimum":1,"maximum":1000},
        "roles":{"type":"array","items":{"type":"string"}}}},
        "Invitation":{"type":"object","required":["id","createdTimestamp","expiresAt","uses","used","roles"],
        "properties":{"id":{"type":"string"},"invitation":{"type":"string"},"name":{"type":"string"},
        "createdTimestamp":{"type":"integer"},"expiresAt":{"type":"integer"},"uses":{"type":"integer"},
        "used":{"type":"integer"},"state":{"type":"string","enum":["open","used","expired"]},
        "roles":{"type":"array","items":{"type":"string"}}}},
        "Invitations":{"type":"object","required":["invitations"],"properties":{
        "invitations":{"type":"array","items":{"$ref":"#/components/schemas/Invitation"}}}}
        """#
}
