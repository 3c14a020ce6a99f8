internal import HTTP
internal import RecordEngine
internal import RecordModel
internal import RecordWire

/// The users operations of CloudKit Web Services.
///
/// Accounts have no e-mail address and no telephone number. So a user is discoverable by its record name only, and only
/// to callers that may read the user's record of type `Users`. The names of a person are the STRING fields `firstName`
/// and `lastName` of this record, if the caller may read them. So users decide with their own records what others
/// learn, and the permissions of the type decide who the others are.
enum CloudKitUsers {
    /// The maximum number of users in one request.
    static let most = 200

    static let routes: [CloudKitRoute] = [
        CloudKitRoute(
            "GET /database/1/{container}/{environment}/{database}/users/caller", "users/caller", rate: .read,
            callers: .usersAndKeys
        ) { call in try caller(call) },
        CloudKitRoute(
            "POST /database/1/{container}/{environment}/{database}/users/caller", "users/caller", rate: .read,
            callers: .usersAndKeys
        ) { call in try caller(call) },
        CloudKitRoute(
            "GET /database/1/{container}/{environment}/{database}/users/current", "users/current", rate: .read,
            callers: .usersAndKeys
        ) { call in try current(call) },
        CloudKitRoute(
            "POST /database/1/{container}/{environment}/{database}/users/current", "users/current", rate: .read,
            callers: .usersAndKeys
        ) { call in try current(call) },
        CloudKitRoute(
            "GET /database/1/{container}/{environment}/{database}/users/discover", "users/discover", rate: .read,
            callers: .users, databases: [.publicDatabase]
        ) { _ in respond([]) },
        CloudKitRoute(
            "POST /database/1/{container}/{environment}/{database}/users/discover", "users/discover", rate: .read,
            callers: .users, databases: [.publicDatabase]
        ) { call in try await discover(&call) },
        CloudKitRoute(
            "POST /database/1/{container}/{environment}/{database}/users/lookup/email", "users/lookup/email",
            rate: .read, callers: .users, databases: [.publicDatabase]
        ) { call in try await lookUpEmails(&call) },
        CloudKitRoute(
            "POST /database/1/{container}/{environment}/{database}/users/lookup/id", "users/lookup/id", rate: .read,
            callers: .users, databases: [.publicDatabase]
        ) { call in try await lookUpIDs(&call) },
    ]

    /// `users/caller`: the identity of the caller. Clients read it from the response itself (CloudKit JS) or from the
    /// array `users` (Apple's guide), so the response has both.
    static func caller(_ call: CloudKitCall) throws -> HTTPResponse {
        let user = try callingUser(call)
        var response = user.identity
        response["users"] = .array([.object(user.identity)])
        return .cloudKit(response)
    }

    /// `users/current`: the caller as a user dictionary, the older form.
    static func current(_ call: CloudKitCall) throws -> HTTPResponse {
        .cloudKit(try callingUser(call).dictionary)
    }

    /// `users/discover` with `{"lookupInfos":[{"userRecordName"|"emailAddress"|"phoneNumber"}]}`: the identities of
    /// discoverable users, without those that are not.
    static func discover(_ call: inout CloudKitCall) async throws -> HTTPResponse {
        let body = try await call.object()
        let infos = try limited(body.required("lookupInfos", body.objects("lookupInfos")))
        let found = try infos.compactMap { info throws(RecordError) in
            try info.string("userRecordName").flatMap { name throws(RecordError) in try user(name, call) }
        }
        return respond(found.map(\.identity))
    }

    /// `users/lookup/email`: no account has an e-mail address, so none is found.
    static func lookUpEmails(_ call: inout CloudKitCall) async throws -> HTTPResponse {
        let body = try await call.object()
        for user in try limited(body.required("users", body.objects("users"))) { _ = try user.string("emailAddress") }
        return respond([])
    }

    /// `users/lookup/id` with `{"users":[{"userRecordName"}]}`: user dictionaries of discoverable users.
    static func lookUpIDs(_ call: inout CloudKitCall) async throws -> HTTPResponse {
        let body = try await call.object()
        let users = try limited(body.required("users", body.objects("users")))
        let found = try users.compactMap { info throws(RecordError) in
            try info.string("userRecordName").flatMap { name throws(RecordError) in try user(name, call) }
        }
        return respond(found.map(\.dictionary))
    }

    private static func limited(_ objects: [CloudKitObject]) throws(RecordError) -> [CloudKitObject] {
        guard objects.count <= most else { throw .badRequest("One request names at most \(most) users") }
        return objects
    }

    private static func respond(_ users: [JSONObject]) -> HTTPResponse {
        .cloudKit(JSONObject([("users", .array(users.map(JSONValue.object)))]))
    }

    // MARK: Users

    /// A user with the names that the caller may read.
    private struct FoundUser {
        let recordName: String
        var firstName: String?
        var lastName: String?

        var identity: JSONObject {
            var names = JSONObject()
            if let firstName { names["givenName"] = .string(firstName) }
            if let lastName { names["familyName"] = .string(lastName) }
            return JSONObject([
                ("userRecordName", .string(recordName)), ("nameComponents", .object(names)),
                ("lookupInfo", .object(JSONObject([("userRecordName", .string(recordName))]))),
            ])
        }

        var dictionary: JSONObject {
            JSONObject([
                ("userRecordName", .string(recordName)), ("firstName", firstName.map(JSONValue.string) ?? .null),
                ("lastName", lastName.map(JSONValue.string) ?? .null),
            ])
        }
    }

    /// Returns the calling user or key.
    private static func callingUser(_ call: CloudKitCall) throws(RecordError) -> FoundUser {
        let name = try call.callerName()
        return try user(name, call) ?? FoundUser(recordName: name)
    }

    /// Returns the user with a record name; `nil` if the caller may not read the user's record.
    private static func user(_ name: String, _ call: CloudKitCall) throws(RecordError) -> FoundUser? {
        guard UserRecordName(name) != nil, let recordName = RecordName(name) else { return nil }
        var json: [UInt8] = []
        do throws(RecordError) {
            _ = try call.reader.lookUp(
                recordName, type: .users, in: .publicDefault, for: call.caller, fields: ["firstName", "lastName"],
                to: &json)
        } catch {
            guard [.notFound, .authenticationRequired, .accessDenied].contains(error.code) else { throw error }
            return nil
        }
        let fields = (try? JSONValue.parse(json))?["fields"]
        return FoundUser(
            recordName: name, firstName: fields?["firstName"].flatMap(text), lastName: fields?["lastName"].flatMap(text)
        )
    }

    /// The text of a STRING field; `nil` for a field of another type.
    private static func text(_ field: JSONValue) -> String? { field["value"]?.string ?? field.string }
}
