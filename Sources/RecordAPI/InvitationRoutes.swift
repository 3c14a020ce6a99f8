internal import HTTP
internal import RecordEngine
internal import RecordModel
internal import RecordWire
internal import Threads

/// Invitations to make an account. Administrators.
extension RecordAPI {
    /// `POST /invitations` with `{"name"?,"expiresIn"?,"uses"?,"roles"?}` makes one; its token is shown this once.
    func invite(_ call: inout RecordCall) async throws -> HTTPResponse {
        try call.require(.manageUsers)
        let object = try await call.smallObject(keys: ["name", "expiresIn", "uses", "roles"], isOptional: true)
        try call.require(.manageUsers)
        let roles = try Self.roles(object)
        // Nobody gives roles by an invitation who may not give them otherwise.
        if !roles.isEmpty { try call.require(.changeRights) }
        let wish = try InvitationWish(
            name: try Self.optionalText("name", object), seconds: try Self.optionalSeconds("expiresIn", object),
            uses: try Self.optionalNumber("uses", object), roles: roles)
        let made = try await call.database.invite(wish, by: call.actor)
        var response = HTTPResponse.json(Self.document(made.info, token: made.token), status: .created)
        response.fields.set(.cacheControl, "no-store")
        return response
    }

    func listInvitations(_ call: RecordCall) throws -> HTTPResponse {
        try call.require(.manageUsers)
        return .json(["invitations": .array(try call.reader.invitations().map { Self.document($0) })])
    }

    func removeInvitation(_ call: RecordCall) async throws -> HTTPResponse {
        try call.require(.manageUsers)
        try await call.database.removeInvitation(call.parameters[0], by: call.actor)
        return HTTPResponse(.noContent)
    }

    private static func optionalSeconds(_ key: String, _ object: JSONObject) throws(RecordError) -> Int64? {
        guard let value = object[key], value != .null else { return nil }
        return try WireSeconds.read(value, key)
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
}
