internal import RecordModel
internal import RecordWire

/// The accounts of one container and environment, and who is signed in to them.
struct InMemoryAccounts {
    var users: [UserID: InMemoryUser] = [:]
    /// By their tokens.
    var sessions: [String: InMemorySession] = [:]
    var sessionsBegun = 0

    /// The number of the account with a record name.
    func id(named recordName: String) -> UserID? {
        users.first { $0.value.recordName == recordName }?.key
    }

    /// The record name of whoever has a number.
    func name(of id: UserID) -> String {
        switch id {
        case .nobody: "_anonymous"
        case .administrator: "_administrator"
        default: users[id]?.recordName ?? Self.deletedUser
        }
    }

    /// The name of whoever has no account any more.
    static let deletedUser = "_deleted"

    /// Ends the sessions of an account, all of them or all but one.
    mutating func endSessions(of id: UserID, but token: String? = nil) {
        sessions = sessions.filter { $1.account != id || $0 == token }
    }
}

/// An account of `InMemoryServer`.
struct InMemoryUser {
    let recordName: String
    var name: String
    /// `nil` for somebody anonymous.
    var password: String?
    let created: Int64

    var isAnonymous: Bool { password == nil }

    /// Who it is, as the answer to a sign-in says.
    var head: JSONValue { ["userRecordName": .string(recordName), "name": .string(name)] }

    /// What answers say of it.
    ///
    /// - Parameter isOwn: To somebody who asks for itself.
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

/// Somebody who is signed in.
struct InMemorySession {
    let id: String
    /// Its place in the order in which sessions began, several of them perhaps in one millisecond.
    let number: Int
    let account: UserID
    let label: String?
    let created: Int64
    var used: Int64
    var expires: Int64
    let ends: Int64
}
