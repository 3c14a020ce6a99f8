/// What `/openapi.json` says of each route.
extension Endpoint {
    var tag: String {
        switch self {
        case .createRecord, .listRecords, .readRecord, .replaceRecord, .changeRecord, .deleteRecord, .readField,
            .modifyRecords:
            "records"
        case .uploadAsset, .readAsset, .describeUploads, .createUpload, .uploadOffset, .continueUpload,
            .terminateUpload, .readUpload:
            "assets"
        case .queryRecords, .queryRecordsByBody, .deleteSet, .changeSet: "queries"
        case .fetchChanges: "changes"
        case .readSchema, .putSchema, .readType, .addIndex, .changeField, .readAdvice: "schema"
        case .listGrants, .readGrants, .putGrants, .listRoles, .readRole, .putRole, .deleteRole, .addRoleMember,
            .removeRoleMember, .explainAccess:
            "rights"
        case .signUp, .signUpAnonymously, .readMe, .changeMe, .removeMe, .listUsers, .changeUser, .removeUser,
            .signIn, .signOut, .listSessions, .endSession, .endSessions, .rotateSession, .invite, .listInvitations,
            .removeInvitation:
            "accounts"
        case .listKeys, .createKey, .readKey, .changeKey, .revokeKey, .rotateKey: "keys"
        case .signInAdministrator, .signOutAdministrator, .listAdministratorSessions, .endAdministratorSession,
            .changeOwnPassword, .listAdministrators, .addAdministrator, .readAdministrator, .changeAdministrator,
            .deleteAdministrator, .readAudit:
            "administration"
        case .live, .ready, .metrics, .limits, .openAPI, .startBackup, .readBackup, .cancelBackup: "operation"
        }
    }

    var summary: String {
        switch self {
        case .createRecord: "Makes a record; the server names it unless recordName is given"
        case .listRecords: "Lists the records of a type in creation order"
        case .readRecord: "Reads a record"
        case .replaceRecord: "Makes a record, or replaces all of its fields"
        case .changeRecord: "Changes the fields given; null removes one"
        case .deleteRecord: "Deletes a record"
        case .readField: "Reads the content of a BYTES or ASSET field, ranges of it, or a smaller picture"
        case .uploadAsset:
            "Uploads a file, or several as multipart/form-data; the answer is the value of an ASSET field"
        case .readAsset: "Reads an asset by its signed URL, ranges of it, or a smaller picture"
        case .describeUploads: "Tells which version of tus, the protocol of uploads that can be resumed, is spoken"
        case .createUpload: "Begins an upload that can be resumed (tus 1.0.0), with its first part if there is a body"
        case .uploadOffset: "Tells where an upload goes on, and ends a request that still brings bytes for it"
        case .continueUpload: "Brings the next part of an upload; the last one completes it"
        case .terminateUpload: "Ends an upload and drops what has come of it"
        case .readUpload: "Shows how far an upload is and, once it is complete, the value of an ASSET field"
        case .modifyRecords: "Performs a batch of operations, all or nothing unless atomic is false"
        case .queryRecords: "Finds records of a type by condition, sorted, a page at a time"
        case .queryRecordsByBody: "The same with the query in the body; nothing is written"
        case .deleteSet: "Deletes the records that meet a condition"
        case .changeSet: "Changes fields of the records that meet a condition"
        case .fetchChanges: "Reads what changed in a zone since a token"
        case .readSchema: "Shows types, fields, indexes and grants (administrators)"
        case .putSchema: "Makes the schema what the document says (administrators)"
        case .readType: "Shows one type (administrators)"
        case .addIndex: "Adds an index to a type (administrators)"
        case .changeField: "Gives a field another type, such as DOUBLE to an INT64 (administrators)"
        case .readAdvice: "Tells which queries cost most, and which index would help (administrators)"
        case .listGrants: "Shows the grants of all types (administrators)"
        case .readGrants: "Shows the grants of a type (administrators)"
        case .putGrants: "Replaces the grants of a type (administrators)"
        case .explainAccess: "Tells what a caller may do, and by which rule (administrators)"
        case .listRoles: "Lists the custom roles (administrators)"
        case .readRole: "Shows a custom role (administrators)"
        case .putRole: "Makes a custom role or replaces its members (administrators)"
        case .deleteRole: "Takes a custom role away (administrators)"
        case .addRoleMember: "Takes one member into a custom role (administrators)"
        case .removeRoleMember: "Takes one member out of a custom role (administrators)"
        case .signUp: "Makes an account and signs it in"
        case .signIn: "Signs in"
        case .signOut: "Ends the session of the token"
        case .readMe: "Shows who bears the token"
        case .signUpAnonymously: "Makes an account without a name and signs it in, where that is allowed"
        case .changeMe:
            "Changes the account's name or password; a new password ends all other sessions. Gives an anonymous account both"
        case .removeMe: "Takes the account away, with its sessions and its private database"
        case .listUsers: "Lists the accounts in the order in which they were made (right manageUsers)"
        case .changeUser: "Gives an account another password (owners), disables or enables it (right manageUsers)"
        case .removeUser: "Takes an account away, with its sessions and its private database (right manageUsers)"
        case .listSessions: "Lists the account's sessions"
        case .endSession: "Ends one of the account's sessions"
        case .endSessions: "Ends all of the account's sessions, or with others=true all but that of the token"
        case .rotateSession: "Gives the session another token; the old one is good for nothing any more"
        case .invite: "Makes an invitation to sign up; its token is shown once (administrators)"
        case .listInvitations: "Lists the invitations (administrators)"
        case .removeInvitation: "Takes an invitation back (administrators)"
        case .listKeys: "Lists API keys, revoked ones among them; never a token (right manageKeys)"
        case .createKey: "Makes an API key; its token is shown once (right manageKeys)"
        case .readKey: "Shows an API key (right manageKeys)"
        case .changeKey: "Changes name, scope or end of an API key (right manageKeys)"
        case .revokeKey: "Ends an API key for good (right manageKeys)"
        case .rotateKey: "Gives an API key a new token; the old one stays good for a while (right manageKeys)"
        case .signInAdministrator: "Signs an administrator in"
        case .signOutAdministrator: "Ends the administrator's session of the token"
        case .listAdministratorSessions: "Lists the administrator's own sessions"
        case .endAdministratorSession: "Ends one of the administrator's own sessions"
        case .changeOwnPassword: "Gives the administrator another password and ends its other sessions"
        case .listAdministrators: "Lists the administrators by name (owners)"
        case .addAdministrator: "Adds an administrator (owners)"
        case .readAdministrator: "Shows an administrator (owners)"
        case .changeAdministrator: "Changes role or password of an administrator, or disables it (owners)"
        case .deleteAdministrator: "Takes an administrator away (owners)"
        case .readAudit: "Reads the audit log, the newest entry first (owners)"
        case .live: "Tells that the process answers"
        case .startBackup: "Begins a backup (the operator's commands)"
        case .readBackup: "Tells how far the backup is, or what became of the last one (the operator's commands)"
        case .cancelBackup: "Cancels the backup that is under way (the operator's commands)"
        case .ready: "Tells whether the databases take writes, and why not"
        case .metrics: "Figures in the text format of Prometheus"
        case .limits: "The limits of this server"
        case .openAPI: "This description"
        }
    }

    /// The name of the body's schema; `nil` for a route without a body.
    var requestSchema: String? {
        switch self {
        case .createRecord, .replaceRecord, .changeRecord: "RecordInput"
        case .modifyRecords: "Batch"
        case .queryRecordsByBody: "Query"
        case .changeSet: "SetChange"
        case .putSchema: "Schema"
        case .addIndex: "Index"
        case .changeField: "FieldTypeChange"
        case .putGrants: "Grants"
        case .putRole: "Role"
        case .explainAccess: "AccessQuestion"
        case .signUp: "SignUp"
        case .signIn: "Credentials"
        case .signUpAnonymously: "Label"
        case .changeMe: "AccountChange"
        case .changeUser: "UserChange"
        case .removeMe: "Password"
        case .invite: "InvitationInput"
        case .createKey: "NewKey"
        case .changeKey: "KeyChange"
        case .rotateKey: "KeyRotation"
        case .signInAdministrator: "AdministratorCredentials"
        case .changeOwnPassword: "PasswordChange"
        case .addAdministrator: "NewAdministrator"
        case .changeAdministrator: "AdministratorChange"
        case .startBackup: "BackupInput"
        case .listRecords, .readRecord, .deleteRecord, .readField, .uploadAsset, .readAsset, .queryRecords, .deleteSet,
            .fetchChanges,
            .readSchema, .readType, .readAdvice, .listGrants, .readGrants, .listRoles, .readRole, .deleteRole,
            .addRoleMember,
            .removeRoleMember, .signOut,
            .readMe, .listSessions, .endSession, .endSessions, .rotateSession, .listInvitations, .removeInvitation,
            .live, .ready, .metrics, .limits, .openAPI, .describeUploads, .createUpload, .uploadOffset,
            .continueUpload, .terminateUpload, .readUpload,
            .listUsers, .removeUser, .listKeys, .readKey, .revokeKey, .signOutAdministrator, .listAdministratorSessions,
            .endAdministratorSession, .listAdministrators, .readAdministrator, .deleteAdministrator, .readAudit,
            .readBackup, .cancelBackup:
            nil
        }
    }

    /// Whether the body may be left out.
    var isRequestOptional: Bool {
        switch self {
        case .signUpAnonymously, .removeMe, .invite, .rotateKey: true
        default: false
        }
    }

    /// Whether the scope's parameters mean something on the route.
    var takesScope: Bool {
        switch self {
        case .live, .ready, .metrics, .limits, .openAPI, .describeUploads, .signInAdministrator, .signOutAdministrator,
            .listAdministratorSessions, .endAdministratorSession, .changeOwnPassword, .listAdministrators,
            .addAdministrator, .readAdministrator, .changeAdministrator, .deleteAdministrator,
            .startBackup, .readBackup, .cancelBackup:
            false
        default: true
        }
    }

    /// The media type of a body that is no JSON, and whether there must be one; `nil` for none.
    var requestBytes: (mediaType: String, isRequired: Bool)? {
        switch self {
        case .createUpload: (Tus.mediaType, false)
        case .continueUpload: (Tus.mediaType, true)
        default: nil
        }
    }

    /// The header fields that the route understands, as parameters among the components.
    var headers: [String] {
        switch self {
        case .createRecord, .modifyRecords: ["idempotencyKey", "prefer"]
        case .replaceRecord, .changeRecord: ["ifMatch", "ifNoneMatch", "idempotencyKey", "prefer"]
        case .deleteRecord: ["ifMatch", "idempotencyKey"]
        case .readRecord, .readSchema, .readGrants, .readRole: ["ifNoneMatch"]
        case .putSchema, .putGrants, .deleteRole, .addRoleMember, .removeRoleMember: ["ifMatch"]
        case .putRole: ["ifMatch", "ifNoneMatch"]
        case .readField, .readAsset: ["ifNoneMatch", "range", "ifRange"]
        case .uploadAsset: ["contentDigest"]
        case .deleteSet, .changeSet: ["idempotencyKey"]
        case .createUpload:
            ["tusResumable", "newUploadLength", "uploadDeferLength", "uploadMetadata", "uploadChecksum"]
        case .continueUpload: ["tusResumable", "uploadOffset", "uploadLength", "uploadChecksum"]
        case .uploadOffset, .terminateUpload: ["tusResumable"]
        default: []
        }
    }

    var answers: [Answer] {
        switch self {
        case .createRecord: [Answer(201, "The record, with Location and ETag", .json("Record"))]
        case .listRecords: [Answer(200, "A page", .json("Page"))]
        case .readRecord:
            [Answer(200, "The record, with ETag", .json("Record")), Answer(304, "The client's copy is current")]
        case .replaceRecord:
            [
                Answer(200, "The record as it is now", .json("Record")),
                Answer(201, "The new record", .json("Record")), Answer(204, "Done; Prefer asked for no more"),
                Answer(412, "A condition did not hold", .json("Error")),
            ]
        case .changeRecord:
            [
                Answer(200, "The record as it is now", .json("Record")),
                Answer(204, "Done; Prefer asked for no more"),
                Answer(412, "A condition did not hold", .json("Error")),
            ]
        case .deleteRecord:
            [Answer(204, "Deleted"), Answer(412, "A condition did not hold", .json("Error"))]
        case .readField, .readAsset:
            [
                Answer(200, "The bytes", .bytes), Answer(206, "The range, or several as multipart/byteranges", .bytes),
                Answer(304, "The client's copy is current"),
                Answer(410, "The URL has expired", .json("Error")),
                Answer(416, "Every range begins behind the end", .json("Error")),
                Answer(501, "Smaller pictures are not made here", .json("Error")),
            ]
        case .uploadAsset:
            [
                Answer(201, "The value for an ASSET field, with its receipt", .json("UploadAnswer")),
                Answer(413, "Too large, or over the quota", .json("Error")),
                Answer(507, "The disk is full", .json("Error")),
            ]
        case .describeUploads:
            [Answer(204, "Tus-Version, Tus-Extension, Tus-Max-Size and Tus-Checksum-Algorithm tell")]
        case .createUpload:
            [
                Answer(201, "The upload's address in Location, with Upload-Offset and Upload-Expires"),
                Answer(412, "Tus-Resumable is missing, or another version", .json("Error")),
                Answer(413, "Too large, or over the quota", .json("Error")),
                Answer(415, "The body does not say that it is a part", .json("Error")),
                Answer(460, "The part has another checksum; there is no upload", .json("Error")),
                Answer(507, "The disk is full", .json("Error")),
            ]
        case .uploadOffset:
            [
                Answer(200, "Upload-Offset, Upload-Length or Upload-Defer-Length, Upload-Metadata, Upload-Expires"),
                Answer(404, "There is no such upload of the caller's"), Answer(410, "The upload has expired"),
                Answer(412, "Tus-Resumable is missing, or another version"),
            ]
        case .continueUpload:
            [
                Answer(204, "The part is durable up to Upload-Offset"),
                Answer(404, "There is no such upload of the caller's", .json("Error")),
                Answer(409, "The upload is at another offset, or a newer request goes on with it", .json("Error")),
                Answer(410, "The upload has expired", .json("Error")),
                Answer(412, "Tus-Resumable is missing, or another version", .json("Error")),
                Answer(413, "More than the upload's length, or over the quota", .json("Error")),
                Answer(415, "The body does not say that it is a part", .json("Error")),
                Answer(460, "The part has another checksum and was dropped", .json("Error")),
                Answer(507, "The disk is full", .json("Error")),
            ]
        case .terminateUpload:
            [
                Answer(204, "Gone"), Answer(404, "There is no such upload of the caller's", .json("Error")),
                Answer(410, "The upload has expired", .json("Error")),
                Answer(412, "Tus-Resumable is missing, or another version", .json("Error")),
            ]
        case .readUpload:
            [
                Answer(200, "How far it is", .json("Upload")),
                Answer(404, "There is no such upload of the caller's", .json("Error")),
                Answer(410, "The upload has expired", .json("Error")),
            ]
        case .modifyRecords: [Answer(200, "A result for each operation, in order", .json("BatchAnswer"))]
        case .queryRecords, .queryRecordsByBody:
            [
                Answer(200, "A page; with what was asked for besides", .json("QueryAnswer")),
                Answer(503, "An index is being built: ask again after retryAfter", .json("Error")),
            ]
        case .deleteSet, .changeSet:
            [
                Answer(200, "How many records matched and what became of them", .json("SetAnswer")),
                Answer(409, "More records match than maxAffected allows; none was touched", .json("Error")),
            ]
        case .fetchChanges:
            [
                Answer(200, "Changes, oldest first, and the token for the next call", .json("Changes")),
                Answer(410, "The token is too old: start again without one", .json("Error")),
            ]
        case .readSchema:
            [Answer(200, "The schema, with ETag", .json("Schema")), Answer(304, "The client's copy is current")]
        case .putSchema:
            [
                Answer(200, "The schema, with ETag, and what of it is other than before", .json("Schema")),
                Answer(204, "Done, by somebody who may not read the schema"),
                Answer(412, "The schema has another tag", .json("Error")),
            ]
        case .readType: [Answer(200, "The type", .json("RecordType"))]
        case .addIndex:
            [Answer(201, "The new index", .json("Index")), Answer(200, "The index, which was there", .json("Index"))]
        case .changeField:
            [Answer(200, "The field", .json("Field")), Answer(202, "It is being widened", .json("Field"))]
        case .readAdvice: [Answer(200, "Queries, the costliest first", .json("Advice"))]
        case .listGrants: [Answer(200, "The grants by type", .json("AllGrants"))]
        case .readGrants:
            [Answer(200, "The grants, with ETag", .json("Grants")), Answer(304, "The client's copy is current")]
        case .putGrants:
            [Answer(200, "The grants, with ETag", .json("Grants")), Answer(412, "They differ now", .json("Error"))]
        case .listRoles: [Answer(200, "The roles", .json("Roles"))]
        case .readRole:
            [Answer(200, "The role, with ETag", .json("Role")), Answer(304, "The client's copy is current")]
        case .putRole:
            [
                Answer(200, "The role, with ETag", .json("Role")), Answer(201, "The new role", .json("Role")),
                Answer(412, "A condition did not hold", .json("Error")),
            ]
        case .deleteRole: [Answer(204, "Gone"), Answer(412, "The role has another tag", .json("Error"))]
        case .addRoleMember, .removeRoleMember:
            [
                Answer(200, "The role as it is now, with ETag", .json("Role")),
                Answer(404, "There is no such role", .json("Error")),
                Answer(412, "The role has another tag", .json("Error")),
            ]
        case .explainAccess: [Answer(200, "The decision and what it rests on", .json("AccessExplanation"))]
        case .signUp:
            [
                Answer(201, "A session; the token is shown once", .json("Session")),
                Answer(403, "Sign-up is closed, or the invitation is not good", .json("Error")),
                Answer(409, "The name is taken", .json("Error")),
            ]
        case .signUpAnonymously, .signIn: [Answer(201, "A session; the token is shown once", .json("Session"))]
        case .signOut: [Answer(204, "Signed out")]
        case .changeMe:
            [
                Answer(200, "The account; behind a new password with the session's new token", .json("Session")),
                Answer(403, "The current password is wrong", .json("Error")),
                Answer(409, "The name is taken", .json("Error")),
            ]
        case .removeMe: [Answer(204, "Gone"), Answer(403, "The password is wrong", .json("Error"))]
        case .listUsers: [Answer(200, "A page of accounts", .json("Users"))]
        case .changeUser:
            [Answer(200, "The account", .json("User")), Answer(404, "There is no such user", .json("Error"))]
        case .removeUser: [Answer(204, "Gone"), Answer(404, "There is no such user", .json("Error"))]
        case .listSessions: [Answer(200, "The sessions, the newest first", .json("Sessions"))]
        case .endSession:
            [Answer(204, "Ended"), Answer(404, "The account has no such session", .json("Error"))]
        case .endSessions: [Answer(204, "Ended")]
        case .rotateSession: [Answer(200, "The session with its new token, shown once", .json("Session"))]
        case .invite: [Answer(201, "The invitation; its token is shown once", .json("Invitation"))]
        case .listInvitations: [Answer(200, "The invitations, the oldest first", .json("Invitations"))]
        case .removeInvitation: [Answer(204, "Gone"), Answer(404, "There is none with this id", .json("Error"))]
        case .readMe: [Answer(200, "The caller", .json("User"))]
        case .listKeys: [Answer(200, "A page of keys", .json("Keys"))]
        case .readKey, .changeKey: [Answer(200, "The key", .json("Key"))]
        case .createKey: [Answer(201, "The key with its token, which is shown once", .json("Key"))]
        case .rotateKey: [Answer(200, "The key with its new token, which is shown once", .json("Key"))]
        case .revokeKey: [Answer(204, "Revoked")]
        case .signInAdministrator:
            [Answer(201, "A session; the token is shown once", .json("AdministratorSession"))]
        case .signOutAdministrator, .endAdministratorSession: [Answer(204, "Signed out")]
        case .listAdministratorSessions: [Answer(200, "The sessions, the newest first", .json("AdministratorSessions"))]
        case .changeOwnPassword: [Answer(204, "Changed")]
        case .listAdministrators: [Answer(200, "The administrators by name", .json("Administrators"))]
        case .addAdministrator: [Answer(201, "The new administrator", .json("Administrator"))]
        case .readAdministrator, .changeAdministrator: [Answer(200, "The administrator", .json("Administrator"))]
        case .deleteAdministrator: [Answer(204, "Gone")]
        case .readAudit: [Answer(200, "A page of entries", .json("Audit"))]
        case .startBackup:
            [
                Answer(202, "It is under way", .json("Backup")),
                Answer(409, "Another one is under way", .json("Error")),
            ]
        case .readBackup, .cancelBackup: [Answer(200, "How far it is", .json("Backup"))]
        case .live: [Answer(200, "It answers", .json("Status"))]
        case .ready:
            [Answer(200, "It takes writes", .json("Status")), Answer(503, "It does not, and why", .json("Error"))]
        case .metrics: [Answer(200, "Figures", .text)]
        case .limits: [Answer(200, "Limits by name", .json("Limits"))]
        case .openAPI: [Answer(200, "An OpenAPI 3.1 document", .json("Document"))]
        }
    }
}
