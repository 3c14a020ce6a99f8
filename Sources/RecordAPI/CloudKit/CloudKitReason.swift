internal import RecordModel

/// The texts of `reason` that clients of CloudKit know, word for word, and the texts of this server's own.
enum CloudKitReason {
    // MARK: CloudKit's own

    /// A request needs a user and has none.
    static let userNeeded = "request needs authorization"
    /// JSON that is malformed or has another shape than the operation takes.
    static let unexpectedInput = "BadRequestException: Unexpected input"
    static let changesInDefaultZone = "cannot get changes in default zone"
    /// A sync token of another kind, or not of this server.
    static let unknownContinuation = "Unknown sync continuation type"
    /// A sync token that was cut off.
    static let invalidContinuation = "Invalid continuation format"
    static let recordExists = "record to insert already exists"
    static let recordChanged = "record to update already exists with a different change tag"
    static let taggedRecordMissing = "recordChangeTag specified, but record not found"
    static let shareMissing = "Cannot share - no such record exists to share"
    static let encryptedInPublic = "encrypted fields are not supported in the public database"
    static let encryptedIntoPlain = "Attempt to save encrypted data in non encrypted field type"
    static let recordNotFound = "Record not found"
    static let zoneNotFound = "Zone not found"
    /// A second subscription with the same content.
    static let subscriptionMissing = "could not find subscription we just created"

    /// An operation in a database to which it does not apply.
    static func notApplicable(in database: CloudKitDatabase) -> String {
        "endpoint not applicable in the database type '\(database.errorName)'"
    }

    /// An action on a record for which the caller lacks the permission.
    static func notPermitted(_ action: Action) -> String {
        switch action {
        case .create: "CREATE operation not permitted"
        case .read: "READ operation not permitted"
        case .write: "WRITE operation not permitted"
        }
    }

    /// A filter or a sort on a field without the index.
    ///
    /// - Parameter word: `queryable`, `sortable` or `searchable`.
    static func notMarked(_ field: String, _ word: String) -> String { "Field '\(field)' is not marked \(word)" }

    /// A field that the type lacks.
    static func fieldNotFound(_ field: String, in type: RecordTypeName) -> String {
        "Field \(field) not found in \(type)"
    }

    /// A new type in the production environment.
    static func cannotCreate(_ type: RecordTypeName) -> String {
        "Cannot create new type \(type) in production schema"
    }

    /// A filter on an encrypted field.
    ///
    /// - Parameters:
    ///   - type: The type of the value, such as `ENCRYPTED_STRING`.
    ///   - comparator: The comparator of the filter, such as `EQUALS`.
    static func encryptedFilter(_ field: String, type: String, comparator: String) -> String {
        "Field '\(field)' has a value type of \(type) and cannot be queried using filter type \(comparator)"
    }

    /// A value whose JSON does not fit the type of its field.
    static func invalidValue(expected type: String) -> String { "Invalid value, expected type \(type)." }

    /// A value that is tagged with another type than its field has.
    static func otherType(_ type: String, field: String, of recordType: RecordTypeName, defined: String) -> String {
        "invalid attempt to set value type \(type) for field '\(field)' for type '\(recordType)', defined to be: \(defined)"
    }

    // MARK: This server's

    static let noContainer = "There is no container with the name in the URL"
    static let noHandler =
        "There is no handler for this endpoint. The manual's page about CloudKit compatibility lists the endpoints"
    /// The same text for every reason, so that nobody learns which key IDs exist.
    static let signatureRejected = """
        The signature of the request is not valid: the key ID is unknown, the key was revoked, the date is more than 10 \
        minutes off, or the signature is of another body, path or key
        """
    static let noCredential = "The request has no credential. Send ckAPIToken, or sign it with a server-to-server key"
    static let twoCredentials = "The request has an API token and a signature. Send one of them"
    static let tokenRejected = "The API token is not valid, or it is of another container or environment"
    static let originRejected = "The API token may not be used by pages of this origin"
    static let keyElsewhere = "A server-to-server key works in the public database only, and names no user"
}

extension RecordError {
    /// The error for a request that needs a user. Its response has the URL of the sign-in page.
    static let cloudKitUserNeeded = RecordError(.authenticationRequired, CloudKitReason.userNeeded)

    /// The error for a server-to-server key in a private or shared database, or for a user's operation.
    static let cloudKitKeyElsewhere = RecordError(.authenticationFailed, CloudKitReason.keyElsewhere)

    /// The error for a body of another shape than the operation takes.
    ///
    /// - Parameter detail: What is wrong, such as `'records' is an array of objects`.
    static func unexpectedInput(_ detail: String? = nil) -> RecordError {
        .badRequest(CloudKitReason.unexpectedInput + (detail.map { ": " + $0 } ?? ""))
    }
}
