internal import RecordModel
internal import RecordWire

/// The accounts and sessions of one container and environment.
struct InMemoryAccounts {
    var users: [UserID: InMemoryUser] = [:]
    /// The sessions by token.
    var sessions: [String: InMemorySession] = [:]
    var sessionsBegun = 0

    /// Returns the ID of the account with a record name.
    func id(named recordName: String) -> UserID? {
        users.first { $0.value.recordName == recordName }?.key
    }

    /// Returns the record name for a user ID.
    func name(of id: UserID) -> String {
        switch id {
        case .nobody: "_anonymous"
        case .administrator: "_administrator"
        default: users[id]?.recordName ?? Self.deletedUser
        }
    }

    /// The record name that replaces the record name of a deleted account.
    static let deletedUser = "_deleted"

    /// Ends all sessions of an account, except for the session with `token`.
    mutating func endSessions(of id: UserID, but token: String? = nil) {
        sessions = sessions.filter { $1.account != id || $0 == token }
    }
}

/// An account of `InMemoryServer`.
struct InMemoryUser {
    let recordName: String
    var name: String
    /// The password; `nil` for an anonymous account.
    var password: String?
    let created: Int64

    var isAnonymous: Bool { password == nil }

    /// The JSON of the user in the response to a sign-in.
    var head: JSONValue { ["userRecordName": .string(recordName), "name": .string(name)] }

    /// Returns the JSON of the user for a response.
    ///
    /// - Parameter isOwn: Whether the user is the caller.
    func document(isOwn: Bool) -> JSONValue {
        var object = head.object ?? JSONObject()
        object["createdTimestamp"] = .integer(created)
        if isOwn {
            object["roles"] = []
            object["isAdministrator"] = false
        }
        object["isAnonymous"] = .bool(isAnonymous)
        return .object(object)
    }
}

/// A session of `InMemoryServer`.
struct InMemorySession {
    let id: String
    /// The sequence number of the session. It orders sessions that were created in the same millisecond.
    let number: Int
    let account: UserID
    let label: String?
    let created: Int64
    var used: Int64
    var expires: Int64
    let ends: Int64
}
