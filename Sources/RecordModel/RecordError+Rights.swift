/// The target of a denied action, for the error message.
package enum DeniedTarget: Sendable {
    /// The records of a type.
    case records(RecordTypeName)
    /// One record. The caller knows the record's type or named the type in the request.
    case record(RecordTypeName)
    /// A private database.
    case privateDatabase
    case upload
}

extension RecordError {
    /// Returns the error for an action that `authorize` denied. The message names the action and the next step. The
    /// message names a type only if the caller named the type or may read the record.
    package static func rejected(_ caller: Caller, _ action: Action, _ deed: DeniedTarget) -> RecordError {
        var error = sentence(caller, action, deed)
        error.deniedAction = action
        return error
    }

    private static func sentence(_ caller: Caller, _ action: Action, _ deed: DeniedTarget) -> RecordError {
        switch caller {
        case .anonymous:
            RecordError(
                .authenticationRequired, "Sign in first: anonymous callers may not \(deed.words(action.verb))")
        case .user:
            RecordError(
                .accessDenied,
                "You may not \(deed.words(action.verb)). POST /explain/access tells an administrator why")
        case .participant:
            RecordError(
                .accessDenied,
                "You may not \(deed.words(action.verb)): the share does not give you this right. Ask the zone's owner")
        case .service:
            RecordError(
                .accessDenied, "The scope of this key does not cover \(deed.words(action.participle))")
        case .administrator(let administrator):
            RecordError(
                .accessDenied,
                "The role \(administrator.role.rawValue) does not cover \(deed.words(action.participle))")
        }
    }
}

extension DeniedTarget {
    fileprivate func words(_ verb: (records: String, upload: String)) -> String {
        switch self {
        case .records(let type): "\(verb.records) records of type \(type)"
        case .record(let type): "\(verb.records) this \(type)"
        case .privateDatabase: "\(verb.records) this private database"
        case .upload: "\(verb.upload) files"
        }
    }
}

extension Action {
    fileprivate var verb: (records: String, upload: String) {
        switch self {
        case .create: ("create", "upload")
        case .read: ("read", "upload")
        case .write: ("write", "upload")
        }
    }

    fileprivate var participle: (records: String, upload: String) {
        switch self {
        case .create: ("creating", "uploading")
        case .read: ("reading", "uploading")
        case .write: ("writing", "uploading")
        }
    }
}
