/// What a route does.
package enum Endpoint: Hashable, Sendable, CaseIterable {
    case createRecord, listRecords, readRecord, replaceRecord, changeRecord, deleteRecord, readField, modifyRecords
    case uploadAsset, readAsset
    case describeUploads, createUpload, uploadOffset, continueUpload, terminateUpload, readUpload
    case queryRecords, queryRecordsByBody, deleteSet, changeSet
    case fetchChanges
    case readSchema, putSchema, readType, addIndex, changeField, readAdvice
    case listGrants, readGrants, putGrants
    case listRoles, readRole, putRole, deleteRole, addRoleMember, removeRoleMember
    case explainAccess
    case signUp, signUpAnonymously, readMe, changeMe, removeMe
    case listUsers, changeUser, removeUser
    case signIn, signOut, listSessions, endSession, endSessions, rotateSession
    case invite, listInvitations, removeInvitation
    case listKeys, createKey, readKey, changeKey, revokeKey, rotateKey
    case signInAdministrator, signOutAdministrator, listAdministratorSessions, endAdministratorSession
    case changeOwnPassword, listAdministrators, addAdministrator, readAdministrator, changeAdministrator
    case deleteAdministrator
    case readAudit
    case startBackup, readBackup, cancelBackup
    case live, ready, metrics, limits, openAPI

    /// Whether the loop reads no records for it, and so needs no view of its own.
    var leavesReadingToTheWriter: Bool {
        switch self {
        case .createRecord, .replaceRecord, .changeRecord, .deleteRecord, .modifyRecords: true
        default: false
        }
    }

    /// Whether the first parameter of the path is the type of the records that it is about.
    var namesTypeInPath: Bool {
        switch self {
        case .createRecord, .listRecords, .readRecord, .replaceRecord, .changeRecord, .deleteRecord, .readField,
            .queryRecords, .deleteSet, .changeSet:
            true
        default: false
        }
    }

    /// Whether its answers say which version of tus they are in.
    var speaksTus: Bool {
        switch self {
        case .describeUploads, .createUpload, .uploadOffset, .continueUpload, .terminateUpload, .readUpload: true
        default: false
        }
    }

    /// Every route, once.
    package static let routes: [(route: StaticString, endpoint: Endpoint)] = [
        ("POST /records", .modifyRecords),
        ("POST /records/{type}", .createRecord),
        ("GET /records/{type}", .listRecords),
        ("GET /records/{type}/{name}", .readRecord),
        ("PUT /records/{type}/{name}", .replaceRecord),
        ("PATCH /records/{type}/{name}", .changeRecord),
        ("DELETE /records/{type}/{name}", .deleteRecord),
        ("GET /records/{type}/{name}/{field}", .readField),
        ("POST /assets", .uploadAsset),
        ("GET /assets/{token}", .readAsset),
        ("GET /assets/{token}/{filename}", .readAsset),
        ("OPTIONS /assets/uploads", .describeUploads),
        ("POST /assets/uploads", .createUpload),
        ("HEAD /assets/uploads/{name}", .uploadOffset),
        ("PATCH /assets/uploads/{name}", .continueUpload),
        ("DELETE /assets/uploads/{name}", .terminateUpload),
        ("GET /assets/uploads/{name}", .readUpload),
        ("GET /query/{type}", .queryRecords),
        ("POST /query", .queryRecordsByBody),
        ("DELETE /query/{type}", .deleteSet),
        ("PATCH /query/{type}", .changeSet),
        ("GET /changes", .fetchChanges),
        ("GET /schema", .readSchema),
        ("PUT /schema", .putSchema),
        ("GET /schema/types/{type}", .readType),
        ("POST /schema/types/{type}/indexes", .addIndex),
        ("PATCH /schema/types/{type}/fields/{field}", .changeField),
        ("GET /schema/advice", .readAdvice),
        ("GET /grants", .listGrants),
        ("GET /grants/{type}", .readGrants),
        ("PUT /grants/{type}", .putGrants),
        ("GET /roles", .listRoles),
        ("GET /roles/{role}", .readRole),
        ("PUT /roles/{role}", .putRole),
        ("DELETE /roles/{role}", .deleteRole),
        ("PUT /roles/{role}/members/{user}", .addRoleMember),
        ("DELETE /roles/{role}/members/{user}", .removeRoleMember),
        ("POST /explain/access", .explainAccess),
        ("POST /users", .signUp),
        ("POST /users/anonymous", .signUpAnonymously),
        ("GET /users/me", .readMe),
        ("PATCH /users/me", .changeMe),
        ("DELETE /users/me", .removeMe),
        ("GET /users", .listUsers),
        ("PATCH /users/{name}", .changeUser),
        ("DELETE /users/{name}", .removeUser),
        ("POST /sessions", .signIn),
        ("GET /sessions", .listSessions),
        ("DELETE /sessions", .endSessions),
        ("DELETE /sessions/current", .signOut),
        ("POST /sessions/current/rotate", .rotateSession),
        ("DELETE /sessions/{id}", .endSession),
        ("POST /invitations", .invite),
        ("GET /invitations", .listInvitations),
        ("DELETE /invitations/{id}", .removeInvitation),
        ("GET /keys", .listKeys),
        ("POST /keys", .createKey),
        ("GET /keys/{id}", .readKey),
        ("PATCH /keys/{id}", .changeKey),
        ("DELETE /keys/{id}", .revokeKey),
        ("POST /keys/{id}/rotate", .rotateKey),
        ("POST /administrators/sessions", .signInAdministrator),
        ("GET /administrators/sessions", .listAdministratorSessions),
        ("DELETE /administrators/sessions/current", .signOutAdministrator),
        ("DELETE /administrators/sessions/{id}", .endAdministratorSession),
        ("PATCH /administrators/me", .changeOwnPassword),
        ("GET /administrators", .listAdministrators),
        ("POST /administrators", .addAdministrator),
        ("GET /administrators/{name}", .readAdministrator),
        ("PATCH /administrators/{name}", .changeAdministrator),
        ("DELETE /administrators/{name}", .deleteAdministrator),
        ("GET /audit", .readAudit),
        ("POST /backup", .startBackup),
        ("GET /backup", .readBackup),
        ("DELETE /backup", .cancelBackup),
        ("GET /health/live", .live),
        ("GET /health/ready", .ready),
        ("GET /metrics", .metrics),
        ("GET /limits", .limits),
        ("GET /openapi.json", .openAPI),
    ]

    /// What the paths of routes, and of the console, begin with.
    package static let firstSegments: Set<String> = Set(
        routes.map { route, _ in String("\(route)".split(separator: "/")[1].prefix { $0 != "/" }) } + ["_"])

    /// The query parameters that the route takes besides those of the scope.
    var queryParameters: [String] {
        switch self {
        case .createRecord, .replaceRecord: ["fields", "preserve"]
        case .readRecord, .changeRecord, .modifyRecords: ["fields"]
        case .listRecords: ["limit", "cursor", "fields"]
        case .readField: ["index", "download", "width", "height", "fit", "format"]
        case .uploadAsset: ["filename"]
        case .readAsset: ["download", "width", "height", "fit", "format"]
        case .queryRecords: ["where", "arg", "sort", "limit", "fields", "cursor", "count", "explain"]
        case .deleteSet, .changeSet: ["where", "arg", "all", "dryRun", "maxAffected"]
        case .fetchChanges: ["since", "limit", "fields"]
        case .endSessions: ["others"]
        case .listUsers: ["limit", "cursor", "name"]
        case .listKeys: ["limit", "cursor"]
        case .readAudit: ["since", "until", "actor", "action", "limit", "cursor", "scope"]
        case .putSchema: ["rights", "dryRun"]
        case .deleteRecord, .queryRecordsByBody, .readSchema, .readType, .addIndex, .changeField,
            .readAdvice, .listGrants, .readGrants, .putGrants, .listRoles, .readRole, .putRole, .deleteRole,
            .addRoleMember, .removeRoleMember, .explainAccess, .signUp,
            .signUpAnonymously, .signIn, .signOut, .readMe, .changeMe, .removeMe, .changeUser, .removeUser,
            .listSessions, .endSession, .rotateSession, .invite, .listInvitations, .removeInvitation, .live, .ready,
            .metrics, .limits, .openAPI,
            .describeUploads, .createUpload,
            .uploadOffset, .continueUpload, .terminateUpload, .readUpload,
            .createKey, .readKey, .changeKey, .revokeKey, .rotateKey, .signInAdministrator, .signOutAdministrator,
            .listAdministratorSessions, .endAdministratorSession, .changeOwnPassword, .listAdministrators,
            .addAdministrator, .readAdministrator, .changeAdministrator, .deleteAdministrator, .startBackup,
            .readBackup, .cancelBackup:
            []
        }
    }

    /// The one parameter that may come more than once: each is one more value, in order.
    static let repeatedParameter = "arg"
}
