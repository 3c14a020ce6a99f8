/// What somebody may not do, as a refusal names it.
package enum RefusedDeed: Sendable {
    /// Something to the records of a type.
    case records(RecordTypeName)
    /// Something to one record that the caller knows of, or that it names by its type.
    case record(RecordTypeName)
    /// Anything in a private database.
    case privateDatabase
    case upload
}

extension RecordError {
    /// What `authorize` refused: what it was, and what to do. It names a type that the caller has named, or of a record that
    /// it may read, and nothing else.
    package static func refused(_ caller: Caller, _ action: Action, _ deed: RefusedDeed) -> RecordError {
        switch caller {
        case .anonymous:
            RecordError(
                .authenticationRequired, "Sign in first: anonymous callers may not \(deed.words(action.verb))")
        case .user:
            RecordError(
                .accessDenied,
                "You may not \(deed.words(action.verb)). POST /explain/access tells an administrator why")
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

extension RefusedDeed {
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
