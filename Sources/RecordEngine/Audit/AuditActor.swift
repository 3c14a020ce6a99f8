package import RecordModel

/// Who did something that the audit log tells of, and by which request.
package struct AuditActor: Hashable, Sendable {
    package var caller: Caller
    /// The client's address; empty if there was none.
    package var address: String
    /// The id that the access log has of the request; empty if there was none.
    package var requestID: String
    /// What stands for the caller where it is no caller of a request.
    let name: String?

    package init(caller: Caller, address: String = "", requestID: String = "") {
        self.caller = caller
        self.address = address
        self.requestID = requestID
        name = nil
    }

    /// The same request, of somebody else: who has signed up with it.
    func with(_ caller: Caller) -> AuditActor {
        AuditActor(caller: caller, address: address, requestID: requestID)
    }

    private init(named name: String) {
        caller = .administrator(.bootstrap)
        address = ""
        requestID = ""
        self.name = name
    }

    /// Whoever has the data folder, at the shell.
    package static let shell = AuditActor(named: "_shell")
    /// The server by itself.
    package static let server = AuditActor(named: "_server")
}

/// What the audit log tells of. The words are part of the interface.
package enum AuditAction: String, Hashable, Sendable, CaseIterable {
    case schemaPut = "schema.put"
    case indexAdd = "schema.addIndex"
    /// Records were made with dates and users that the request said.
    case recordsPreserve = "records.preserve"
    case grantsPut = "grants.put"
    case rolePut = "role.put"
    case roleDelete = "role.delete"
    case keyCreate = "key.create"
    case keyChange = "key.change"
    case keyRotate = "key.rotate"
    case keyRevoke = "key.revoke"
    /// A key was used for something that its scope does not cover.
    case keyOutOfScope = "key.outOfScope"
    case invitationCreate = "invitation.create"
    case invitationDelete = "invitation.delete"
    /// An administrator made an account for somebody.
    case userCreate = "user.create"
    /// Somebody made an account of its own.
    case userSignUp = "user.signUp"
    /// Somebody anonymous took a name and a password.
    case userUpgrade = "user.upgrade"
    case userRename = "user.rename"
    case userPassword = "user.password"
    case userDisable = "user.disable"
    case userEnable = "user.enable"
    case userDelete = "user.delete"
    /// An administrator named whose private database it means.
    case ownerNamed = "user.privateDatabase"
    /// Somebody signed out everywhere.
    case sessionsEnd = "session.endAll"
    case signInFailed = "session.failed"
    case administratorCreate = "administrator.create"
    case administratorChange = "administrator.change"
    case administratorPassword = "administrator.password"
    case administratorDelete = "administrator.delete"
    /// The server made a token of its own: at its first start, or since the one before was taken away.
    case administratorToken = "administrator.token"
    case administratorSignIn = "administrator.signIn"
    case administratorSignOut = "administrator.signOut"
    case administratorSignInFailed = "administrator.failed"
}

/// How what the log tells of came out.
package enum AuditOutcome: String, Hashable, Sendable {
    case done
    case refused
}
