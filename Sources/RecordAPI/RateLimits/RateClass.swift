/// What kinds of requests are counted together. Each has a limit of its own, so that reading never keeps anybody from signing
/// in.
package enum RateClass: String, CaseIterable, Sendable {
    /// What proves a right: signing in, passwords, and credentials that turn out to be none.
    case auth
    case read
    /// Records; each operation of a batch counts.
    case write
    case upload
    /// Schema, grants and roles.
    case administer
    /// What makes an account. Apart from `auth`: those who sign up must not keep their neighbours from signing in.
    case signUp

    var index: Int {
        switch self {
        case .auth: 0
        case .read: 1
        case .write: 2
        case .upload: 3
        case .administer: 4
        case .signUp: 5
        }
    }

    /// The setting by which the operator allows more.
    var setting: String {
        switch self {
        case .auth, .read, .write, .upload, .administer: "limits.rate_\(rawValue)"
        case .signUp: "limits.rate_sign_up"
        }
    }
}

extension Endpoint {
    /// Under which limit a route falls; `nil` for the probes of whoever watches over the process: a flood must not make it
    /// look dead.
    ///
    /// It hangs on the route that was found, so it is the same for HEAD and GET and for every spelling of a path. No field
    /// of a request can put another method in the place of its own.
    var rateClass: RateClass? {
        switch self {
        case .live, .ready: nil
        case .signUp, .signUpAnonymously: .signUp
        case .signIn, .changeMe, .removeMe, .signInAdministrator, .changeOwnPassword: .auth
        case .listRecords, .readRecord, .readField, .readAsset, .uploadOffset, .readUpload, .queryRecords,
            .queryRecordsByBody, .fetchChanges, .readMe, .listSessions, .metrics, .limits, .openAPI, .describeUploads:
            .read
        case .createRecord, .replaceRecord, .changeRecord, .deleteRecord, .modifyRecords, .deleteSet, .changeSet,
            .signOut, .endSession, .endSessions, .rotateSession:
            .write
        case .uploadAsset, .createUpload, .continueUpload, .terminateUpload: .upload
        case .readSchema, .putSchema, .readType, .addIndex, .changeField, .readAdvice, .listGrants, .readGrants,
            .putGrants,
            .listRoles, .readRole, .putRole, .deleteRole, .addRoleMember, .removeRoleMember, .explainAccess, .listUsers,
            .changeUser, .removeUser, .invite,
            .listInvitations,
            .removeInvitation, .listKeys, .createKey, .readKey, .changeKey, .revokeKey, .rotateKey,
            .signOutAdministrator,
            .listAdministratorSessions, .endAdministratorSession, .listAdministrators, .addAdministrator,
            .readAdministrator, .changeAdministrator, .deleteAdministrator, .readAudit,
            .startBackup, .readBackup, .cancelBackup:
            .administer
        }
    }
}
