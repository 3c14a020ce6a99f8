package import RecordModel

/// The actor of an audit entry, and the actor's request.
package struct AuditActor: Hashable, Sendable {
    /// The caller of the request.
    package var caller: Caller
    /// The client's network address; empty if there was no client.
    package var address: String
    /// The id of the request in the access log; empty if there was no request.
    package var requestID: String
    /// The name of an actor that is not the caller of a request; otherwise `nil`.
    let name: String?

    /// Describes the caller of a request as an actor.
    package init(caller: Caller, address: String = "", requestID: String = "") {
        self.caller = caller
        self.address = address
        self.requestID = requestID
        name = nil
    }

    /// Returns an actor with the same request but another caller. For sign-ups, the other caller is the new account.
    func with(_ caller: Caller) -> AuditActor {
        AuditActor(caller: caller, address: address, requestID: requestID)
    }

    private init(named name: String) {
        caller = .administrator(.bootstrap)
        address = ""
        requestID = ""
        self.name = name
    }

    /// An operator with access to the data directory, using the command line.
    package static let shell = AuditActor(named: "_shell")
    /// The server itself.
    package static let server = AuditActor(named: "_server")
    /// The holder of a `SetUpCode`.
    static let setUpHolder = AuditActor(named: "_setUp")
}

/// The actions in the audit log. The raw values are part of the interface.
package enum AuditAction: String, Hashable, Sendable, CaseIterable {
    case schemaPut = "schema.put"
    case schemaPromote = "schema.promote"
    case schemaRollback = "schema.rollback"
    case schemaReset = "schema.reset"
    case indexAdd = "schema.addIndex"
    /// Records were created with dates and users from the request.
    case recordsPreserve = "records.preserve"
    /// An import whose records keep their dates and users.
    case recordsImport = "records.import"
    /// An export of a whole container, with the hashes of passwords.
    case containerExport = "container.export"
    case grantsPut = "grants.put"
    case rolePut = "role.put"
    case roleDelete = "role.delete"
    case keyCreate = "key.create"
    case keyChange = "key.change"
    case keyRotate = "key.rotate"
    case keyRevoke = "key.revoke"
    case cloudKitTokenCreate = "cloudKitToken.create"
    case cloudKitTokenChange = "cloudKitToken.change"
    case cloudKitTokenRevoke = "cloudKitToken.revoke"
    /// An API key was used for something outside its scope.
    case keyOutOfScope = "key.outOfScope"
    case webhookCreate = "webhook.create"
    case webhookChange = "webhook.change"
    case webhookRotate = "webhook.rotate"
    /// A caller paused a webhook, or the server after the database was copied.
    case webhookPause = "webhook.pause"
    case webhookResume = "webhook.resume"
    case webhookReplay = "webhook.replay"
    case webhookDelete = "webhook.delete"
    /// The server gave up.
    case webhookDisable = "webhook.disable"
    case invitationCreate = "invitation.create"
    case invitationDelete = "invitation.delete"
    /// An administrator created an account for another person.
    case userCreate = "user.create"
    /// A person created an account.
    case userSignUp = "user.signUp"
    /// An anonymous account got a name and a password.
    case userUpgrade = "user.upgrade"
    case userRename = "user.rename"
    case userPassword = "user.password"
    case userDisable = "user.disable"
    case userEnable = "user.enable"
    case userDelete = "user.delete"
    /// An administrator accessed the private database of a user.
    case ownerNamed = "user.privateDatabase"
    /// A user, or an administrator for it, ended all its sessions.
    case sessionsEnd = "session.endAll"
    /// An administrator ended one session of a user.
    case sessionEnd = "session.end"
    case signInFailed = "session.failed"
    /// An administrator paused, resumed, canceled or deleted the job of another caller.
    case jobPause = "job.pause"
    case jobResume = "job.resume"
    case jobCancel = "job.cancel"
    case jobDelete = "job.delete"
    case schedulePut = "schedule.put"
    case scheduleRun = "schedule.run"
    case scheduleDelete = "schedule.delete"
    /// The server paused a schedule.
    case schedulePause = "schedule.pause"
    case administratorCreate = "administrator.create"
    case administratorChange = "administrator.change"
    case administratorPassword = "administrator.password"
    case administratorDelete = "administrator.delete"
    /// The server created its own token, at its first start or after the previous one was deleted.
    case administratorToken = "administrator.token"
    case administratorSignIn = "administrator.signIn"
    case administratorSignOut = "administrator.signOut"
    case administratorSignInFailed = "administrator.failed"
    case backupDownload = "backup.download"
}

/// The outcome of an action in the audit log.
package enum AuditOutcome: String, Hashable, Sendable {
    case done
    case rejected = "refused"
}
