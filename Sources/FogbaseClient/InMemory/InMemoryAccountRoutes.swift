internal import Foundation
internal import RecordModel
internal import RecordWire

/// The routes of accounts and sessions.
struct InMemoryAccountRoutes {
    let request: InMemoryRequest
    let caller: Caller

    func respond(in database: inout InMemoryDatabase) throws -> TransportResponse {
        switch (request.method, request.path.joined(separator: "/")) {
        case ("POST", "users"): return try signUp(in: &database)
        case ("POST", "users/anonymous"):
            let id = try addUser(name: nil, password: nil, in: &database)
            return try open(id, label: try request.object(["label"])["label"]?.string, in: &database)
        case ("POST", "sessions"): return try signIn(in: &database)
        case ("GET", "users/me") where caller.administrator != nil:
            return TransportResponse(
                json: ["userRecordName": "_administrator", "name": "Administrator", "isAdministrator": true])
        case (_, "users/me"), (_, "sessions"), (_, "sessions/current"), ("POST", "sessions/current/rotate"): break
        case ("DELETE", let path) where path.hasPrefix("sessions/"): break
        default: throw InMemoryError.notThere("administration of accounts")
        }
        guard let id = caller.userID, let user = database.accounts.users[id], let token = try request.token else {
            throw RecordError(.authenticationRequired, "Nobody is signed in. Send the token of a session")
        }
        switch (request.method, request.path.joined(separator: "/")) {
        case ("GET", "users/me"): return TransportResponse(json: describe(user, id, in: database))
        case ("PATCH", "users/me"): return try change(user, id, token, in: &database)
        case ("DELETE", "users/me"): return try remove(user, id, in: &database)
        case ("GET", "sessions"): return listSessions(of: id, current: token, in: database)
        case ("DELETE", "sessions"):
            database.accounts.endSessions(of: id, but: try request.word("others") ? token : nil)
        case ("DELETE", "sessions/current"): database.accounts.sessions[token] = nil
        case ("DELETE", _):
            let found = database.accounts.sessions.first { $1.account == id && $1.id == request.path[1] }
            guard let found else { throw RecordError(.notFound, "There is no such session of yours") }
            database.accounts.sessions[found.key] = nil
        case ("POST", _): return try rotate(token, in: &database)
        default: throw RecordError.badRequest("This path does not take the method", cause: .methodNotAllowed)
        }
        return TransportResponse(status: 204)
    }

    private func signUp(in database: inout InMemoryDatabase) throws -> TransportResponse {
        let object = try request.object(["name", "password", "label", "invitation"])
        if object["invitation"]?.isNull == false { throw InMemoryError.notThere("invitations") }
        let (name, password) = try Self.credentials(object)
        let id = try addUser(name: try checked(newName: name, in: database), password: password, in: &database)
        return try open(id, label: object["label"]?.string, in: &database)
    }

    private func signIn(in database: inout InMemoryDatabase) throws -> TransportResponse {
        let object = try request.object(["name", "password", "label"])
        let (name, password) = try Self.credentials(object)
        guard let found = database.accounts.users.first(where: { $1.name == name && $1.password == password }) else {
            throw RecordError(.authenticationFailed, "The name or the password is wrong")
        }
        return try open(found.key, label: object["label"]?.string, in: &database)
    }

    private static func credentials(_ object: JSONObject) throws(RecordError) -> (name: String, password: String) {
        guard let name = object["name"]?.string, let password = object["password"]?.string else {
            throw .badRequest("The body needs 'name' and 'password', both strings")
        }
        return (name, try checked(password: password))
    }

    private static func checked(password: String) throws(RecordError) -> String {
        guard (8...256).contains(password.utf8.count) else {
            throw .badRequest("A password has 8 to 256 bytes", details: [("field", .text("password"))])
        }
        return password
    }

    private func checked(newName name: String, in database: InMemoryDatabase) throws(RecordError) -> String {
        guard RecordName(name) != nil, name.utf8.count <= 128, name.first?.isWhitespace == false,
            name.last?.isWhitespace == false, name.first != "_"
        else {
            throw .badRequest(
                "A user's name has 1 to 128 bytes, no space at its ends, and no underscore in front",
                details: [("field", .text("name"))])
        }
        guard !database.accounts.users.values.contains(where: { $0.name == name }) else {
            throw RecordError(.exists, "An account with this name exists already. Choose another", cause: .nameTaken)
        }
        return name
    }

    /// Creates an account and its user record.
    private func addUser(
        name: String?, password: String?, in database: inout InMemoryDatabase
    ) throws(RecordError) -> UserID {
        // Use IDs above 15, because lower IDs are reserved for callers without an account.
        let id = UserID(rawValue: (database.accounts.users.keys.max()?.rawValue ?? 15) + database.nextSequence())
        let recordName = "_" + UUID().uuidString.lowercased().replacingOccurrences(of: "-", with: "")
        let now = database.now
        database.accounts.users[id] = InMemoryUser(
            recordName: recordName, name: name ?? recordName, password: password, created: now)
        try database.extendSchema(.users, with: [], grants: .users)
        if let key = RecordName(recordName).map({ RecordKey(zone: .publicDefault, name: $0) }),
            let type = database.schema[.users]
        {
            let sequence = database.nextSequence()
            database.keep(InMemoryRecord(id: sequence, key: key, type: type.id, creator: id, created: now), at: key)
        }
        return id
    }

    /// Creates a session for an account and returns its token.
    private func open(
        _ id: UserID, label: String?, in database: inout InMemoryDatabase
    ) throws(RecordError) -> TransportResponse {
        if let label, !(1...100).contains(label.utf8.count) {
            throw .badRequest("A session's label has 1 to 100 bytes", details: [("field", .text("label"))])
        }
        let (now, limits) = (database.now, database.limits)
        database.accounts.sessionsBegun += 1
        let session = InMemorySession(
            id: UUID().uuidString, number: database.accounts.sessionsBegun, account: id, label: label, created: now,
            used: now, expires: now + limits.sessionSeconds * 1_000, ends: now + limits.sessionLongestSeconds * 1_000)
        return show(session, status: 201, in: &database)
    }

    /// Gives a session a new token, and returns the response that shows the token.
    private func show(
        _ session: InMemorySession, status: Int, in database: inout InMemoryDatabase
    ) -> TransportResponse {
        let token = "fbs_" + UUID().uuidString
        database.accounts.sessions[token] = session
        return TransportResponse(
            json: [
                "token": .string(token), "expiresAt": .integer(session.expires),
                "user": database.accounts.users[session.account]?.head ?? .null,
            ], status: status)
    }

    private func rotate(
        _ token: String, in database: inout InMemoryDatabase
    ) throws(RecordError) -> TransportResponse {
        guard let session = database.accounts.sessions.removeValue(forKey: token) else { throw .invalidToken }
        return show(session, status: 200, in: &database)
    }

    private func listSessions(
        of id: UserID, current: String, in database: InMemoryDatabase
    ) -> TransportResponse {
        let own = database.accounts.sessions.filter { $1.account == id && $1.expires > database.now }
            .sorted { $0.value.number > $1.value.number }
        let documents = own.map { token, session -> JSONValue in
            var object = JSONObject([("id", .string(session.id))])
            object["label"] = session.label.map(JSONValue.string)
            object["createdTimestamp"] = .integer(session.created)
            object["usedTimestamp"] = .integer(session.used)
            object["expiresAt"] = .integer(session.expires)
            object["current"] = .bool(token == current)
            return .object(object)
        }
        return TransportResponse(json: ["sessions": .array(documents)])
    }

    /// Returns the JSON of an account with its usage, for a response.
    private func describe(_ user: InMemoryUser, _ id: UserID, in database: InMemoryDatabase) -> JSONValue {
        var usage = (records: 0, bytes: 0, files: 0)
        for record in database.records.values where record.creator == id && !record.isDeleted {
            usage.records += 1
            usage.bytes += record.fields.text.count + record.externals.values.reduce(0) { $0 + $1.count }
            let assets = try? record.fields.withView { view throws(RecordError) in try view.assets() }
            usage.files += assets?.reduce(0) { $0 + Int($1.asset.size) } ?? 0
        }
        var me = user.document(isOwn: true).object ?? JSONObject()
        me["usage"] = [
            "records": .integer(Int64(usage.records)), "bytes": .integer(Int64(usage.bytes)),
            "assetBytes": .integer(Int64(usage.files)),
        ]
        return .object(me)
    }

    private func change(
        _ user: InMemoryUser, _ id: UserID, _ token: String, in database: inout InMemoryDatabase
    ) throws(RecordError) -> TransportResponse {
        let object = try request.object(["name", "password", "currentPassword", "invitation"])
        let (name, password) = (object["name"]?.string, object["password"]?.string)
        let current = object["currentPassword"]?.string
        guard name != nil || password != nil else { throw .badRequest("There is nothing to change") }
        if user.isAnonymous {
            guard current == nil, name != nil, password != nil else {
                throw .badRequest("This account has neither a name nor a password yet. Send 'name' and 'password'")
            }
        } else {
            try require(current, "currentPassword", of: user)
        }
        var changed = user
        if let name, name != user.name { changed.name = try checked(newName: name, in: database) }
        if let password { changed.password = try Self.checked(password: password) }
        database.accounts.users[id] = changed
        guard password != nil else { return TransportResponse(json: ["user": changed.document(isOwn: false)]) }
        database.accounts.endSessions(of: id, but: token)
        return try rotate(token, in: &database)
    }

    private func require(_ password: String?, _ field: String, of user: InMemoryUser) throws(RecordError) {
        guard let password else {
            throw .badRequest("Send the account's password in '\(field)'", details: [("field", .text(field))])
        }
        guard password == user.password else {
            throw RecordError(.accessDenied, "The current password is wrong", cause: .wrongPassword)
        }
    }

    /// Deletes an account, its private database and its user record. Records that refer to the user record with
    /// `DELETE_SELF` are deleted too.
    private func remove(
        _ user: InMemoryUser, _ id: UserID, in database: inout InMemoryDatabase
    ) throws(RecordError) -> TransportResponse {
        let object = request.body.isEmpty ? JSONObject() : try request.object(["password"])
        if !user.isAnonymous { try require(object["password"]?.string, "password", of: user) }
        if let name = RecordName(user.recordName), let record = database.find(name, zone: .publicDefault) {
            var writer = InMemoryWriter(
                call: InMemoryCall(request: request, caller: .administrator(.bootstrap), scope: .publicDatabase))
            try writer.writeTombstone(record, position: 0, in: &database)
        }
        for key in database.records.keys where key.zone.owner == id.rawValue { database.keep(nil, at: key) }
        for zone in database.zones.all(of: id.rawValue) { database.endShares(in: zone) }
        database.sharing.remove(account: id)
        database.zones.removeAll(of: id.rawValue)
        database.accounts.users[id] = nil
        database.accounts.endSessions(of: id)
        return TransportResponse(status: 204)
    }
}

extension InMemoryRequest {
    /// Returns the JSON object in the body. The object may contain only the given keys.
    fileprivate func object(_ keys: [String]) throws(RecordError) -> JSONObject {
        if body.isEmpty { return JSONObject() }
        let tree: JSONValue
        do throws(JSONError) { tree = try JSONValue.parse(body) } catch { throw RecordError(error) }
        guard let object = tree.object else { throw .badRequest("The body must be a JSON object") }
        if let stray = object.keys.first(where: { !keys.contains($0) }) {
            throw .badRequest("The body has no key '\(stray)'; its keys are \(keys.joined(separator: ", "))")
        }
        return object
    }
}

extension RecordError {
    static let userRecordStays = RecordError(
        .accessDenied, "A user record goes with its account alone. Delete the account with DELETE /users/me",
        details: [("recordType", .text(RecordTypeName.users.text))])
}
